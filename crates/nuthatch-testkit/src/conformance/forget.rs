//! Forgetting, expiring and counting use.

use jiff::{SignedDuration, Timestamp};
use nuthatch::category::Category;
use nuthatch::change::Change;
use nuthatch::id::MemoryId;
use nuthatch::memory::{Memory, Record};
use nuthatch::scope::Scope;

use super::bench::Bench;
use super::fields::restoring;
use super::probe::{Probe, must, project, remembering, sorted, stored, touched};
use super::snapshot::plain;

pub async fn a_forgotten_memory_is_gone_with_its_versions_and_words(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("editor", "writes in vim")).await;
    let memory = probe.say(probe.keyed("editor", "writes in helix")).await.memory;
    let other = probe.keep("helix is a shape").await;
    assert_eq!(probe.forget(&[memory.id]).await, [memory.id]);
    let probe = probe.reopen(bench).await;
    assert!(probe.find(memory.id).await.is_none());
    assert!(probe.versions(memory.id).await.is_empty());
    assert_eq!(probe.search("vim helix").await, [other.id]);
    let stats = plain(must("reading statistics", probe.store().stats().await));
    assert_eq!((stats.memories, stats.versions), (1, 0));
    assert_eq!(stats.scopes[0].chars, other.chars());
}

pub async fn forgetting_reports_only_what_existed(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    let unknown = probe.fresh_id();
    assert_eq!(probe.forget(&[unknown, memory.id]).await, [memory.id]);
    assert!(probe.forget(&[unknown, memory.id]).await.is_empty());
    assert!(probe.forget(&[]).await.is_empty());
}

pub async fn forgetting_frees_key_and_text(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.say(probe.keyed("day", "friday")).await.memory;
    probe.say(probe.keyed("day", "monday")).await;
    probe.forget(&[first.id]).await;
    let again = probe.say(probe.keyed("day", "monday")).await;
    assert!(!again.duplicate);
    assert_ne!(again.memory.id, first.id);
    assert_eq!(again.memory.used, 0);
    assert!(probe.versions(again.memory.id).await.is_empty());
}

/// A client that got no answer sends its set again, perhaps after somebody has forgotten what
/// it said. What it is answered is left open: the text is gone.
pub async fn a_set_sent_again_does_not_bring_back_what_was_forgotten(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.memory("deploys on fridays");
    let set = probe.set(vec![remembering(memory.clone())]);
    probe.apply_set(&set).await;
    probe.forget(&[memory.id]).await;
    drop(probe.store().apply(&set).await);
    assert!(probe.find(memory.id).await.is_none());
    assert!(probe.texts().await.is_empty());
}

/// More ids than any database takes as parameters of one statement by default.
pub async fn many_memories_can_be_forgotten_at_once(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let kept = probe.keep("stays").await;
    let goes = [probe.keep("goes").await.id, probe.keep("goes, too").await.id];
    let mut ids: Vec<_> = (0..40_000).map(|_| probe.fresh_id()).collect();
    ids.splice(20_000..20_000, goes);
    assert_eq!(sorted(probe.forget(&ids).await), sorted(goes));
    assert_eq!(probe.texts().await, [kept.content]);
}

pub async fn a_use_is_counted(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = probe.keep("deploys on fridays").await;
    let other = probe.keep("deploys at night").await;
    for used in 1..=3 {
        let at = probe.tick();
        let ids = vec![probe.fresh_id(), before.id];
        assert_eq!(touched(probe.change(Change::Use { ids }).await), [before.id]);
        let expected = Memory { used, last_used_at: Some(at), ..before.clone() };
        assert_eq!(probe.get(before.id).await, expected, "nothing but the use has changed");
    }
    assert_eq!(probe.get(other.id).await, other);
    assert!(probe.versions(before.id).await.is_empty());
}

pub async fn a_full_counter_does_not_wrap(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = Memory { used: i64::MAX as u64, ..probe.memory("used for ever") };
    probe.apply(restoring(&[Record { memory: memory.clone(), versions: Vec::new() }])).await;
    probe.change(Change::Use { ids: vec![memory.id] }).await;
    probe.say(probe.memory("used for ever")).await;
    assert!(probe.get(memory.id).await.used >= memory.used);
}

/// Stores memories of a day ago and one of now; gives those that a `daily` expiry ends, and
/// now.
async fn aged(probe: &Probe) -> (Vec<MemoryId>, Timestamp) {
    let daily = |text| Memory { category: Category::daily(), ..probe.memory(text) };
    let spared = [
        Memory { pinned: true, ..daily("old but pinned") },
        Memory { category: Category::conversation(), ..probe.memory("old talk") },
        Memory { category: Category::restriction(), ..probe.memory("old restriction") },
    ];
    let ends = [
        daily("old"),
        Memory { scope: project("alpha"), ..daily("old in a project") },
        Memory { scope: Scope::User, ..daily("old of the user") },
    ];
    for memory in spared.iter().chain(&ends) {
        probe.say(memory.clone()).await;
    }
    probe.clock().advance(SignedDuration::from_hours(24));
    let new = probe.say(daily("new")).await.memory;
    (ends.map(|memory| memory.id).to_vec(), new.created_at)
}

pub async fn expiry_takes_what_is_old_of_its_category(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    // Created exactly then is not created before.
    let (ends, before) = aged(&probe).await;
    let expire = Change::Expire { category: Category::daily(), before };
    assert_eq!(sorted(touched(probe.change(expire.clone()).await)), sorted(ends));
    assert_eq!(probe.texts().await, ["new", "old but pinned", "old restriction", "old talk"]);
    assert!(probe.search("project user").await.is_empty());
    assert!(touched(probe.change(expire).await).is_empty());
}

/// A replaced text ends with its category, too: being hidden is no reason to be kept.
pub async fn expiry_takes_superseded_memories(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let daily = |text| Memory { category: Category::daily(), ..probe.memory(text) };
    let old = probe.say(daily("wrote the report")).await.memory;
    let new = probe.keep("the report is written").await;
    probe.supersede(old.id, Some(new.id)).await;
    let before = probe.tick();
    let expire = Change::Expire { category: Category::daily(), before };
    assert_eq!(touched(probe.change(expire).await), [old.id]);
    assert!(probe.find(old.id).await.is_none());
}

/// What goes in a set is gone for what comes after it: the same is said anew.
pub async fn what_expires_in_a_set_is_gone_for_the_rest_of_it(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for key in [None, Some("weather")] {
        let said = || Memory { key: key.map(str::to_owned), ..probe.memory("rained") };
        let old = probe.say(Memory { category: Category::daily(), ..said() }).await.memory;
        let expire = Change::Expire { category: Category::daily(), before: probe.tick() };
        let new = said();
        let outcomes = probe.apply(vec![expire, remembering(new.clone())]).await.outcomes;
        let kept = stored(outcomes[1].clone());
        assert_eq!((kept.memory.id, kept.duplicate), (new.id, false), "{key:?}");
        assert!(probe.find(old.id).await.is_none() && probe.find(new.id).await.is_some());
        probe.forget(&[new.id]).await;
    }
}
