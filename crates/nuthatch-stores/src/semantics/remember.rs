//! Storing a memory: what a key or a text that is known already makes of it.
//!
//! The promise is in `nuthatch::change::Remember`.

use jiff::Timestamp;
use nuthatch::change::{Outcome, Remember, Stored};
use nuthatch::error::Result;
use nuthatch::guard::{Form, Verdict, admit_memory};
use nuthatch::memory::Memory;
use nuthatch::trust::Trust;

use super::leaving::refuse_forgotten;
use super::{keep_version, later, limits, mark_superseded, says_something_else};
use crate::tx::Tx;

/// Carries out a [`Remember`].
pub async fn remember<T: Tx>(tx: &mut T, change: &Remember, at: Timestamp) -> Result<Outcome> {
    let new = &change.memory;
    let before = tx.usage(&new.scope).await?;
    let of_key = match &new.key {
        Some(key) => tx.memory_of_key(&new.scope, key).await?,
        None => None,
    };
    let (memory, duplicate) = match of_key {
        Some(known) if known.content == new.content && known.is_current() => {
            (renewed(tx, known, change, at).await?, true)
        }
        Some(known) => (replaced(tx, known, change, at).await?, false),
        None => match same_text(tx, new).await? {
            Some(known) => (renewed(tx, known, change, at).await?, true),
            None => {
                refuse_forgotten(tx, new.id).await?;
                (new.clone(), false)
            }
        },
    };
    tx.put_memory(&memory).await?;
    let evicted = limits::enforce(tx, &memory, before, &change.limits).await?;
    let mut superseded = Vec::new();
    if !evicted.contains(&memory.id) {
        for old in &change.supersedes {
            mark_superseded(tx, *old, Some(memory.id), at).await?;
            superseded.push(*old);
        }
    }
    Ok(Outcome::Remembered(Box::new(Stored { memory, duplicate, evicted, superseded })))
}

/// A current memory that says the same. Two different keys are two memories all the same.
async fn same_text<T: Tx>(tx: &mut T, new: &Memory) -> Result<Option<Memory>> {
    let known = tx.memory_of_content(&new.scope, &new.content).await?;
    Ok(known.filter(|known| new.key.is_none() || known.key.is_none()))
}

/// The same thing said again: its use is renewed, and what the new telling adds is added.
async fn renewed<T: Tx>(
    tx: &mut T,
    known: Memory,
    change: &Remember,
    at: Timestamp,
) -> Result<Memory> {
    let new = &change.memory;
    let mut memory = known.clone();
    memory.used = memory.used.saturating_add(1);
    memory.last_used_at = Some(at);
    if new.trust == Trust::Quarantined && known.trust > Trust::Quarantined {
        // What is suspicious about the new telling must not rub off.
        return Ok(memory);
    }
    if known.trust > Trust::Quarantined || may_leave_quarantine(&known, new) {
        memory.trust = memory.trust.max(new.trust);
    }
    memory.pinned |= new.pinned;
    memory.metadata.extend(new.metadata.clone());
    memory.key = memory.key.or_else(|| new.key.clone());
    memory.session_id = memory.session_id.or_else(|| new.session_id.clone());
    if change.said.category {
        memory.category.clone_from(&new.category);
    }
    if change.said.importance {
        memory.importance = new.importance;
    }
    let says_else = says_something_else(&known, &memory);
    if says_else || memory.importance != known.importance {
        memory.updated_at = later(known.updated_at, at);
    }
    if says_else {
        keep_version(tx, &known, memory.updated_at).await?;
    }
    Ok(memory)
}

/// Whether a memory that is kept apart is believed because this is said now: by the user, of
/// a memory that nothing else speaks against.
fn may_leave_quarantine(known: &Memory, new: &Memory) -> bool {
    let passed = || admit_memory(known.clone(), Form::Note);
    new.trust == Trust::Confirmed
        && passed().is_ok_and(|(_, passed)| passed.verdict == Verdict::Accept)
}

/// A new text under an old key: the memory stays itself and keeps what it said.
async fn replaced<T: Tx>(
    tx: &mut T,
    known: Memory,
    change: &Remember,
    at: Timestamp,
) -> Result<Memory> {
    let mut memory = change.memory.clone();
    memory.id = known.id;
    memory.created_at = known.created_at;
    memory.updated_at = later(known.updated_at, at);
    memory.pinned |= known.pinned;
    memory.used = known.used;
    memory.last_used_at = known.last_used_at;
    memory.session_id = memory.session_id.or_else(|| known.session_id.clone());
    if !change.said.category {
        memory.category.clone_from(&known.category);
    }
    if !change.said.importance {
        memory.importance = known.importance;
    }
    // What nobody has approved must not be believed along with the new text.
    if known.trust > Trust::Quarantined || memory.trust == Trust::Quarantined {
        let mut metadata = known.metadata.clone();
        metadata.extend(memory.metadata);
        memory.metadata = metadata;
    }
    if says_something_else(&known, &memory) {
        keep_version(tx, &known, memory.updated_at).await?;
    }
    Ok(memory)
}
