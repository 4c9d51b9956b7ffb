//! Reading what is in RAM.
//!
//! Every answer is a copy: nothing is held while the caller looks at it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Bound;

use nuthatch::filter::{Filter, Page, newest_first};
use nuthatch::id::{MemoryId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{Around, Listed, ScopeUsage, SessionFacts, StoreStats, TurnFacts};

use super::open::State;
use super::vector;

pub fn memories(state: &State, ids: &[MemoryId]) -> Vec<Memory> {
    let mut seen = HashSet::new();
    let fresh = ids.iter().filter(|id| seen.insert(**id));
    fresh.filter_map(|id| state.memories.get(id).cloned()).collect()
}

pub fn list(state: &State, filter: &Filter, page: Page) -> Listed {
    let mut found: Vec<&Memory> =
        state.memories.values().filter(|memory| filter.matches(memory)).collect();
    found.sort_by(|a, b| newest_first(a, b));
    let total = found.len() as u64;
    let memories = paged(found.into_iter().cloned(), page);
    Listed { memories, total }
}

fn paged<T>(items: impl Iterator<Item = T>, page: Page) -> Vec<T> {
    let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    items.skip(whole(page.offset)).take(whole(page.limit)).collect()
}

pub fn versions(state: &State, id: MemoryId) -> Vec<Version> {
    state.versions.range((id, 0)..=(id, u32::MAX)).map(|(_, version)| version.clone()).collect()
}

pub fn tombstones(state: &State, after: Option<MemoryId>, limit: usize) -> Vec<Tombstone> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let found = state.tombstones.range((from, Bound::Unbounded));
    found.map(|(_, tombstone)| tombstone.clone()).take(limit).collect()
}

pub fn sessions(state: &State, page: Page) -> Vec<Session> {
    let mut found: Vec<&Session> = state.sessions.values().collect();
    found.sort_by(|a, b| (b.last_active_at, &b.id).cmp(&(a.last_active_at, &a.id)));
    paged(found.into_iter().cloned(), page)
}

pub fn turns_of<'a>(state: &'a State, id: &SessionId) -> impl Iterator<Item = &'a Turn> + use<'a> {
    let range = (id.clone(), 0)..=(id.clone(), u64::MAX);
    state.turns.range(range).map(|(_, turn)| turn)
}

pub fn turns(state: &State, id: &SessionId, page: Page) -> Vec<Turn> {
    paged(turns_of(state, id).cloned(), page)
}

pub fn around(state: &State, turns: &[TurnId], reach: u64) -> Around {
    let mut found = BTreeMap::new();
    for id in turns {
        let bound = |seq| (id.session.clone(), seq);
        let range = bound(id.seq.saturating_sub(reach))..=bound(id.seq.saturating_add(reach));
        found.extend(state.turns.range(range));
    }
    let facts = |turn: &Turn| TurnFacts {
        id: turn.id(),
        at: turn.at,
        role: turn.role,
        chars: turn.text.chars().count() as u64,
    };
    let sessions: BTreeSet<&SessionId> = found.keys().map(|(session, _)| session).collect();
    let known = sessions.into_iter().filter_map(|id| state.sessions.get(id));
    let sessions = known.map(|session| SessionFacts {
        session: session.clone(),
        turns: turns_of(state, &session.id).count() as u64,
    });
    Around { sessions: sessions.collect(), turns: found.into_values().map(facts).collect() }
}

pub fn said(state: &State, ids: &[TurnId]) -> Vec<Turn> {
    let mut seen = HashSet::new();
    let fresh = ids.iter().filter(|id| seen.insert(*id));
    fresh.filter_map(|id| state.turns.get(&(id.session.clone(), id.seq)).cloned()).collect()
}

pub fn stats(state: &State) -> StoreStats {
    let mut scopes: BTreeMap<String, ScopeUsage> = BTreeMap::new();
    let mut categories: BTreeMap<String, u64> = BTreeMap::new();
    for memory in state.memories.values() {
        let empty = || ScopeUsage { scope: memory.scope.clone(), entries: 0, chars: 0 };
        let usage = scopes.entry(memory.scope.to_string()).or_insert_with(empty);
        usage.entries += 1;
        usage.chars += memory.chars();
        *categories.entry(memory.category.to_string()).or_default() += 1;
    }
    StoreStats {
        memories: state.memories.len() as u64,
        versions: state.versions.len() as u64,
        sessions: state.sessions.len() as u64,
        turns: state.turns.len() as u64,
        bytes: 0,
        scopes: scopes.into_values().collect(),
        categories: categories.into_iter().collect(),
        vectors: vector::usage(state),
    }
}
