//! What every change means, written once for all backends.
//!
//! The promises are in `nuthatch::change`; the conformance suite holds every backend to
//! them. Storing is in `remember.rs`, what goes and what comes from other stores in
//! `leaving.rs`, limits are in `limits.rs`, answers to repeated sets in `receipt.rs`.

mod leaving;
mod limits;
mod receipt;
mod remember;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use nuthatch::change::{Applied, Change, ChangeSet, Edit, Outcome, Stored};
use nuthatch::error::{Error, Kind, Result};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::memory::{Memory, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::trust::{Origin, Trust};

use self::leaving::{Left, adopt, bury, forget, forget_sessions, restore};
use crate::tx::Tx;

/// Levels of trust as numbers for backends with columns, so that "at least" is a comparison.
pub fn trust_level(trust: Trust) -> i64 {
    match trust {
        Trust::Quarantined => 0,
        Trust::Inferred => 1,
        Trust::Observed => 2,
        Trust::Confirmed => 3,
    }
}

/// Applies a set inside an open transaction. On an error the caller rolls back.
pub async fn apply<T: Tx>(tx: &mut T, set: &ChangeSet) -> Result<Applied> {
    tx.foresee(set).await?;
    if let Some(receipt) = tx.seen(set.id()).await? {
        return receipt::replay(tx, set, &receipt).await;
    }
    let mut outcomes = Vec::with_capacity(set.changes().len());
    for change in set.changes() {
        outcomes.push(apply_one(tx, change, set.at()).await?);
    }
    tx.mark_seen(set.id(), &receipt::write(&outcomes)?).await?;
    Ok(Applied::new(outcomes))
}

async fn apply_one<T: Tx>(tx: &mut T, change: &Change, at: Timestamp) -> Result<Outcome> {
    match change {
        Change::Remember(change) => remember::remember(tx, change, at).await,
        Change::Edit(change) => edit(tx, change, at).await,
        Change::Supersede { old, by } => supersede(tx, *old, *by, at).await,
        Change::Use { ids } => count_use(tx, ids, at).await,
        Change::Forget { ids } => forget(tx, ids, Left::Tombstone(at)).await,
        Change::Release { ids } => forget(tx, ids, Left::Nothing).await,
        Change::Bury { tombstones } => bury(tx, tombstones).await,
        Change::Adopt(change) => adopt(tx, change).await,
        Change::Expire { category, before } => {
            let ids = tx.expired(category, *before).await?;
            forget(tx, &ids, Left::Nothing).await
        }
        Change::Restore(record) => restore(tx, record).await,
        Change::OpenSession { channel, user, fresh } => {
            open_session(tx, (channel, user), fresh, at).await
        }
        Change::PutSession(session) => {
            tx.put_session(session).await?;
            Ok(Outcome::Done)
        }
        Change::RenewSession(session) => {
            let renewed = match tx.session(&session.id).await? {
                Some(known) => known.renewed(Session::clone(session)),
                None => Session::clone(session),
            };
            tx.put_session(&renewed).await?;
            Ok(Outcome::Done)
        }
        Change::PutTurns { turns } => put_turns(tx, turns).await,
        Change::ForgetSession { id } => {
            forget_sessions(tx, std::slice::from_ref(id), Left::Tombstone(at)).await
        }
        Change::ExpireSessions { idle_since } => {
            let ids = tx.idle_sessions(*idle_since).await?;
            forget_sessions(tx, &ids, Left::Nothing).await
        }
    }
}

fn says_something_else(old: &Memory, new: &Memory) -> bool {
    old.content != new.content || old.key != new.key || old.category != new.category
}

/// Strictly later than `before`, even when the clock stands still or goes back.
fn later(before: Timestamp, at: Timestamp) -> Timestamp {
    let next = before.checked_add(SignedDuration::from_micros(1)).unwrap_or(before);
    at.max(next)
}

async fn keep_version<T: Tx>(tx: &mut T, old: &Memory, replaced_at: Timestamp) -> Result<()> {
    let last = tx.versions(old.id).await?.last().map_or(0, |version| version.number);
    let number = last.checked_add(1).ok_or_else(|| {
        Error::conflict(format!("memory {} has no version number left", old.id))
            .with_hint("store the new text as a memory of its own")
    })?;
    tx.put_version(&Version {
        memory_id: old.id,
        number,
        key: old.key.clone(),
        content: old.content.clone(),
        category: old.category.clone(),
        written_at: old.updated_at,
        replaced_at,
    })
    .await
}

async fn edit<T: Tx>(tx: &mut T, change: &Edit, at: Timestamp) -> Result<Outcome> {
    let old = existing(tx, change.id).await?;
    if change.expected.is_some_and(|expected| expected != old.updated_at) {
        return Err(Error::conflict(format!("memory {} was changed in the meantime", old.id))
            .with_hint("look at it again, then repeat the edit"));
    }
    let before = tx.usage(&old.scope).await?;
    let mut memory = patched(&old, change);
    if memory.key != old.key
        && let Some(key) = &memory.key
        && let Some(other) = tx.memory_of_key(&old.scope, key).await?
    {
        return Err(key_taken(&other));
    }
    let mut evicted = Vec::new();
    if memory != old {
        memory.updated_at = later(old.updated_at, at);
        if says_something_else(&old, &memory) {
            keep_version(tx, &old, memory.updated_at).await?;
        }
        tx.put_memory(&memory).await?;
        evicted = limits::enforce(tx, &memory, before, &change.limits).await?;
    }
    let stored = Stored { memory, duplicate: false, evicted, superseded: Vec::new() };
    Ok(Outcome::Edited(Box::new(stored)))
}

fn patched(old: &Memory, change: &Edit) -> Memory {
    let patch = change.patch.clone();
    let mut memory = old.clone();
    if let (Some(content), Some(origin)) = (&patch.content, patch.origin)
        && *content != old.content
        && old.trust.reworded_by(origin) < old.trust
    {
        memory.trust = old.trust.reworded_by(origin);
        memory.origin = origin;
    }
    memory.content = patch.content.unwrap_or(memory.content);
    memory.key = patch.key.unwrap_or(memory.key);
    memory.category = patch.category.unwrap_or(memory.category);
    memory.trust = patch.trust.map_or(memory.trust, |trust| match patch.origin {
        None | Some(Origin::User) => trust,
        // Whoever else may lower trust, and no more.
        Some(_) => trust.min(memory.trust),
    });
    memory.pinned = patch.pinned.unwrap_or(memory.pinned);
    memory.importance = patch.importance.unwrap_or(memory.importance);
    for (name, value) in patch.metadata {
        if value.is_empty() {
            memory.metadata.remove(&name);
        } else {
            memory.metadata.insert(name, value);
        }
    }
    memory
}

async fn existing<T: Tx>(tx: &mut T, id: MemoryId) -> Result<Memory> {
    tx.memory(id).await?.ok_or_else(|| Error::not_found(format!("no memory {id}")))
}

fn key_taken(other: &Memory) -> Error {
    Error::conflict(format!("the key is taken by memory {} of the same scope", other.id))
        .with_hint("choose another key, or edit that memory")
}

async fn supersede<T: Tx>(
    tx: &mut T,
    old: MemoryId,
    by: Option<MemoryId>,
    at: Timestamp,
) -> Result<Outcome> {
    let memory = mark_superseded(tx, old, by, at).await?;
    let stored = Stored { memory, duplicate: false, evicted: Vec::new(), superseded: Vec::new() };
    Ok(Outcome::Edited(Box::new(stored)))
}

async fn mark_superseded<T: Tx>(
    tx: &mut T,
    old: MemoryId,
    by: Option<MemoryId>,
    at: Timestamp,
) -> Result<Memory> {
    let mut memory = existing(tx, old).await?;
    let mut next = by;
    // A file edited by hand can hold a circle that was never asked for.
    let mut seen = BTreeSet::new();
    while let Some(id) = next.filter(|id| seen.insert(*id)) {
        if id == old {
            return Err(Error::invalid(format!("memory {old} cannot replace itself")));
        }
        let replacement = tx.memory(id).await?;
        if Some(id) == by {
            match &replacement {
                None => return Err(Error::not_found(format!("no memory {id}"))),
                Some(by) => may_replace(by, &memory)?,
            }
        }
        next = replacement.and_then(|memory| memory.superseded_by);
    }
    if memory.superseded_by != by {
        memory.superseded_by = by;
        memory.updated_at = later(memory.updated_at, at);
        tx.put_memory(&memory).await?;
    }
    Ok(memory)
}

/// What is suspicious must not hide what is not.
fn may_replace(new: &Memory, old: &Memory) -> Result<()> {
    if new.trust > Trust::Quarantined || old.trust == Trust::Quarantined {
        return Ok(());
    }
    let message = format!("memory {} cannot be replaced by one that is quarantined", old.id);
    Err(Error::new(Kind::Denied, message)
        .with_hint("store it by itself; once it is approved, it can replace the other"))
}

async fn count_use<T: Tx>(tx: &mut T, ids: &[MemoryId], at: Timestamp) -> Result<Outcome> {
    let mut used = Vec::new();
    for id in ids {
        if let Some(mut memory) = tx.memory(*id).await? {
            memory.used = memory.used.saturating_add(1);
            memory.last_used_at = Some(at);
            tx.put_memory(&memory).await?;
            used.push(*id);
        }
    }
    Ok(Outcome::Touched { ids: used })
}

async fn open_session<T: Tx>(
    tx: &mut T,
    (channel, user): (&str, &str),
    fresh: &SessionId,
    at: Timestamp,
) -> Result<Outcome> {
    let session = match tx.session_of(channel, user).await? {
        Some(mut known) => {
            known.last_active_at = known.last_active_at.max(at);
            known
        }
        None if tx.session(fresh).await?.is_some() => {
            return Err(Error::conflict(format!("the conversation {fresh} exists already")));
        }
        None => Session {
            channel: Some(channel.to_owned()),
            user: Some(user.to_owned()),
            ..Session::new(fresh.clone(), at)
        },
    };
    tx.put_session(&session).await?;
    Ok(Outcome::Session(Box::new(session)))
}

async fn put_turns<T: Tx>(tx: &mut T, turns: &[Turn]) -> Result<Outcome> {
    let sessions: BTreeSet<&SessionId> = turns.iter().map(|turn| &turn.session).collect();
    for session in sessions {
        if tx.session(session).await?.is_none() {
            return Err(Error::not_found(format!("no conversation {session}")));
        }
    }
    tx.put_turns(turns).await?;
    Ok(Outcome::Done)
}
