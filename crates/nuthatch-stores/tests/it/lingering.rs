//! What is forgotten while somebody is reading: said, and finished later. And many at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuthatch::edit::EditRequest;
use nuthatch::filter::Filter;
use nuthatch::id::MemoryId;
use nuthatch::limits::{Limit, Limits};
use nuthatch::remember::RememberRequest;
use nuthatch::{Engine, Rules, Scope};
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};
use nuthatch_testkit::FixedClock;
use rusqlite::Connection;

use crate::places::block_on;

/// A store in a folder, and the database that it keeps or derives.
fn place(kind: &str, folder: &Path) -> (StoreUrl, PathBuf) {
    let (name, index) = match kind {
        "sqlite" => ("memory.db", "memory.db"),
        "markdown" => ("notes", "notes/.nuthatch/index.db"),
        _ => ("memory.json", "memory.json.nuthatch/index.db"),
    };
    let path = folder.join(name);
    let url = match kind {
        "sqlite" => StoreUrl::Sqlite(path),
        "markdown" => StoreUrl::Markdown(path),
        _ => StoreUrl::Json(path),
    };
    (url, folder.join(index))
}

async fn engine(url: &StoreUrl) -> Engine {
    let store = nuthatch_stores::open(url).await.unwrap();
    let ids = Arc::<SystemIds>::default();
    Engine::new(store, Arc::new(SystemClock), ids, Rules::limited(Limits::NONE))
}

async fn say(engine: &Engine, text: &str) -> MemoryId {
    engine.remember(RememberRequest::new(text, Scope::Global)).await.unwrap().memory.id
}

async fn reword(engine: &Engine, id: MemoryId, text: &str) {
    let mut request = EditRequest::new(id);
    request.content = Some(text.to_owned());
    engine.edit(request).await.unwrap();
}

/// The files below a folder that hold one of the marks, in any case.
fn holding(folder: &Path, marks: &[String]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, marks));
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).to_lowercase();
        if marks.iter().any(|mark| text.contains(mark.as_str())) {
            found.push(path);
        }
    }
    found
}

fn a_reader_is_told_of_and_the_rest_is_wiped_later(kind: &str) {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, database) = place(kind, folder.path());
        let engine = engine(&url).await;
        let marks = ["zanzibarq".to_owned(), "quokkazq".to_owned()];
        let id = say(&engine, "the word was zanzibarq").await;
        reword(&engine, id, "the word is quokkazq").await;
        let reader = Connection::open(&database).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
        let seen: i64 =
            reader.query_row("SELECT count(*) FROM memories", [], |r| r.get(0)).unwrap();
        assert_eq!(seen, 1);
        let forgotten = engine.forget(&[id]).await.unwrap();
        assert_eq!(forgotten.forgotten, [id]);
        assert_eq!(forgotten.lingers.len(), 1, "{forgotten:?}");
        assert!(forgotten.lingers[0].ends_with("-wal"), "{forgotten:?}");
        assert!(!holding(folder.path(), &marks).is_empty(), "there is something to wipe");
        assert_eq!(engine.store().wipe().await.unwrap().len(), 1, "the reader is still there");
        drop(reader);
        assert_eq!(engine.store().wipe().await.unwrap(), Vec::<String>::new());
        assert_eq!(holding(folder.path(), &marks), Vec::<PathBuf>::new());
    });
}

#[test]
fn sqlite_tells_of_a_reader_and_wipes_later() {
    a_reader_is_told_of_and_the_rest_is_wiped_later("sqlite");
}

#[test]
fn markdown_tells_of_a_reader_and_wipes_later() {
    a_reader_is_told_of_and_the_rest_is_wiped_later("markdown");
}

#[test]
fn json_tells_of_a_reader_and_wipes_later() {
    a_reader_is_told_of_and_the_rest_is_wiped_later("json");
}

/// A word of its own for each, that occurs nowhere else and is its own stem.
fn mark(number: usize, version: usize) -> String {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    let of = [number / 26, number, version].map(letter);
    format!("zqx{}zqv{}zqw{}zq", of[0], of[1], of[2])
}

