//! What can be asked of recall, and what it answers.
//!
//! The answer's field names are the wire names of every door.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::when::Period;
use crate::category::Category;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::id::{MemoryId, ModelId, SessionId};
use crate::scope::Scope;
use crate::session::Role;
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
    /// By meaning.
    Vector,
    /// By time, newest first; also for an empty query or `*`.
    Recent,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 4] = [Mode::Hybrid, Mode::Text, Mode::Vector, Mode::Recent];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Text => "text",
            Mode::Vector => "vector",
            Mode::Recent => "recent",
        }
    }
}

impl FromStr for Mode {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Mode::ALL.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            Error::invalid("unknown recall mode").with_hint("hybrid, text, vector or recent")
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
    /// By meaning.
    Vector,
    /// By its key, asked for in full.
    Key,
    /// By time.
    Recent,
}

/// What a hit is, where turns are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Level {
    /// Each turn by itself.
    #[default]
    Turn,
    /// Each conversation once, judged by its best turns.
    Session,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct RecallRequest {
    /// What to look for; empty or `*` means the newest.
    pub query: String,
    /// Where to look, and in what.
    pub filter: Filter,
    /// At most so many hits.
    pub limit: usize,
    /// How to look.
    pub mode: Mode,
    /// Whether turns are hits of their own.
    pub level: Level,
    /// Only hits of at least this score.
    pub min_score: f64,
    /// Whether each hit says what its score is made of.
    pub explain: bool,
}

impl RecallRequest {
    /// Asks for ten hits in every way there is.
    pub fn new(query: impl Into<String>, filter: Filter) -> Self {
        RecallRequest {
            query: query.into(),
            filter,
            limit: 10,
            mode: Mode::Hybrid,
            level: Level::Turn,
            min_score: 0.0,
            explain: false,
        }
    }
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
    /// A turn of a conversation.
    Turn,
    /// A conversation.
    Session,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hit {
    /// What kind of thing.
    pub kind: HitKind,
    /// Which: the id of the memory or the conversation, and for a turn the conversation's
    /// with its place, as in `chat-7#12`.
    pub id: String,
    /// Its key, if it is a memory that has one.
    #[serde(default)]
    pub key: Option<String>,
    /// The passage that matched; the whole content unless `cut`.
    pub content: String,
    /// Whether `content` is a part.
    pub cut: bool,
    /// From 0 to 1; 0.5 is as near in meaning as an answer must be, without a word in common.
    /// Where words alone are compared, how much of what was asked for the best hit holds.
    pub score: f64,
    /// What kind of memory; of a turn, `conversation`.
    pub category: Category,
    /// Whose memory.
    pub scope: Scope,
    /// The conversation it came from.
    pub session_id: Option<SessionId>,
    /// Its place in the conversation, if it is a turn; of a conversation, its best one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Who said it, if it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The question it answers, if it is a turn that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// How far it may be believed.
    pub trust: Trust,
    /// Whether the user pinned it.
    pub pinned: bool,
    /// When it was first stored, or said, or began.
    pub created_at: Timestamp,
    /// The memory that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// Other memories of this answer that say something else of the same thing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<MemoryId>,
    /// What each lane that found it saw.
    pub lanes: BTreeMap<Lane, Evidence>,
    /// What the score is made of, if that was asked for; 0 in all is a score of 0.5.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, f64>,
}

impl Hit {
    /// The memory, if it is one.
    #[must_use]
    pub fn memory(&self) -> Option<MemoryId> {
        (self.kind == HitKind::Memory).then(|| self.id.parse().ok()).flatten()
    }
}

/// What one lane saw in a hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The lane's own measure: BM25 for words, the cosine for meaning, age in days for time.
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
    /// How many memories and turns were weighed before the limit cut the answer. A lane looks
    /// at a few hundred and no further, so there may be more.
    pub found: usize,
    /// The model that compared meanings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelId>,
    /// How many memories and turns still wait to be embedded, and are found by words alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pending: u64,
    /// The time the query speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// What should be known about the answer, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
