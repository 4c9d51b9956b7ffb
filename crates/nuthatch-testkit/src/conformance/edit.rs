//! Editing: what a memory said is kept, and nobody overwrites what they have not seen.

use jiff::SignedDuration;
use nuthatch::category::Category;
use nuthatch::change::{Change, Edit, Patch};
use nuthatch::error::Kind;
use nuthatch::limits::ScopeLimits;
use nuthatch::memory::{Importance, Memory, Version};
use nuthatch::trust::{Origin, Source, Trust};

use super::bench::Bench;
use super::probe::{Probe, editing, must, new_text, project, remembering, session_id, stored};

fn new_key(key: &str) -> Patch {
    Patch { key: Some(Some(key.to_owned())), ..Patch::default() }
}

pub async fn an_edit_of_the_text_keeps_the_old_as_a_version(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = probe.keep("deploys on fridays").await;
    let at = probe.tick();
    let after = probe.edit(before.id, new_text("deploys on mondays")).await.memory;
    let text = "deploys on mondays".to_owned();
    assert_eq!(after, Memory { content: text, updated_at: at, ..before.clone() });
    assert_eq!(probe.get(before.id).await, after);
    let expected = Version {
        memory_id: before.id,
        number: 1,
        key: None,
        content: before.content,
        category: before.category,
        written_at: before.updated_at,
        replaced_at: at,
    };
    assert_eq!(probe.versions(before.id).await, [expected]);
}

pub async fn an_edit_of_key_or_category_keeps_the_old_as_a_version(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.say(probe.keyed("day", "friday")).await.memory;
    probe.tick();
    probe.edit(memory.id, new_key("deploy-day")).await;
    probe.tick();
    let patch = Patch { category: Some(Category::daily()), ..Patch::default() };
    let after = probe.edit(memory.id, patch).await.memory;
    assert_eq!((after.key.as_deref(), after.category), (Some("deploy-day"), Category::daily()));
    let versions = probe.versions(memory.id).await;
    let seen: Vec<_> =
        versions.iter().map(|v| (v.number, v.key.as_deref(), v.category.as_str())).collect();
    assert_eq!(seen, [(1, Some("day"), "core"), (2, Some("deploy-day"), "core")]);
    assert!(versions.iter().all(|version| version.content == "friday"));
}

pub async fn versions_of_many_come_in_the_order_of_their_memories(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        ids.push(probe.keep(text).await.id);
    }
    let mut expected = Vec::new();
    for id in [ids[0], ids[2]] {
        for text in ["then this", "and that"] {
            probe.tick();
            probe.edit(id, new_text(&format!("{text} of {id}"))).await;
        }
        expected.push((id, probe.versions(id).await));
    }
    expected.sort_by_key(|(id, _)| *id);
    let expected: Vec<_> = expected.into_iter().flat_map(|(_, versions)| versions).collect();
    assert_eq!(expected.len(), 4);
    let unknown = nuthatch::id::MemoryId::derived(&["nobody"]);
    let asked = [ids[2], unknown, ids[1], ids[0], ids[2]];
    assert_eq!(probe.versions_of(&asked).await, expected);
    assert_eq!(probe.versions_of(&[]).await, []);
}

pub async fn other_edits_keep_no_version(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = probe.keep("deploys on fridays").await;
    probe.tick();
    let importance = must("making an importance", Importance::new(1.0));
    let patch = Patch {
        trust: Some(Trust::Inferred),
        pinned: Some(true),
        importance: Some(importance),
        metadata: [("team".to_owned(), "web".to_owned())].into(),
        ..Patch::default()
    };
    let after = probe.edit(before.id, patch.clone()).await.memory;
    assert!(after.updated_at >= before.updated_at);
    let expected = Memory {
        trust: Trust::Inferred,
        pinned: true,
        importance,
        metadata: patch.metadata,
        updated_at: after.updated_at,
        ..before
    };
    assert_eq!(after, expected);
    assert_eq!(probe.get(expected.id).await, expected);
    assert!(probe.versions(expected.id).await.is_empty());
}

pub async fn an_edit_to_what_is_already_said_keeps_no_version(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.say(probe.keyed("day", "friday")).await.memory;
    probe.tick();
    let patch = Patch { category: Some(Category::default()), ..new_key("day") };
    let after = probe.edit(memory.id, Patch { content: Some("friday".into()), ..patch }).await;
    assert_eq!(after.memory.content, "friday");
    assert!(probe.versions(memory.id).await.is_empty());
}

