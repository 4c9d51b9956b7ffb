//! What is carried from one store to another, and what must arrive: memories with every field
//! filled in some way, a conversation, and how they are written out, taken in and compared.

use std::collections::BTreeMap;
use std::io::Cursor;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Change, ChangeSet};
use nuthatch::clock::Ids;
use nuthatch::export::{ExportRequest, Outlet};
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::import::{ImportRequest, Imported, Whose};
use nuthatch::interchange::{self, Format, Item, Telling};
use nuthatch::memory::{Importance, Memory, Record, Version};
use nuthatch::session::{Role, Session, Turn};
use nuthatch::store::Store;
use nuthatch::trust::{Origin, Source, Trust};
use nuthatch::{Engine, Scope};

use crate::fakes::SequentialIds;

/// All that a store holds.
#[derive(Debug, PartialEq)]
pub struct Everything {
    /// Memories with what they said before, by id.
    pub records: BTreeMap<MemoryId, Record>,
    /// Conversations, by id.
    pub sessions: BTreeMap<SessionId, Session>,
    /// What was said in them, in order.
    pub turns: Vec<Turn>,
}

/// Reads all that a store holds.
pub async fn everything(store: &dyn Store) -> Everything {
    let all = Page::first(1_000_000);
    let mut records = BTreeMap::new();
    for memory in store
        .list(&Filter::everything(), all)
        .await
        .expect("a test carries only what can be carried")
        .memories
    {
        let versions =
            store.versions(&[memory.id]).await.expect("a test carries only what can be carried");
        records.insert(memory.id, Record { memory, versions });
    }
    let mut sessions = BTreeMap::new();
    let mut turns = Vec::new();
    for session in store.sessions(all).await.expect("a test carries only what can be carried") {
        turns.extend(
            store.turns(&session.id, all).await.expect("a test carries only what can be carried"),
        );
        sessions.insert(session.id.clone(), session);
    }
    turns.sort_by(|a, b| (&a.session, a.seq).cmp(&(&b.session, b.seq)));
    Everything { records, sessions, turns }
}

/// Fails with the first difference.
///
/// # Panics
/// When there is one.
pub fn assert_same(found: &Everything, expected: &Everything, way: &str) {
    assert_eq!(found.records.len(), expected.records.len(), "{way}: number of memories");
    for (id, record) in &expected.records {
        assert_eq!(found.records.get(id), Some(record), "{way}: memory {id}");
    }
    assert_eq!(found.sessions, expected.sessions, "{way}: conversations");
    assert_eq!(found.turns, expected.turns, "{way}: turns");
}

/// So many seconds into a story.
#[must_use]
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_microsecond(1_772_000_000_000_001 + second * 1_000_003)
        .expect("a test carries only what can be carried")
}

/// A memory with every field filled in some way, and nothing that the gate would touch.
#[must_use]
pub fn record(n: u32) -> Record {
    let id = |n: u32| MemoryId::derived(&["export", &n.to_string()]);
    let scopes = ["global", "user", "project:alpha", "session:talk/1", "plan:alpha:REQ-1"];
    let scope: Scope =
        scopes[n as usize % scopes.len()].parse().expect("a test carries only what can be carried");
    let content = match n % 3 {
        0 => format!("Nummer {n} hört auf Ünïcode und 日本語"),
        1 => format!("first line {n}\n\n  - second\n\tthird"),
        _ => format!("the staging database {n} listens on port {}", 5000 + n),
    };
    let mut memory = Memory::new(id(n), content, scope, at(n.into()));
    memory.key = n.is_multiple_of(2).then(|| format!("key {n}"));
    memory.category = Category::new(["core", "preference", "release_notes"][n as usize % 3])
        .expect("a test carries only what can be carried");
    memory.session_id = n
        .is_multiple_of(4)
        .then(|| SessionId::new("talk/1").expect("a test carries only what can be carried"));
    memory.updated_at = at(i64::from(n) + 1000);
    memory.origin = Origin::ALL[n as usize % 5];
    memory.trust = Trust::ALL[n as usize % 4];
    memory.source = n.is_multiple_of(3).then(|| Source {
        session: Some(SessionId::new("talk/1").expect("a test carries only what can be carried")),
        turns: vec![0, 7],
        place: Some("notes/today.md".to_owned()),
    });
    memory.pinned = n.is_multiple_of(5);
    memory.importance =
        Importance::new(1.0 / f64::from(n + 3)).expect("a test carries only what can be carried");
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

/// Fills a store with a conversation and memories.
pub async fn filled(store: &dyn Store) {
    let ids = SequentialIds::default();
    let mut session = Session::new(
        SessionId::new("talk/1").expect("a test carries only what can be carried"),
        at(1),
    );
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
    store.apply(&set).await.expect("a test carries only what can be carried");
}

/// Everything, written out.
pub async fn exported(engine: &Engine, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    let request = ExportRequest { format, scopes: Scopes::All };
    let outlet = Outlet { out: &mut bytes, progress: &|done, all| assert!(done <= all) };
    engine.export(&request, outlet).await.expect("a test carries only what can be carried");
    bytes
}

/// What was written out, read again.
#[must_use]
pub fn items(format: Format, bytes: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut sink = |item| {
        items.push(item);
        Ok(())
    };
    let mut telling = Telling::to(&mut sink);
    interchange::read(format, &mut Cursor::new(bytes), &mut telling)
        .expect("a test carries only what can be carried");
    drop(telling);
    items
}

/// Takes in, a hundred at a time.
pub async fn imported(engine: &Engine, items: Vec<Item>) -> Imported {
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
        importer
            .take(items.by_ref().take(100).collect())
            .await
            .expect("a test carries only what can be carried");
    }
    importer.finish(BTreeMap::new())
}
