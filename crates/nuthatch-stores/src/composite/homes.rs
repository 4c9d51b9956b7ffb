//! Which store holds which memory, as far as a set names memories.
//!
//! A memory that its store is not asked for has no home. It is remembered all the same, so
//! that no change by id ever reaches it.

use std::collections::{BTreeMap, BTreeSet};

use nuthatch::change::{Change, ChangeSet};
use nuthatch::error::{Error, Result};
use nuthatch::id::MemoryId;

use super::CompositeStore;

/// Which store holds which memory.
pub struct Homes {
    /// Several only after a move that was interrupted.
    of: BTreeMap<MemoryId, Vec<usize>>,
    foreign: BTreeSet<(usize, MemoryId)>,
    stores: usize,
}

impl Homes {
    /// Looks for every memory that the set names.
    pub async fn find(composite: &CompositeStore, set: &ChangeSet) -> Result<Self> {
        let ids: Vec<MemoryId> = set.changes().iter().flat_map(named).collect();
        let stores = composite.children.len();
        let mut homes = Homes { of: BTreeMap::new(), foreign: BTreeSet::new(), stores };
        if ids.is_empty() {
            return Ok(homes);
        }
        for (number, child) in composite.children.iter().enumerate() {
            for memory in child.store.memories(&ids).await? {
                if child.reach.contains(&memory.scope) {
                    homes.of.entry(memory.id).or_default().push(number);
                } else {
                    homes.foreign.insert((number, memory.id));
                }
            }
        }
        Ok(homes)
    }

    fn known(&self, id: MemoryId) -> Option<usize> {
        self.of.get(&id).and_then(|homes| homes.first()).copied()
    }

    /// Whether a store holds a memory that it is asked for.
    pub fn has(&self, number: usize, id: MemoryId) -> bool {
        self.of.get(&id).is_some_and(|homes| homes.contains(&number))
    }

    /// A memory nobody has is looked for, and missed, in the default store.
    pub fn home(&self, id: MemoryId) -> usize {
        self.known(id).unwrap_or(0)
    }

    /// Notes where a memory is put; returns where it was before, other than there.
    pub fn settle(&mut self, id: MemoryId, home: usize) -> Vec<usize> {
        let mut before = self.of.insert(id, vec![home]).unwrap_or_default();
        before.retain(|number| *number != home);
        before
    }

    /// Ids by the stores that are to be told of them. An id that nobody has goes to every
    /// store, because one of them may have had it when the same set was applied before.
    pub fn by_home(&self, ids: &[MemoryId]) -> BTreeMap<usize, Vec<MemoryId>> {
        let mut homes: BTreeMap<usize, Vec<MemoryId>> = BTreeMap::new();
        for id in ids {
            let unknown: Vec<usize> = (0..self.stores).collect();
            for number in self.of.get(id).unwrap_or(&unknown) {
                if !self.foreign.contains(&(*number, *id)) {
                    homes.entry(*number).or_default().push(*id);
                }
            }
        }
        homes
    }

    /// Refuses what no store could refuse by itself: a memory that is not asked for does not
    /// exist, and a store cannot vouch for a memory it does not have, so what replaces a
    /// memory must be kept where that memory is.
    pub fn check(&self, composite: &CompositeStore, set: &ChangeSet) -> Result<()> {
        for change in set.changes() {
            let (home, others) = match change {
                Change::Edit(edit) => (self.known(edit.id), Vec::new()),
                Change::Supersede { old, by } => (self.known(*old), by.iter().copied().collect()),
                Change::Remember(remember) => {
                    (Some(composite.home_of(&remember.memory.scope)), remember.supersedes.clone())
                }
                _ => continue,
            };
            if let Some(id) = named(change).into_iter().find(|id| self.is_only_foreign(*id)) {
                return Err(Error::not_found(format!("no memory {id}")));
            }
            let is_apart = |id: &MemoryId| self.known(*id).is_some_and(|at| Some(at) != home);
            if home.is_some() && others.iter().any(is_apart) {
                return Err(Error::invalid(
                    "a memory can only be replaced by one that is kept in the same store",
                )
                .with_hint("store the new text in the scope of the old one"));
            }
        }
        Ok(())
    }

    fn is_only_foreign(&self, id: MemoryId) -> bool {
        let is_there = |number| self.foreign.contains(&(number, id));
        self.known(id).is_none() && (0..self.stores).any(is_there)
    }
}

fn named(change: &Change) -> Vec<MemoryId> {
    match change {
        Change::Remember(remember) => remember.supersedes.clone(),
        Change::Edit(edit) => vec![edit.id],
        Change::Supersede { old, by } => by.iter().copied().chain([*old]).collect(),
        Change::Use { ids } | Change::Forget { ids } | Change::Release { ids } => ids.clone(),
        Change::Bury { tombstones } => tombstones.iter().map(|tombstone| tombstone.id).collect(),
        Change::Adopt(adopt) => vec![adopt.record.memory.id],
        Change::Restore(record) => vec![record.memory.id],
        _ => Vec::new(),
    }
}
