//! Two stores that are written to, lose sight of each other and meet again: whatever happened,
//! they come to the same state, no edit is lost and nothing forgotten comes back.
//!
//! Everything follows from a seed. Clocks of the two sides differ by an hour, lines break at any
//! request of either side, others write in between, and what was agreed on is lost now and then.
//! What happens is in `convergence/steps.rs`.

mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use nuthatch::Engine;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::MemoryId;
use nuthatch::limits::{Limits, Rules};
use nuthatch::memory::{Memory, Record, Tombstone};
use nuthatch::scope::Scope;
use nuthatch::store::Store;
use nuthatch::sync::{Agreement, Agreements, SyncRequest, Synced};
use nuthatch::trust::Trust;

use crate::fakes::{FixedClock, SequentialIds};
use crate::generate::Rng;

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
            let versions = self.store.versions(&[memory.id]).await.expect("versions");
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
    /// Names of metadata that were set, and never removed.
    marks: BTreeMap<MemoryId, BTreeSet<String>>,
    forgotten: BTreeSet<MemoryId>,
    /// What each side keeps to itself.
    private: [BTreeSet<MemoryId>; 2],
    /// The same, with what was forgotten since.
    kept: [BTreeSet<MemoryId>; 2],
    broken: [u64; 2],
    conflicts: usize,
    meddled: u64,
    rings: u64,
    rivals: u64,
}

/// A story of two stores.
struct Story {
    seed: u64,
    rng: Rng,
    parties: [Party; 2],
    agreements: Remembered,
    expected: Expected,
    counter: u64,
    /// What was marked last, since the two last met.
    touched: Option<MemoryId>,
}

/// What a story was made of: for tests to see that it was worth telling.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// Syncs that broke off, by the side whose line broke.
    pub broken: [u64; 2],
    /// Edits that met others.
    pub conflicts: usize,
    /// Memories that were forgotten.
    pub forgotten: usize,
    /// Edits in the middle of a sync.
    pub meddled: u64,
    /// Circles of replacements that the sides made together.
    pub rings: u64,
    /// Keys that each side gave to a memory of its own.
    pub rivals: u64,
    /// Memories that nobody asked to share.
    pub private: usize,
}

impl std::ops::AddAssign for Told {
    fn add_assign(&mut self, other: Told) {
        self.broken[0] += other.broken[0];
        self.broken[1] += other.broken[1];
        self.conflicts += other.conflicts;
        self.forgotten += other.forgotten;
        self.meddled += other.meddled;
        self.rings += other.rings;
        self.rivals += other.rivals;
        self.private += other.private;
    }
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
    let rng = Rng::new(seed);
    let mut story = Story { seed, rng, parties, agreements, expected, counter: 0, touched: None };
    for _ in 0..steps {
        story.step().await;
    }
    story.end().await;
    let Expected { forgotten, private, broken, conflicts, meddled, rings, rivals, .. } =
        story.expected;
    let private = private.iter().map(BTreeSet::len).sum();
    Told { broken, conflicts, forgotten: forgotten.len(), meddled, rings, rivals, private }
}

/// Whether nobody gets it unasked.
fn is_private(memory: &Memory) -> bool {
    memory.scope == Scope::User || memory.trust == Trust::Quarantined
}

impl Story {
    async fn sync(&mut self, request: &SyncRequest) -> Synced {
        let [here, there] = &self.parties;
        let synced = here.engine.sync(&*there.store, request, &self.agreements, &|_, _| {}).await;
        synced.unwrap_or_else(|error| panic!("seed {}: {error}", self.seed))
    }

    async fn end(&mut self) {
        let seed = self.seed;
        let last = self.sync(&SyncRequest::usual()).await;
        self.expected.conflicts += last.conflicts.len();
        assert_eq!(last.refused, BTreeMap::new(), "seed {seed}");
        let records = self.agree().await;
        let again = self.sync(&SyncRequest::usual()).await;
        assert_eq!((again.here.all(), again.there.all()), (0, 0), "seed {seed}: {again:?}");
        self.nothing_is_lost(&records);
        for id in records.keys() {
            assert!(!is_circled(&records, *id), "seed {seed}: {id} and others hide each other");
        }
        self.share_everything().await;
    }

