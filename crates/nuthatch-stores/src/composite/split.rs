//! A set cut into one set for each store it concerns, and the answers put together again.
//!
//! Changes by id go where the id is; changes by scope go where the scope is routed.

use std::collections::BTreeMap;
use std::sync::Arc;

use nuthatch::change::{Applied, Change, ChangeSet, Outcome};
use nuthatch::error::{Error, Result};
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::scope::Scope;
use nuthatch::store::Store;

use super::CompositeStore;

/// What one store has to do.
pub struct Part {
    pub store: Arc<dyn Store>,
    pub set: ChangeSet,
    /// Which change of the whole set each change here comes from.
    places: Vec<usize>,
}

/// Cuts a set. The parts keep the order of the whole.
pub async fn split(composite: &CompositeStore, set: &ChangeSet) -> Result<Vec<Part>> {
    let stores = composite.stores();
    let mut homes = Homes::find(composite, set).await?;
    homes.check_replacements(composite, &stores, set)?;
    let mut parts: Vec<Part> = stores
        .iter()
        .enumerate()
        .map(|(number, store)| Part {
            store: Arc::clone(store),
            set: ChangeSet { id: part_id(set.id, number), at: set.at, changes: Vec::new() },
            places: Vec::new(),
        })
        .collect();
    for (place, change) in set.changes.iter().enumerate() {
        for (number, change) in homes.pieces(composite, &stores, change) {
            parts[number].set.changes.push(change);
            parts[number].places.push(place);
        }
    }
    // The first part is always there: a set of nothing must still be answered.
    let mut first = true;
    parts.retain(|part| std::mem::take(&mut first) || !part.set.changes.is_empty());
    if parts.len() > 1 && parts[0].set.changes.is_empty() {
        parts.remove(0);
    }
    Ok(parts)
}

/// The id of a part: the same set cut again gives the same parts.
fn part_id(id: ChangeSetId, number: usize) -> ChangeSetId {
    match number {
        0 => id,
        n => ChangeSetId(MemoryId::derived(&[&id.0.to_string(), &n.to_string()]).0),
    }
}

/// Which store holds which memory.
struct Homes {
    of: BTreeMap<MemoryId, usize>,
}

impl Homes {
    async fn find(composite: &CompositeStore, set: &ChangeSet) -> Result<Self> {
        let ids: Vec<MemoryId> = set.changes.iter().flat_map(named).collect();
        let mut of = BTreeMap::new();
        for (number, store) in composite.stores().into_iter().enumerate() {
            of.extend(store.memories(&ids).await?.into_iter().map(|memory| (memory.id, number)));
        }
        Ok(Homes { of })
    }

    /// A memory nobody has is looked for, and missed, in the default store.
    fn home(&self, id: MemoryId) -> usize {
        self.of.get(&id).copied().unwrap_or(0)
    }

    /// A store cannot vouch for a memory it does not have, so what replaces a memory must be
    /// kept where that memory is.
    fn check_replacements(
        &self,
        composite: &CompositeStore,
        stores: &[&Arc<dyn Store>],
        set: &ChangeSet,
    ) -> Result<()> {
        let apart = || {
            Error::invalid("a memory can only be replaced by one that is kept in the same store")
                .with_hint("store the new text in the scope of the old one")
        };
        for change in &set.changes {
            let (home, others) = match change {
                Change::Supersede { old, by } => (self.of.get(old).copied(), by.as_slice()),
                Change::Remember(remember) => {
                    let store = composite.of_scope(&remember.memory.scope);
                    let home = stores.iter().position(|known| Arc::ptr_eq(known, store));
                    (home, remember.supersedes.as_slice())
                }
                _ => continue,
            };
            let is_apart = |id: &MemoryId| self.of.get(id).is_some_and(|at| Some(*at) != home);
            if home.is_some() && others.iter().any(is_apart) {
                return Err(apart());
            }
        }
        Ok(())
    }

