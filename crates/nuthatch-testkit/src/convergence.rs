//! Two stores that are written to, lose sight of each other and meet again: whatever happened,
//! they come to the same state, no edit is lost and nothing forgotten comes back.
//!
//! Everything follows from a seed. Clocks of the two sides differ by an hour, lines break at any
//! request, and what was agreed on is lost now and then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use nuthatch::Engine;
use nuthatch::edit::EditRequest;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page};
use nuthatch::id::MemoryId;
use nuthatch::limits::{Limits, Rules};
use nuthatch::memory::{Memory, Record, Tombstone};
use nuthatch::remember::RememberRequest;
use nuthatch::scope::Scope;
use nuthatch::store::Store;
use nuthatch::sync::{Agreement, Agreements, SyncRequest, Synced, Unremembered};

use crate::fakes::{FixedClock, SequentialIds};
use crate::generate::Rng;
use crate::unsteady::Unsteady;

/// Keeps an agreement in RAM.
#[derive(Default)]
pub struct Remembered(Mutex<Agreement>);

impl Agreements for Remembered {
    fn last(&self) -> Result<Agreement> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn keep(&self, agreement: &Agreement) -> Result<()> {
        agreement.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}

/// A store with a clock of its own.
struct Party {
    store: Arc<dyn Store>,
    engine: Engine,
    clock: Arc<FixedClock>,
}

impl Party {
    fn new(store: Arc<dyn Store>, first_id: u64, skew: SignedDuration) -> Self {
        let clock = Arc::new(FixedClock::default());
        clock.advance(skew);
        let ids = Arc::new(SequentialIds::starting_at(first_id));
        let rules = Rules::limited(Limits::NONE);
        let engine = Engine::new(Arc::clone(&store), clock.clone(), ids, rules);
        Party { store, engine, clock }
    }

    async fn everything(&self) -> (BTreeMap<MemoryId, Record>, Vec<Tombstone>) {
        let all = Page::first(1_000_000);
        let mut records = BTreeMap::new();
        for memory in self.store.list(&Filter::everything(), all).await.expect("a list").memories {
            let versions = self.store.versions(memory.id).await.expect("versions");
            let memory = Memory { used: 0, last_used_at: None, ..memory };
            records.insert(memory.id, Record { memory, versions });
        }
        (records, self.store.tombstones(None, 1_000_000).await.expect("tombstones"))
    }
}

/// What must hold in the end.
#[derive(Default)]
struct Expected {
    said: BTreeMap<MemoryId, BTreeSet<String>>,
    forgotten: BTreeSet<MemoryId>,
    syncs_broken: u64,
    conflicts: usize,
}

/// A story of two stores.
struct Story {
    seed: u64,
    rng: Rng,
    parties: [Party; 2],
    agreements: Remembered,
    expected: Expected,
    counter: u64,
}

/// What a story was made of: for tests to see that it was worth telling.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// Syncs that broke off.
    pub broken: u64,
    /// Edits that met others.
    pub conflicts: usize,
    /// Memories that were forgotten.
    pub forgotten: usize,
}

/// Lets so many things happen to two empty stores, and fails unless they end as they must.
///
/// # Panics
/// When a promise of a sync is broken; the message names the seed.
pub async fn two_stores_converge(
    here: Arc<dyn Store>,
    there: Arc<dyn Store>,
    seed: u64,
    steps: usize,
) -> Told {
    let parties = [
        Party::new(here, 0, SignedDuration::ZERO),
        Party::new(there, 1 << 32, SignedDuration::from_hours(-1)),
    ];
    let (agreements, expected) = (Remembered::default(), Expected::default());
    let mut story = Story { seed, rng: Rng::new(seed), parties, agreements, expected, counter: 0 };
    for _ in 0..steps {
        story.step().await;
    }
    story.end().await;
    let Expected { forgotten, syncs_broken, conflicts, .. } = story.expected;
    Told { broken: syncs_broken, conflicts, forgotten: forgotten.len() }
}

impl Story {
    async fn step(&mut self) {
        let side = self.rng.below(2) as usize;
        let by = SignedDuration::from_secs(self.rng.below(40) as i64);
        self.parties[side].clock.advance(by);
        match self.rng.below(16) {
            0..=4 => self.remember(side).await,
            5..=8 => self.edit(side).await,
            9 => self.pin(side).await,
            10 => self.forget(side).await,
            11 => self.supersede(side).await,
            12 => self.rename(side).await,
            _ => self.meet().await,
        }
    }

    fn text(&mut self) -> String {
        self.counter += 1;
        format!("the harbour of day {} opens at {}", self.counter, self.rng.below(24))
    }

    fn key(&mut self) -> Option<String> {
        self.rng.chance(3).then(|| format!("key {}", self.rng.below(4)))
    }

    async fn any(&mut self, side: usize) -> Option<MemoryId> {
        let listed = self.parties[side].store.list(&Filter::everything(), Page::first(1000)).await;
        let memories = listed.expect("a list").memories;
        let place = self.rng.below(memories.len() as u64) as usize;
        memories.get(place).map(|memory| memory.id)
    }

