//! A store under test with a clock and ids of its own.
//!
//! Every answer is unwrapped here: an error where a case expects none fails the case with
//! what the store said, so that cases read as sentences and not as error handling.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use nuthatch::change::{Applied, Change, ChangeSet, Edit, Outcome, Patch, Remember, Said, Stored};
use nuthatch::clock::{Clock, Ids};
use nuthatch::error::{Error, Kind};
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::limits::ScopeLimits;
use nuthatch::memory::{Memory, Version};
use nuthatch::scope::Scope;
use nuthatch::session::Session;
use nuthatch::store::{Store, TextMatches, TextQuery};
use nuthatch::text::query_terms;

use super::bench::Bench;
use super::snapshot::Snapshot;
use crate::fakes::{FixedClock, SequentialIds};

/// More than any case stores.
pub(crate) const ALL: Page = Page { offset: 0, limit: 100_000 };

#[derive(Default)]
struct World {
    clock: FixedClock,
    ids: SequentialIds,
}

/// One handle, with the clock and the ids it shares with other handles of its case.
pub(crate) struct Probe {
    store: Arc<dyn Store>,
    world: Arc<World>,
}

/// The value, or a failed case that says what was tried.
#[track_caller]
pub(crate) fn must<T>(what: &str, result: nuthatch::Result<T>) -> T {
    result.unwrap_or_else(|error| {
        panic!("{what}: {error} ({:?}; hint: {:?})", error.kind(), error.hint())
    })
}

impl Probe {
    pub(crate) async fn open(bench: &dyn Bench) -> Self {
        let store = must("opening", bench.open().await);
        Probe { store, world: Arc::default() }
    }

    /// Another handle on the same place, as another process would have it.
    pub(crate) async fn again(&self, bench: &dyn Bench) -> Self {
        let store = must("opening again", bench.open().await);
        Probe { store, world: self.world.clone() }
    }