    /// One change as what each store has to do of it.
    fn pieces(
        &mut self,
        composite: &CompositeStore,
        stores: &[&Arc<dyn Store>],
        change: &Change,
    ) -> Vec<(usize, Change)> {
        let number = |scope: &Scope| {
            let store = composite.of_scope(scope);
            stores.iter().position(|known| Arc::ptr_eq(known, store)).unwrap_or(0)
        };
        match change {
            Change::Remember(remember) => {
                let home = number(&remember.memory.scope);
                self.of.insert(remember.memory.id, home);
                vec![(home, change.clone())]
            }
            Change::Restore(record) => {
                let home = number(&record.memory.scope);
                let moved = self.of.insert(record.memory.id, home).filter(|old| *old != home);
                let leave = moved.map(|old| (old, Change::Forget { ids: vec![record.memory.id] }));
                leave.into_iter().chain([(home, change.clone())]).collect()
            }
            Change::Edit(edit) => vec![(self.home(edit.id), change.clone())],
            Change::Supersede { old, .. } => vec![(self.home(*old), change.clone())],
            Change::Use { ids } => self.by_home(ids, |ids| Change::Use { ids }),
            Change::Forget { ids } => self.by_home(ids, |ids| Change::Forget { ids }),
            Change::Expire { .. } => {
                (0..stores.len()).map(|number| (number, change.clone())).collect()
            }
            Change::ForgetSession { id } => {
                let memories = number(&Scope::Session(id.clone()));
                let both = [0, memories];
                let count = if memories == 0 { 1 } else { 2 };
                both[..count].iter().map(|number| (*number, change.clone())).collect()
            }
            Change::OpenSession { .. }
            | Change::PutSession(_)
            | Change::PutTurns { .. }
            | Change::ExpireSessions { .. } => vec![(0, change.clone())],
        }
    }

    fn by_home(
        &self,
        ids: &[MemoryId],
        make: impl Fn(Vec<MemoryId>) -> Change,
    ) -> Vec<(usize, Change)> {
        let mut homes: BTreeMap<usize, Vec<MemoryId>> = BTreeMap::new();
        for id in ids {
            homes.entry(self.home(*id)).or_default().push(*id);
        }
        if homes.is_empty() {
            homes.insert(0, Vec::new());
        }
        homes.into_iter().map(|(home, ids)| (home, make(ids))).collect()
    }
}

fn named(change: &Change) -> Vec<MemoryId> {
    match change {
        Change::Remember(remember) => remember.supersedes.clone(),
        Change::Edit(edit) => vec![edit.id],
        Change::Supersede { old, by } => by.iter().copied().chain([*old]).collect(),
        Change::Use { ids } | Change::Forget { ids } => ids.clone(),
        Change::Restore(record) => vec![record.memory.id],
        _ => Vec::new(),
    }
}

/// Puts the answers of the parts together, one outcome for each change of the whole.
pub fn join(set: &ChangeSet, parts: &[Part], answers: Vec<Applied>) -> Result<Applied> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; set.changes.len()];
    for (part, answer) in parts.iter().zip(answers) {
        for (place, outcome) in part.places.iter().zip(answer.outcomes) {
            let slot = &mut outcomes[*place];
            *slot = Some(match slot.take() {
                Some(before) => both(before, outcome, &set.changes[*place]),
                None => outcome,
            });
        }
    }
    let missing = || Error::internal("a store did not say what a change did");
    let outcomes: Result<Vec<Outcome>> =
        outcomes.into_iter().map(|outcome| outcome.ok_or_else(missing)).collect();
    Ok(Applied { outcomes: outcomes? })
}

/// Two stores' share in one change.
fn both(first: Outcome, second: Outcome, change: &Change) -> Outcome {
    match (first, second) {
        (Outcome::Touched { ids }, Outcome::Touched { ids: more }) => {
            let all: Vec<MemoryId> = ids.into_iter().chain(more).collect();
            Outcome::Touched { ids: in_order(all, change) }
        }
        (Outcome::SessionsGone { ids }, Outcome::SessionsGone { ids: more }) => {
            let mut all: Vec<SessionId> = ids.into_iter().chain(more).collect();
            all.dedup();
            Outcome::SessionsGone { ids: all }
        }
        // A restore that left another store says nothing about the leaving.
        (Outcome::Touched { .. }, Outcome::Done) | (Outcome::Done, Outcome::Touched { .. }) => {
            Outcome::Done
        }
        (_, second) => second,
    }
}

/// Ids in the order in which the change named them.
fn in_order(found: Vec<MemoryId>, change: &Change) -> Vec<MemoryId> {
    match change {
        Change::Use { ids } | Change::Forget { ids } => {
            ids.iter().filter(|id| found.contains(id)).copied().collect()
        }
        _ => found,
    }
}
