//! A set is applied whole or not at all, and once however often it is sent.

use nuthatch::change::Change;
use nuthatch::error::Kind;
use nuthatch::filter::Filter;
use nuthatch::store::StoreStats;

use super::bench::Bench;
use super::probe::{ALL, Probe, editing, must, new_text, remembering, replacing, stored};
use super::scene::Scene;

/// A change that no store can make: nobody has this id.
fn impossible(probe: &Probe) -> Change {
    editing(probe.fresh_id(), new_text("never said"))
}

pub async fn a_set_that_fails_leaves_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let scene = Scene::furnish(&probe).await;
    let changes = vec![
        remembering(probe.memory("sails at dawn")),
        remembering(probe.keyed("editor", "writes in emacs")),
        Change::Forget { ids: vec![scene.plain.id] },
        Change::Use { ids: vec![scene.daily.id] },
        impossible(&probe),
    ];
    probe.refuse(Kind::NotFound, changes).await;
    assert!(probe.search("dawn emacs").await.is_empty());
    let reopened = probe.again(bench).await;
    probe.snapshot().await.assert_same(&reopened.snapshot().await);
}

pub async fn each_kind_of_change_is_undone_when_a_later_one_fails(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let scene = Scene::furnish(&probe).await;
    let before = probe.snapshot().await;
    for (name, change) in scene.one_of_each(&probe) {
        let set = probe.set(vec![change, impossible(&probe)]);
        let refused = probe.store().apply(&set).await.map_err(|error| error.kind());
        assert_eq!(refused.err(), Some(Kind::NotFound), "{name}");
        before.assert_same(&probe.snapshot().await);
    }
}

pub async fn a_set_applied_twice_happens_once(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let scene = Scene::furnish(&probe).await;
    for (name, change) in scene.one_of_each(&probe) {
        let set = probe.set(vec![change]);
        // A change may have taken away what a later one needs; then both times are refused.
        let first = probe.store().apply(&set).await.map_err(|error| error.kind());
        let after = probe.snapshot().await;
        probe.tick();
        let second = probe.store().apply(&set).await.map_err(|error| error.kind());
        assert_eq!(first, second, "{name}");
        after.assert_same(&probe.snapshot().await);
    }
}

pub async fn a_set_is_known_again_after_reopening(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let set = probe.set(vec![
        remembering(probe.memory("deploys on fridays")),
        remembering(probe.keyed("editor", "writes in helix")),
    ]);
    let first = probe.apply_set(&set).await;
    let probe = probe.reopen(bench).await;
    let before = probe.snapshot().await;
    assert_eq!(probe.apply_set(&set).await, first);
    before.assert_same(&probe.snapshot().await);
}

/// The same memory and the same flags; what the memory says by now may have changed since.
pub async fn a_known_set_undoes_nothing_that_happened_since(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.memory("deploys on fridays");
    let set = probe.set(vec![remembering(memory.clone())]);
    probe.apply_set(&set).await;
    probe.tick();
    probe.edit(memory.id, new_text("deploys on mondays")).await;
    let before = probe.snapshot().await;
    let rehearsed = must("rehearsing", probe.store().rehearse(&set).await);
    let mut again = probe.apply_set(&set).await;
    assert_eq!(rehearsed, again);
    let again = stored(again.outcomes.remove(0));
    assert_eq!((again.memory.id, again.duplicate), (memory.id, false));
    before.assert_same(&probe.snapshot().await);
}

pub async fn another_set_with_the_same_text_is_a_duplicate(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.memory("deploys on fridays");
    assert!(!probe.say(memory.clone()).await.duplicate);
    assert!(probe.say(memory).await.duplicate);
    assert_eq!(probe.texts().await, ["deploys on fridays"]);
}

pub async fn a_refused_set_may_be_tried_again(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.memory("deploys on fridays");
    let set = probe.set(vec![editing(memory.id, new_text("deploys on mondays"))]);
    let refused = probe.store().apply(&set).await.map_err(|error| error.kind());
    assert_eq!(refused.err(), Some(Kind::NotFound));
    probe.say(memory).await;
    probe.apply_set(&set).await;
    assert_eq!(probe.texts().await, ["deploys on mondays"]);
}

pub async fn changes_of_one_set_see_each_other(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.memory("deploys on fridays");
    let second = probe.memory("deploys on mondays");
    let changes = vec![
        remembering(first.clone()),
        remembering(probe.memory("deploys on fridays")),
        editing(first.id, new_text("deployed on fridays")),
        replacing(second.clone(), vec![first.id]),
        Change::Forget { ids: vec![second.id] },
    ];
    let mut outcomes = probe.apply(changes).await.outcomes.into_iter();
    let mut next = || outcomes.next().expect("one outcome for each change");
    assert!(!stored(next()).duplicate);
    let again = stored(next());
    assert_eq!((again.memory.id, again.duplicate), (first.id, true));
    assert_eq!(stored(next()).memory.content, "deployed on fridays");
    assert_eq!(stored(next()).superseded, [first.id]);
    assert_eq!(probe.versions(first.id).await.len(), 1);
    assert!(probe.find(second.id).await.is_none());
}

pub async fn an_empty_set_changes_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    assert!(probe.apply(Vec::new()).await.outcomes.is_empty());
    let stats = must("reading statistics", probe.store().stats().await);
    assert_eq!(StoreStats { bytes: 0, ..stats }, StoreStats::default());
}

pub async fn rehearsing_changes_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let scene = Scene::furnish(&probe).await;
    let before = probe.snapshot().await;
    for (_, change) in scene.one_of_each(&probe) {
        must("rehearsing", probe.store().rehearse(&probe.set(vec![change])).await);
        before.assert_same(&probe.snapshot().await);
    }
    let reopened = probe.again(bench).await;
    before.assert_same(&reopened.snapshot().await);
}

pub async fn rehearsing_answers_as_applying_does(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let scene = Scene::furnish(&probe).await;
    let mut changes = scene.one_of_each(&probe);
    changes.push(("fail", impossible(&probe)));
    for (name, change) in changes {
        let set = probe.set(vec![change]);
        let rehearsed = probe.store().rehearse(&set).await.map_err(|error| error.kind());
        let applied = probe.store().apply(&set).await.map_err(|error| error.kind());
        assert_eq!(rehearsed, applied, "{name}");
    }
}

pub async fn a_thousand_changes_are_applied_whole_or_not_at_all(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let many: Vec<Change> =
        (0..1000).map(|n| remembering(probe.memory(format!("note {n} about granite")))).collect();
    let mut failing = many.clone();
    failing.push(impossible(&probe));
    probe.refuse(Kind::NotFound, failing).await;
    assert!(probe.search("granite").await.is_empty());
    probe.apply(many).await;
    let probe = probe.reopen(bench).await;
    let listed = must("listing", probe.store().list(&Filter::everything(), ALL).await);
    assert_eq!((listed.total, listed.memories.len()), (1000, 1000));
}