    /// Closes this handle and opens the place anew.
    pub(crate) async fn reopen(self, bench: &dyn Bench) -> Self {
        let Probe { store, world } = self;
        drop(store);
        Probe { store: must("reopening", bench.open().await), world }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(crate) fn handle(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    pub(crate) fn clock(&self) -> &FixedClock {
        &self.world.clock
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.world.clock.now()
    }

    /// Lets a second pass.
    pub(crate) fn tick(&self) -> Timestamp {
        self.world.clock.advance(SignedDuration::from_secs(1))
    }

    pub(crate) fn fresh_id(&self) -> MemoryId {
        MemoryId(self.world.ids.fresh(self.now()))
    }

    /// A memory of the global scope, a second younger than the last one.
    pub(crate) fn memory(&self, text: impl Into<String>) -> Memory {
        let at = self.tick();
        Memory::new(self.fresh_id(), text, Scope::Global, at)
    }

    pub(crate) fn keyed(&self, key: &str, text: impl Into<String>) -> Memory {
        Memory { key: Some(key.to_owned()), ..self.memory(text) }
    }

    /// A set that happens now, under an id of its own.
    pub(crate) fn set(&self, changes: Vec<Change>) -> ChangeSet {
        let at = self.now();
        ChangeSet::unguarded(ChangeSetId(self.world.ids.fresh(at)), at, changes)
    }

    pub(crate) async fn apply(&self, changes: Vec<Change>) -> Applied {
        self.apply_set(&self.set(changes)).await
    }

    pub(crate) async fn apply_set(&self, set: &ChangeSet) -> Applied {
        let applied = must("applying a set", self.store.apply(set).await);
        assert_eq!(applied.outcomes.len(), set.changes().len(), "one outcome for each change");
        applied
    }

    pub(crate) async fn rehearse(&self, changes: Vec<Change>) -> Applied {
        must("rehearsing", self.store.rehearse(&self.set(changes)).await)
    }

    /// Applies one change and gives its outcome.
    pub(crate) async fn change(&self, change: Change) -> Outcome {
        let mut applied = self.apply(vec![change]).await;
        applied.outcomes.pop().expect("one outcome for one change")
    }

    /// Applies changes that must be refused with this kind and alter nothing.
    pub(crate) async fn refuse(&self, kind: Kind, changes: Vec<Change>) -> Error {
        let before = self.snapshot().await;
        let set = self.set(changes);
        let error = match self.store.apply(&set).await {
            Ok(applied) => panic!("expected {kind:?}, but the set was applied: {applied:?}"),
            Err(error) => error,
        };
        assert_eq!(error.kind(), kind, "{error}");
        before.assert_same(&self.snapshot().await);
        error
    }

    /// Remembers without limits.
    pub(crate) async fn say(&self, memory: Memory) -> Stored {
        self.say_within(memory, ScopeLimits::NONE).await
    }

    pub(crate) async fn say_within(&self, memory: Memory, limits: ScopeLimits) -> Stored {
        stored(self.change(within(memory, limits)).await)
    }

    /// Remembers a text in the global scope.
    pub(crate) async fn keep(&self, text: &str) -> Memory {
        self.say(self.memory(text)).await.memory
    }

    pub(crate) async fn edit(&self, id: MemoryId, patch: Patch) -> Stored {
        stored(self.change(editing(id, patch)).await)
    }

    pub(crate) async fn forget(&self, ids: &[MemoryId]) -> Vec<MemoryId> {
        touched(self.change(Change::Forget { ids: ids.to_vec() }).await)
    }

    pub(crate) async fn supersede(&self, old: MemoryId, by: Option<MemoryId>) -> Memory {
        stored(self.change(Change::Supersede { old, by }).await).memory
    }

    pub(crate) async fn find(&self, id: MemoryId) -> Option<Memory> {
        must("reading a memory", self.store.memories(&[id]).await).pop()
    }

    /// The memory of this id, which must exist.
    pub(crate) async fn get(&self, id: MemoryId) -> Memory {
        self.find(id).await.unwrap_or_else(|| panic!("memory {id} is gone"))
    }

    pub(crate) async fn versions(&self, id: MemoryId) -> Vec<Version> {
        self.versions_of(&[id]).await
    }

    pub(crate) async fn versions_of(&self, ids: &[MemoryId]) -> Vec<Version> {
        must("reading versions", self.store.versions(ids).await)
    }

    pub(crate) async fn list(&self, filter: &Filter) -> Vec<Memory> {
        must("listing", self.store.list(filter, ALL).await).memories
    }

    /// The texts of everything current, sorted.
    pub(crate) async fn texts(&self) -> Vec<String> {
        let current = self.list(&Filter::scoped(Scopes::All)).await;
        let mut texts: Vec<String> = current.into_iter().map(|memory| memory.content).collect();
        texts.sort();
        texts
    }

    pub(crate) async fn matches(&self, query: &TextQuery) -> TextMatches {
        must("searching", self.store.search_text(query).await)
    }

    /// Current memories that hold one of the words, best first.
    pub(crate) async fn search(&self, words: &str) -> Vec<MemoryId> {
        let filter = Filter::scoped(Scopes::All);
        let query = TextQuery::new(query_terms(words), filter, 1000);
        let found = self.matches(&query).await.matches;
        found.iter().filter_map(|found| found.doc.memory()).collect()
    }

    /// All conversations, in the order the store gives them.
    pub(crate) async fn sessions(&self) -> Vec<Session> {
        must("listing sessions", self.store.sessions(ALL).await)
    }

    pub(crate) async fn open_session(&self, channel: &str, user: &str, fresh: &str) -> Session {
        match self.change(opening(channel, user, fresh)).await {
            Outcome::Session(session) => *session,
            other => panic!("opening a session answered {other:?}"),
        }
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.store()).await
    }
}

pub(crate) fn remembering(memory: Memory) -> Change {
    within(memory, ScopeLimits::NONE)
}

pub(crate) fn within(memory: Memory, limits: ScopeLimits) -> Change {
    let said = Said::EVERYTHING;
    Change::Remember(Box::new(Remember { memory, limits, supersedes: Vec::new(), said }))
}

/// Remembers a memory of which only this was said.
pub(crate) fn saying(said: Said, memory: Memory) -> Change {
    let limits = ScopeLimits::NONE;
    Change::Remember(Box::new(Remember { memory, limits, supersedes: Vec::new(), said }))
}

/// Remembers a memory that replaces others.
pub(crate) fn replacing(memory: Memory, supersedes: Vec<MemoryId>) -> Change {
    let (limits, said) = (ScopeLimits::NONE, Said::EVERYTHING);
    Change::Remember(Box::new(Remember { memory, limits, supersedes, said }))
}

pub(crate) fn editing(id: MemoryId, patch: Patch) -> Change {
    Change::Edit(Box::new(Edit { id, expected: None, limits: ScopeLimits::NONE, patch }))
}

pub(crate) fn opening(channel: &str, user: &str, fresh: &str) -> Change {
    Change::OpenSession { channel: channel.into(), user: user.into(), fresh: session_id(fresh) }
}

pub(crate) fn session_id(name: &str) -> SessionId {
    must("making a session id", SessionId::new(name))
}

/// A patch of nothing but the text.
pub(crate) fn new_text(text: &str) -> Patch {
    Patch { content: Some(text.to_owned()), ..Patch::default() }
}

pub(crate) fn stored(outcome: Outcome) -> Stored {
    match outcome {
        Outcome::Remembered(stored) | Outcome::Edited(stored) => *stored,
        other => panic!("expected a stored memory, the answer is {other:?}"),
    }
}

pub(crate) fn touched(outcome: Outcome) -> Vec<MemoryId> {
    match outcome {
        Outcome::Touched { ids } => ids,
        other => panic!("expected touched ids, the answer is {other:?}"),
    }
}

pub(crate) fn gone(outcome: Outcome) -> Vec<SessionId> {
    match outcome {
        Outcome::SessionsGone { ids } => ids,
        other => panic!("expected removed sessions, the answer is {other:?}"),
    }
}

/// The same ids in an order of their own, for answers that promise none.
pub(crate) fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

pub(crate) fn project(name: &str) -> Scope {
    must("making a scope", format!("project:{name}").parse())
}
