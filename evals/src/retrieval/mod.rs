//! Finding the right turn or session again: records a set as a user would, asks every
//! question in its own scope, and prints the metrics by kind of question.
//!
//! `record.rs` puts the set into a store, `ask.rs` turns questions into recalls, `report.rs`
//! prints, `floor.rs` asks what is not there. Rankings are dumped, so that anybody can
//! compute the metrics again (`evals/recompute.py`).

mod ask;
mod floor;
mod record;
mod report;

use std::fs::File;
use std::io::{BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nuthatch::recall::Mode;
use serde_json::json;

use crate::embedding::Choice;
use crate::uniform::{Level, Set};
use crate::world::{World, block_on};

use ask::Asker;

pub(crate) use ask::Found;
pub(crate) use record::{project, role};

/// Types of questions that are no part of the total: they cannot be answered.
pub(crate) const APART: [&str; 2] = ["abstention", "cat5"];

/// What to measure.
pub(crate) struct Options {
    pub(crate) data: PathBuf,
    pub(crate) level: Level,
    pub(crate) store: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) embedder: Choice,
    pub(crate) wrong: Option<PathBuf>,
    pub(crate) rankings: Option<PathBuf>,
}

/// One question's answer.
pub(crate) struct Ranked {
    /// Which question of the set.
    pub(crate) query: usize,
    /// Ids of the level, best first, each once.
    pub(crate) ids: Vec<String>,
}

/// Records, asks, prints and dumps.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    block_on(measure(options))
}

async fn measure(options: &Options) -> anyhow::Result<()> {
    let set = Set::read(&options.data)?;
    let world = World::open(options.store.as_deref(), &options.embedder).await?;
    writeln!(
        stdout(),
        "{}: {} turns, {} questions, {:?} level, {} mode, embedder {}, store {}\n",
        set.name,
        set.turns.len(),
        set.queries.len(),
        options.level,
        options.mode.name(),
        world.embedder(),
        world.store.backend(),
    )?;
    let recorded = record::record(&world, &set).await?;
    let begun = Instant::now();
    let embedded = world.settle().await?;
    let embedding = (begun.elapsed(), embedded);
    let asker =
        Asker { world: &world, recorded: &recorded, mode: options.mode, level: options.level };
    let begun = Instant::now();
    let ranked = asker.ask_all(&set.queries).await?;
    let asking = begun.elapsed();
    report::print(&set, &ranked, options.level)?;
    report::pace(&recorded, embedding, (asking, ranked.len()))?;
    if let Some(path) = &options.rankings {
        dump(path, &set, &ranked)?;
    }
    if let Some(other) = &options.wrong {
        floor::report(&asker, &set, &ranked, &Set::read(other)?).await?;
    }
    Ok(())
}

/// Writes `{"query": id, "ids": [best first]}` for every question.
fn dump(path: &Path, set: &Set, ranked: &[Ranked]) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for Ranked { query, ids } in ranked {
        writeln!(out, "{}", json!({"query": set.queries[*query].id, "ids": ids}))?;
    }
    out.flush()?;
    Ok(())
}
