//! Edits by hand beside a running store: seen at once, kept, and never fought over.

use nuthatch::change::{Change, Edit};
use nuthatch::error::Kind;
use nuthatch::limits::ScopeLimits;
use nuthatch::memory::Memory;

use super::bench::TextFile;
use super::hand::{by_key, read, write};
use super::probe::{Probe, new_text, stored};

/// A store of ours with two entries, one of them without a key.
async fn ours(bench: &dyn TextFile) -> (Probe, Memory, Memory) {
    let probe = Probe::open(bench).await;
    let keyed = probe.say(probe.keyed("editor", "writes in vim every morning")).await.memory;
    let plain = probe.keep("deploys on fridays after lunch").await;
    (probe, keyed, plain)
}

fn add(bench: &dyn TextFile, key: &str, text: &str) {
    write(bench, bench.with_entry(&read(bench), key, text));
}

fn replace(bench: &dyn TextFile, old: &str, new: &str) {
    let file = read(bench);
    assert!(file.contains(old), "a text stands in the file as it is");
    write(bench, file.replace(old, new));
}

pub async fn a_line_added_by_hand_is_found(bench: &dyn TextFile) {
    let (probe, ..) = ours(bench).await;
    probe.texts().await;
    add(bench, "harbour", "the harbour opens at six");
    let added = by_key(&probe, "harbour").await;
    assert_eq!(added.content, "the harbour opens at six");
    assert_eq!(probe.search("harbour six").await, [added.id]);
    assert_eq!(probe.texts().await.len(), 3);
    assert_eq!(by_key(&probe.again(bench).await, "harbour").await, added);
}

pub async fn a_line_added_by_hand_can_be_edited_and_forgotten(bench: &dyn TextFile) {
    let (probe, ..) = ours(bench).await;
    add(bench, "harbour", "the harbour opens at six");
    let added = by_key(&probe, "harbour").await;
    let edited = probe.edit(added.id, new_text("the harbour opens at seven")).await.memory;
    assert_eq!((edited.id, edited.key.as_deref()), (added.id, Some("harbour")));
    assert_eq!(probe.versions(added.id).await[0].content, "the harbour opens at six");
    assert!(read(bench).contains("the harbour opens at seven"));
    assert_eq!(probe.forget(&[added.id]).await, [added.id]);
    assert!(!read(bench).contains("harbour"));
    assert_eq!(probe.texts().await.len(), 2);
}

/// Somebody may hold on to the id they were given before the first write.
pub async fn an_entry_written_by_hand_keeps_its_id(bench: &dyn TextFile) {
    let entries = [("editor", "writes in helix"), ("deploy", "deploys on fridays")];
    write(bench, bench.by_hand(&entries).file);
    let probe = Probe::open(bench).await;
    let before = by_key(&probe, "deploy").await;
    let probe = probe.reopen(bench).await;
    assert_eq!(by_key(&probe, "deploy").await, before);
    probe.say(probe.keyed("added", "sails at dawn")).await;
    let probe = probe.reopen(bench).await;
    assert_eq!(by_key(&probe, "deploy").await.id, before.id);
}

pub async fn a_text_changed_by_hand_is_the_text_and_the_old_a_version(bench: &dyn TextFile) {
    let (probe, keyed, plain) = ours(bench).await;
    replace(bench, "writes in vim", "writes in helix, mostly,");
    replace(bench, "after lunch", "before noon");
    for (old, new) in [
        (&keyed, "writes in helix, mostly, every morning"),
        (&plain, "deploys on fridays before noon"),
    ] {
        let now = probe.get(old.id).await;
        assert_eq!((now.content.as_str(), &now.key), (new, &old.key));
        assert!(now.updated_at > old.updated_at);
        let versions = probe.versions(old.id).await;
        assert_eq!(versions.len(), 1);
        assert_eq!((versions[0].number, &versions[0].content), (1, &old.content));
    }
    assert!(probe.search("vim lunch").await.is_empty());
    assert_eq!(probe.search("noon").await, [plain.id]);
    // Written down with the next write, and not once more.
    probe.keep("sails at dawn").await;
    let probe = probe.reopen(bench).await;
    assert_eq!(probe.versions(keyed.id).await.len(), 1);
    assert_eq!(probe.get(keyed.id).await.created_at, keyed.created_at);
}

