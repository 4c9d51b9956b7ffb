//! Superseding: a replaced memory is hidden, never lost, and can come back.

use nuthatch::change::Change;
use nuthatch::error::Kind;
use nuthatch::filter::{Filter, Scopes, Superseded};
use nuthatch::memory::{Memory, Record, Version};
use nuthatch::store::TextQuery;
use nuthatch::text::query_terms;

use super::bench::Bench;
use super::fields::restoring;
use super::probe::{Probe, editing, new_text, replacing, stored};

async fn replaced_pair(probe: &Probe) -> (Memory, Memory) {
    let old = probe.keep("deploys on fridays").await;
    let new = probe.keep("releases on mondays").await;
    let old = probe.supersede(old.id, Some(new.id)).await;
    assert_eq!(old.superseded_by, Some(new.id));
    (old, new)
}

pub async fn a_superseded_memory_is_hidden(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let (old, new) = replaced_pair(&probe).await;
    assert_eq!(probe.list(&Filter::scoped(Scopes::All)).await, [new]);
    assert!(probe.search("deploys fridays").await.is_empty());
    assert_eq!(probe.get(old.id).await, old, "it is kept");
}

pub async fn a_superseded_memory_is_shown_when_asked_for(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let (old, new) = replaced_pair(&probe).await;
    let filter = Filter { superseded: Superseded::Shown, ..Filter::scoped(Scopes::All) };
    assert_eq!(probe.list(&filter).await, [new, old.clone()]);
    let query = TextQuery::new(query_terms("fridays"), filter, 10);
    let found = probe.matches(&query).await.matches;
    assert_eq!(found.iter().filter_map(|m| m.doc.memory()).collect::<Vec<_>>(), [old.id]);
}

pub async fn superseding_keeps_the_text_and_makes_no_version(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = probe.keep("deploys on fridays").await;
    let new = probe.keep("releases on mondays").await;
    probe.tick();
    let after = probe.supersede(before.id, Some(new.id)).await;
    assert_eq!((&after.content, after.created_at), (&before.content, before.created_at));
    assert!(probe.versions(before.id).await.is_empty());
    assert_eq!(probe.get(new.id).await, new);
}

pub async fn superseding_can_be_undone(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let (old, new) = replaced_pair(&probe).await;
    assert_eq!(probe.supersede(old.id, None).await.superseded_by, None);
    let current = probe.list(&Filter::scoped(Scopes::All)).await;
    assert_eq!(current.iter().map(|m| m.id).collect::<Vec<_>>(), [new.id, old.id]);
    assert_eq!(probe.search("fridays").await, [old.id]);
}

pub async fn superseding_needs_both_memories(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let known = probe.keep("deploys on fridays").await.id;
    let unknown = probe.fresh_id();
    for (old, by) in [(unknown, Some(known)), (known, Some(unknown)), (unknown, None)] {
        probe.refuse(Kind::NotFound, vec![Change::Supersede { old, by }]).await;
    }
}

pub async fn a_memory_cannot_supersede_itself(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let id = probe.keep("deploys on fridays").await.id;
    probe.refuse(Kind::Invalid, vec![Change::Supersede { old: id, by: Some(id) }]).await;
}

/// In a circle everything would be hidden and nothing current.
pub async fn memories_cannot_supersede_each_other_in_a_circle(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut chain = Vec::new();
    for text in ["one", "two", "three", "four"] {
        chain.push(probe.keep(text).await.id);
    }
    for pair in chain.windows(2) {
        probe.supersede(pair[0], Some(pair[1])).await;
        let circle = Change::Supersede { old: pair[1], by: Some(chain[0]) };
        probe.refuse(Kind::Invalid, vec![circle]).await;
    }
    assert_eq!(probe.texts().await, ["four"]);
}

pub async fn a_new_memory_can_replace_others(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let one = probe.keep("deploys on fridays").await.id;
    let two = probe.keep("deploys at night").await.id;
    let new = probe.memory("deploys on monday mornings");
    let stored = stored(probe.change(replacing(new.clone(), vec![one, two])).await);
    assert_eq!(stored.superseded, [one, two]);
    assert_eq!(stored.memory, new);
    for id in [one, two] {
        assert_eq!(probe.get(id).await.superseded_by, Some(new.id));
    }
    assert_eq!(probe.texts().await, ["deploys on monday mornings"]);
}

pub async fn replacing_an_unknown_memory_is_not_found(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let known = probe.keep("deploys on fridays").await.id;
    let new = probe.memory("deploys on mondays");
    let change = replacing(new, vec![known, probe.fresh_id()]);
    probe.refuse(Kind::NotFound, vec![change]).await;
    assert!(probe.search("mondays").await.is_empty());
}

/// The new text is the old one: whatever the answer, it must not replace and so hide itself.
pub async fn a_text_said_again_in_place_of_itself_stays_visible(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let old = probe.keep("deploys on fridays").await.id;
    let again = probe.memory("deploys on fridays");
    let set = probe.set(vec![replacing(again, vec![old])]);
    let kind = probe.store().apply(&set).await.map_err(|error| error.kind()).err();
    assert!(matches!(kind, None | Some(Kind::Invalid)), "{kind:?}");
    assert_eq!(probe.texts().await, ["deploys on fridays"]);
}

/// A circle cannot be asked for, but restored, or written into a file by hand.
pub async fn a_circle_that_is_there_already_does_no_harm(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let (mut one, mut two) = (probe.memory("one"), probe.memory("two"));
    (one.superseded_by, two.superseded_by) = (Some(two.id), Some(one.id));
    let record = |memory: &Memory| Record { memory: memory.clone(), versions: Vec::new() };
    probe.apply(restoring(&[record(&one), record(&two)])).await;
    let three = probe.keep("three").await.id;
    assert_eq!(probe.supersede(three, Some(one.id)).await.superseded_by, Some(one.id));
    assert_eq!(probe.supersede(one.id, None).await.superseded_by, None);
    assert_eq!(probe.texts().await, ["one"]);
}

/// What was once called outdated must not come back by itself.
pub async fn a_memory_stays_replaced_when_its_replacement_is_forgotten(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let (old, new) = replaced_pair(&probe).await;
    probe.forget(&[new.id]).await;
    assert!(probe.texts().await.is_empty());
    assert_eq!(probe.get(old.id).await, old);
    probe.supersede(old.id, None).await;
    assert_eq!(probe.texts().await, [old.content]);
}

pub async fn a_memory_without_version_numbers_left_is_a_conflict(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.memory("deploys on fridays");
    let version = Version {
        memory_id: memory.id,
        number: u32::MAX,
        key: None,
        content: "deploys on mondays".into(),
        category: memory.category.clone(),
        written_at: memory.created_at,
        replaced_at: memory.updated_at,
    };
    let id = memory.id;
    probe.apply(restoring(&[Record { memory, versions: vec![version] }])).await;
    probe.refuse(Kind::Conflict, vec![editing(id, new_text("deploys at noon"))]).await;
}
