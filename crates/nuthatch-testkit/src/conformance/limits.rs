//! Limits on entries: the oldest go, at once, and never what must stay.

use nuthatch::category::Category;
use nuthatch::filter::Filter;
use nuthatch::limits::{Limit, ScopeLimits};
use nuthatch::memory::{Memory, Record};
use nuthatch::scope::Scope;

use super::bench::Bench;
use super::fields::restoring;
use super::probe::{Probe, must, project, sorted};

/// At most so many entries.
fn entries(limit: u64) -> ScopeLimits {
    ScopeLimits { entries: Limit::At(limit), ..ScopeLimits::NONE }
}

/// Remembers `note 0` and so on in the global scope, each a second younger.
async fn notes(probe: &Probe, count: usize) -> Vec<Memory> {
    let mut made = Vec::new();
    for n in 0..count {
        made.push(probe.keep(&format!("note {n}")).await);
    }
    made
}

pub async fn no_limit_keeps_everything(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for n in 0..30 {
        let stored = probe.say_within(probe.memory(format!("note {n}")), ScopeLimits::NONE).await;
        assert!(stored.evicted.is_empty());
    }
    assert_eq!(probe.texts().await.len(), 30);
}

pub async fn a_limit_of_zero_keeps_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = notes(&probe, 2).await;
    let new = probe.memory("a third note");
    let stored = probe.say_within(new.clone(), entries(0)).await;
    let everything = [before[0].id, before[1].id, new.id];
    assert_eq!(sorted(stored.evicted), sorted(everything));
    assert!(probe.list(&Filter::everything()).await.is_empty());
    assert!(probe.search("note").await.is_empty());
}

pub async fn a_limit_of_one_keeps_the_newest(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.say_within(probe.memory("note 0"), entries(1)).await;
    assert!(first.evicted.is_empty());
    let second = probe.say_within(probe.memory("note 1"), entries(1)).await;
    assert_eq!(second.evicted, [first.memory.id]);
    assert_eq!(probe.texts().await, ["note 1"]);
}

pub async fn a_lowered_limit_shrinks_the_scope_at_the_next_write(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = notes(&probe, 9).await;
    let stored = probe.say_within(probe.memory("note 9"), entries(3)).await;
    assert_eq!(sorted(stored.evicted), sorted(before[..7].iter().map(|memory| memory.id)));
    assert_eq!(probe.texts().await, ["note 7", "note 8", "note 9"]);
    // A text said again is a write as well.
    let again = probe.say_within(probe.memory("note 9"), entries(2)).await;
    assert_eq!((again.duplicate, again.evicted), (true, vec![before[7].id]));
    assert_eq!(probe.texts().await, ["note 8", "note 9"]);
}

/// The order of arrival, and of ids where creation differs, says nothing.
pub async fn the_oldest_by_creation_then_id_go_first(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let [early, late] = [probe.tick(), probe.tick()];
    let mut ids: Vec<_> = (0..4).map(|_| probe.fresh_id()).collect();
    ids.sort();
    let made = |id, text: &str, at| Memory::new(id, text, Scope::Global, at);
    let batch = [
        made(ids[0], "late, first id", late),
        made(ids[3], "early, last id", early),
        made(ids[1], "early, second id", early),
        made(ids[2], "early, third id", early),
    ]
    .map(|memory| Record { memory, versions: Vec::new() });
    probe.apply(restoring(&batch)).await;
    let mut left = 4;
    for next in [ids[1], ids[2], ids[3], ids[0]] {
        let stored = probe.say_within(probe.memory(format!("new {left}")), entries(4)).await;
        assert_eq!(stored.evicted, [next]);
        left -= 1;
    }
}

pub async fn pinned_memories_and_restrictions_are_not_pushed_out(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let pinned = Memory { pinned: true, ..probe.memory("pinned") };
    probe.say(pinned).await;
    let restriction = Memory { category: Category::restriction(), ..probe.memory("restriction") };
    probe.say(restriction).await;
    let plain = notes(&probe, 2).await;
    let stored = probe.say_within(probe.memory("new"), entries(3)).await;
    assert_eq!(sorted(stored.evicted), sorted([plain[0].id, plain[1].id]));
    assert_eq!(probe.texts().await, ["new", "pinned", "restriction"]);
}

pub async fn a_memory_without_room_goes_itself(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say(Memory { pinned: true, ..probe.memory("pinned") }).await;
    let restriction = Memory { category: Category::restriction(), ..probe.memory("restriction") };
    probe.say(restriction).await;
    let new = probe.memory("nobody makes room for this");
    let stored = probe.say_within(new.clone(), entries(2)).await;
    assert_eq!(stored.evicted, [new.id]);
    assert!(probe.find(new.id).await.is_none());
    assert!(probe.search("nobody makes room").await.is_empty());
    assert_eq!(probe.texts().await, ["pinned", "restriction"]);
}

pub async fn a_pinned_memory_pushes_out_the_oldest(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let plain = notes(&probe, 2).await;
    let pinned = Memory { pinned: true, ..probe.memory("pinned") };
    let stored = probe.say_within(pinned, entries(2)).await;
    assert_eq!(stored.evicted, [plain[0].id]);
    assert_eq!(probe.texts().await, ["note 1", "pinned"]);
}

pub async fn a_limit_holds_in_its_own_scope_only(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    notes(&probe, 3).await;
    for scope in [Scope::User, project("alpha"), project("beta")] {
        for n in 0..2 {
            let memory = Memory { scope: scope.clone(), ..probe.memory(format!("{scope} {n}")) };
            probe.say_within(memory, entries(1)).await;
        }
    }
    let left = ["note 0", "note 1", "note 2", "project:alpha 1", "project:beta 1", "user 1"];
    assert_eq!(probe.texts().await, left);
}

pub async fn what_is_pushed_out_leaves_no_versions_or_words(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("editor", "writes in vim")).await;
    let old = probe.say(probe.keyed("editor", "writes in helix")).await.memory;
    let new = probe.say_within(probe.memory("sails at dawn"), entries(1)).await;
    assert_eq!(new.evicted, [old.id]);
    assert!(probe.find(old.id).await.is_none());
    assert!(probe.versions(old.id).await.is_empty());
    assert!(probe.search("vim helix editor").await.is_empty());
    let stats = must("reading statistics", probe.store().stats().await);
    assert_eq!((stats.memories, stats.versions), (1, 0));
}

/// A key said again adds no entry, so it pushes nobody out.
pub async fn a_replaced_text_needs_no_new_place(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say_within(probe.keyed("day", "friday"), entries(2)).await;
    probe.say_within(probe.memory("note"), entries(2)).await;
    let stored = probe.say_within(probe.keyed("day", "monday"), entries(2)).await;
    assert!(stored.evicted.is_empty());
    assert_eq!(probe.texts().await, ["monday", "note"]);
}
