//! Our own format: everything, a thing a line.
//!
//! The first line says what it is, the last how much there was: a file that breaks off is
//! noticed. Between them stand conversations, what was said in them, and memories with
//! everything they ever said, each with the field names of the wire.

use std::io::BufRead;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::lines::Lines;
use super::{Item, Telling};
use crate::Memory;
use crate::error::{Error, Result};
use crate::memory::{Importance, Record, Version};
use crate::session::{Session, Turn};

/// The version of the format; a reader takes this one.
pub const VERSION: u32 = 1;

/// How much a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Amount {
    /// Memories.
    pub memories: u64,
    /// Their old versions.
    pub versions: u64,
    /// Conversations.
    pub sessions: u64,
    /// Their turns.
    pub turns: u64,
}

impl Amount {
    /// Everything together.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.memories + self.versions + self.sessions + self.turns
    }

    /// Adds another.
    pub fn add(&mut self, other: &Amount) {
        self.memories += other.memories;
        self.versions += other.versions;
        self.sessions += other.sessions;
        self.turns += other.turns;
    }
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct First {
    pub nuthatch: u32,
    pub exported_at: Timestamp,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Last {
    pub end: Amount,
}

/// Any line, told apart by its fields.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    First(First),
    Memory {
        memory: Box<Memory>,
        #[serde(default)]
        versions: Vec<Version>,
    },
    Session {
        session: Box<Session>,
    },
    Turns {
        turns: Vec<Turn>,
    },
    Last(Last),
}

/// The one number of a memory that is no whole one, as it is written: reading JSON rounds its
/// last bit.
#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    memory: Weighed<'a>,
}

#[derive(Deserialize)]
struct Weighed<'a> {
    #[serde(borrow)]
    importance: &'a RawValue,
}

/// A line, its numbers to the last bit.
fn parsed(line: &str) -> Option<Line> {
    let mut parsed: Line = serde_json::from_str(line).ok()?;
    if let Line::Memory { memory, .. } = &mut parsed
        && let Ok(written) = serde_json::from_str::<Written<'_>>(line)
        && let Ok(exact) = written.memory.importance.get().parse()
    {
        memory.importance = Importance::new(exact).ok()?;
    }
    Some(parsed)
}

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when its first line is another's or it breaks off.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let mut lines = Lines::of(input);
    let (mut good, mut ended) = (false, false);
    let mut amount = Amount::default();
    while let Some(line) = lines.advance()? {
        let line = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => parsed(line),
            Err(_) => None,
        };
        ended = matches!(line, Some(Line::Last(_)));
        let is_ours = line.is_some();
        match line {
            Some(Line::First(first)) if first.nuthatch != VERSION => {
                return Err(Error::invalid(format!("version {} is not known", first.nuthatch))
                    .with_hint("a newer nuthatch wrote it; use that one"));
            }
            Some(Line::First(_)) => {}
            // Lines that cannot be read are counted by themselves.
            Some(Line::Last(Last { end })) if end != amount && telling.skipped.is_empty() => {
                return Err(Error::invalid("lines are missing: its last line counts more")
                    .with_hint("what is there was read; export it again for the rest"));
            }
            Some(Line::Last(_)) => {}
            Some(Line::Memory { memory, versions }) => {
                amount.memories += 1;
                amount.versions += versions.len() as u64;
                telling.item(Item::Record(Box::new(Record { memory: *memory, versions })))?;
            }
            Some(Line::Session { session }) => {
                amount.sessions += 1;
                telling.item(Item::Session(session))?;
            }
            Some(Line::Turns { turns }) => {
                amount.turns += turns.len() as u64;
                telling.item(Item::Turns(turns))?;
            }
            None if !good && lines.number > 16 => return Err(foreign()),
            None => telling.skip("lines that cannot be read"),
        }
        good |= is_ours;
    }
    match (good, ended) {
        (true, true) => Ok(()),
        (false, _) => Err(foreign()),
        (true, false) => Err(Error::invalid("the file breaks off: its last line is missing")
            .with_hint("what stands before was read; export it again for the rest")),
    }
}

fn foreign() -> Error {
    Error::invalid("no line of it is an export of nuthatch")
        .with_hint("leave --format out, or name another")
}
