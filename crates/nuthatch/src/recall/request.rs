//! What can be asked of recall, and what it answers.
//!
//! The answer's field names are the wire names of every door.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::id::{MemoryId, SessionId};
use crate::scope::Scope;
use crate::trust::Trust;

/// How recall looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Mode {
    /// By every lane there is.
    #[default]
    Hybrid,
    /// By words.
    Text,
    /// By time, newest first; also for an empty query or `*`.
    Recent,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Hybrid, Mode::Text, Mode::Recent];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Text => "text",
            Mode::Recent => "recent",
        }
    }

    pub(crate) fn lane(self) -> Lane {
        match self {
            Mode::Hybrid | Mode::Text => Lane::Text,
            Mode::Recent => Lane::Recent,
        }
    }
}

impl FromStr for Mode {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Mode::ALL.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            Error::invalid("unknown recall mode").with_hint("hybrid, text or recent")
        })
    }
}

/// A way of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Lane {
    /// By words.
    Text,
    /// By time.
    Recent,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct RecallRequest {
    /// What to look for; empty or `*` means the newest.
    pub query: String,
    /// Where to look.
    pub filter: Filter,
    /// At most so many hits.
    pub limit: usize,
    /// How to look.
    pub mode: Mode,
}

/// The answer, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recalled {
    /// What was found.
    pub hits: Vec<Hit>,
    /// How it was found.
    pub trace: Trace,
}

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum HitKind {
    /// A memory.
    Memory,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hit {
    /// What kind of thing.
    pub kind: HitKind,
    /// Which.
    pub id: MemoryId,
    /// Its key, if it has one.
    #[serde(default)]
    pub key: Option<String>,
    /// The passage that matched; the whole content unless `cut`.
    pub content: String,
    /// Whether `content` is a part.
    pub cut: bool,
    /// From 0 to 1: how much of what was asked for is in it.
    pub score: f64,
    /// What kind of memory.
    pub category: Category,
    /// Whose memory.
    pub scope: Scope,
    /// The conversation it came from.
    pub session_id: Option<SessionId>,
    /// How far it may be believed.
    pub trust: Trust,
    /// Whether the user pinned it.
    pub pinned: bool,
    /// When it was first stored.
    pub created_at: Timestamp,
    /// What each lane that found it saw.
    pub lanes: BTreeMap<Lane, Evidence>,
}

/// What one lane saw in a hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The lane's own measure: BM25 for words, age in days for time.
    pub raw: f64,
    /// The terms of the query that stand in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
}

/// How an answer came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// How it was asked to look.
    pub mode: Mode,
    /// The lanes that ran.
    pub lanes: Vec<Lane>,
    /// The terms looked for.
    pub terms: Vec<String>,
    /// How many memories were weighed before the limit cut the answer. A lane looks at a
    /// few for each hit wanted and no further, so there may be more.
    pub found: usize,
}
