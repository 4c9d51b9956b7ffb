//! Copying from one store to another, losing nothing.
//!
//! Every step puts things back under their own ids, so a migration that was interrupted is
//! simply run again. The source is only read; it may be written to meanwhile, so it is
//! read again until a whole pass finds nothing new. What is forgotten in the source after it
//! was copied stays in the target. What the gate would refuse today is moved as it is and
//! named in the answer: see [`ChangeSet::moved`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::audit::{Asked, Auditor};
use crate::change::{Applied, ChangeSet, Flagged, Moving, Outcome};
use crate::clock::Ids;
use crate::error::{Error, Result};
use crate::filter::{Cursor, Filter, Page, Scopes, Superseded};
use crate::id::{ChangeSetId, MemoryId, SessionId};
use crate::memory::{Memory, Record, Tombstone};
use crate::session::Session;
use crate::store::{JobSwap, Store, Swapped};

/// Memories moved in one change set: large enough to be fast, small enough to interrupt.
const BATCH: u64 = 250;
/// Most passes over the source: whoever writes faster than we copy must pause.
const MOST_PASSES: usize = 100;

/// What was moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migrated {
    /// Memories.
    pub memories: u64,
    /// Their old versions.
    pub versions: u64,
    /// Conversations.
    pub sessions: u64,
    /// Their turns.
    pub turns: u64,
    /// Jobs, with what they have learnt already.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jobs: u64,
    /// Memories that were forgotten in the target, and stay so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forgotten: u64,
    /// What was moved as it is, though the gate would not take it today.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<Flagged>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Who carries out a migration, and who watches.
pub struct Mover<'a> {
    /// Where fresh change-set ids come from.
    pub ids: &'a dyn Ids,
    /// When it happens.
    pub at: Timestamp,
    /// What is copied. Conversations and turns belong to no scope: they are copied with
    /// [`Scopes::All`] and otherwise stay.
    pub scopes: Scopes,
    /// Where it is recorded.
    pub auditor: &'a Auditor,
    /// Told how many of how many memories, conversations and turns are done.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Copies what the mover's scopes mean from `from` to `to`.
///
/// # Errors
/// Whatever the stores say; of kind `internal` when something did not arrive, of kind
/// `conflict` when the source never stops changing.
pub async fn migrate(from: &dyn Store, to: &dyn Store, mover: &Mover<'_>) -> Result<Migrated> {
    let (copied, flagged) = (Copied::default(), Vec::new());
    let mut journey = Journey { from, to, mover, total: 0, copied, flagged };
    journey.total = journey.amount().await?;
    (mover.progress)(0, journey.total);
    for _ in 0..MOST_PASSES {
        let sessions = match mover.scopes {
            Scopes::All => journey.pass_sessions().await?,
            _ => 0,
        };
        if sessions + journey.pass_memories().await? == 0 {
            let jobs = match mover.scopes {
                Scopes::All => copy_jobs(from, to).await?,
                _ => 0,
            };
            journey.copy_tombstones().await?;
            return Ok(Migrated { jobs, flagged: journey.flagged, ..journey.copied.counts() });
        }
    }
    Err(Error::conflict(format!("{} is being written to all the time", from.describe().url))
        .with_hint("run it again when nobody writes to that store"))
}

/// Copies the jobs that are not known there, or are older there; returns how many there are.
async fn copy_jobs(from: &dyn Store, to: &dyn Store) -> Result<u64> {
    let jobs = from.jobs().await?;
    for job in &jobs {
        loop {
            let known = to.job(&job.key).await?;
            let is_newer = known.as_ref().is_none_or(|known| known.updated_at < job.updated_at);
            let swap = JobSwap::of(known.as_ref(), job.clone());
            if !is_newer || to.swap_job(&swap).await? == Swapped::Yes {
                break;
            }
        }
    }
    Ok(jobs.len() as u64)
}

/// A migration on its way.
struct Journey<'a> {
    from: &'a dyn Store,
    to: &'a dyn Store,
    mover: &'a Mover<'a>,
    total: u64,
    copied: Copied,
    flagged: Vec<Flagged>,
}

/// What was copied, and how it looked then.
#[derive(Default)]
struct Copied {
    memories: BTreeMap<MemoryId, Seen>,
    sessions: BTreeMap<SessionId, (Session, u64)>,
}

/// Enough of a memory to tell that it was written to since.
struct Seen {
    updated_at: Timestamp,
    used: u64,
    superseded_by: Option<MemoryId>,
    versions: u64,
    /// Whether the target has forgotten it.
    forgotten: bool,
}

impl Copied {
    fn counts(&self) -> Migrated {
        let arrived = || self.memories.values().filter(|seen| !seen.forgotten);
        Migrated {
            memories: arrived().count() as u64,
            versions: arrived().map(|seen| seen.versions).sum(),
            forgotten: self.memories.values().filter(|seen| seen.forgotten).count() as u64,
            sessions: self.sessions.len() as u64,
            turns: self.sessions.values().map(|(_, turns)| turns).sum(),
            jobs: 0,
            flagged: Vec::new(),
        }
    }

    /// Whether a memory is new, or was written to since it was copied.
    fn lacks(&self, memory: &Memory) -> bool {
        self.memories.get(&memory.id).is_none_or(|seen| {
            let Seen { updated_at, used, superseded_by, .. } = seen;
            (*updated_at, *used, *superseded_by)
                != (memory.updated_at, memory.used, memory.superseded_by)
        })
    }
}

