//! Everything a store answers, to compare before and after.
//!
//! "Nothing has changed" means that no answer has: memories, versions, tombstones,
//! conversations, turns, statistics and what a search finds. Bytes on disk may differ.

use std::collections::BTreeSet;

use nuthatch::filter::Filter;
use nuthatch::memory::{Record, Tombstone};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{Store, StoreStats, TextMatches, TextQuery};
use nuthatch::text::analyse;

use super::probe::{ALL, must};

/// Enough words to notice a stale index, few enough for one query.
const WORDS: usize = 48;

/// Everything a store answers.
pub(crate) struct Snapshot {
    pub(crate) records: Vec<Record>,
    tombstones: Vec<Tombstone>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) turns: Vec<Turn>,
    pub(crate) stats: StoreStats,
    index: Index,
}

/// What the index of words says.
#[derive(Debug, PartialEq)]
struct Index {
    terms: Vec<String>,
    found: TextMatches,
}

impl Snapshot {
    pub(crate) async fn of(store: &dyn Store) -> Self {
        let records = records(store).await;
        let tombstones = must("reading tombstones", store.tombstones(None, usize::MAX).await);
        let mut sessions = must("listing sessions", store.sessions(ALL).await);
        sessions.sort_by(|a, b| a.id.cmp(&b.id));
        let mut turns = Vec::new();
        for session in &sessions {
            turns.extend(must("reading turns", store.turns(&session.id, ALL).await));
        }
        let stats = plain(must("reading statistics", store.stats().await));
        let index = index(store, &records, &turns).await;
        Snapshot { records, tombstones, sessions, turns, stats, index }
    }

    /// Fails with the first difference instead of both whole stores.
    #[track_caller]
    pub(crate) fn assert_same(&self, after: &Snapshot) {
        assert_same_records(&self.records, &after.records);
        assert_eq!(self.tombstones, after.tombstones, "tombstones have changed");
        assert_eq!(self.sessions, after.sessions, "sessions have changed");
        assert_eq!(self.turns, after.turns, "turns have changed");
        assert_eq!(self.stats, after.stats, "statistics have changed");
        assert_eq!(self.index, after.index, "the index of words has changed");
    }
}

/// Compares record by record, in order.
#[track_caller]
pub(crate) fn assert_same_records(expected: &[Record], found: &[Record]) {
    let ids = |records: &[Record]| records.iter().map(|r| r.memory.id).collect::<Vec<_>>();
    assert_eq!(ids(expected), ids(found), "other memories, or in another order");
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(expected, found, "memory {} has changed", expected.memory.id);
    }
}

/// Every memory with its versions, newest first.
pub(crate) async fn records(store: &dyn Store) -> Vec<Record> {
    let listed = must("listing", store.list(&Filter::everything(), ALL).await);
    assert_eq!(listed.total, listed.memories.len() as u64, "the total is the sum of the page");
    let ids: Vec<_> = listed.memories.iter().map(|memory| memory.id).collect();
    let versions = must("reading versions", store.versions(&ids).await);
    Record::joined(listed.memories, versions)
}

async fn index(store: &dyn Store, records: &[Record], turns: &[Turn]) -> Index {
    let mut words = BTreeSet::new();
    let memories = records.iter().map(|record| &record.memory.content);
    for text in memories.chain(turns.iter().map(|turn| &turn.text)) {
        words.extend(analyse(text).into_iter().map(|term| term.term));
    }
    let stride = words.len().div_ceil(WORDS).max(1);
    let terms: Vec<String> = words.into_iter().step_by(stride).collect();
    let everything = records.len() + turns.len() + 1;
    let query = TextQuery::new(terms.clone(), Filter::everything(), everything);
    let found = must("searching", store.search_text(&query).await);
    Index { terms, found }
}

/// Statistics without what may differ between equal stores: bytes, order, empty scopes.
pub(crate) fn plain(mut stats: StoreStats) -> StoreStats {
    stats.bytes = 0;
    stats.scopes.retain(|usage| usage.entries > 0);
    stats.scopes.sort_by(|a, b| a.scope.cmp(&b.scope));
    stats.categories.retain(|(_, count)| *count > 0);
    stats.categories.sort();
    stats
}
