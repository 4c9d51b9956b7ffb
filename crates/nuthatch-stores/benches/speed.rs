//! How long the verbs take, for each store and size, by the clock on the wall.
//!
//! 1,000 and 10,000 memories; `NUTHATCH_BENCH=full` adds 100,000. Times of a shared machine
//! say little by themselves: compare within one run. `count.rs` counts instructions instead.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode};
use nuthatch::filter::Page;
use nuthatch::recall::{Mode, RecallRequest};
use nuthatch::store::Store;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use corpus::{Corpus, visible};
use shelf::Backend;

mod corpus;
mod shelf;

/// As many memories as `nuthatch list` shows.
const PAGE: u64 = 50;
/// As many hits as `nuthatch recall` shows.
const HITS: usize = 10;
/// Different questions asked in turn, so that no single one is measured.
const QUERIES: u64 = 64;

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    for (verb, measure) in [
        ("open", open as fn(&mut BenchmarkGroup<'_, WallTime>, Backend, u64)),
        ("recall", recall),
        ("list", list),
        ("remember", remember),
    ] {
        let mut group = criterion.benchmark_group(verb);
        group.sample_size(20).sampling_mode(SamplingMode::Flat);
        for backend in Backend::ALL {
            for count in sizes() {
                measure(&mut group, backend, count);
            }
        }
        group.finish();
    }
    criterion.final_summary();
}

fn sizes() -> Vec<u64> {
    let full = std::env::var("NUTHATCH_BENCH").is_ok_and(|wanted| wanted == "full");
    let sizes = [1_000, 10_000, 100_000];
    sizes.into_iter().filter(|count| full || *count < 100_000).collect()
}

fn name(backend: Backend, count: u64) -> BenchmarkId {
    BenchmarkId::new(backend.name(), count)
}

/// Opening a store and reading one memory: what a command pays before it does anything.
fn open(group: &mut BenchmarkGroup<'_, WallTime>, backend: Backend, count: u64) {
    if backend == Backend::Memory {
        return;
    }
    let one = [Corpus::new().memory(count / 2).id];
    group.bench_function(name(backend, count), |bencher| {
        let runtime = shelf::runtime();
        let url = backend.url(&shelf::kept(backend, count));
        bencher.iter(|| {
            let store = shelf::open(&runtime, &url);
            let found = runtime.block_on(store.memories(&one)).expect("the store answers");
            assert_eq!(found.len(), 1);
        });
    });
}

/// A filled store that is only read.
fn reader(runtime: &Runtime, backend: Backend, count: u64) -> Arc<dyn Store> {
    if backend == Backend::Memory {
        let store = shelf::open(runtime, &backend.url("".as_ref()));
        shelf::fill(runtime, &*store, count);
        return store;
    }
    shelf::open(runtime, &backend.url(&shelf::kept(backend, count)))
}

fn recall(group: &mut BenchmarkGroup<'_, WallTime>, backend: Backend, count: u64) {
    group.bench_function(name(backend, count), |bencher| {
        let runtime = shelf::runtime();
        let engine = shelf::engine(reader(&runtime, backend, count));
        let corpus = Corpus::new();
        let ask = |number| RecallRequest {
            limit: HITS,
            mode: Mode::Text,
            ..RecallRequest::new(corpus.query(number * count / QUERIES), visible())
        };
        let mut requests = (0..QUERIES).map(ask).collect::<Vec<_>>().into_iter().cycle();
        bencher.iter_batched_ref(
            || requests.next().expect("a cycle has no end"),
            |request| {
                let recalled = runtime.block_on(engine.recall(request));
                assert_ne!(recalled.expect("the store answers").hits.len(), 0);
            },
            BatchSize::SmallInput,
        );
    });
}

fn list(group: &mut BenchmarkGroup<'_, WallTime>, backend: Backend, count: u64) {
    group.bench_function(name(backend, count), |bencher| {
        let runtime = shelf::runtime();
        let engine = shelf::engine(reader(&runtime, backend, count));
        let filter = visible();
        bencher.iter(|| {
            let listed = runtime.block_on(engine.list(&filter, Page::first(PAGE)));
            assert_eq!(listed.expect("the store answers").memories.len() as u64, PAGE);
        });
    });
}

/// A store that may be written to, and the folder it lies in for as long.
fn writer(runtime: &Runtime, backend: Backend, count: u64) -> (Arc<dyn Store>, Option<TempDir>) {
    if backend == Backend::Memory {
        return (reader(runtime, backend, count), None);
    }
    let folder = shelf::copied(backend, count);
    let store = shelf::open(runtime, &backend.url(folder.path()));
    // A copy is looked at anew at the first access; that is not what remembering costs.
    runtime.block_on(store.stats()).expect("the store answers");
    (store, Some(folder))
}

fn remember(group: &mut BenchmarkGroup<'_, WallTime>, backend: Backend, count: u64) {
    // A store of files writes a whole file for each memory.
    if matches!(backend, Backend::Markdown | Backend::Json) && count > 1_000 {
        group.sample_size(10);
    }
    group.bench_function(name(backend, count), |bencher| {
        let runtime = shelf::runtime();
        let (store, _folder) = writer(&runtime, backend, count);
        let engine = shelf::engine(store);
        let corpus = Corpus::new();
        let next = Cell::new(count);
        bencher.iter_batched(
            || corpus.request(next.replace(next.get() + 1)),
            |request| {
                let remembered = runtime.block_on(engine.remember(request));
                black_box(remembered.expect("the store takes it"));
            },
            BatchSize::PerIteration,
        );
    });
    group.sample_size(20);
}
