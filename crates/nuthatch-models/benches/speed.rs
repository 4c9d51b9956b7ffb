//! How long a model in this process takes, with every kernel the machine has.
//!
//! `cargo bench -p nuthatch-models [-- WEIGHTS]` measures the built-in model, or the file.
//! The least of many runs is printed beside the median: on a busy machine only the least
//! says something about the code.

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
    let (least, middle) = time(20, || drop(open(Kernel::best())));
    println!("{:<8} open            {least:>10.2?} least, {middle:>10.2?} median", "");
    let (least, middle) = time(20, || _ = embed(&*open(Kernel::best()), &[QUERY]));
    println!("{:<8} open, one query {least:>10.2?} least, {middle:>10.2?} median", "");
    for kernel in Kernel::available() {
        let model = open(kernel);
        let name = format!("{kernel:?}").to_lowercase();
        let (least, middle) = time(60, || _ = embed(&*model, &[QUERY]));
        println!("{name:<8} query           {least:>10.2?} least, {middle:>10.2?} median");
        let turns: Vec<&str> = TURNS.iter().cycle().take(24).copied().collect();
        let (least, middle) = time(20, || _ = embed(&*model, &turns));
        let rate = |spent: Duration| turns.len() as f64 / spent.as_secs_f64();
        let (best, usual) = (rate(least), rate(middle));
        println!("{name:<8} short turns     {best:>6.0} a second best, {usual:>6.0} median");
        let long = TURNS.join(" ").repeat(3);
        let (least, middle) = time(20, || _ = embed(&*model, &[&long]));
        println!("{name:<8} 280 tokens      {least:>10.2?} least, {middle:>10.2?} median");
    }
}

fn embed(model: &dyn Embedder, texts: &[&str]) -> usize {
    pollster::block_on(model.embed(Purpose::Passage, texts)).expect("texts are embedded").len()
}

fn time(runs: usize, mut work: impl FnMut()) -> (Duration, Duration) {
    work();
    let mut spent: Vec<Duration> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    spent.sort();
    (spent[0], spent[runs / 2])
}
