//! Everything moves between any two stores and back, field for field.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use jiff::Timestamp;
use nuthatch::audit::Auditor;
use nuthatch::change::{Change, ChangeSet};
use nuthatch::clock::Ids;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::{ChangeSetId, MemoryId};
use nuthatch::memory::{Memory, Record};
use nuthatch::migrate::{Migrated, Mover, migrate};
use nuthatch::scope::Scope;
use nuthatch::session::Session;
use nuthatch::store::Store;
use nuthatch_stores::InMemoryStore;
use nuthatch_testkit::luggage::{assert_same, everything};
use nuthatch_testkit::{SequentialIds, generate};

use crate::places::{BACKENDS, Place, block_on};

/// 5,000 when run in full; enough to meet every oddity otherwise.
fn amount() -> usize {
    match std::env::var("NUTHATCH_TEST_MIGRATE").as_deref() {
        Ok("full") => 5000,
        Ok(other) => panic!("NUTHATCH_TEST_MIGRATE is {other:?}; only \"full\" is known"),
        Err(_) => 400,
    }
}

async fn filled(store: &dyn Store, ids: &SequentialIds, amount: usize) {
    let at = Timestamp::UNIX_EPOCH;
    for records in generate::records(7, amount).chunks(500) {
        let restore = |record: &Record| Change::Restore(Box::new(record.clone()));
        let changes = records.iter().map(restore).collect();
        store.apply(&ChangeSet::unguarded(ChangeSetId(ids.fresh(at)), at, changes)).await.unwrap();
    }
    for seed in 0..10 {
        let session = generate::session(seed);
        let turns = generate::turns(seed, &session.id, 40);
        let changes = vec![Change::PutSession(Box::new(session)), Change::PutTurns { turns }];
        store.apply(&ChangeSet::unguarded(ChangeSetId(ids.fresh(at)), at, changes)).await.unwrap();
    }
}

async fn moved(from: &dyn Store, to: &dyn Store, ids: &SequentialIds) -> Migrated {
    let progress = |_, _| {};
    let mover = Mover {
        ids,
        at: Timestamp::UNIX_EPOCH,
        scopes: Scopes::All,
        auditor: &Auditor::default(),
        progress: &progress,
    };
    migrate(from, to, &mover).await.unwrap()
}

fn there_and_back(from: &str, to: &str) {
    block_on(async {
        let ids = SequentialIds::default();
        let (first, second, third) = (Place::new(from), Place::new(to), Place::new(from));
        let (origin, away, home) = (first.open().await, second.open().await, third.open().await);
        filled(&*origin, &ids, amount()).await;
        let before = everything(&*origin).await;
        let counts = moved(&*origin, &*away, &ids).await;
        assert_eq!(counts.memories as usize, before.records.len());
        assert_eq!(counts.turns as usize, before.turns.len());
        assert_same(&everything(&*away).await, &before, &format!("{from} to {to}"));
        moved(&*away, &*home, &ids).await;
        assert_same(&everything(&*home).await, &before, &format!("{from} to {to} and back"));
    });
}

/// Compares piece by piece: the whole of 5,000 records would bury the one that differs.
macro_rules! pairs {
    ($($name:ident: $from:literal => $to:literal;)*) => {
        $(#[test] fn $name() { there_and_back($from, $to); })*

        #[test]
        fn every_pair_of_stores_is_tried() {
            let tried = [$(($from, $to)),*];
            for from in BACKENDS {
                for to in BACKENDS.into_iter().filter(|to| *to != from) {
                    assert!(tried.contains(&(from, to)), "{from} to {to} is not tried");
                }
            }
        }
    };
}

pairs! {
    memory_to_sqlite_and_back: "memory" => "sqlite";
    memory_to_markdown_and_back: "memory" => "markdown";
    memory_to_json_and_back: "memory" => "json";
    sqlite_to_memory_and_back: "sqlite" => "memory";
    sqlite_to_markdown_and_back: "sqlite" => "markdown";
    sqlite_to_json_and_back: "sqlite" => "json";
    markdown_to_memory_and_back: "markdown" => "memory";
    markdown_to_sqlite_and_back: "markdown" => "sqlite";
    markdown_to_json_and_back: "markdown" => "json";
    json_to_memory_and_back: "json" => "memory";
    json_to_sqlite_and_back: "json" => "sqlite";
    json_to_markdown_and_back: "json" => "markdown";
}

#[test]
fn a_migration_that_was_interrupted_is_finished_by_running_it_again() {
    block_on(async {
        let ids = SequentialIds::default();
        let (origin, target) = (Place::new("sqlite"), Place::new("markdown"));
        let (from, to) = (origin.open().await, target.open().await);
        filled(&*from, &ids, 300).await;
        // Half of it is there already, some of it changed since.
        let half: Vec<Record> = everything(&*from).await.records.into_values().take(150).collect();
        let changes = half.into_iter().map(|mut record| {
            record.versions.clear();
            Change::Restore(Box::new(record))
        });
        let at = Timestamp::UNIX_EPOCH;
        let set = ChangeSet::unguarded(ChangeSetId(ids.fresh(at)), at, changes.collect());
        to.apply(&set).await.unwrap();
        moved(&*from, &*to, &ids).await;
        moved(&*from, &*to, &ids).await;
        assert_same(&everything(&*to).await, &everything(&*from).await, "interrupted");
    });
}

#[test]
fn only_the_scopes_asked_for_are_copied_and_no_conversation() {
    block_on(async {
        let ids = SequentialIds::default();
        let (from, to) = (InMemoryStore::default(), InMemoryStore::default());
        filled(&from, &ids, 300).await;
        let all = everything(&from).await.records;
        let scope = all.values().map(|record| record.memory.scope.clone()).next().unwrap();
        let progress = |done, total| assert!(done <= total);
        let scopes = Scopes::These(vec![scope.clone()]);
        let mover = Mover {
            ids: &ids,
            at: Timestamp::UNIX_EPOCH,
            scopes,
            auditor: &Auditor::default(),
            progress: &progress,
        };
        let counts = migrate(&from, &to, &mover).await.unwrap();
        let expected: BTreeMap<_, _> =
            all.into_iter().filter(|(_, record)| record.memory.scope == scope).collect();
        assert_eq!((counts.memories as usize, counts.sessions), (expected.len(), 0));
        let arrived = everything(&to).await;
        assert_eq!(arrived.records, expected);
        assert!(arrived.sessions.is_empty() && arrived.turns.is_empty());
    });
}

/// Carries out something that is ready at once, from where nothing can be awaited.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match Box::pin(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("a store in RAM made somebody wait"),
    }
}

