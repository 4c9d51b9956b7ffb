//! What waits for a person: quarantined memories, why they wait, and letting them go on.
//!
//! Looking never repeats a secret: a text that holds one is shown with it struck out.
//! Approving makes a memory the user's own word; rejecting is forgetting.

use serde::{Deserialize, Serialize};

use crate::change::{Change, Edit, Patch, Wish};
use crate::error::{Error, Kind, Result};
use crate::filter::Filter;
use crate::guard::{Verdict, redact};
use crate::id::MemoryId;
use crate::limits::Rules;
use crate::memory::{Memory, Version};
use crate::scan::{self, Suspect};
use crate::store::Store;
use crate::trust::{Origin, Trust};

/// A memory that waits, and what speaks against it today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// The memory; a secret in it is struck out.
    pub memory: Memory,
    /// What it said before, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<Version>,
    /// What the gate finds in it now. Nothing, where only its origin speaks against it.
    pub found: Vec<Suspect>,
}

/// What was approved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approved {
    /// Memories that are the user's word now.
    pub approved: Vec<MemoryId>,
    /// Memories that hold a secret: nobody's word makes them fit for a prompt.
    pub refused: Vec<MemoryId>,
}

/// Everything quarantined that a filter means.
pub(crate) async fn waiting(store: &dyn Store, filter: &Filter) -> Result<Vec<Waiting>> {
    let filter = Filter { max_trust: Some(Trust::Quarantined), ..filter.clone() };
    let memories = crate::forget::meant(store, &filter).await?;
    let mut waiting = Vec::with_capacity(memories.len());
    for memory in memories {
        waiting.push(look(store, memory).await?);
    }
    Ok(waiting)
}

/// One memory, whatever its trust, with what speaks against it.
pub(crate) async fn look(store: &dyn Store, memory: Memory) -> Result<Waiting> {
    let versions = store.versions(&[memory.id]).await?;
    let found = scan::memory(&memory, &versions);
    if found.iter().all(|suspect| suspect.verdict != Verdict::Reject) {
        return Ok(Waiting { memory, versions, found });
    }
    let struck = |text: &String| redact(text).0;
    let memory = Memory {
        content: struck(&memory.content),
        key: memory.key.as_ref().map(struck),
        metadata: memory.metadata.iter().map(|(n, v)| (struck(n), struck_value(n, v))).collect(),
        source: None,
        ..memory
    };
    let strike =
        |v: Version| Version { content: struck(&v.content), key: v.key.as_ref().map(struck), ..v };
    Ok(Waiting { memory, versions: versions.into_iter().map(strike).collect(), found })
}

/// A value that is a secret only under its name loses all of itself.
fn struck_value(name: &str, value: &str) -> String {
    let (pair, found) = redact(&format!("{name}: {value}"));
    if found.is_empty() {
        return value.to_owned();
    }
    pair.split_once(": ").map_or(pair.clone(), |(_, value)| value.to_owned())
}

/// The wish that approves a memory as it is now, or why it cannot be approved.
pub(crate) fn approval(waiting: &Waiting, rules: &Rules) -> Result<Wish> {
    let Waiting { memory, found, .. } = waiting;
    if found.iter().any(|suspect| suspect.verdict == Verdict::Reject) {
        let message = format!("memory {} holds a secret and cannot be approved", memory.id);
        return Err(
            Error::new(Kind::Denied, message).with_hint("edit the secret out of it, or reject it")
        );
    }
    let (limits, expected) = (rules.limits_of(&memory.scope), Some(memory.updated_at));
    let patch =
        Patch { trust: Some(Trust::Confirmed), origin: Some(Origin::User), ..Patch::default() };
    Ok(Change::Edit(Box::new(Edit { id: memory.id, expected, limits, patch })).into())
}
