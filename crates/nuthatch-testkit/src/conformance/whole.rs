//! The store as a whole: what it says about itself, and that it is there the next day.

use std::collections::BTreeMap;
use std::sync::Mutex;

use nuthatch::filter::Filter;
use nuthatch::scope::Scope;
use nuthatch::store::{Severity, StoreStats};

use super::bench::Bench;
use super::fields::restoring;
use super::probe::{Probe, must, remembering, stored};
use super::scene::Scene;
use super::snapshot::plain;
use crate::generate;

pub async fn a_fresh_store_is_empty(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    assert!(probe.list(&Filter::everything()).await.is_empty());
    assert!(probe.sessions().await.is_empty());
    assert!(probe.search("anything").await.is_empty());
    let stats = plain(must("reading statistics", probe.store().stats().await));
    assert_eq!(stats, StoreStats::default());
}

pub async fn a_store_says_what_it_is_and_where(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let description = probe.store().describe();
    assert!(!description.backend.is_empty() && !description.url.is_empty());
    assert_eq!(probe.again(bench).await.store().describe(), description);
}

pub async fn statistics_add_up(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    Scene::furnish(&probe).await;
    probe.apply(restoring(&generate::records(300, 60))).await;
    let snapshot = probe.snapshot().await;
    let mut scopes: BTreeMap<Scope, (u64, u64)> = BTreeMap::new();
    let mut categories: BTreeMap<String, u64> = BTreeMap::new();
    for record in &snapshot.records {
        let usage = scopes.entry(record.memory.scope.clone()).or_default();
        *usage = (usage.0 + 1, usage.1 + record.memory.chars());
        *categories.entry(record.memory.category.to_string()).or_default() += 1;
    }
    let stats = snapshot.stats;
    assert_eq!(stats.memories, snapshot.records.len() as u64);
    assert_eq!(
        stats.versions,
        snapshot.records.iter().map(|r| r.versions.len() as u64).sum::<u64>()
    );
    assert_eq!(stats.sessions, snapshot.sessions.len() as u64);
    assert_eq!(stats.turns, snapshot.turns.len() as u64);
    let found: Vec<_> =
        stats.scopes.into_iter().map(|usage| (usage.scope, (usage.entries, usage.chars))).collect();
    assert_eq!(found, scopes.into_iter().collect::<Vec<_>>());
    assert_eq!(stats.categories, categories.into_iter().collect::<Vec<_>>());
}

pub async fn a_healthy_store_has_no_failures(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for part in generate::records(310, 60).chunks(20) {
        let findings = must("checking", probe.store().check().await);
        let bad: Vec<_> = findings.iter().filter(|f| f.severity != Severity::Ok).collect();
        assert!(bad.is_empty(), "{bad:?}");
        probe.apply(restoring(part)).await;
    }
    Scene::furnish(&probe).await;
    let before = probe.snapshot().await;
    let findings = must("checking", probe.store().check().await);
    assert!(findings.iter().all(|found| found.severity != Severity::Failure), "{findings:?}");
    before.assert_same(&probe.snapshot().await);
}

pub async fn reindexing_changes_no_answer(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    Scene::furnish(&probe).await;
    probe.apply(restoring(&generate::records(320, 60))).await;
    let before = probe.snapshot().await;
    let steps: Mutex<Vec<(u64, u64)>> = Mutex::default();
    let note =
        |done, total| steps.lock().expect("no case panics while it holds this").push((done, total));
    let done = must("reindexing", probe.store().reindex(&note).await);
    assert_eq!(done, before.stats.memories + before.stats.turns);
    before.assert_same(&probe.snapshot().await);
    let steps = steps.into_inner().expect("no case panics while it holds this");
    assert!(steps.is_sorted_by_key(|step| step.0), "progress never goes back: {steps:?}");
    let last = steps.last().expect("a reindex of something reports progress");
    assert_eq!(last.0, last.1, "progress reaches its end");
}

pub async fn everything_is_there_after_reopening(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    Scene::furnish(&probe).await;
    probe.apply(restoring(&generate::records(330, 40))).await;
    let before = probe.snapshot().await;
    let probe = probe.reopen(bench).await;
    before.assert_same(&probe.snapshot().await);
    let stored = stored(probe.change(remembering(probe.memory("one more"))).await);
    assert_eq!(probe.search("more").await, [stored.memory.id]);
}

pub async fn two_handles_see_each_others_writes_at_once(bench: &dyn Bench) {
    let one = Probe::open(bench).await;
    let two = one.again(bench).await;
    for n in 0..6 {
        let (writer, reader) = if n % 2 == 0 { (&one, &two) } else { (&two, &one) };
        let memory = writer.say(writer.keyed("count", format!("counted to n{n}"))).await.memory;
        assert_eq!(reader.get(memory.id).await, memory);
        assert_eq!(reader.search(&format!("n{n}")).await, [memory.id]);
        assert_eq!(reader.versions(memory.id).await.len(), n);
        let kept = writer.keep(&format!("kept for a moment {n}")).await;
        assert_eq!(reader.forget(&[kept.id]).await, [kept.id]);
        assert!(writer.find(kept.id).await.is_none());
    }
    one.snapshot().await.assert_same(&two.snapshot().await);
}
