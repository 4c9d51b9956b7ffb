//! What is exported from one store and imported into another is equal, field for field.

use std::collections::BTreeMap;
use std::sync::Arc;

use nuthatch::interchange::{Format, Item};
use nuthatch::limits::Limits;
use nuthatch::memory::Record;
use nuthatch::store::Store;
use nuthatch::trust::{Origin, Trust};
use nuthatch::{Engine, Rules};
use nuthatch_stores::SystemClock;
use nuthatch_testkit::SequentialIds;
use nuthatch_testkit::luggage::{
    assert_same, at, everything, exported, filled, imported, items, record,
};

use crate::places::{BACKENDS, Place, block_on};

fn engine(store: Arc<dyn Store>) -> Engine {
    let rules = Rules::limited(Limits::NONE);
    Engine::new(store, Arc::new(SystemClock), Arc::<SequentialIds>::default(), rules)
}

#[test]
fn every_pair_of_stores_gives_back_every_field() {
    block_on(async {
        for from in BACKENDS {
            let place = Place::new(from);
            let store = place.open().await;
            filled(&*store).await;
            let before = everything(&*store).await;
            let bytes = exported(&engine(store), Format::Jsonl).await;
            for to in BACKENDS {
                let place = Place::new(to);
                let target = place.open().await;
                let engine = engine(Arc::clone(&target));
                let first = imported(&engine, items(Format::Jsonl, &bytes)).await;
                assert_eq!(first.refused, BTreeMap::new(), "{from} to {to}");
                assert_same(&everything(&*target).await, &before, &format!("{from} to {to}"));
                let again = imported(&engine, items(Format::Jsonl, &bytes)).await;
                assert_eq!((again.taken.all(), again.already), (0, first.taken), "{from} to {to}");
                assert_same(&everything(&*target).await, &before, "twice");
            }
        }
    });
}

#[test]
fn formats_of_others_carry_what_holds_and_come_once() {
    block_on(async {
        let store = Place::new("memory").open().await;
        filled(&*store).await;
        let from = engine(Arc::clone(&store));
        let holds = |record: &&Record| {
            record.memory.is_current() && record.memory.trust > Trust::Quarantined
        };
        let records = everything(&*store).await.records;
        let wanted: Vec<&Record> = records.values().filter(holds).collect();
        for format in [Format::Markdown, Format::McpMemory, Format::Mif] {
            let bytes = exported(&from, format).await;
            let target = Place::new("memory").open().await;
            let engine = engine(Arc::clone(&target));
            let first = imported(&engine, items(format, &bytes)).await;
            assert_eq!(first.taken.memories as usize, wanted.len(), "{format}: {first:?}");
            let again = imported(&engine, items(format, &bytes)).await;
            assert_eq!((again.taken.all(), again.already), (0, first.taken), "{format}");
            let arrived = everything(&*target).await.records;
            for memory in arrived.values().map(|record| &record.memory) {
                assert_eq!((memory.origin, memory.trust), (Origin::Imported, Trust::Observed));
            }
            let texts = |one: &&Record| (one.memory.scope.clone(), one.memory.content.clone());
            if format == Format::Mif {
                let mut expected: Vec<_> = wanted.iter().map(texts).collect();
                let mut found: Vec<_> = arrived.values().map(|one| texts(&one)).collect();
                expected.sort();
                found.sort();
                assert_eq!(found, expected);
            }
        }
    });
}

#[test]
fn what_was_changed_here_since_is_kept_and_a_taken_key_is_refused_alone() {
    block_on(async {
        let store = Place::new("sqlite");
        let store = store.open().await;
        let engine = engine(Arc::clone(&store));
        let lines = |record: &Record| Item::Record(Box::new(record.clone()));
        imported(&engine, vec![lines(&record(2)), lines(&record(5))]).await;
        let mut older = record(2);
        older.memory.content = "what an old backup says".into();
        older.memory.updated_at = at(0);
        let mut newer = record(5);
        newer.memory.content = "what a newer backup says".into();
        newer.memory.updated_at = at(9000);
        let mut rival = record(12);
        rival.memory.scope = record(2).memory.scope;
        rival.memory.key = record(2).memory.key;
        let told = imported(&engine, vec![lines(&older), lines(&newer), lines(&rival)]).await;
        assert_eq!((told.taken.memories, told.already.memories), (1, 1), "{told:?}");
        assert_eq!(
            told.refused.into_iter().collect::<Vec<_>>(),
            [("its key is taken by another memory".to_owned(), 1)]
        );
        let said = |id| {
            let engine = engine.clone();
            async move { engine.show(id).await.unwrap().memory.content }
        };
        assert_eq!(said(record(2).memory.id).await, record(2).memory.content);
        assert_eq!(said(record(5).memory.id).await, "what a newer backup says");
    });
}
