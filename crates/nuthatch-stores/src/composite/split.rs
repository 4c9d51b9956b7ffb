//! A set cut into one set for each store it concerns.
//!
//! Changes by id go where the id is; changes by scope go where the scope is routed. A part
//! has one change for each change of the whole, if need be one that does nothing, so that a
//! store that saw the set before finds its answers at the same places, whatever was moved or
//! forgotten since.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Change, ChangeSet, Outcome, Pick};
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::{ChangeSetId, MemoryId};
use nuthatch::memory::Tombstone;
use nuthatch::scope::{Scope, ScopeKind};
use nuthatch::store::Store;

use super::CompositeStore;
use super::child::Child;
use super::homes::Homes;

/// What one store has to do.
pub struct Part {
    pub store: Arc<dyn Store>,
    pub set: ChangeSet,
    /// The places of the changes that are this store's; what it says of others is nothing.
    pub asked: BTreeSet<usize>,
}

/// A part on its way: what it takes of the whole at each place.
struct Share {
    store: Arc<dyn Store>,
    id: ChangeSetId,
    picks: Vec<Pick>,
    asked: BTreeSet<usize>,
    /// Whether any of them would do something.
    concerned: bool,
}

impl Share {
    fn new(child: &Child, id: ChangeSetId, picks: Vec<Pick>) -> Self {
        let store = Arc::clone(&child.store);
        Share { store, id, picks, asked: BTreeSet::new(), concerned: false }
    }

    fn ask(&mut self, place: usize, pick: Pick) {
        self.ask_idly(place, pick);
        self.concerned = true;
    }

    /// Asks for something that is known to do nothing, unless an earlier change of the set
    /// makes it do something.
    fn ask_idly(&mut self, place: usize, pick: Pick) {
        self.picks[place] = pick;
        self.asked.insert(place);
    }

    fn of(self, set: &ChangeSet) -> Part {
        let set = set.part(self.id, &self.picks);
        Part { store: self.store, set, asked: self.asked }
    }
}

fn nothing() -> Pick {
    Pick::Forget(Vec::new())
}

/// Cuts a set. Parts are to be applied in their order.
pub async fn split(composite: &CompositeStore, set: &ChangeSet) -> Result<Vec<Part>> {
    let homes = Homes::find(composite, set).await?;
    homes.check(composite, set)?;
    let parts = composite.children.iter().enumerate().map(|(number, child)| {
        let picks = set.changes().iter().map(|_| nothing()).collect();
        Share::new(child, part_id(set.id(), "part", number), picks)
    });
    let mut cut = Cut { composite, homes, parts: parts.collect(), leaving: BTreeSet::new() };
    for (place, change) in set.changes().iter().enumerate() {
        cut.add(place, change).await?;
    }
    cut.expire_memories_of_sessions(set).await?;
    Ok(cut.finish(set))
}

/// The id of a part: the same set cut again gives the same parts.
fn part_id(id: ChangeSetId, what: &str, number: usize) -> ChangeSetId {
    match (what, number) {
        ("part", 0) => id,
        (what, n) => ChangeSetId(MemoryId::derived(&[&id.0.to_string(), what, &n.to_string()]).0),
    }
}

/// A set on its way to being cut.
struct Cut<'a> {
    composite: &'a CompositeStore,
    homes: Homes,
    parts: Vec<Share>,
    /// Memories that move to another store, with the store they leave.
    leaving: BTreeSet<(usize, MemoryId)>,
}

