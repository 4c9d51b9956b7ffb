//! The uniform form of retrieval sets: `corpus.jsonl` of turns, `queries.jsonl` of questions.
//!
//! Both may be gzipped. A name space is a world of its own: a query only searches its own.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::data;

/// What is looked for: turns or whole sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Level {
    /// Single turns.
    Turn,
    /// Whole sessions.
    Session,
}

impl From<Level> for nuthatch::recall::Level {
    fn from(level: Level) -> Self {
        match level {
            Level::Turn => nuthatch::recall::Level::Turn,
            Level::Session => nuthatch::recall::Level::Session,
        }
    }
}

/// One line of the corpus.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Turn {
    pub(crate) ns: String,
    pub(crate) id: String,
    pub(crate) session: String,
    /// Its place in the name space.
    #[serde(default)]
    pub(crate) seq: u64,
    #[serde(default)]
    pub(crate) ts: String,
    #[serde(default)]
    pub(crate) who: String,
    pub(crate) text: String,
}

/// One question.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Query {
    pub(crate) id: String,
    pub(crate) ns: String,
    pub(crate) text: String,
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) ts: String,
    #[serde(default)]
    rel_turns: Vec<String>,
    #[serde(default)]
    rel_sessions: Vec<String>,
    /// Only what stands before this place.
    #[serde(default)]
    pub(crate) max_seq: Option<u64>,
    /// Only these sessions.
    #[serde(default)]
    pub(crate) haystack: Option<Vec<String>>,
}

impl Query {
    /// What answers it.
    pub(crate) fn relevant(&self, level: Level) -> BTreeSet<String> {
        let ids = match level {
            Level::Turn => &self.rel_turns,
            Level::Session => &self.rel_sessions,
        };
        ids.iter().cloned().collect()
    }
}

/// A set: everything said, and everything asked.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) turns: Vec<Turn>,
    pub(crate) queries: Vec<Query>,
}

impl Set {
    /// Reads the set in `folder`.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Set> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let turns = lines(folder, "corpus.jsonl")?;
        let queries = lines(folder, "queries.jsonl")?;
        Ok(Set { name, turns, queries })
    }
}

fn lines<T: DeserializeOwned>(folder: &Path, name: &str) -> anyhow::Result<Vec<T>> {
    let Some(path) = data::present(folder, name) else {
        bail!("{} has neither {name} nor {name}.gz", folder.display())
    };
    let rows = data::rows(&path)?;
    let parsed = (1..).zip(rows).map(|(line, row)| {
        serde_json::from_value(row).with_context(|| format!("{}:{line}", path.display()))
    });
    parsed.collect()
}
