//! One thing held true, and the versions it had before.
//!
//! Plain values: what may be done to them is in [`crate::change`].

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::error::{Error, Result};
use crate::id::{ContentHash, MemoryId, SessionId};
use crate::scope::Scope;
use crate::trust::{Origin, Source, Trust};

/// How much a memory matters, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "f64", extend("minimum" = 0, "maximum" = 1)))]
pub struct Importance(f64);

impl Importance {
    /// Checks and wraps a number.
    ///
    /// # Errors
    /// Of kind `invalid`, when it is not between 0 and 1.
    pub fn new(value: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&value) {
            // Minus zero would not survive every store.
            return Ok(Importance(value.abs()));
        }
        Err(Error::invalid(format!("importance {value} is not between 0 and 1")))
    }

    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Default for Importance {
    /// The middle: nothing is known about how much it matters.
    fn default() -> Self {
        Importance(0.5)
    }
}

impl TryFrom<f64> for Importance {
    type Error = Error;
    fn try_from(value: f64) -> Result<Self> {
        Self::new(value)
    }
}

impl From<Importance> for f64 {
    fn from(importance: Importance) -> f64 {
        importance.0
    }
}

/// One thing held true: the unit of everything Nuthatch stores.
///
/// The field names are the wire names. What is not known is `null` there and never missing;
/// only `source` is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memory {
    /// Names it for ever.
    pub id: MemoryId,
    /// A name of the user's own; unique in its scope.
    #[serde(default)]
    pub key: Option<String>,
    /// The text itself.
    pub content: String,
    /// What kind of memory it is.
    pub category: Category,
    /// Whose memory it is.
    pub scope: Scope,
    /// The conversation it was stored from, if any.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// When it was first stored.
    pub created_at: Timestamp,
    /// When it was last edited; grows strictly with every edit. Use does not count.
    pub updated_at: Timestamp,
    /// Who said it.
    pub origin: Origin,
    /// Where exactly it came from, as far as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// How far it may be believed.
    pub trust: Trust,
    /// Kept by the user: never pushed out, first into preambles.
    pub pinned: bool,
    /// How much it matters.
    pub importance: Importance,
    /// Anything else, as text.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// The memory that replaced this one.
    #[serde(default)]
    pub superseded_by: Option<MemoryId>,
    /// How often it was used or said again.
    pub used: u64,
    /// When it was last used or said again.
    #[serde(default)]
    pub last_used_at: Option<Timestamp>,
}

impl Memory {
    /// A memory with nothing but a text, a scope and a time; everything else as usual for
    /// something the user said.
    #[must_use]
    pub fn new(id: MemoryId, content: impl Into<String>, scope: Scope, at: Timestamp) -> Self {
        Memory {
            id,
            key: None,
            content: content.into(),
            category: Category::default(),
            scope,
            session_id: None,
            created_at: at,
            updated_at: at,
            origin: Origin::User,
            source: None,
            trust: Origin::User.usual_trust(),
            pinned: false,
            importance: Importance::default(),
            metadata: BTreeMap::new(),
            superseded_by: None,
            used: 0,
            last_used_at: None,
        }
    }

    /// Whether a limit may push it out: not when pinned, and never a restriction.
    #[must_use]
    pub fn is_evictable(&self) -> bool {
        !self.pinned && self.category != Category::restriction()
    }

    /// Whether nothing has replaced it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.superseded_by.is_none()
    }

    /// What it costs of a character limit.
    #[must_use]
    pub fn chars(&self) -> u64 {
        self.content.chars().count() as u64
    }

    /// What equal memories have in common. How often one was used does not count: that is each
    /// store's own.
    ///
    /// # Panics
    /// Never: a memory is plain data.
    #[must_use]
    pub fn fingerprint(&self) -> ContentHash {
        let said = Memory { used: 0, last_used_at: None, ..self.clone() };
        let text = serde_json::to_string(&said).expect("a memory is plain data");
        ContentHash::of(None, &text)
    }
}

/// What a memory said before it was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Version {
    /// The memory it belongs to.
    pub memory_id: MemoryId,
    /// 1 for the first text the memory ever had.
    pub number: u32,
    /// Its key at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its text at the time.
    pub content: String,
    /// Its category at the time.
    pub category: Category,
    /// When this text was written.
    pub written_at: Timestamp,
    /// When it was replaced.
    pub replaced_at: Timestamp,
}

/// A memory with everything it ever said, oldest version first: what `migrate` moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// As it is now.
    pub memory: Memory,
    /// As it was.
    pub versions: Vec<Version>,
}

impl Record {
    /// Memories with those of these versions that are theirs.
    #[must_use]
    pub fn joined(memories: Vec<Memory>, versions: Vec<Version>) -> Vec<Record> {
        let mut all: BTreeMap<MemoryId, Vec<Version>> = BTreeMap::new();
        for version in versions {
            all.entry(version.memory_id).or_default().push(version);
        }
        let record = |memory: Memory| {
            let versions = all.remove(&memory.id).unwrap_or_default();
            Record { memory, versions }
        };
        memories.into_iter().map(record).collect()
    }
}

/// What is left of a memory that was forgotten: that there was one, and nothing of what it said.
/// By it a copy that comes from elsewhere is known, and kept out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// Which.
    pub id: MemoryId,
    /// Whose memory it was.
    pub scope: Scope,
    /// When it was forgotten; never before it was last edited.
    pub at: Timestamp,
}

impl Tombstone {
    /// Whether a memory of that id is what was forgotten. A line that a person types anew can get
    /// the id of one that is gone, and is another memory, younger than this.
    #[must_use]
    pub fn covers(&self, memory: &Memory) -> bool {
        self.id == memory.id && memory.created_at <= self.at
    }
}

/// Ids are what logs may hold: a memory prints as its id and category, not its content.
impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.id, self.category)
    }
}
