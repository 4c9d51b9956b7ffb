//! The lanes of recall over many turns: by words beside a bare FTS5 query on the same text,
//! by vectors beside the time it takes to read their bytes from memory.
//!
//! `cargo bench -p nuthatch-stores --bench lanes -- 10000 100000` measures these sizes; with
//! none given, 10,000. Everything runs in one process, one after the other, never two things at
//! once: compare within one run. Times are of the processor, which says more than the clock on
//! the wall where a machine is shared; the last column is the median by that clock. Texts and vectors are made up, but drawn as real ones are: few
//! words often, most words seldom; vectors in clusters around a common direction.

// A measurement is told on the terminal.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nuthatch::filter::{Filter, Include, Scopes};
use nuthatch::id::{ModelId, ProjectId};
use nuthatch::limits::Limits;
use nuthatch::record::RecordRequest;
use nuthatch::scope::Scope;
use nuthatch::store::{Embedded, EmbeddedPassage, Store, TextQuery, Unembedded, VectorQuery};
use nuthatch::text::query_terms;
use nuthatch::vector::Vector;
use nuthatch::{Engine, Rules};
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};
use nuthatch_testkit::generate::Rng;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use talk::Talk;

mod talk;

/// As deep as a lane of recall looks.
const DEPTH: usize = 300;
/// As many hits as a bare query gives.
const BARE: usize = 10;
/// Different questions asked in turn.
const QUERIES: u64 = 60;
/// Turns made up and recorded at a time: whole conversations.
const BATCH: u64 = 20_000;
/// Components of a vector, as those of the built-in model.
const DIMENSIONS: usize = 384;

fn main() {
    let sizes: Vec<u64> = std::env::args().filter_map(|size| size.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![10_000] } else { sizes };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    println!("{:>9} {:<26} {:>9} {:>9}  note", "turns", "what", "p50 ms", "p95 ms");
    for size in sizes {
        measure(&runtime, size);
    }
}

fn project() -> Scope {
    Scope::Project(ProjectId::new("bench").expect("such a project id is legal"))
}

fn visible() -> Filter {
    let mut filter = Filter::scoped(Scopes::These(vec![Scope::Global, Scope::User, project()]));
    filter.include = Include::Both;
    filter
}

fn model() -> ModelId {
    ModelId::new("bench@1#0123456789abcdef").expect("a model id")
}

fn measure(runtime: &Runtime, size: u64) {
    let folder = TempDir::new().expect("a temporary folder");
    let url = StoreUrl::Sqlite(folder.path().join("memory.db"));
    let open = || runtime.block_on(nuthatch_stores::open(&url)).expect("the store opens");
    let talk = Talk::new();
    let store = open();
    rate(size, "record", || fill(runtime, Arc::clone(&store), &talk, size));
    rate(size, "put vectors", || embed(runtime, &*store));
    let bare = Bare::filled(folder.path(), &talk, size);
    let queries: Vec<String> = (0..QUERIES).map(|number| talk.query(number, size)).collect();
    let vectors: Vec<Vector> = (0..QUERIES).map(|number| vector(&mut Rng::new(number))).collect();
    drop(store);

    let store = open();
    let once = time(|| text(runtime, &store, &queries[0]));
    line(size, "text lane, cold", &mut [once], "first query of a fresh handle");
    let once = time(|| near(runtime, &store, &vectors[0]));
    line(size, "vector lane, cold", &mut [once], "first query of a fresh handle");

    let mut times: Vec<Spent> =
        queries.iter().map(|query| time(|| text(runtime, &store, query))).collect();
    line(size, "text lane", &mut times, "");
    let mut hybrid = times.clone();
    let mut times: Vec<Spent> =
        vectors.iter().map(|vector| time(|| near(runtime, &store, vector))).collect();
    line(size, "vector lane", &mut times, "");
    for (sum, one) in hybrid.iter_mut().zip(&times) {
        *sum = Spent { processor: sum.processor + one.processor, wall: sum.wall + one.wall };
    }
    line(size, "both lanes", &mut hybrid, "");
    let mut times: Vec<Spent> = queries.iter().map(|query| time(|| bare.ask(query))).collect();
    line(size, "bare FTS5 OR", &mut times, "same text, same terms, top 10 by rank");
    println!("{size:>9} {:<26} {:>9}", "resident MB", resident() / 1_000_000);
    let bytes = std::fs::metadata(folder.path().join("memory.db")).map(|found| found.len());
    println!("{size:>9} {:<26} {:>9}", "database MB", bytes.unwrap_or_default() / 1_000_000);
    bandwidth(size);
    recall(runtime, &store, size);
}

/// How long something took.
#[derive(Clone, Copy)]
struct Spent {
    processor: Duration,
    wall: Duration,
}

fn time<R>(work: impl FnOnce() -> R) -> Spent {
    let (began, before) = (Instant::now(), processor());
    black_box(work());
    Spent { wall: began.elapsed(), processor: processor().saturating_sub(before) }
}

