//! Moving everything from one store to another, losing nothing.
//!
//! Every step puts things back under their own ids, so a migration that was interrupted is
//! simply run again. The source is only read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::{Change, ChangeSet};
use crate::clock::Ids;
use crate::error::{Error, Result};
use crate::filter::{Filter, Page};
use crate::id::ChangeSetId;
use crate::memory::Record;
use crate::store::Store;

/// Memories moved in one change set: large enough to be fast, small enough to interrupt.
const BATCH: u64 = 250;

/// What was moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Migrated {
    /// Memories.
    pub memories: u64,
    /// Their old versions.
    pub versions: u64,
    /// Conversations.
    pub sessions: u64,
    /// Their turns.
    pub turns: u64,
}

/// Who carries out a migration, and who watches.
pub struct Mover<'a> {
    /// Where fresh change-set ids come from.
    pub ids: &'a dyn Ids,
    /// When it happens.
    pub at: Timestamp,
    /// Told how many of how many memories, conversations and turns are done.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Copies everything in `from` to `to`.
///
/// # Errors
/// Whatever the stores say; of kind `internal` when something did not arrive.
pub async fn migrate(from: &dyn Store, to: &dyn Store, mover: &Mover<'_>) -> Result<Migrated> {
    let before = from.stats().await?;
    let total = before.memories + before.sessions + before.turns;
    let mut moved = Migrated::default();
    (mover.progress)(0, total);
    move_sessions(from, to, mover, total, &mut moved).await?;
    move_memories(from, to, mover, total, &mut moved).await?;
    Ok(moved)
}

impl Mover<'_> {
    async fn put(&self, to: &dyn Store, changes: Vec<Change>) -> Result<()> {
        let id = ChangeSetId(self.ids.fresh(self.at));
        to.apply(&ChangeSet { id, at: self.at, changes }).await?;
        Ok(())
    }
}

async fn move_sessions(
    from: &dyn Store,
    to: &dyn Store,
    mover: &Mover<'_>,
    total: u64,
    moved: &mut Migrated,
) -> Result<()> {
    loop {
        let page = Page { offset: moved.sessions, limit: BATCH };
        let sessions = from.sessions(page).await?;
        if sessions.is_empty() {
            return Ok(());
        }
        for session in sessions {
            let id = session.id.clone();
            mover.put(to, vec![Change::PutSession(Box::new(session))]).await?;
            moved.sessions += 1;
            let mut offset = 0;
            loop {
                let turns = from.turns(&id, Page { offset, limit: BATCH }).await?;
                if turns.is_empty() {
                    break;
                }
                offset += turns.len() as u64;
                moved.turns += turns.len() as u64;
                mover.put(to, vec![Change::PutTurns { turns }]).await?;
            }
            (mover.progress)(moved.sessions + moved.turns, total);
        }
    }
}

async fn move_memories(
    from: &dyn Store,
    to: &dyn Store,
    mover: &Mover<'_>,
    total: u64,
    moved: &mut Migrated,
) -> Result<()> {
    let everything = Filter::everything();
    loop {
        let page = Page { offset: moved.memories, limit: BATCH };
        let listed = from.list(&everything, page).await?;
        if listed.memories.is_empty() {
            return Ok(());
        }
        let ids: Vec<_> = listed.memories.iter().map(|memory| memory.id).collect();
        let mut changes = Vec::with_capacity(ids.len());
        for memory in listed.memories {
            let versions = from.versions(memory.id).await?;
            moved.versions += versions.len() as u64;
            changes.push(Change::Restore(Box::new(Record { memory, versions })));
        }
        mover.put(to, changes).await?;
        let arrived = to.memories(&ids).await?.len();
        if arrived != ids.len() {
            return Err(Error::internal(format!(
                "only {arrived} of {} memories arrived in {}",
                ids.len(),
                to.describe().url
            )));
        }
        moved.memories += ids.len() as u64;
        (mover.progress)(moved.sessions + moved.turns + moved.memories, total);
    }
}
