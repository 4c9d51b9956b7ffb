//! Many at once: tasks on one handle, handles in many threads, readers beside writers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nuthatch::change::{Change, ChangeSet, Edit};
use nuthatch::error::Kind;
use nuthatch::filter::Filter;
use nuthatch::limits::ScopeLimits;
use nuthatch::store::{Severity, Store};
use tokio::task::JoinSet;

use super::bench::Bench;
use super::drive;
use super::probe::{ALL, Probe, must, new_text, remembering};

/// As many agents as a busy desk has.
const WRITERS: usize = 8;
/// Writes of each: enough to meet, few enough for a file that is rewritten each time.
const WRITES: usize = 12;

/// The sets of each writer, made beforehand because the clock and the ids are shared.
fn work(probe: &Probe) -> Vec<Vec<ChangeSet>> {
    let set = |writer, n| {
        let memory = probe.memory(format!("note n{n} of writer w{writer}"));
        probe.set(vec![remembering(memory)])
    };
    (0..WRITERS).map(|writer| (0..WRITES).map(|n| set(writer, n)).collect()).collect()
}

async fn assert_all_landed(probe: &Probe) {
    assert_eq!(probe.texts().await.len(), WRITERS * WRITES);
    for writer in 0..WRITERS {
        assert_eq!(probe.search(&format!("w{writer}")).await.len(), WRITES);
    }
    let findings = must("checking", probe.store().check().await);
    assert!(findings.iter().all(|found| found.severity != Severity::Failure), "{findings:?}");
}

pub async fn writes_of_many_tasks_all_land(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut tasks = JoinSet::new();
    for sets in work(&probe) {
        for set in sets {
            let store = probe.handle();
            tasks.spawn(async move { must("writing beside others", store.apply(&set).await) });
        }
    }
    assert_eq!(tasks.join_all().await.len(), WRITERS * WRITES);
    assert_all_landed(&probe).await;
    assert_all_landed(&probe.reopen(bench).await).await;
}

/// Each thread has a handle and a runtime of its own, as processes have.
pub async fn writes_of_many_handles_all_land(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let work = work(&probe);
    std::thread::scope(|threads| {
        for sets in &work {
            threads.spawn(move || {
                drive(async {
                    let store = must("opening beside others", bench.open().await);
                    for set in sets {
                        must("writing beside others", store.apply(set).await);
                    }
                });
            });
        }
    });
    assert_all_landed(&probe).await;
}

pub async fn a_store_opened_by_many_at_once_opens_for_all(bench: &dyn Bench) {
    std::thread::scope(|threads| {
        for _ in 0..9 {
            threads.spawn(|| {
                drive(async {
                    let store = must("opening beside others", bench.open().await);
                    must("listing", store.list(&Filter::everything(), ALL).await);
                });
            });
        }
    });
    let probe = Probe::open(bench).await;
    probe.keep("deploys on fridays").await;
    assert_eq!(probe.texts().await.len(), 1);
}

pub async fn of_many_equal_edits_one_wins(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let seen = probe.keep("deploys on fridays").await;
    let mut tasks = JoinSet::new();
    for n in 0..WRITERS {
        let store = if n % 2 == 0 { probe.handle() } else { probe.again(bench).await.handle() };
        let edit = Edit {
            id: seen.id,
            expected: Some(seen.updated_at),
            limits: ScopeLimits::NONE,
            patch: new_text(&format!("deploys on day {n}")),
        };
        let set = probe.set(vec![Change::Edit(Box::new(edit))]);
        tasks.spawn(async move { store.apply(&set).await.map_err(|error| error.kind()) });
    }
    let answers = tasks.join_all().await;
    let kinds: Vec<Kind> = answers.into_iter().filter_map(Result::err).collect();
    assert_eq!(kinds, [Kind::Conflict; WRITERS - 1]);
    assert_eq!(probe.versions(seen.id).await.len(), 1);
}

pub async fn uses_by_many_are_all_counted(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    let mut tasks = JoinSet::new();
    for n in 0..WRITERS * 4 {
        let store = if n % 2 == 0 { probe.handle() } else { probe.again(bench).await.handle() };
        let set = probe.set(vec![Change::Use { ids: vec![memory.id] }]);
        tasks.spawn(async move { must("counting a use", store.apply(&set).await) });
    }
    tasks.join_all().await;
    assert_eq!(probe.get(memory.id).await.used, (WRITERS * 4) as u64);
}

pub async fn one_key_said_by_many_is_one_memory(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut tasks = JoinSet::new();
    for n in 0..WRITERS {
        let store = if n % 2 == 0 { probe.handle() } else { probe.again(bench).await.handle() };
        let set = probe.set(vec![remembering(probe.keyed("day", format!("day {n}")))]);
        tasks.spawn(async move { must("replacing beside others", store.apply(&set).await) });
    }
    tasks.join_all().await;
    let found = probe.list(&Filter::everything()).await;
    assert_eq!(found.len(), 1);
    let versions = probe.versions(found[0].id).await;
    let numbers: Vec<u32> = versions.iter().map(|version| version.number).collect();
    assert_eq!(numbers, (1..WRITERS as u32).collect::<Vec<_>>());
}

/// The same set sent by many, as a client does that got no answer.
pub async fn a_set_sent_by_many_happens_once(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    let set = probe
        .set(vec![Change::Use { ids: vec![memory.id] }, remembering(probe.keyed("day", "friday"))]);
    let mut tasks = JoinSet::new();
    for n in 0..WRITERS {
        let store = if n % 2 == 0 { probe.handle() } else { probe.again(bench).await.handle() };
        let set = set.clone();
        tasks.spawn(async move { must("sending again", store.apply(&set).await) });
    }
    let answers = tasks.join_all().await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(probe.get(memory.id).await.used, 1);
}

/// Lists until told to stop; every list holds whole sets, that is, pairs.
async fn watch_pairs(store: Arc<dyn Store>, stop: &AtomicBool) {
    loop {
        let last = stop.load(Ordering::SeqCst);
        let listed = must("listing", store.list(&Filter::everything(), ALL).await);
        assert_eq!(listed.total % 2, 0, "half a set was seen");
        assert_eq!(listed.total, listed.memories.len() as u64);
        if last {
            return;
        }
    }
}

pub async fn a_reader_never_sees_half_a_set(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let pair = |n| {
        let text = |half| remembering(probe.memory(format!("pair {n} {half}")));
        probe.set(vec![text("left"), text("right")])
    };
    let sets: Vec<ChangeSet> = (0..40).map(pair).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                drive(async { watch_pairs(must("opening", bench.open().await), &stop).await })
            });
        }
        threads.spawn(|| {
            // The readers stop even when a write fails, or the case would never end.
            let _stop = StopWhenDone(&stop);
            drive(async {
                let store = must("opening", bench.open().await);
                for set in &sets {
                    must("writing", store.apply(set).await);
                }
            });
        });
    });
    assert_eq!(probe.texts().await.len(), 80);
}

struct StopWhenDone<'a>(&'a AtomicBool);

impl Drop for StopWhenDone<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