impl Cut<'_> {
    /// Gives one change to the stores that have to do with it.
    async fn add(&mut self, place: usize, change: &Change) -> Result<()> {
        match change {
            Change::Remember(remember) => {
                let home = self.composite.home_of(&remember.memory.scope);
                self.homes.settle(remember.memory.id, home);
                self.parts[home].ask(place, Pick::Same(place));
            }
            Change::Restore(record) => {
                let home = self.composite.home_of(&record.memory.scope);
                self.move_to(home, record.memory.id);
                self.parts[home].ask(place, Pick::Same(place));
            }
            Change::Edit(edit) => {
                self.parts[self.homes.home(edit.id)].ask(place, Pick::Same(place))
            }
            Change::Supersede { old, .. } => {
                self.parts[self.homes.home(*old)].ask(place, Pick::Same(place));
            }
            Change::Adopt(adopt) => {
                let memory = &adopt.record.memory;
                let home = self.composite.home_of(&memory.scope);
                self.move_to(home, memory.id);
                self.parts[home].ask(place, Pick::Same(place));
            }
            Change::Use { ids } => self.by_home(place, ids, Pick::Use),
            Change::Forget { ids } => self.by_home(place, ids, Pick::Forget),
            Change::Release { ids } => self.by_home(place, ids, Pick::Release),
            Change::Bury { tombstones } => self.bury(place, tombstones),
            Change::Expire { category, before } => {
                self.expire(place, category, *before).await?;
            }
            Change::ForgetSession { id } => {
                let memories = self.composite.home_of(&Scope::Session(id.clone()));
                for number in BTreeSet::from([0, memories]) {
                    self.parts[number].ask(place, Pick::Same(place));
                }
            }
            Change::OpenSession { .. }
            | Change::PutSession(_)
            | Change::RenewSession(_)
            | Change::PutTurns { .. }
            | Change::ExpireSessions { .. } => self.parts[0].ask(place, Pick::Same(place)),
        }
        Ok(())
    }

    fn move_to(&mut self, home: usize, id: MemoryId) {
        let before = self.homes.settle(id, home);
        self.leaving.extend(before.into_iter().map(|number| (number, id)));
        self.leaving.remove(&(home, id));
    }

    fn by_home(&mut self, place: usize, ids: &[MemoryId], make: impl Fn(Vec<MemoryId>) -> Pick) {
        // Whoever takes part answers, also for what is nobody's.
        for part in &mut self.parts {
            part.ask_idly(place, make(Vec::new()));
        }
        for (number, ids) in self.homes.by_home(ids) {
            self.parts[number].ask(place, make(ids));
        }
    }

    /// What was forgotten is told to whoever has it, and to the store of its scope.
    fn bury(&mut self, place: usize, tombstones: &[Tombstone]) {
        for (number, part) in self.parts.iter_mut().enumerate() {
            let concerns = |one: &&Tombstone| {
                self.composite.home_of(&one.scope) == number || self.homes.has(number, one.id)
            };
            let own: Vec<Tombstone> = tombstones.iter().filter(concerns).cloned().collect();
            match own.is_empty() {
                true => part.ask_idly(place, Pick::Bury(own)),
                false => part.ask(place, Pick::Bury(own)),
            }
        }
    }

    /// A store that holds nothing that ends is left alone, and one that holds such memories
    /// without being asked for them is told by id, because it would not spare them.
    async fn expire(&mut self, place: usize, category: &Category, before: Timestamp) -> Result<()> {
        for (child, part) in self.composite.children.iter().zip(&mut self.parts) {
            let mut filter = Filter { pinned: Some(false), ..Filter::everything() };
            filter.categories = vec![category.clone()];
            filter.until = Some(before);
            let mut found = child.store.list(&filter, Page::first(u64::MAX)).await?.memories;
            found.retain(|memory| memory.created_at < before);
            let all = found.len();
            found.retain(|memory| child.reach.contains(&memory.scope));
            if all == 0 {
                part.ask_idly(place, Pick::Same(place));
            } else if found.len() == all {
                part.ask(place, Pick::Same(place));
            } else {
                let ids = found.into_iter().map(|memory| memory.id).collect();
                part.ask(place, Pick::Release(ids));
            }
        }
        Ok(())
    }

    /// Conversations end in the default store; the memories of their scope may be elsewhere.
    /// Which ones end is asked of the default store, which remembers it if it was told before.
    async fn expire_memories_of_sessions(&mut self, set: &ChangeSet) -> Result<()> {
        let elsewhere = self.composite.routes.get(&ScopeKind::Session).filter(|n| **n != 0);
        let Some(number) = elsewhere.copied() else { return Ok(()) };
        let changes = set.changes().iter().enumerate();
        let ends = changes.filter(|(_, change)| matches!(change, Change::ExpireSessions { .. }));
        let places: Vec<usize> = ends.map(|(place, _)| place).collect();
        if places.is_empty() {
            return Ok(());
        }
        let default = &self.parts[0];
        let answer = default.store.rehearse(&set.part(default.id, &default.picks)).await?;
        for place in places {
            let Some(Outcome::SessionsGone { ids }) = answer.outcomes.get(place) else { continue };
            let scopes = ids.iter().cloned().map(Scope::Session).collect();
            let filter = Filter { scopes: Scopes::These(scopes), ..Filter::everything() };
            let part = &mut self.parts[number];
            let found = part.store.list(&filter, Page::first(u64::MAX)).await?.memories;
            if !found.is_empty() {
                let ids = found.into_iter().map(|memory| memory.id).collect();
                part.ask(place, Pick::Release(ids));
            }
        }
        Ok(())
    }

    /// The parts that do something. What moves is put first and removed afterwards: a crash
    /// in between leaves it twice, and the same set again removes it.
    fn finish(self, set: &ChangeSet) -> Vec<Part> {
        let mut parts = self.parts;
        if parts.iter().any(|part| part.concerned) {
            parts.retain(|part| part.concerned);
        } else {
            // A set of nothing must still be answered.
            parts.truncate(1);
        }
        for (number, child) in self.composite.children.iter().enumerate() {
            let left = self.leaving.iter().filter(|(from, _)| *from == number);
            let ids: Vec<MemoryId> = left.map(|(_, id)| *id).collect();
            if !ids.is_empty() {
                let id = part_id(set.id(), "leaving", number);
                parts.push(Share::new(child, id, vec![Pick::Release(ids)]));
            }
        }
        parts.into_iter().map(|share| share.of(set)).collect()
    }
}
