//! The injection scorer and the sanitiser: what is flagged, what should not have been, and
//! how long it takes.
//!
//! A payload of hidden characters counts as neutralised when it is flagged, or when no
//! hidden character is left after sanitising. Samples can be split into thirds by their id,
//! so that figures come from samples nobody tuned on.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nuthatch::guard::injection::score;
use nuthatch::guard::{Form, inspect, sanitise};
use serde_json::Value;

use crate::data::{field, files, rows};

/// What to measure.
pub(crate) struct Options {
    pub(crate) data: PathBuf,
    pub(crate) ordinary: Vec<PathBuf>,
    pub(crate) third: Option<u32>,
    pub(crate) wrong: bool,
}

/// How the samples of one kind fared.
#[derive(Default)]
struct Tally {
    all: usize,
    flagged: usize,
    neutralised: usize,
}

/// Prints the tables.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut table: BTreeMap<(String, i64, String), Tally> = BTreeMap::new();
    for path in files(&options.data)? {
        for row in rows(&path)? {
            let third = third_of(field(&row, "id"));
            if options.third.is_none_or(|wanted| wanted == third) {
                let label = row.get("label").and_then(Value::as_i64).unwrap_or(0);
                let key = (field(&row, "source").to_owned(), label, field(&row, "kind").to_owned());
                count(table.entry(key).or_default(), &row, label, options.wrong)?;
            }
        }
    }
    let mut out = stdout().lock();
    for ((source, label, kind), tally) in &table {
        let Tally { all, flagged, neutralised } = tally;
        writeln!(
            out,
            "{source:16} {label} {kind:18} flagged {flagged:4} neutralised {neutralised:4} of {all}"
        )?;
    }
    drop(out);
    for folder in &options.ordinary {
        ordinary(folder, options.wrong)?;
    }
    speed()
}

/// The third that a sample belongs to, by a hash of its id that never changes.
fn third_of(id: &str) -> u32 {
    id.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte))) % 3
}

fn count(tally: &mut Tally, row: &Value, label: i64, wrong: bool) -> anyhow::Result<()> {
    let text = field(row, "text");
    let assessment = score(text);
    let flagged = assessment.is_suspicious();
    let clean = sanitise(text, Form::Note).is_ok_and(|clean| inspect(&clean).is_empty());
    tally.all += 1;
    tally.flagged += usize::from(flagged);
    tally.neutralised += usize::from(flagged || clean);
    if wrong && flagged != (label == 1) {
        let rules: Vec<&str> = assessment.findings.iter().map(|found| &*found.rule).collect();
        let start: String = text.chars().take(160).collect();
        writeln!(stdout(), "{label} {:.2} {rules:?} {start:?}", assessment.score)?;
    }
    Ok(())
}

/// How many ordinary texts are flagged.
fn ordinary(folder: &Path, wrong: bool) -> anyhow::Result<()> {
    let (mut all, mut flagged) = (0, 0);
    for path in files(folder)? {
        for row in rows(&path)? {
            let assessment = score(field(&row, "text"));
            all += 1;
            flagged += usize::from(assessment.is_suspicious());
            if wrong && assessment.is_suspicious() {
                let rules: Vec<String> = assessment
                    .findings
                    .iter()
                    .map(|found| {
                        let said = field(&row, "text").get(found.start..found.end);
                        format!("{}={:?}", found.rule, said.unwrap_or_default())
                    })
                    .collect();
                writeln!(stdout(), "- {:.2} {rules:?}", assessment.score)?;
            }
        }
    }
    writeln!(stdout(), "{}: {flagged} of {all} flagged", folder.display())?;
    Ok(())
}

/// Milliseconds for 4 KB and for 1 MB of prose.
fn speed() -> anyhow::Result<()> {
    let line = "Always run the tests before you push, and never send credentials by mail. ";
    for bytes in [4 << 10, 1 << 20] {
        let text = line.repeat(bytes / line.len());
        let rounds = if bytes > 100_000 { 3 } else { 200 };
        std::hint::black_box(score(&text));
        let start = Instant::now();
        for _ in 0..rounds {
            std::hint::black_box(score(&text));
        }
        let each = start.elapsed().as_secs_f64() * 1000.0 / f64::from(rounds);
        writeln!(stdout(), "{bytes} bytes: {each:.3} ms")?;
    }
    Ok(())
}
