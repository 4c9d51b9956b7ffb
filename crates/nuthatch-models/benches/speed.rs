//! How long a model in this process takes, with every kernel the machine has.
//!
//! `cargo bench -p nuthatch-models [-- WEIGHTS]` measures the built-in model, or the file.
//! Printed are the least of many runs, the median, and the mean of the time on a processor
//! where the system tells it. A busy machine stretches all three, the last one least.

#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nuthatch::embedder::{Embedder, Purpose};
use nuthatch_models::{Builtin, FileModel, Kernel};

/// Ten words, as people ask.
const QUERY: &str = "which port does the staging database listen on these days";

/// Turns as short as most are; about thirty pieces with the speaker's name.
const TURNS: [&str; 4] = [
    "Anna: We went to Lisbon in May and stayed near the river for a week.",
    "Ben: The build broke again because somebody pinned the old compiler in CI.",
    "Anna: Remind me to renew the certificate of the mail server before Friday.",
    "Ben: I moved the cache to the second disk, so restarts take ten seconds now, not sixty.",
];

fn main() {
    // Cargo hands its own flags on.
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let file = file.map(PathBuf::from);
    let open = |kernel| -> Box<dyn Embedder> {
        match &file {
            Some(path) => Box::new(FileModel::with_kernel(path, kernel).expect("a model file")),
            None => Box::new(Builtin::with_kernel(kernel).expect("a build with the model")),
        }
    };
    report("open", &time(20, || drop(open(Kernel::best()))));
    report("open, one query", &time(20, || _ = embed(&*open(Kernel::best()), &[QUERY])));
    let turns: Vec<&str> = TURNS.iter().cycle().take(24).copied().collect();
    let long = TURNS.join(" ").repeat(3);
    for kernel in Kernel::available() {
        let model = open(kernel);
        let name = |what: &str| format!("{kernel:?}: {what}").to_lowercase();
        report(&name("query of ten words"), &time(60, || _ = embed(&*model, &[QUERY])));
        report(&name("24 short turns"), &time(20, || _ = embed(&*model, &turns)));
        report(&name("280 tokens"), &time(20, || _ = embed(&*model, &[&long])));
    }
}

fn report(what: &str, spent: &Spent) {
    let Spent { least, median, processor } = *spent;
    let processor = processor.map_or("unknown".into(), |spent| format!("{spent:.2?}"));
    println!("{what:<28} {least:>10.2?} least {median:>10.2?} median {processor:>10} processor");
}

fn embed(model: &dyn Embedder, texts: &[&str]) -> usize {
    pollster::block_on(model.embed(Purpose::Passage, texts)).expect("texts are embedded").len()
}

struct Spent {
    least: Duration,
    median: Duration,
    processor: Option<Duration>,
}

fn time(runs: u32, mut work: impl FnMut()) -> Spent {
    work();
    let before = processor();
    let mut spent: Vec<Duration> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    let processor = before.zip(processor()).map(|(before, after)| (after - before) / runs);
    spent.sort();
    Spent { least: spent[0], median: spent[spent.len() / 2], processor }
}

/// How long this thread has run on a processor, where the system says so (Linux).
fn processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
