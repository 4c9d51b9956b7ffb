//! What a sync is asked for, and what it answers: counts, ids and reasons, and no text of any
//! memory. How things are settled is in `settle.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind};
use crate::filter::{Region, Scopes};
use crate::id::MemoryId;
use crate::scope::ScopeKind;

/// Different reasons that are told apart.
const MOST_REASONS: usize = 50;

/// What is shared.
#[derive(Clone, Debug)]
pub struct SyncRequest {
    /// Memories of these scopes, and what was forgotten in them.
    pub scopes: Scopes,
    /// Also what is quarantined on either side.
    pub quarantined: bool,
    /// Only say what would happen.
    pub dry_run: bool,
}

impl SyncRequest {
    /// What is shared unless somebody says otherwise: nothing of the person, nothing of a single
    /// conversation, nothing that is quarantined.
    #[must_use]
    pub fn usual() -> Self {
        let kept = [ScopeKind::User, ScopeKind::Session].map(Region::kind).to_vec();
        SyncRequest { scopes: Scopes::outside(kept), quarantined: false, dry_run: false }
    }
}

/// One of the two stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The one that is asked.
    Here,
    /// The other.
    There,
}

/// What came to one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Came {
    /// Memories it did not have.
    pub new: u64,
    /// Memories it had in another state.
    pub changed: u64,
    /// Memories that the other side had forgotten.
    pub forgotten: u64,
}

impl Came {
    /// All of it.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.new + self.changed + self.forgotten
    }
}

/// What both sides had changed since they last agreed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncConflict {
    /// Which memory.
    pub id: MemoryId,
    /// What of it: `text`, `key`, or a field.
    pub fields: Vec<String>,
    /// Whose text holds; the other is in the history.
    pub kept: Side,
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    /// Whether nothing was done in truth.
    pub dry_run: bool,
    /// What came here.
    pub here: Came,
    /// What came there.
    pub there: Came,
    /// Memories that were the same.
    pub same: u64,
    /// What both sides had changed.
    pub conflicts: Vec<SyncConflict>,
    /// Memories that are quarantined on one side, and were left as they are.
    pub held_back: u64,
    /// Memories that one side pushed out or let expire since they agreed, and did not get again.
    pub pushed_out: u64,
    /// Memories that came, and wait for a person to look at them.
    pub quarantined: u64,
    /// What was not taken, by the reason.
    pub refused: BTreeMap<String, u64>,
}

impl Synced {
    pub(super) fn came(&mut self, side: Side) -> &mut Came {
        match side {
            Side::Here => &mut self.here,
            Side::There => &mut self.there,
        }
    }

    pub(super) fn refuse(&mut self, error: &Error) {
        let reason = match error.kind() {
            // Names of memories would make a reason of each.
            Kind::Conflict => "it changes all the time, or its key is taken".to_owned(),
            _ => error.to_string(),
        };
        let known = self.refused.len() < MOST_REASONS || self.refused.contains_key(&reason);
        let reason = if known { reason } else { "other reasons".to_owned() };
        *self.refused.entry(reason).or_default() += 1;
    }
}