impl Journey<'_> {
    /// How much there is to copy.
    async fn amount(&self) -> Result<u64> {
        let stats = self.from.stats().await?;
        let wanted = stats.scopes.iter().filter(|usage| self.mover.scopes.contains(&usage.scope));
        let memories: u64 = wanted.map(|usage| usage.entries).sum();
        Ok(match self.mover.scopes {
            Scopes::All => memories + stats.sessions + stats.turns,
            _ => memories,
        })
    }

    async fn put(&mut self, things: Vec<Moving>) -> Result<Applied> {
        let id = ChangeSetId(self.mover.ids.fresh(self.mover.at));
        let (set, flagged) = ChangeSet::moved(id, self.mover.at, things);
        let asked: Vec<Asked> = set.changes().iter().map(Asked::of).collect();
        let answer = self.to.apply(&set).await;
        self.mover.auditor.note(self.mover.at, &asked, answer.as_ref());
        let applied = answer?;
        for flag in flagged {
            // What was written to meanwhile moves twice and is named once.
            if !self.flagged.contains(&flag) {
                self.flagged.push(flag);
            }
        }
        Ok(applied)
    }

    /// Copies what is left of what was forgotten, so that nothing else brings it back there. What
    /// the target holds it keeps: copying takes nothing away.
    async fn copy_tombstones(&mut self) -> Result<()> {
        let mut after = None;
        loop {
            let mut batch = self.from.tombstones(after, BATCH as usize).await?;
            let Some(last) = batch.last() else { return Ok(()) };
            after = Some(last.id);
            batch.retain(|tombstone| self.mover.scopes.contains(&tombstone.scope));
            let ids: Vec<MemoryId> = batch.iter().map(|tombstone| tombstone.id).collect();
            let there = self.to.memories(&ids).await?;
            let lives = |one: &Tombstone| there.iter().any(|memory| memory.id == one.id);
            batch.retain(|tombstone| !lives(tombstone));
            if !batch.is_empty() {
                self.put(vec![Moving::Tombstones(batch)]).await?;
            }
        }
    }

    fn tell(&self) {
        let Migrated { memories, sessions, turns, .. } = self.copied.counts();
        let done = memories + sessions + turns;
        (self.mover.progress)(done, self.total.max(done));
    }

    /// Copies conversations that are new or were continued; returns how many.
    async fn pass_sessions(&mut self) -> Result<u64> {
        // All at once, because their order changes whenever one of them is continued.
        let sessions = self.from.sessions(Page::first(u64::MAX)).await?;
        let mut news = 0;
        for session in sessions {
            let known = self.copied.sessions.get(&session.id);
            let is_new = known.is_none_or(|(seen, _)| *seen != session);
            let before = known.map_or(0, |(_, turns)| *turns);
            if is_new {
                self.put(vec![Moving::Session(Box::new(session.clone()))]).await?;
            }
            let turns = self.copy_turns(&session.id, before).await?;
            if is_new || turns > before {
                self.copied.sessions.insert(session.id.clone(), (session, turns));
                news += 1;
                self.tell();
            }
        }
        Ok(news)
    }

    /// Copies the turns of a conversation from a place on; returns how many it has.
    async fn copy_turns(&mut self, session: &SessionId, from: u64) -> Result<u64> {
        let mut offset = from;
        loop {
            let turns = self.from.turns(session, Page { offset, limit: BATCH }).await?;
            if turns.is_empty() {
                return Ok(offset);
            }
            offset += turns.len() as u64;
            self.put(vec![Moving::Turns(session.clone(), turns)]).await?;
        }
    }

    /// Copies memories that are new or were written to; returns how many.
    async fn pass_memories(&mut self) -> Result<u64> {
        let mut filter = Filter::scoped(self.mover.scopes.clone());
        filter.superseded = Superseded::Shown;
        let mut news = 0;
        loop {
            let mut batch = self.from.list(&filter, Page::first(BATCH)).await?.memories;
            let Some(last) = batch.last() else { return Ok(news) };
            filter.after = Some(Cursor::at(last));
            batch.retain(|memory| self.copied.lacks(memory));
            if !batch.is_empty() {
                news += batch.len() as u64;
                self.copy(batch).await?;
                self.tell();
            }
        }
    }

    async fn copy(&mut self, memories: Vec<Memory>) -> Result<()> {
        let mut moving = Vec::with_capacity(memories.len());
        let mut seen = Vec::with_capacity(memories.len());
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        for record in Record::joined(memories, self.from.versions(&ids).await?) {
            let Memory { id, updated_at, used, superseded_by, .. } = record.memory;
            let (versions, forgotten) = (record.versions.len() as u64, false);
            seen.push((id, Seen { updated_at, used, superseded_by, versions, forgotten }));
            moving.push(Moving::Memory(Box::new(record)));
        }
        let applied = self.put(moving).await?;
        for ((_, seen), outcome) in seen.iter_mut().zip(&applied.outcomes) {
            seen.forgotten = matches!(outcome, Outcome::Forgotten { .. });
        }
        let arriving = seen.iter().filter(|(_, seen)| !seen.forgotten);
        let ids: Vec<MemoryId> = arriving.map(|(id, _)| *id).collect();
        let arrived = self.to.memories(&ids).await?.len();
        if arrived != ids.len() {
            return Err(Error::internal(format!(
                "only {arrived} of {} memories arrived in {}",
                ids.len(),
                self.to.describe().url
            )));
        }
        self.copied.memories.extend(seen);
        Ok(())
    }
}
