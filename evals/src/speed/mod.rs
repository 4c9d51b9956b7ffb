//! How fast the whole is: recall over made-up conversations of growing size, beside a bare
//! full-text query on the same text and the time memory takes to stream as many bytes.
//!
//! `synth.rs` makes the conversations, `build.rs` puts them into a store and a bare table,
//! `child.rs` measures in a process of its own, so that its memory is recall's alone, and
//! `bare.rs` holds the yardsticks; `beside.rs` asks two stores. Vectors are random: to embed a million texts would
//! measure the model. What the model takes for one query is printed beside.

mod bare;
mod beside;
mod build;
mod child;
mod cold;
mod synth;

use std::io::{Write, stdout};
use std::path::PathBuf;

use crate::embedding::Choice;
use crate::table::Table;
use crate::world::block_on;

pub(crate) use beside::{Options as BesideOptions, run as beside};
pub(crate) use child::run as measure;

use build::Built;
use child::{Asked, Figures, Spread};

/// What to measure.
pub(crate) struct Options {
    pub(crate) sizes: Vec<usize>,
    pub(crate) questions: usize,
    pub(crate) embedder: Choice,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) nuthatch: Option<PathBuf>,
}

/// One size, built and measured.
struct Row {
    turns: usize,
    built: Built,
    figures: Figures,
    cold: Option<cold::Cold>,
}

/// Builds, measures and prints every size.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let base = options.folder.clone().unwrap_or_else(|| scratch.path().to_owned());
    let mut rows = Vec::new();
    for turns in &options.sizes {
        let folder = base.join(turns.to_string());
        let built = block_on(build::build(&folder, *turns, &options.embedder))?;
        let figures = child::spawn(&folder, *turns, options)?;
        let cold = match &options.nuthatch {
            Some(binary) => Some(cold::measure(binary, &folder, *turns)?),
            None => None,
        };
        rows.push(Row { turns: *turns, built, figures, cold });
        if options.folder.is_none() {
            std::fs::remove_dir_all(&folder)?;
        }
    }
    writeln!(
        stdout(),
        "made-up turns of 6 to 40 words in one project, random vectors of {} components, {} \
         questions of ten words, one core, each question asked in every way before the next\n",
        build::DIMENSIONS,
        options.questions,
    )?;
    writeln!(stdout(), "by the clock:\n")?;
    print_recall(&rows, |asked| &asked.clock)?;
    writeln!(stdout(), "in processor time:\n")?;
    print_recall(&rows, |asked| &asked.processor)?;
    print_limits(&rows)?;
    print_recording(&rows)?;
    print_cold(&rows)?;
    print_growth(&rows)
}

fn spread(spread: &Spread) -> String {
    format!("{:.2} / {:.2}", spread.p50, spread.p95)
}

/// Which of the two ways of telling time.
type Told = fn(&Asked) -> &Spread;

fn print_recall(rows: &[Row], told: Told) -> anyhow::Result<()> {
    let heads = [
        "turns",
        "bare FTS5 ms p50 / p95",
        "text",
        "vector",
        "hybrid",
        "hybrid : bare",
        "embedding a query ms",
        "resident MB",
    ];
    let mut table = Table::new(&heads);
    for Row { turns, figures, .. } in rows {
        table.row(vec![
            turns.to_string(),
            spread(told(&figures.bare)),
            spread(told(&figures.text)),
            spread(told(&figures.vector)),
            spread(told(&figures.hybrid)),
            format!("{:.2}", told(&figures.hybrid).p50 / told(&figures.bare).p50),
            figures.embedding.as_ref().map_or_else(|| "-".to_owned(), |e| spread(told(e))),
            format!("{:.0}", figures.resident),
        ]);
    }
    table.print()
}

fn print_limits(rows: &[Row]) -> anyhow::Result<()> {
    let heads = ["turns", "vector MB", "streaming them ms", "GB/s", "vector lane : streaming"];
    let mut table = Table::new(&heads);
    for Row { turns, figures, .. } in rows {
        let bytes = (turns * build::DIMENSIONS) as f64;
        table.row(vec![
            turns.to_string(),
            format!("{:.1}", bytes / 1e6),
            format!("{:.3}", figures.stream),
            format!("{:.1}", bytes / figures.stream / 1e6),
            format!("{:.1}", figures.vector.processor.p50 / figures.stream),
        ]);
    }
    table.print()
}

fn print_recording(rows: &[Row]) -> anyhow::Result<()> {
    let heads =
        ["turns", "recorded in s", "turns a second", "bare table in s", "store MB", "bare MB"];
    let mut table = Table::new(&heads);
    for Row { turns, built, .. } in rows {
        table.row(vec![
            turns.to_string(),
            format!("{:.1}", built.recorded.as_secs_f64()),
            format!("{:.0}", *turns as f64 / built.recorded.as_secs_f64()),
            format!("{:.1}", built.bare.as_secs_f64()),
            format!("{:.0}", built.store_bytes as f64 / 1e6),
            format!("{:.0}", built.bare_bytes as f64 / 1e6),
        ]);
    }
    table.print()
}

fn print_cold(rows: &[Row]) -> anyhow::Result<()> {
    let heads = [
        "turns",
        "process start ms",
        "cold recall",
        "warm recall with embedding",
        "cold : (3 warm + start)",
    ];
    let mut table = Table::new(&heads);
    for Row { turns, figures, cold, .. } in rows {
        let Some(cold) = cold else { continue };
        let embedding = figures.embedding.as_ref().map_or(0.0, |e| e.clock.p50);
        let warm = figures.hybrid.clock.p50 + embedding;
        table.row(vec![
            turns.to_string(),
            spread(&cold.start),
            spread(&cold.recall),
            format!("{warm:.2}"),
            format!("{:.2}", cold.recall.p50 / (3.0 * warm + cold.start.p50)),
        ]);
    }
    table.print()
}

fn print_growth(rows: &[Row]) -> anyhow::Result<()> {
    for pair in rows.windows(2) {
        let (small, large) = (&pair[0], &pair[1]);
        writeln!(
            stdout(),
            "from {} to {} turns hybrid p50 grows {:.1} times by the clock, {:.1} in processor time",
            small.turns,
            large.turns,
            large.figures.hybrid.clock.p50 / small.figures.hybrid.clock.p50,
            large.figures.hybrid.processor.p50 / small.figures.hybrid.processor.p50,
        )?;
    }
    Ok(())
}