/// Time of the processor spent by all threads so far; where that is not told, time.
fn processor() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = tasks.filter_map(|task| {
        let told = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        told.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

fn line(size: u64, what: &str, times: &mut [Spent], note: &str) {
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    let at =
        |times: &[Spent], share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    times.sort_by_key(|spent| spent.wall);
    let wall = millis(at(times, 50).wall);
    times.sort_by_key(|spent| spent.processor);
    let (half, most) = (millis(at(times, 50).processor), millis(at(times, 95).processor));
    println!("{size:>9} {what:<26} {half:>9.2} {most:>9.2} {wall:>9.2}  {note}");
}

fn rate(size: u64, what: &str, work: impl FnOnce()) {
    let spent = time(work);
    let a_second = |time: Duration| size as f64 / time.as_secs_f64();
    let (processor, wall) = (a_second(spent.processor), a_second(spent.wall));
    println!("{size:>9} {what:<26} {processor:>9.0} a second; {wall:.0} by the wall");
}

/// Records turns as anybody would, through the gate.
fn fill(runtime: &Runtime, store: Arc<dyn Store>, talk: &Talk, size: u64) {
    let rules = Rules::limited(Limits::NONE);
    let engine = Engine::new(store, Arc::new(SystemClock), Arc::<SystemIds>::default(), rules);
    for from in (0..size).step_by(BATCH as usize) {
        let conversations = talk.conversations(from..(from + BATCH).min(size)).collect();
        let recorded = engine.record(RecordRequest { conversations }, &|_, _| {});
        runtime.block_on(recorded).expect("the store takes it");
    }
}

/// A vector as a small model gives it: mostly what all have in common, then its cluster.
fn vector(rng: &mut Rng) -> Vector {
    let noise = |rng: &mut Rng| (0..3).map(|_| rng.below(2001) as f32 - 1000.0).sum::<f32>();
    let cluster = rng.below(2000);
    let mut common = Rng::new(7);
    let mut own = Rng::new(1000 + cluster);
    let component = |_| noise(&mut common) * 1.5 + noise(&mut own) * 0.6 + noise(rng) * 0.6;
    Vector::quantise(&(0..DIMENSIONS).map(component).collect::<Vec<f32>>())
}

fn embed(runtime: &Runtime, store: &dyn Store) {
    let mut seed = 0;
    loop {
        let waits = runtime.block_on(store.unembedded(&model(), None, 2000)).expect("an answer");
        if waits.is_empty() {
            return;
        }
        let one = |waiting: &Unembedded| {
            seed += 1;
            let passages = vec![EmbeddedPassage {
                range: 0..waiting.text.len(),
                vector: vector(&mut Rng::new(1 << 40 | seed)),
            }];
            Embedded { doc: waiting.doc.clone(), hash: waiting.hash, passages }
        };
        let items: Vec<Embedded> = waits.iter().map(one).collect();
        runtime.block_on(store.put_vectors(&model(), &items)).expect("the store takes it");
    }
}

fn text(runtime: &Runtime, store: &Arc<dyn Store>, query: &str) -> usize {
    let query = TextQuery::new(query_terms(query), visible(), DEPTH);
    runtime.block_on(store.search_text(&query)).expect("an answer").matches.len()
}

fn near(runtime: &Runtime, store: &Arc<dyn Store>, vector: &Vector) -> usize {
    runtime.block_on(store.search_vectors(&asking(vector, DEPTH))).expect("an answer").matches.len()
}

fn asking(vector: &Vector, limit: usize) -> VectorQuery {
    VectorQuery { model: model(), vector: vector.clone(), filter: visible(), limit }
}

/// How many of the true hundred nearest the search finds.
fn recall(runtime: &Runtime, store: &Arc<dyn Store>, size: u64) {
    let all: Vec<Vector> = (1..=size).map(|seed| vector(&mut Rng::new(1 << 40 | seed))).collect();
    let (mut found, mut wanted) = (0, 0);
    for number in 0..20 {
        let query = vector(&mut Rng::new(number));
        let mut exact: Vec<f64> = all.iter().map(|one| one.cosine(&query)).collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        let least = exact[99.min(exact.len() - 1)];
        let near = runtime.block_on(store.search_vectors(&asking(&query, 100))).expect("an answer");
        found += near.matches.iter().filter(|one| one.cosine >= least).count();
        wanted += exact.len().min(100);
    }
    let share = 100.0 * found as f64 / wanted as f64;
    println!("{size:>9} {:<26} {share:>9.2} % of the 100 nearest", "vector lane, recall");
}

/// Reading as many bytes as the vectors have, as fast as memory gives them.
fn bandwidth(size: u64) {
    for (what, bytes) in [("read int8 bytes", DIMENSIONS), ("read sketch bytes", DIMENSIONS / 2)] {
        let data = vec![1_u64; size as usize * bytes / 8];
        let mut times: Vec<Spent> = (0..10)
            .map(|_| time(|| data.iter().fold(0_u64, |sum, one| sum.wrapping_add(*one))))
            .collect();
        line(size, what, &mut times, "memory bandwidth of one core");
    }
}

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or_default() * 4096
}

/// A bare FTS5 table over the same texts.
struct Bare(rusqlite::Connection);

impl Bare {
    fn filled(folder: &Path, talk: &Talk, size: u64) -> Bare {
        let connection = rusqlite::Connection::open(folder.join("bare.db")).expect("it opens");
        let table = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; \
                     CREATE VIRTUAL TABLE bare USING fts5 (text, tokenize = 'porter unicode61');";
        connection.execute_batch(table).expect("a table");
        let transaction = connection.unchecked_transaction().expect("a transaction");
        for number in 0..size {
            let sql = "INSERT INTO bare (rowid, text) VALUES (?1, ?2)";
            let mut insert = transaction.prepare_cached(sql).expect("a statement");
            insert.execute((number as i64, talk.turn(number).text)).expect("a row");
        }
        transaction.commit().expect("it commits");
        Bare(connection)
    }

    fn ask(&self, query: &str) -> usize {
        let quoted: Vec<String> =
            query_terms(query).into_iter().map(|term| format!("\"{term}\"")).collect();
        let sql = "SELECT rowid FROM bare WHERE bare MATCH ?1 ORDER BY rank LIMIT ?2";
        let mut statement = self.0.prepare_cached(sql).expect("a statement");
        let rows =
            statement.query_map((quoted.join(" OR "), BARE as i64), |row| row.get::<_, i64>(0));
        rows.expect("an answer").count()
    }
}
