//! Two stores kept in step: what one has, edited or forgot since they last agreed, the other gets.
//!
//! Whatever is interrupted is finished by doing it again, and doing it again changes nothing. A
//! forgotten memory is gone on both sides, whoever edited it meanwhile. Of two edits the later
//! holds and the other is in the history (`merge.rs`); two memories of one key are told apart in
//! `keys.rs`. Everything that comes passes the gate. Conversations and turns stay where they are.

pub mod agreed;
mod arrange;
mod circles;
mod keys;
pub mod merge;
mod plan;
mod report;
mod settle;
mod walk;

pub use agreed::{Agreed, Agreement, Agreements, Unremembered};
pub use report::{Came, Side, SyncConflict, SyncRequest, Synced};

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::audit::Auditor;
use crate::clock::Ids;
use crate::error::Result;
use crate::id::MemoryId;
use crate::memory::{Memory, Tombstone};
use crate::store::Store;

use self::walk::{Pair, Walk};

/// Tombstones read and written at once.
const BATCH: usize = 500;
/// How often a memory that others write to is looked at again.
const TRIES: usize = 5;

/// Who carries out a sync, and who watches.
pub struct Syncer<'a> {
    /// Where fresh change-set ids come from.
    pub ids: &'a dyn Ids,
    /// When it happens.
    pub at: Timestamp,
    /// What is shared.
    pub request: &'a SyncRequest,
    /// What the two agreed on last.
    pub agreements: &'a dyn Agreements,
    /// Where it is recorded.
    pub auditor: &'a Auditor,
    /// Told how many of how many memories were looked at.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Brings two stores into step.
///
/// # Errors
/// Whatever the stores say. What was done before stays, and the same again does the rest.
pub async fn sync(here: &dyn Store, there: &dyn Store, syncer: &Syncer<'_>) -> Result<Synced> {
    let agreed = syncer.agreements.last()?;
    let synced = Synced { dry_run: syncer.request.dry_run, ..Synced::default() };
    let (gone, again, ended) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut meeting = Meeting { here, there, syncer, agreed, gone, again, ended, synced };
    let done = meeting.run().await;
    if !syncer.request.dry_run {
        let gone = std::mem::take(&mut meeting.gone);
        meeting.agreed.retain(|id, _| !gone.contains_key(id));
        let kept = syncer.agreements.keep(&meeting.agreed);
        // Why it broke off matters more than that it was not noted how far it got.
        return done.and(kept).map(|()| meeting.synced);
    }
    done.map(|()| meeting.synced)
}

/// A sync on its way.
struct Meeting<'a> {
    here: &'a dyn Store,
    there: &'a dyn Store,
    syncer: &'a Syncer<'a>,
    agreed: Agreement,
    /// What either side has forgotten.
    gone: BTreeMap<MemoryId, Tombstone>,
    /// What somebody was in the way of.
    again: BTreeSet<MemoryId>,
    /// What is known to be replaced by nothing that it replaces.
    ended: BTreeSet<MemoryId>,
    synced: Synced,
}

impl Meeting<'_> {
    fn store(&self, side: Side) -> &dyn Store {
        match side {
            Side::Here => self.here,
            Side::There => self.there,
        }
    }

    async fn run(&mut self) -> Result<()> {
        self.forget().await?;
        let total = self.amount().await?;
        (self.syncer.progress)(0, total);
        let mut walk = Walk::new(self.here, self.there, &self.syncer.request.scopes);
        let mut done = 0;
        loop {
            let pairs = walk.next().await?;
            if pairs.is_empty() {
                break;
            }
            let seen =
                |pair: &Pair| u64::from(pair.here.is_some()) + u64::from(pair.there.is_some());
            done += pairs.iter().map(seen).sum::<u64>();
            self.settle(pairs).await?;
            (self.syncer.progress)(done, total.max(done));
        }
        for _ in 0..TRIES {
            if self.again.is_empty() {
                return Ok(());
            }
            self.settle_again().await?;
        }
        let left = std::mem::take(&mut self.again);
        for id in left {
            self.synced.refuse(&crate::error::Error::conflict(format!("memory {id} is busy")));
        }
        Ok(())
    }

    async fn amount(&self) -> Result<u64> {
        let mut total = 0;
        for store in [self.here, self.there] {
            let scopes = store.stats().await?.scopes;
            let wanted =
                scopes.iter().filter(|one| self.syncer.request.scopes.contains(&one.scope));
            total += wanted.map(|usage| usage.entries).sum::<u64>();
        }
        Ok(total)
    }

    /// Tells each side what the other has forgotten.
    async fn forget(&mut self) -> Result<()> {
        let here = self.tombstones(Side::Here).await?;
        let there = self.tombstones(Side::There).await?;
        let news = |known: &BTreeMap<MemoryId, Tombstone>, one: &Tombstone| {
            known.get(&one.id).is_none_or(|known| known.at < one.at)
        };
        let to_there: Vec<_> = here.values().filter(|one| news(&there, one)).cloned().collect();
        let to_here: Vec<_> = there.values().filter(|one| news(&here, one)).cloned().collect();
        self.gone = here;
        for one in there.into_values() {
            if news(&self.gone, &one) {
                self.gone.insert(one.id, one);
            }
        }
        self.bury(Side::Here, to_here).await?;
        self.bury(Side::There, to_there).await
    }

    async fn tombstones(&self, side: Side) -> Result<BTreeMap<MemoryId, Tombstone>> {
        let (mut all, mut after) = (BTreeMap::new(), None);
        loop {
            let part = self.store(side).tombstones(after, BATCH).await?;
            let Some(last) = part.last() else { return Ok(all) };
            after = Some(last.id);
            let wanted =
                part.into_iter().filter(|one| self.syncer.request.scopes.contains(&one.scope));
            all.extend(wanted.map(|tombstone| (tombstone.id, tombstone)));
        }
    }

    /// Whether one of the sides has forgotten it.
    fn is_gone(&self, memory: &Memory) -> bool {
        self.gone.get(&memory.id).is_some_and(|tombstone| tombstone.covers(memory))
    }
}