#[test]
fn what_is_written_meanwhile_is_copied_too() {
    block_on(async {
        let ids = SequentialIds::default();
        let (from, to) = (InMemoryStore::default(), InMemoryStore::default());
        filled(&from, &ids, 600).await;
        let before = everything(&from).await;
        let gone = *before.records.keys().next().unwrap();
        let sessions = from.sessions(Page::first(100)).await.unwrap();
        let oldest = sessions.last().unwrap().clone();
        let at = Timestamp::UNIX_EPOCH;
        let fresh = Memory::new(MemoryId(ids.fresh(at)), "a newcomer", Scope::Global, at);
        let once = AtomicBool::new(false);
        let meanwhile = |done: u64, _| {
            // Somewhere in the middle: after the first conversation.
            if done == 0 || once.swap(true, Ordering::Relaxed) {
                return;
            }
            let renewed = Session { last_active_at: Timestamp::MAX, ..oldest.clone() };
            let turns = generate::turns(99, &oldest.id, 50);
            let record = Record { memory: fresh.clone(), versions: Vec::new() };
            let changes = vec![
                Change::PutSession(Box::new(renewed)),
                Change::PutTurns { turns },
                Change::Forget { ids: vec![gone] },
                Change::Restore(Box::new(record)),
            ];
            let set = ChangeSet::unguarded(ChangeSetId(ids.fresh(at)), at, changes);
            at_once(from.apply(&set)).unwrap();
        };
        let mover = Mover {
            ids: &ids,
            at,
            scopes: Scopes::All,
            auditor: &Auditor::default(),
            progress: &meanwhile,
        };
        migrate(&from, &to, &mover).await.unwrap();
        assert_same(&everything(&to).await, &everything(&from).await, "written meanwhile");
    });
}

#[test]
fn a_memory_forgotten_between_two_batches_hides_no_other() {
    block_on(async {
        let ids = SequentialIds::default();
        let (from, to) = (InMemoryStore::default(), InMemoryStore::default());
        let at = Timestamp::UNIX_EPOCH;
        for records in generate::records(7, 700).chunks(100) {
            let restore = |record: &Record| Change::Restore(Box::new(record.clone()));
            let changes = records.iter().map(restore).collect();
            from.apply(&ChangeSet::unguarded(ChangeSetId(ids.fresh(at)), at, changes))
                .await
                .unwrap();
        }
        let newest = from.list(&Filter::everything(), Page::first(9)).await.unwrap().memories;
        let newest: Vec<MemoryId> = newest.iter().map(|memory| memory.id).collect();
        let meanwhile = |done: u64, _| {
            if done == 250 {
                let changes = vec![Change::Forget { ids: newest.clone() }];
                let set = ChangeSet::unguarded(ChangeSetId(ids.fresh(at)), at, changes);
                at_once(from.apply(&set)).unwrap();
            }
        };
        let mover = Mover {
            ids: &ids,
            at,
            scopes: Scopes::All,
            auditor: &Auditor::default(),
            progress: &meanwhile,
        };
        migrate(&from, &to, &mover).await.unwrap();
        let arrived = everything(&to).await.records;
        let missing =
            everything(&from).await.records.into_keys().filter(|id| !arrived.contains_key(id));
        assert_eq!(missing.count(), 0);
    });
}
