//! What is exported from one store and imported into another is equal, field for field.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Change, ChangeSet};
use nuthatch::clock::Ids;
use nuthatch::export::{ExportRequest, Outlet};
use nuthatch::filter::Scopes;
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::import::{ImportRequest, Imported, Whose};
use nuthatch::interchange::{self, Format, Item, Telling};
use nuthatch::limits::Limits;
use nuthatch::memory::{Importance, Memory, Record, Version};
use nuthatch::session::{Role, Session, Turn};
use nuthatch::store::Store;
use nuthatch::trust::{Origin, Source, Trust};
use nuthatch::{Engine, Rules, Scope};
use nuthatch_stores::SystemClock;
use nuthatch_testkit::SequentialIds;

use crate::migrate::{assert_same, everything};
use crate::places::{BACKENDS, Place, block_on};

fn engine(store: Arc<dyn Store>) -> Engine {
    let rules = Rules::limited(Limits::NONE);
    Engine::new(store, Arc::new(SystemClock), Arc::<SequentialIds>::default(), rules)
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_microsecond(1_772_000_000_000_001 + second * 1_000_003).unwrap()
}

/// A memory with every field filled in some way, and nothing that the gate would touch.
fn record(n: u32) -> Record {
    let id = |n: u32| MemoryId::derived(&["export", &n.to_string()]);
    let scopes = ["global", "user", "project:alpha", "session:talk/1", "plan:alpha:REQ-1"];
    let scope: Scope = scopes[n as usize % scopes.len()].parse().unwrap();
    let content = match n % 3 {
        0 => format!("Nummer {n} hört auf Ünïcode und 日本語"),
        1 => format!("first line {n}\n\n  - second\n\tthird"),
        _ => format!("the staging database {n} listens on port {}", 5000 + n),
    };
    let mut memory = Memory::new(id(n), content, scope, at(n.into()));
    memory.key = n.is_multiple_of(2).then(|| format!("key {n}"));
    memory.category =
        Category::new(["core", "preference", "release_notes"][n as usize % 3]).unwrap();
    memory.session_id = n.is_multiple_of(4).then(|| SessionId::new("talk/1").unwrap());
    memory.updated_at = at(i64::from(n) + 1000);
    memory.origin = Origin::ALL[n as usize % 5];
    memory.trust = Trust::ALL[n as usize % 4];
    memory.source = n.is_multiple_of(3).then(|| Source {
        session: Some(SessionId::new("talk/1").unwrap()),
        turns: vec![0, 7],
        place: Some("notes/today.md".to_owned()),
    });
    memory.pinned = n.is_multiple_of(5);
    memory.importance = Importance::new(1.0 / f64::from(n + 3)).unwrap();
    memory.metadata = (0..n % 3).map(|m| (format!("name {m}"), format!("value {n}"))).collect();
    memory.superseded_by = (n % 7 == 6).then(|| id(n - 1));
    memory.used = u64::from(n) * 3;
    memory.last_used_at = n.is_multiple_of(2).then(|| at(i64::from(n) + 2000));
    let version = |number: u32| Version {
        memory_id: id(n),
        number,
        key: number.is_multiple_of(2).then(|| format!("old key {n}")),
        content: format!("what {n} said before, {number}"),
        category: Category::default(),
        written_at: at(number.into()),
        replaced_at: at(i64::from(number) + 1),
    };
    Record { memory, versions: (1..=n % 4).map(version).collect() }
}

async fn filled(store: &dyn Store) {
    let ids = SequentialIds::default();
    let mut session = Session::new(SessionId::new("talk/1").unwrap(), at(1));
    session.last_active_at = at(900);
    session.agent = Some("claude-code".into());
    session.title = Some("about ports".into());
    session.metadata = BTreeMap::from([("branch".to_owned(), "main".to_owned())]);
    let turn = |seq: u64| Turn {
        session: session.id.clone(),
        seq: seq * 3,
        at: at(seq as i64),
        role: Role::ALL[seq as usize % 4],
        text: format!("turn {seq}\nwith a second line"),
        asked: seq.is_multiple_of(2).then(|| "which one?".to_owned()),
    };
    let mut changes = vec![Change::PutSession(Box::new(session.clone()))];
    changes.push(Change::PutTurns { turns: (0..600).map(turn).collect() });
    changes.extend((0..300).map(|n| Change::Restore(Box::new(record(n)))));
    let set = ChangeSet::unguarded(ChangeSetId(ids.fresh(at(0))), at(0), changes);
    store.apply(&set).await.unwrap();
}

async fn exported(engine: &Engine, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    let request = ExportRequest { format, scopes: Scopes::All };
    let outlet = Outlet { out: &mut bytes, progress: &|done, all| assert!(done <= all) };
    engine.export(&request, outlet).await.unwrap();
    bytes
}

fn items(format: Format, bytes: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut sink = |item| {
        items.push(item);
        Ok(())
    };
    let mut telling = Telling::to(&mut sink);
    interchange::read(format, &mut Cursor::new(bytes), &mut telling).unwrap();
    drop(telling);
    items
}

async fn imported(engine: &Engine, items: Vec<Item>) -> Imported {
    let request = ImportRequest {
        source: "backup".into(),
        home: Scope::Global,
        project: None,
        whose: Whose::Own,
        dry_run: false,
    };
    let mut importer = engine.importer(request);
    let mut items = items.into_iter().peekable();
    while items.peek().is_some() {
        importer.take(items.by_ref().take(100).collect()).await.unwrap();
    }
    importer.finish(BTreeMap::new())
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
