//! What goes, what is left of it, and what comes from other stores.
//!
//! What is forgotten leaves a tombstone: an id, a scope and a time. What a limit or its time takes
//! away leaves nothing. What comes is held against the tombstones, so that nobody who still has a
//! copy brings it back.

use jiff::Timestamp;
use nuthatch::change::{Adopt, Outcome};
use nuthatch::error::{Error, Result};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::memory::{Memory, Record, Tombstone};
use nuthatch::scope::Scope;

use super::{key_taken, later};
use crate::tx::Tx;

/// What is left of what goes.
#[derive(Clone, Copy)]
pub enum Left {
    /// A tombstone of this time.
    Tombstone(Timestamp),
    Nothing,
}

pub async fn forget<T: Tx>(tx: &mut T, ids: &[MemoryId], left: Left) -> Result<Outcome> {
    let mut gone = Vec::new();
    for id in ids {
        let Some(memory) = tx.memory(*id).await? else { continue };
        tx.remove_memory(*id).await?;
        if let Left::Tombstone(at) = left {
            // A clock that goes back must not make an edit younger than the end.
            let at = later(memory.updated_at.max(memory.created_at), at);
            put_later(tx, &Tombstone { id: *id, scope: memory.scope, at }).await?;
        }
        gone.push(*id);
    }
    Ok(Outcome::Touched { ids: gone })
}

pub async fn forget_sessions<T: Tx>(tx: &mut T, ids: &[SessionId], left: Left) -> Result<Outcome> {
    let mut gone = Vec::new();
    for id in ids {
        let members = tx.members(&Scope::Session(id.clone())).await?;
        forget(tx, &members, left).await?;
        if tx.session(id).await?.is_some() {
            tx.remove_session(id).await?;
            gone.push(id.clone());
        }
    }
    Ok(Outcome::SessionsGone { ids: gone })
}

pub async fn bury<T: Tx>(tx: &mut T, tombstones: &[Tombstone]) -> Result<Outcome> {
    let mut gone = Vec::new();
    for tombstone in tombstones {
        let known = tx.memory(tombstone.id).await?;
        if known.is_some_and(|memory| tombstone.covers(&memory)) {
            tx.remove_memory(tombstone.id).await?;
            gone.push(tombstone.id);
        }
        put_later(tx, tombstone).await?;
    }
    Ok(Outcome::Touched { ids: gone })
}

/// Keeps a tombstone, unless there is a later one.
async fn put_later<T: Tx>(tx: &mut T, tombstone: &Tombstone) -> Result<()> {
    match tx.tombstone(tombstone.id).await? {
        Some(known) if known.at >= tombstone.at => Ok(()),
        _ => tx.put_tombstone(tombstone).await,
    }
}

pub async fn restore<T: Tx>(tx: &mut T, record: &Record) -> Result<Outcome> {
    let memory = &record.memory;
    if tx.tombstone(memory.id).await?.is_some() {
        return Ok(Outcome::Forgotten { id: memory.id });
    }
    refuse_taken_key(tx, memory).await?;
    if tx.memory(memory.id).await?.is_some() {
        tx.remove_memory(memory.id).await?;
    }
    put(tx, memory, record).await
}

pub async fn adopt<T: Tx>(tx: &mut T, change: &Adopt) -> Result<Outcome> {
    let Adopt { record, seen } = change;
    let mut memory = record.memory.clone();
    if tx.tombstone(memory.id).await?.is_some_and(|tombstone| tombstone.covers(&memory)) {
        return Ok(Outcome::Forgotten { id: memory.id });
    }
    let known = tx.memory(memory.id).await?;
    if known.as_ref().map(Memory::fingerprint) != *seen {
        return Err(Error::conflict(format!("memory {} was changed in the meantime", memory.id))
            .with_hint("run the same again"));
    }
    refuse_taken_key(tx, &memory).await?;
    if let Some(known) = known {
        (memory.used, memory.last_used_at) = (known.used, known.last_used_at);
        let kept = tx.versions(memory.id).await?;
        let is_put = |number| record.versions.iter().any(|version| version.number == number);
        // One that keeps its id keeps its vectors, unless a version has to go.
        if kept.iter().any(|version| !is_put(version.number)) {
            tx.remove_memory(memory.id).await?;
        }
    }
    put(tx, &memory, record).await
}

async fn put<T: Tx>(tx: &mut T, memory: &Memory, record: &Record) -> Result<Outcome> {
    tx.put_memory(memory).await?;
    for version in &record.versions {
        tx.put_version(version).await?;
    }
    Ok(Outcome::Done)
}

async fn refuse_taken_key<T: Tx>(tx: &mut T, memory: &Memory) -> Result<()> {
    if let Some(key) = &memory.key
        && let Some(other) = tx.memory_of_key(&memory.scope, key).await?
        && other.id != memory.id
    {
        return Err(key_taken(&other));
    }
    Ok(())
}

/// An id that was forgotten names nothing again: whoever sends an old set once more must not
/// bring back what it said.
pub async fn refuse_forgotten<T: Tx>(tx: &mut T, id: MemoryId) -> Result<()> {
    match tx.tombstone(id).await? {
        None => Ok(()),
        Some(_) => Err(Error::conflict(format!("memory {id} was forgotten"))
            .with_hint("store the text anew, under another id")),
    }
}