pub async fn an_edit_leaves_what_it_does_not_name(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = Memory {
        scope: project("alpha"),
        session_id: Some(session_id("thread")),
        origin: Origin::Imported,
        source: Some(Source { place: Some("old.json".into()), ..Source::default() }),
        trust: Trust::Inferred,
        pinned: true,
        metadata: [("a".to_owned(), "1".to_owned())].into(),
        used: 7,
        last_used_at: Some(probe.now()),
        ..probe.keyed("day", "friday")
    };
    probe.say(before.clone()).await;
    let at = probe.tick();
    let after = probe.edit(before.id, new_text("monday")).await.memory;
    assert_eq!(after, Memory { content: "monday".into(), updated_at: at, ..before });
}

async fn grows_strictly(bench: &dyn Bench, step: SignedDuration) {
    let probe = Probe::open(bench).await;
    let mut last = probe.say(probe.keyed("day", "day 0")).await.memory;
    for n in 1..6 {
        probe.clock().advance(step);
        let text = format!("day {n}");
        let change = if n % 2 == 0 {
            editing(last.id, new_text(&text))
        } else {
            // Not `keyed`, which would let a second pass.
            remembering(Memory { id: probe.fresh_id(), content: text, ..last.clone() })
        };
        let next = stored(probe.change(change).await).memory;
        assert!(next.updated_at > last.updated_at, "{} after {}", next.updated_at, last.updated_at);
        assert_eq!(next.created_at, last.created_at);
        last = next;
    }
    let versions = probe.versions(last.id).await;
    assert_eq!(versions.iter().map(|v| v.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(versions.is_sorted_by(|a, b| a.written_at < b.written_at));
}

pub async fn updated_at_grows_while_the_clock_stands_still(bench: &dyn Bench) {
    grows_strictly(bench, SignedDuration::ZERO).await;
}

pub async fn updated_at_grows_when_the_clock_goes_back(bench: &dyn Bench) {
    grows_strictly(bench, SignedDuration::from_hours(-1)).await;
}

fn expecting(memory: &Memory, text: &str) -> Change {
    Change::Edit(Box::new(Edit {
        id: memory.id,
        expected: Some(memory.updated_at),
        limits: ScopeLimits::NONE,
        patch: new_text(text),
    }))
}

pub async fn a_stale_edit_is_a_conflict(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let seen = probe.keep("deploys on fridays").await;
    // The clock stands still: the time alone would not tell the two apart.
    probe.edit(seen.id, new_text("deploys on mondays")).await;
    probe.refuse(Kind::Conflict, vec![expecting(&seen, "deploys on tuesdays")]).await;
}

pub async fn an_edit_of_what_was_seen_is_taken(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let seen = probe.keep("deploys on fridays").await;
    let seen = stored(probe.change(expecting(&seen, "deploys on mondays")).await).memory;
    let seen = stored(probe.change(expecting(&seen, "deploys on tuesdays")).await).memory;
    assert_eq!(probe.get(seen.id).await.content, "deploys on tuesdays");
}

pub async fn an_edit_of_an_unknown_memory_is_not_found(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.keep("deploys on fridays").await;
    let change = editing(probe.fresh_id(), new_text("deploys on mondays"));
    probe.refuse(Kind::NotFound, vec![change]).await;
}

pub async fn an_edit_to_a_taken_key_is_a_conflict(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("day", "friday")).await;
    let other = probe.keep("mondays are quiet").await;
    probe.refuse(Kind::Conflict, vec![editing(other.id, new_key("day"))]).await;
    let elsewhere = Memory { scope: project("alpha"), ..probe.memory("another day") };
    let elsewhere = probe.say(elsewhere).await.memory;
    let stored = probe.edit(elsewhere.id, new_key("day")).await;
    assert_eq!(stored.memory.key.as_deref(), Some("day"));
}

pub async fn an_edit_can_take_a_key_away(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.say(probe.keyed("day", "friday")).await.memory;
    probe.tick();
    let patch = Patch { key: Some(None), ..Patch::default() };
    assert_eq!(probe.edit(first.id, patch).await.memory.key, None);
    assert_eq!(probe.versions(first.id).await[0].key.as_deref(), Some("day"));
    let next = probe.say(probe.keyed("day", "monday")).await;
    assert_ne!(next.memory.id, first.id, "the key is free again");
}

pub async fn an_empty_metadata_value_removes_the_name(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let memory = probe.memory("deploys on fridays");
    let metadata = [pair("team", "web"), pair("host", "a1"), pair("port", "80")].into();
    let memory = probe.say(Memory { metadata, ..memory }).await.memory;
    let metadata = [pair("host", ""), pair("port", "443"), pair("unknown", "")].into();
    probe.edit(memory.id, Patch { metadata, ..Patch::default() }).await;
    let expected = [pair("team", "web"), pair("port", "443")].into();
    assert_eq!(probe.get(memory.id).await.metadata, expected);
}
