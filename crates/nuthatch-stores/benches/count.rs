//! How many instructions the hot paths take, counted by callgrind.
//!
//! A count hardly depends on what else the machine does: a change of one percent shows.
//! A store is counted from opening it on, as in one command, because its work runs on a
//! thread of its own, where opening and using it are tasks like any other. Needs valgrind
//! and `gungraun-runner`; `just count` sees to the second.

#![allow(missing_docs, reason = "the macros make public items without a word")]

use std::fs;
use std::hint::black_box;
use std::sync::Arc;

use gungraun::Callgrind;
use gungraun::prelude::*;
use nuthatch::guard::{Form, sanitise};
use nuthatch::limits::Limits;
use nuthatch::recall::{Mode, RecallRequest};
use nuthatch::remember::RememberRequest;
use nuthatch::store::TextQuery;
use nuthatch::text::{Passage, index_terms, passage, query_terms};
use nuthatch::{Engine, Memory, Rules};
use nuthatch_stores::StoreUrl;
use nuthatch_testkit::{FixedClock, SequentialIds};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use corpus::{Corpus, visible};
use shelf::Backend;

#[allow(dead_code, reason = "speed.rs uses the rest")]
mod corpus;
#[allow(dead_code, reason = "speed.rs uses the rest")]
mod shelf;

/// What runs a task on a thread for blocking work, whichever task it is.
const TASK: &str = "toggle-collect=tokio::runtime::task::raw::poll*";

/// About 4 KB.
const PAGE_WORDS: usize = 700;
/// A number in the middle of every store.
const MIDDLE: u64 = 500;

fn sentence() -> String {
    Corpus::new().text(1, 20)
}

fn page() -> String {
    Corpus::new().text(1, PAGE_WORDS)
}

fn page_and_terms() -> (String, Vec<String>) {
    (page(), query_terms(&Corpus::new().query(MIDDLE)))
}

#[library_benchmark]
#[bench::sentence(setup = sentence)]
#[bench::page(setup = page)]
fn indexing(text: String) -> (String, String) {
    (black_box(index_terms(None, black_box(&text))), text)
}

#[library_benchmark]
#[bench::sentence(setup = sentence)]
fn asking(text: String) -> (Vec<String>, String) {
    (black_box(query_terms(black_box(&text))), text)
}

#[library_benchmark]
#[bench::page(setup = page_and_terms)]
fn cutting((text, terms): (String, Vec<String>)) -> (Passage, String, Vec<String>) {
    (black_box(passage(black_box(&text), black_box(&terms))), text, terms)
}

#[library_benchmark]
#[bench::sentence(setup = sentence)]
#[bench::page(setup = page)]
fn sanitising(text: String) -> (String, String) {
    (sanitise(black_box(&text), Form::Fact).expect("the text says something"), text)
}

library_benchmark_group!(name = text, benchmarks = [indexing, asking, cutting, sanitising]);

/// A store that lies on disk, and nobody has opened it.
struct Closed {
    url: StoreUrl,
    runtime: Runtime,
    /// What is asked for and read.
    known: Memory,
    query: String,
    /// What is remembered.
    new: RememberRequest,
    _folder: TempDir,
}

impl Closed {
    fn copied(backend: Backend, count: u64) -> Self {
        let folder = shelf::copied(backend, count);
        let corpus = Corpus::new();
        Closed {
            url: backend.url(folder.path()),
            runtime: shelf::runtime(),
            known: corpus.memory(MIDDLE),
            query: corpus.query(MIDDLE),
            new: corpus.request(1_000_000),
            _folder: folder,
        }
    }

    fn engine(&self) -> Engine {
        let store = shelf::open(&self.runtime, &self.url);
        let (clock, ids) = (Arc::new(FixedClock::default()), Arc::new(SequentialIds::default()));
        Engine::new(store, clock, ids, Rules::limited(Limits::NONE))
    }
}

/// Filled in a process of its own: filling runs tasks, too.
fn fill_shelf() {
    shelf::kept(Backend::Sqlite, 10_000);
    shelf::kept(Backend::Markdown, 1_000);
}

fn sqlite() -> Closed {
    Closed::copied(Backend::Sqlite, 10_000)
}

fn markdown() -> Closed {
    Closed::copied(Backend::Markdown, 1_000)
}

/// As after a fresh checkout: the files, and no index of them.
fn unread_markdown() -> Closed {
    let closed = markdown();
    let folder = closed.url.path().expect("a Markdown store lies on disk");
    fs::remove_dir_all(folder.join(".nuthatch")).expect("the index can be removed");
    closed
}

#[library_benchmark]
#[bench::sqlite_10k(setup = sqlite)]
#[bench::markdown_1k(setup = markdown)]
#[bench::unread_markdown_1k(setup = unread_markdown)]
fn open_and_read(closed: Closed) -> (Engine, Closed) {
    let engine = closed.engine();
    let read = closed.runtime.block_on(engine.store().memories(&[closed.known.id]));
    assert_eq!(black_box(read).expect("the store answers").len(), 1);
    (engine, closed)
}

#[library_benchmark]
#[bench::sqlite_10k(setup = sqlite)]
fn open_and_search(closed: Closed) -> (Engine, Closed) {
    let engine = closed.engine();
    let terms = query_terms(&closed.query);
    let query = TextQuery::new(terms, visible(), 50);
    let found = closed.runtime.block_on(engine.store().search_text(&query));
    assert_ne!(black_box(found).expect("the store answers").matches.len(), 0);
    (engine, closed)
}

#[library_benchmark]
#[bench::sqlite_10k(setup = sqlite)]
fn open_and_recall(closed: Closed) -> (Engine, Closed) {
    let engine = closed.engine();
    let request =
        RecallRequest { mode: Mode::Text, ..RecallRequest::new(closed.query.clone(), visible()) };
    let recalled = closed.runtime.block_on(engine.recall(&request));
    assert_ne!(black_box(recalled).expect("the store answers").hits.len(), 0);
    (engine, closed)
}

#[library_benchmark]
#[bench::sqlite_10k(setup = sqlite)]
#[bench::markdown_1k(setup = markdown)]
fn open_and_remember(closed: Closed) -> (Engine, Closed) {
    let engine = closed.engine();
    let remembered = closed.runtime.block_on(engine.remember(closed.new.clone()));
    assert!(black_box(remembered).expect("the store takes it").kept());
    (engine, closed)
}

library_benchmark_group!(
    name = store,
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args([TASK])),
    benchmarks = [open_and_read, open_and_search, open_and_recall, open_and_remember]
);

main!(setup = fill_shelf(), library_benchmark_groups = [text, store]);