    /// What both have, without what each keeps to itself.
    async fn agree(&self) -> BTreeMap<MemoryId, Record> {
        let seed = self.seed;
        let mut all = Vec::new();
        for (side, party) in self.parties.iter().enumerate() {
            let (mut records, mut tombstones) = party.everything().await;
            let (own, other) = (&self.expected.private[side], &self.expected.private[1 - side]);
            for id in own {
                assert!(records.remove(id).is_some(), "seed {seed}: {id} is lost where it was");
            }
            let leaked = other.iter().find(|id| records.contains_key(id));
            assert_eq!(leaked, None, "seed {seed}: shared, though nobody asked for it");
            let own = tombstones.iter().filter(|one| one.scope == Scope::User);
            self.tombstones_are_of(side, own.map(|one| one.id));
            tombstones.retain(|one| one.scope != Scope::User);
            all.push((records, tombstones));
        }
        let (others, other_tombstones) = all.pop().expect("two sides");
        let (records, tombstones) = all.pop().expect("two sides");
        for (id, record) in &records {
            assert_eq!(Some(record), others.get(id), "seed {seed}: {id} differs");
        }
        assert_eq!(records.len(), others.len(), "seed {seed}: one side has more");
        assert_eq!(tombstones, other_tombstones, "seed {seed}");
        records
    }

    /// What was forgotten of a person's own is that person's business, too.
    fn tombstones_are_of(&self, side: usize, ids: impl Iterator<Item = MemoryId>) {
        for id in ids {
            let is_own = self.expected.kept[side].contains(&id);
            assert!(is_own, "seed {}: what was forgotten of the person was told", self.seed);
        }
    }

    fn nothing_is_lost(&self, records: &BTreeMap<MemoryId, Record>) {
        let seed = self.seed;
        for id in &self.expected.forgotten {
            assert!(!records.contains_key(id), "seed {seed}: {id} came back");
        }
        let private = |id: &MemoryId| self.expected.private.iter().any(|own| own.contains(id));
        for (id, texts) in &self.expected.said {
            if self.expected.forgotten.contains(id) || private(id) {
                continue;
            }
            let record = records.get(id);
            let record = record.unwrap_or_else(|| panic!("seed {seed}: {id} is lost"));
            for text in texts {
                let is_kept = record.memory.content == *text
                    || record.versions.iter().any(|version| version.content == *text);
                assert!(is_kept, "seed {seed}: an edit of {id} is lost");
            }
            for mark in self.expected.marks.get(id).into_iter().flatten() {
                let is_kept = record.memory.metadata.contains_key(mark);
                assert!(is_kept, "seed {seed}: {mark} of {id} is lost");
            }
        }
    }

    /// Whoever asks for everything gets everything.
    async fn share_everything(&mut self) {
        let wide = SyncRequest { scopes: Scopes::All, quarantined: true, dry_run: false };
        let synced = self.sync(&wide).await;
        let seed = self.seed;
        assert_eq!(synced.refused, BTreeMap::new(), "seed {seed}");
        let sides = [self.parties[0].everything().await, self.parties[1].everything().await];
        assert_eq!(sides[0], sides[1], "seed {seed}: not everything was shared");
        let mut private = self.expected.private.iter().flatten();
        assert!(private.all(|id| sides[0].0.contains_key(id)), "seed {seed}");
    }
}

/// Whether a memory is replaced by itself in the end.
fn is_circled(records: &BTreeMap<MemoryId, Record>, id: MemoryId) -> bool {
    let by = |id: MemoryId| records.get(&id).and_then(|one| one.memory.superseded_by);
    let mut at = by(id);
    for _ in 0..records.len() {
        match at {
            Some(next) if next == id => return true,
            Some(next) => at = by(next),
            None => return false,
        }
    }
    false
}
