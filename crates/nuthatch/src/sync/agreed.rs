//! What two stores agreed on last: enough to tell who changed what since, and nothing of what
//! memories say.
//!
//! Losing it is harmless: stores that meet as if for the first time come to the same state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::Result;
use crate::id::{ContentHash, MemoryId};
use crate::memory::{Importance, Memory};
use crate::trust::Trust;

/// What was agreed on, by memory.
pub type Agreement = BTreeMap<MemoryId, Agreed>;

/// Keeps what one pair of stores agreed on.
pub trait Agreements: Send + Sync {
    /// What they agreed on last; nothing if they never met, or nobody knows any more.
    ///
    /// # Errors
    /// When it cannot be looked for.
    fn last(&self) -> Result<Agreement>;

    /// Keeps what they agree on now.
    ///
    /// # Errors
    /// When it cannot be kept; nothing else is lost by that.
    fn keep(&self, agreement: &Agreement) -> Result<()>;
}

/// Keeps nothing: whoever syncs like that meets for the first time, always.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unremembered;

impl Agreements for Unremembered {
    fn last(&self) -> Result<Agreement> {
        Ok(Agreement::new())
    }

    fn keep(&self, _: &Agreement) -> Result<()> {
        Ok(())
    }
}

/// How a memory was when both stores had it the same. Texts are hashes here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreed {
    /// Its fingerprint.
    pub memory: Uuid,
    /// Its trust.
    pub trust: Trust,
    /// Whether it was pinned.
    pub pinned: bool,
    /// How much it mattered.
    pub importance: Importance,
    /// What had replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// A hash of its metadata.
    pub metadata: Uuid,
}

impl Agreed {
    /// What is noted of a memory.
    #[must_use]
    pub fn of(memory: &Memory) -> Self {
        Agreed {
            memory: uuid(memory.fingerprint()),
            trust: memory.trust,
            pinned: memory.pinned,
            importance: memory.importance,
            superseded_by: memory.superseded_by,
            metadata: hash(&memory.metadata),
        }
    }

    /// Whether a memory is still as it was agreed on.
    #[must_use]
    pub fn is(&self, memory: &Memory) -> bool {
        self.memory == uuid(memory.fingerprint())
    }
}

fn uuid(hash: ContentHash) -> Uuid {
    Uuid::from_bytes(hash.0)
}

/// A hash of metadata.
pub(super) fn hash(metadata: &BTreeMap<String, String>) -> Uuid {
    let parts: Vec<String> =
        metadata.iter().map(|(name, value)| format!("{}:{name}{value}", name.len())).collect();
    uuid(ContentHash::of(Some(&parts.len().to_string()), &parts.join("\0")))
}
