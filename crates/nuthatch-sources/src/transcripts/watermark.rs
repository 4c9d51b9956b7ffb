//! How far a session was read, as a value that is kept beside what was read.
//!
//! Whether anything was added since shows without reading; whether the file is still the same
//! one shows in the bytes before the place where the reading stopped.

use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read, Seek, SeekFrom};
use std::str::FromStr;
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Bytes before the place where a reading stopped that must be the same at the next one.
const CHECKED: u64 = 256;

/// What a file or a row looks like from outside: it changes when the session goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes of a file; messages of a session in a database.
    pub size: u64,
    /// When it was last changed, in microseconds since 1970.
    pub modified: i64,
}

impl Stamp {
    /// The stamp of a file.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Stamp {
        let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = since.and_then(|since| i64::try_from(since.as_micros()).ok());
        Stamp { size: metadata.len(), modified: modified.unwrap_or_default() }
    }

    /// When it was last changed.
    #[must_use]
    pub fn at(&self) -> Option<Timestamp> {
        Timestamp::from_microsecond(self.modified).ok().filter(|_| self.modified != 0)
    }
}

/// How far a session was read. The default is: not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watermark {
    /// What the session looked like.
    pub stamp: Stamp,
    /// Bytes that are done with.
    pub place: u64,
    /// The place of the next event.
    pub seq: u64,
    /// What the last bytes before `place` are like, to know the file again.
    pub check: u64,
}

impl Watermark {
    /// Whether it is the beginning of a session.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.place == 0 && self.seq == 0
    }

    /// Whether a file says before `place` what it said then. Leaves it there.
    pub(crate) fn fits(&self, file: &mut (impl Read + Seek)) -> io::Result<bool> {
        let fits =
            file.seek(SeekFrom::End(0))? >= self.place && check(file, self.place)? == self.check;
        file.seek(SeekFrom::Start(self.place))?;
        Ok(fits)
    }
}

/// What the bytes before a place are like.
pub(crate) fn check(file: &mut (impl Read + Seek), place: u64) -> io::Result<u64> {
    let from = place.saturating_sub(CHECKED);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(place - from).read_to_end(&mut bytes)?;
    Ok(hash(&bytes))
}

/// The first bytes of a hash: enough to tell two things of one file apart.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
}

impl fmt::Display for Watermark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Watermark { stamp: Stamp { size, modified }, place, seq, check } = self;
        write!(f, "{size} {modified} {place} {seq} {check}")
    }
}

impl FromStr for Watermark {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || Error::invalid(format!("{text:?} is no watermark"));
        let mut parts = text.split(' ');
        let mut next = || parts.next().ok_or_else(bad);
        let watermark = Watermark {
            stamp: Stamp {
                size: next()?.parse().map_err(|_| bad())?,
                modified: next()?.parse().map_err(|_| bad())?,
            },
            place: next()?.parse().map_err(|_| bad())?,
            seq: next()?.parse().map_err(|_| bad())?,
            check: next()?.parse().map_err(|_| bad())?,
        };
        if parts.next().is_some() { Err(bad()) } else { Ok(watermark) }
    }
}
