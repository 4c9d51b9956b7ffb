//! What models cost, a line for each call, in the data folder.
//!
//! Lines that cannot be read are passed over: they were cut short by a crash. A log that
//! cannot be read at all is an error, because a budget that is not known is not kept.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use nuthatch::autonomy::ports::{Receipt, Receipts};
use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::model::{Ledger, ModelInfo, Usage};
use nuthatch_stores::SystemClock;

use crate::private;

/// The file in the data folder.
const FILE: &str = "spend.jsonl";

/// The log.
pub struct SpendLog {
    path: PathBuf,
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
}

impl Receipts for SpendLog {
    fn all(&self) -> Result<Vec<Receipt>> {
        let text = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|error| self.trouble("read", error))?,
        };
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

impl Ledger for SpendLog {
    fn spent_today(&self) -> Result<u64> {
        let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
        let today = day(SystemClock.now());
        let receipts = self.all()?.into_iter();
        let paid = receipts.filter(|receipt| receipt.paid && day(receipt.at) == today);
        Ok(paid.map(|receipt| receipt.total()).sum())
    }

    fn spend(&self, model: &ModelInfo, usage: Usage) -> Result<()> {
        let receipt = Receipt {
            at: SystemClock.now(),
            provider: model.provider.clone(),
            model: model.name.clone(),
            paid: model.paid,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        };
        let line = serde_json::to_string(&receipt)
            .map_err(|error| Error::internal("a receipt cannot be written").with_source(error))?;
        let write = || -> std::io::Result<()> {
            self.path.parent().map_or(Ok(()), private::folder)?;
            let mut file = private::options().append(true).create(true).open(&self.path)?;
            // One write: lines of several processes never mix.
            file.write_all(format!("{line}\n").as_bytes())
        };
        write().map_err(|error| self.trouble("write", error))
    }
}
