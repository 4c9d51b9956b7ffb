//! What goes in comes out: every field, every character, every microsecond.

use nuthatch::category::Category;
use nuthatch::change::Change;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::memory::{Importance, Memory, Record};
use nuthatch::trust::{Origin, Source, Trust};

use super::bench::Bench;
use super::probe::{Probe, must, project, remembering, session_id};
use super::snapshot::{assert_same_records, records};
use crate::generate;

/// Goes through every oddity almost twice.
const BATCH: usize = 120;

/// The changes that put these records into a store.
pub(super) fn restoring(batch: &[Record]) -> Vec<Change> {
    batch.iter().map(|record| Change::Restore(Box::new(record.clone()))).collect()
}

/// The records in the order in which a store lists them.
pub(super) fn as_listed(mut batch: Vec<Record>) -> Vec<Record> {
    batch.sort_by(|a, b| nuthatch::filter::newest_first(&a.memory, &b.memory));
    batch
}

pub async fn every_field_of_a_record_comes_back(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let batch = generate::records(1, BATCH);
    probe.apply(restoring(&batch)).await;
    for record in &batch {
        assert_eq!(probe.get(record.memory.id).await, record.memory);
        assert_eq!(probe.versions(record.memory.id).await, record.versions);
    }
    assert_same_records(&as_listed(batch), &records(probe.store()).await);
}

/// Other oddities and other values than the case before, through a closed handle.
pub async fn every_field_survives_reopening(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let batch = generate::records(10_000, BATCH);
    for part in batch.chunks(17) {
        probe.apply(restoring(part)).await;
    }
    let probe = probe.reopen(bench).await;
    assert_same_records(&as_listed(batch), &records(probe.store()).await);
}

pub async fn a_remembered_memory_comes_back_as_it_was(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = Memory {
        category: must("making a category", Category::new("release_notes")),
        scope: project("alpha"),
        session_id: Some(session_id("thread-7")),
        origin: Origin::Agent,
        source: Some(Source {
            session: Some(session_id("thread-7")),
            turns: vec![3, 5],
            place: Some("notes.txt".into()),
        }),
        trust: Trust::Observed,
        pinned: true,
        importance: must("making an importance", Importance::new(0.3)),
        metadata: [("ticket".to_owned(), "42".to_owned())].into(),
        ..probe.keyed("release", "ships every second friday")
    };
    let stored = probe.say(memory.clone()).await;
    assert_eq!(stored.memory, memory);
    assert!(!stored.duplicate && stored.evicted.is_empty() && stored.superseded.is_empty());
    assert_eq!(probe.get(memory.id).await, memory);
    assert!(probe.versions(memory.id).await.is_empty());
}

pub async fn every_origin_and_trust_comes_back(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut said = Vec::new();
    for origin in Origin::ALL {
        for trust in Trust::ALL {
            let text = format!("said by {origin}, {trust}");
            said.push(Memory { origin, trust, ..probe.memory(text) });
        }
    }
    probe.apply(said.iter().cloned().map(remembering).collect()).await;
    for memory in &said {
        assert_eq!(&probe.get(memory.id).await, memory);
    }
}

pub async fn memories_come_in_the_order_asked_for(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let [a, b, c] = [probe.keep("one").await, probe.keep("two").await, probe.keep("three").await];
    let asked = [c.id, probe.fresh_id(), a.id, b.id];
    assert_eq!(must("reading", probe.store().memories(&asked).await), [c, a, b]);
    assert!(must("reading", probe.store().memories(&[]).await).is_empty());
}

/// More than any database takes as parameters of one statement by default.
pub async fn many_ids_can_be_asked_for_at_once(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let kept = probe.keep("needle").await;
    let mut asked: Vec<_> = (0..40_000).map(|_| probe.fresh_id()).collect();
    asked.insert(20_000, kept.id);
    assert_eq!(must("reading", probe.store().memories(&asked).await), [kept]);
}

/// Scope, category and words move with it; nothing of the old state stays anywhere.
pub async fn a_restored_record_replaces_what_was_there(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let old = probe.say(probe.keyed("editor", "writes in vim")).await.memory;
    probe.say(probe.keyed("editor", "writes in helix")).await;
    let memory = Memory {
        key: None,
        content: "sails at dawn".into(),
        category: Category::daily(),
        scope: project("alpha"),
        ..old
    };
    let record = Record { memory, versions: Vec::new() };
    probe.apply(restoring(std::slice::from_ref(&record))).await;
    assert_same_records(&[record], &records(probe.store()).await);
    assert!(probe.search("vim helix editor").await.is_empty());
    assert_eq!(probe.search("dawn").await, [old.id]);
}

pub async fn a_restored_record_is_never_merged(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.keep("deploys on fridays").await;
    let twin = Record { memory: probe.memory("deploys on fridays"), versions: Vec::new() };
    probe.apply(restoring(std::slice::from_ref(&twin))).await;
    assert_eq!(probe.get(twin.memory.id).await, twin.memory);
    assert_eq!(probe.get(first.id).await, first);
    assert_eq!(probe.texts().await.len(), 2);
}

/// Neither case, nor composition, nor blanks, nor anything after a NUL is passed over.
pub async fn keys_and_texts_are_compared_exactly(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let alike = [
        "caf\u{e9}",
        "cafe\u{301}",
        "CAF\u{c9}",
        "caf\u{e9} ",
        " caf\u{e9}",
        "caf\u{e9}\n",
        "caf\u{e9}\u{0}",
        "caf\u{e9}\u{0}a",
        "caf\u{e9}\u{0}b",
        "caf\u{e9}\r\n",
        "caf_",
        "caf%",
    ];
    for text in alike {
        assert!(!probe.say(probe.keyed(text, text)).await.duplicate, "{text:?}");
    }
    for text in alike {
        let key = Filter { key: Some(text.into()), ..Filter::scoped(Scopes::All) };
        let content = Filter { contents: vec![text.into()], ..Filter::scoped(Scopes::All) };
        for filter in [key, content] {
            let found = probe.list(&filter).await;
            let texts: Vec<_> = found.iter().map(|memory| memory.content.as_str()).collect();
            assert_eq!(texts, [text]);
        }
    }
}

pub async fn ten_megabytes_come_back(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let text = format!("needle {}\n haystack", "x".repeat(10_000_000));
    let memory = probe.keep(&text).await;
    // Compared by hand: a failed assert_eq would print both.
    let probe = probe.reopen(bench).await;
    assert!(probe.get(memory.id).await.content == text, "the text came back changed");
    assert_eq!(probe.search("haystack").await, [memory.id]);
}