/// Pushed out by a limit, one after another, or ended by retention: no word stays in any index.
fn what_ends_by_itself_leaves_no_word(kind: &str) {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, _) = place(kind, folder.path());
        let store = nuthatch_stores::open(&url).await.unwrap();
        let limits = Limits { facts: Limit::At(20), ..Limits::NONE };
        let clock = Arc::new(FixedClock::default());
        let rules = Rules::limited(limits);
        let engine = Engine::new(store, clock.clone(), Arc::<SystemIds>::default(), rules);
        for number in 0..300 {
            clock.advance(jiff::SignedDuration::from_secs(1));
            say(&engine, &format!("note {number} says {}", mark(number, 0))).await;
        }
        let gone: Vec<String> = (0..280).map(|number| mark(number, 0)).collect();
        let mut talk = RememberRequest::new(format!("talk says {}", mark(1, 5)), Scope::User);
        talk.category = Some(nuthatch::category::Category::conversation());
        engine.remember(talk).await.unwrap();
        clock.advance(jiff::SignedDuration::from_hours(24 * 60));
        let ended = engine.remember(RememberRequest::new("later", Scope::User)).await.unwrap();
        assert_eq!(ended.expired.len(), 1);
        drop(engine);
        assert_eq!(holding(folder.path(), &gone), Vec::<PathBuf>::new());
        assert_eq!(holding(folder.path(), &[mark(1, 5)]), Vec::<PathBuf>::new());
        assert!(!holding(folder.path(), &[mark(299, 0)]).is_empty(), "the last one is kept");
    });
}

#[test]
fn what_ends_by_itself_leaves_no_word_in_sqlite() {
    what_ends_by_itself_leaves_no_word("sqlite");
}

#[test]
fn what_ends_by_itself_leaves_no_word_in_markdown() {
    what_ends_by_itself_leaves_no_word("markdown");
}

#[test]
fn what_ends_by_itself_leaves_no_word_in_json() {
    what_ends_by_itself_leaves_no_word("json");
}

const MARKED: usize = 50;
const EVERY: usize = 100;

/// 5,000 memories by file where files are, since only forgetting is looked at here.
fn fill(kind: &str, url: &StoreUrl) {
    let path = url.path().unwrap();
    let text = |n: usize| {
        let marked = n.is_multiple_of(EVERY);
        let word = if marked { mark(n / EVERY, 0) } else { "ordinary".to_owned() };
        format!("note number {n} about harbours says {word}")
    };
    let all = (0..MARKED * EVERY).map(text);
    match kind {
        "markdown" => {
            fs::create_dir_all(path).unwrap();
            let lines: String = all.map(|text| format!("- {text}\n")).collect();
            fs::write(path.join("MEMORY.md"), lines).unwrap();
        }
        _ => {
            let facts: Vec<serde_json::Value> =
                all.map(|text| serde_json::json!({"fact": text, "category": "core"})).collect();
            fs::write(path, serde_json::to_string(&facts).unwrap()).unwrap();
        }
    }
}

async fn filled(kind: &str, folder: &Path) -> Engine {
    let (url, _) = place(kind, folder);
    if kind != "sqlite" {
        fill(kind, &url);
        return engine(&url).await;
    }
    // A database is filled from a file elsewhere.
    let other = tempfile::tempdir().unwrap();
    let (from, _) = place("json", other.path());
    fill("json", &from);
    let (from, to) = (engine(&from).await, engine(&url).await);
    let mover = nuthatch::migrate::Mover {
        ids: &SystemIds::default(),
        at: jiff::Timestamp::now(),
        scopes: nuthatch::filter::Scopes::All,
        auditor: &nuthatch::audit::Auditor::default(),
        progress: &|_, _| {},
    };
    nuthatch::migrate::migrate(from.store(), to.store(), &mover).await.unwrap();
    to
}

fn fifty_of_five_thousand_leave_no_byte_behind(kind: &str) {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let engine = filled(kind, folder.path()).await;
        let all = engine.meant(&Filter::everything()).await.unwrap();
        assert_eq!(all.len(), MARKED * EVERY);
        let mut marks: Vec<String> = (0..MARKED).map(|n| mark(n, 0)).collect();
        let marked: Vec<MemoryId> =
            all.iter().filter(|m| m.content.contains("zqx")).map(|m| m.id).collect();
        assert_eq!(marked.len(), MARKED);
        for (number, id) in marked.iter().enumerate() {
            let word = mark(number, 1);
            reword(&engine, *id, &format!("it says {word} now")).await;
            marks.push(word);
        }
        assert!(!holding(folder.path(), &marks).is_empty(), "there is something to find");
        let forgotten = engine.forget(&marked).await.unwrap();
        assert_eq!((forgotten.forgotten.len(), forgotten.lingers.len()), (MARKED, 0));
        assert_eq!(holding(folder.path(), &marks), Vec::<PathBuf>::new());
        drop(engine);
        assert_eq!(holding(folder.path(), &marks), Vec::<PathBuf>::new());
    });
}

#[test]
fn fifty_of_five_thousand_leave_no_byte_in_sqlite() {
    fifty_of_five_thousand_leave_no_byte_behind("sqlite");
}

#[test]
fn fifty_of_five_thousand_leave_no_byte_in_markdown() {
    fifty_of_five_thousand_leave_no_byte_behind("markdown");
}

#[test]
fn fifty_of_five_thousand_leave_no_byte_in_json() {
    fifty_of_five_thousand_leave_no_byte_behind("json");
}
