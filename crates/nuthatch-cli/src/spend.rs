//! What models cost, a line for each call, in the data folder.
//!
//! A call of a paid model is written down twice: before it is made, with what it may cost at
//! most, and after it. Whoever sets tokens aside holds a lock on the file while looking and
//! writing, so that processes cannot spend the same ones. Lines that cannot be read are passed
//! over: they were cut short by a crash. A log that cannot be read at all is an error, because
//! a budget that is not known is not kept.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use nuthatch::autonomy::ports::{Receipt, Receipts};
use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::model::{Ledger, ModelInfo, Need, Reserved, Usage};
use nuthatch_stores::SystemClock;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::private;

/// The file in the data folder.
const FILE: &str = "spend.jsonl";

/// The log.
pub struct SpendLog {
    path: PathBuf,
}

/// One line of it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    /// Tokens that are set aside for a call.
    Aside { at: Timestamp, call: String, aside: u64 },
    /// A call that came to nothing.
    Nothing { at: Timestamp, nothing: String },
    /// What a call cost.
    Paid {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        #[serde(flatten)]
        receipt: Receipt,
    },
}

impl SpendLog {
    /// The log of a data folder.
    pub fn at(data: &Path) -> SpendLog {
        SpendLog { path: data.join(FILE) }
    }

    fn trouble(&self, what: &str, error: std::io::Error) -> Error {
        Error::unavailable(format!("cannot {what} {}: {error}", self.path.display()))
            .with_hint("what models cost is kept there; without it no paid model is asked")
            .with_source(error)
    }

    fn lines(&self) -> Result<Vec<Line>> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            read => Ok(parsed(&read.map_err(|error| self.trouble("read", error))?)),
        }
    }

    /// The file with what stands in it, for one alone until it is let go; a line that a crash
    /// cut short is ended.
    fn open(&self) -> std::io::Result<(File, Vec<Line>)> {
        self.path.parent().map_or(Ok(()), private::folder)?;
        let mut file = private::options().read(true).append(true).create(true).open(&self.path)?;
        file.lock()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n")?;
        }
        Ok((file, parsed(&bytes)))
    }

    fn note(&self, line: &Line) -> Result<()> {
        let write = || self.open().and_then(|(mut file, _)| append(&mut file, line));
        write().map_err(|error| self.trouble("write", error))
    }
}

fn append(file: &mut File, line: &Line) -> std::io::Result<()> {
    let line = serde_json::to_string(line)?;
    file.write_all(format!("{line}\n").as_bytes())
}

fn parsed(bytes: &[u8]) -> Vec<Line> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Tokens of a day, with those that are set aside for calls nobody has settled.
fn spent(lines: &[Line], today: Date) -> u64 {
    let mut aside: BTreeMap<&str, u64> = BTreeMap::new();
    let mut paid = 0_u64;
    for line in lines {
        match line {
            Line::Aside { at, call, aside: tokens } if day(*at) == today => {
                aside.insert(call, *tokens);
            }
            Line::Nothing { nothing, .. } => {
                aside.remove(nothing.as_str());
            }
            Line::Paid { call, receipt } => {
                call.as_ref().map(|call| aside.remove(call.as_str()));
                if receipt.paid && day(receipt.at) == today {
                    paid = paid.saturating_add(receipt.total());
                }
            }
            Line::Aside { .. } => {}
        }
    }
    aside.values().fold(paid, |sum, tokens| sum.saturating_add(*tokens))
}

impl Receipts for SpendLog {
    fn all(&self) -> Result<Vec<Receipt>> {
        let receipt = |line| match line {
            Line::Paid { receipt, .. } => Some(receipt),
            Line::Aside { .. } | Line::Nothing { .. } => None,
        };
        Ok(self.lines()?.into_iter().filter_map(receipt).collect())
    }
}

impl Ledger for SpendLog {
    fn spent_today(&self) -> Result<u64> {
        Ok(spent(&self.lines()?, day(SystemClock.now())))
    }

    fn reserve(&self, _: &ModelInfo, need: Need, per_day: u64) -> Result<Option<Reserved>> {
        let reserve = || -> std::io::Result<Option<Reserved>> {
            let (mut file, lines) = self.open()?;
            let at = SystemClock.now();
            let tokens = need.most.min(per_day.saturating_sub(spent(&lines, day(at))));
            if tokens < need.least {
                return Ok(None);
            }
            let call = Uuid::new_v4().to_string();
            append(&mut file, &Line::Aside { at, call: call.clone(), aside: tokens })?;
            Ok(Some(Reserved { call, tokens }))
        };
        reserve().map_err(|error| self.trouble("write", error))
    }

    fn spend(&self, model: &ModelInfo, usage: Usage, reserved: Option<&Reserved>) -> Result<()> {
        let receipt = Receipt {
            at: SystemClock.now(),
            provider: model.provider.clone(),
            model: model.name.clone(),
            paid: model.paid,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        };
        self.note(&Line::Paid { call: reserved.map(|one| one.call.clone()), receipt })
    }

    fn release(&self, reserved: &Reserved) -> Result<()> {
        self.note(&Line::Nothing { at: SystemClock.now(), nothing: reserved.call.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEED: Need = Need { least: 100, most: 400 };

    fn info() -> ModelInfo {
        ModelInfo { provider: "openai".into(), name: "parrot".into(), paid: true }
    }

    #[test]
    fn a_day_is_never_promised_twice_however_many_ask_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let granted: u64 = std::thread::scope(|scope| {
            let asking = (0..8).map(|_| {
                scope.spawn(|| {
                    // Each as a process of its own would.
                    let log = SpendLog::at(folder.path());
                    let granted = (0..4).filter_map(|_| log.reserve(&info(), NEED, 1000).unwrap());
                    granted.map(|one| one.tokens).sum::<u64>()
                })
            });
            let asking: Vec<_> = asking.collect();
            asking.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(granted, 1000);
        assert_eq!(SpendLog::at(folder.path()).spent_today().unwrap(), 1000);
    }

    #[test]
    fn what_a_call_cost_takes_the_place_of_what_was_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let log = SpendLog::at(folder.path());
        let [first, second] = [0, 1].map(|_| log.reserve(&info(), NEED, 800).unwrap().unwrap());
        assert_eq!(log.reserve(&info(), NEED, 800).unwrap(), None);
        let usage = Usage { input_tokens: 30, output_tokens: 20 };
        log.spend(&info(), usage, Some(&first)).unwrap();
        assert_eq!(log.spent_today().unwrap(), 450);
        log.release(&second).unwrap();
        assert_eq!((log.spent_today().unwrap(), log.all().unwrap().len()), (50, 1));
    }

    #[test]
    fn a_line_that_was_cut_short_hides_no_other() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "{\"at\": \"2026-0").unwrap();
        let log = SpendLog::at(folder.path());
        log.spend(&info(), Usage { input_tokens: 30, output_tokens: 20 }, None).unwrap();
        log.reserve(&info(), NEED, 800).unwrap().unwrap();
        assert_eq!(log.spent_today().unwrap(), 450);
    }
}