/// Neither size nor, within one tick of the file system, time tells that it has changed.
pub async fn a_change_by_hand_of_equal_length_is_seen(bench: &dyn TextFile) {
    let (probe, keyed, _) = ours(bench).await;
    for (old, new) in [("vim", "kak"), ("kak", "joe"), ("joe", "vis"), ("vis", "mcp")] {
        assert_eq!(probe.search(old).await, [keyed.id]);
        replace(bench, &format!("writes in {old}"), &format!("writes in {new}"));
        assert_eq!(probe.get(keyed.id).await.content, format!("writes in {new} every morning"));
        assert_eq!(probe.search(new).await, [keyed.id]);
    }
}

pub async fn an_entry_removed_by_hand_is_gone_and_stays_gone(bench: &dyn TextFile) {
    let (probe, keyed, plain) = ours(bench).await;
    let other = probe.again(bench).await;
    assert_eq!(other.texts().await.len(), 2);
    write(bench, bench.without_entry(&read(bench), &keyed.content));
    for probe in [&probe, &other] {
        assert_eq!(probe.texts().await, [plain.content.as_str()]);
        assert!(probe.find(keyed.id).await.is_none());
        assert!(probe.search("vim").await.is_empty());
    }
    other.keep("sails at dawn").await;
    assert_eq!(probe.texts().await, [plain.content.as_str(), "sails at dawn"]);
    assert!(!read(bench).contains("vim"));
}

pub async fn a_change_by_hand_between_read_and_write_is_kept(bench: &dyn TextFile) {
    let (probe, keyed, plain) = ours(bench).await;
    // What the handle knows is old by the time it writes.
    probe.snapshot().await;
    add(bench, "harbour", "the harbour opens at six");
    replace(bench, "after lunch", "before noon");
    probe.say(probe.keyed("added", "sails at dawn")).await;
    let expected = [
        "deploys on fridays before noon",
        "sails at dawn",
        "the harbour opens at six",
        "writes in vim every morning",
    ];
    assert_eq!(probe.texts().await, expected);
    let probe = probe.reopen(bench).await;
    assert_eq!(probe.texts().await, expected);
    assert_eq!(probe.get(keyed.id).await.content, keyed.content);
    assert_eq!(probe.versions(plain.id).await.len(), 1);
}

pub async fn an_edit_that_missed_a_change_by_hand_is_a_conflict(bench: &dyn TextFile) {
    let (probe, keyed, _) = ours(bench).await;
    replace(bench, "writes in vim", "writes in helix");
    let edit = |expected| {
        let (id, patch) = (keyed.id, new_text("writes in emacs"));
        let limits = ScopeLimits::NONE;
        Change::Edit(Box::new(Edit { id, expected: Some(expected), limits, patch }))
    };
    probe.refuse(Kind::Conflict, vec![edit(keyed.updated_at)]).await;
    let seen = probe.get(keyed.id).await;
    assert_eq!(seen.content, "writes in helix every morning");
    let edited = stored(probe.change(edit(seen.updated_at)).await).memory;
    assert_eq!(edited.content, "writes in emacs");
    assert_eq!(probe.versions(keyed.id).await.len(), 2);
}

pub async fn a_text_written_by_hand_is_not_stored_twice(bench: &dyn TextFile) {
    let (probe, ..) = ours(bench).await;
    add(bench, "harbour", "the harbour opens at six");
    let again = probe.say(probe.memory("the harbour opens at six")).await;
    assert!(again.duplicate);
    assert_eq!(again.memory.key.as_deref(), Some("harbour"));
    assert_eq!(read(bench).matches("the harbour opens at six").count(), 1);
}

pub async fn a_key_written_by_hand_is_the_key(bench: &dyn TextFile) {
    let (probe, ..) = ours(bench).await;
    add(bench, "harbour", "the harbour opens at six");
    let written = by_key(&probe, "harbour").await;
    let again = probe.say(probe.keyed("harbour", "the harbour opens at seven")).await.memory;
    assert_eq!(again.id, written.id);
    assert_eq!(by_key(&probe, "harbour").await.content, "the harbour opens at seven");
    assert_eq!(probe.versions(written.id).await[0].content, "the harbour opens at six");
}

pub async fn two_handles_and_a_hand_take_turns(bench: &dyn TextFile) {
    let one = Probe::open(bench).await;
    let two = one.again(bench).await;
    let mut expected = Vec::new();
    for n in 0..4 {
        for (probe, who) in [(&one, "one"), (&two, "two")] {
            let text = format!("{who} says {n}");
            probe.say(probe.keyed(&format!("{who}-{n}"), &text)).await;
            expected.push(text);
        }
        let text = format!("a hand writes {n}");
        add(bench, &format!("hand-{n}"), &text);
        expected.push(text);
        expected.sort();
        assert_eq!(one.texts().await, expected);
        assert_eq!(two.texts().await, expected);
    }
    one.snapshot().await.assert_same(&two.snapshot().await);
}