    fn note(&mut self, id: MemoryId, text: String) {
        self.expected.said.entry(id).or_default().insert(text);
    }

    async fn remember(&mut self, side: usize) {
        let scope = if self.rng.chance(2) { "global" } else { "project:alpha" };
        let text = self.text();
        let mut request = RememberRequest::new(text.clone(), scope.parse().expect("a scope"));
        request.key = self.key();
        let stored = self.parties[side].engine.remember(request).await.expect("remembering");
        self.note(stored.memory.id, text);
    }

    async fn edit(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        let text = self.text();
        let mut request = EditRequest::new(id);
        request.content = Some(text.clone());
        self.parties[side].engine.edit(request).await.expect("editing");
        self.note(id, text);
    }

    async fn pin(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        let mut request = EditRequest::new(id);
        request.pinned = Some(self.rng.chance(2));
        request.metadata = BTreeMap::from([("seen".to_owned(), self.counter.to_string())]);
        self.parties[side].engine.edit(request).await.expect("pinning");
    }

    async fn rename(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        let mut request = EditRequest::new(id);
        request.key = Some(self.key());
        // A key that somebody has is refused.
        let _ = self.parties[side].engine.edit(request).await;
    }

    async fn forget(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        self.parties[side].engine.forget(&[id]).await.expect("forgetting");
        self.expected.forgotten.insert(id);
    }

    async fn supersede(&mut self, side: usize) {
        let (Some(old), Some(by)) = (self.any(side).await, self.any(side).await) else { return };
        let by = (!self.rng.chance(4)).then_some(by);
        // Circles, and memories of themselves, are refused.
        let _ = self.parties[side].engine.supersede(old, by).await;
    }

    /// A sync that may break off, by somebody who may not remember the last one.
    async fn meet(&mut self) {
        let left = Arc::new(AtomicI64::new(self.rng.below(90) as i64));
        let [here, there] = &self.parties;
        let near = Unsteady::new(Arc::clone(&here.store), Arc::clone(&left));
        let far = Unsteady::new(Arc::clone(&there.store), left);
        let rules = Rules::limited(Limits::NONE);
        let ids = Arc::new(SequentialIds::starting_at((2 << 32) + self.counter * 1000));
        self.counter += 1;
        let engine = Engine::new(Arc::new(near), here.clock.clone(), ids, rules);
        let request = SyncRequest::usual();
        let forgetful = self.rng.chance(4);
        let agreements: &dyn Agreements = if forgetful { &Unremembered } else { &self.agreements };
        match engine.sync(&far, &request, agreements, &|_, _| {}).await {
            Ok(synced) => self.expected.conflicts += synced.conflicts.len(),
            Err(_) => self.expected.syncs_broken += 1,
        }
    }

    async fn sync(&mut self) -> Synced {
        let [here, there] = &self.parties;
        let request = SyncRequest::usual();
        let synced = here.engine.sync(&*there.store, &request, &self.agreements, &|_, _| {}).await;
        synced.unwrap_or_else(|error| panic!("seed {}: {error}", self.seed))
    }

    async fn end(&mut self) {
        let seed = self.seed;
        let last = self.sync().await;
        self.expected.conflicts += last.conflicts.len();
        assert_eq!(last.refused, BTreeMap::new(), "seed {seed}");
        let (records, tombstones) = self.parties[0].everything().await;
        let (others, other_tombstones) = self.parties[1].everything().await;
        for (id, record) in &records {
            assert_eq!(Some(record), others.get(id), "seed {seed}: {id} differs");
        }
        assert_eq!(records.len(), others.len(), "seed {seed}");
        assert_eq!(tombstones, other_tombstones, "seed {seed}");
        let again = self.sync().await;
        assert_eq!((again.here.all(), again.there.all()), (0, 0), "seed {seed}: {again:?}");
        for id in &self.expected.forgotten {
            assert!(!records.contains_key(id), "seed {seed}: {id} came back");
        }
        for (id, texts) in &self.expected.said {
            if self.expected.forgotten.contains(id) {
                continue;
            }
            let record = records.get(id);
            let record = record.unwrap_or_else(|| panic!("seed {seed}: {id} is lost"));
            for text in texts {
                let is_kept = record.memory.content == *text
                    || record.versions.iter().any(|version| version.content == *text);
                assert!(is_kept, "seed {seed}: an edit of {id} is lost");
            }
        }
        let is_hidden = |id: &MemoryId| circle(&records, *id);
        assert!(!records.keys().any(is_hidden), "seed {seed}: two memories hide each other");
        assert!(records.values().all(|one| one.memory.scope != Scope::User));
    }
}

/// Whether two memories replace each other.
fn circle(records: &BTreeMap<MemoryId, Record>, id: MemoryId) -> bool {
    let by = |id: &MemoryId| records.get(id).and_then(|one| one.memory.superseded_by);
    by(&id).is_some_and(|other| by(&other) == Some(id))
}
