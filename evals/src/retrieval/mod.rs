//! Finding the right turn or session again: records a set as a user would, asks every
//! question in its own scope, and prints the metrics by kind of question.
//!
//! `record.rs` puts the set into a store, `ask.rs` turns questions into recalls, `report.rs`
//! prints, `floor.rs` asks what is not there. Rankings are dumped, so that anybody can
//! compute the metrics again (`evals/recompute.py`).

mod ask;
mod evidence;
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
pub(crate) use evidence::{Options as EvidenceOptions, run as write_evidence};
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const CORPUS: &str = r#"
{"ns": "one", "id": "D1:1", "session": "S1", "seq": 0, "ts": "1:56 pm on 8 May, 2023", "who": "Ann", "text": "Ann: I adopted a parrot called Figaro."}
{"ns": "one", "id": "D1:2", "session": "S1", "seq": 1, "ts": "1:56 pm on 8 May, 2023", "who": "Bob", "text": "Bob: Lovely! My marathon is next week."}
{"ns": "one", "id": "D2:1", "session": "S2", "seq": 2, "ts": "3:00 pm on 9 June, 2023", "who": "Ann", "text": "Ann: The parrot learned to whistle."}
{"ns": "two", "id": "D1:1", "session": "S1", "seq": 0, "ts": "", "who": "user", "text": "A parrot of somebody else."}
"#;
    const QUERIES: &str = r#"
{"id": "q1", "ns": "one", "text": "Who runs a marathon?", "type": "a", "ts": "", "rel_turns": ["D1:2"], "rel_sessions": ["S1"]}
{"id": "q2", "ns": "one", "text": "What did the parrot learn to do?", "type": "b", "ts": "", "rel_turns": ["D2:1"], "rel_sessions": ["S2"]}
{"id": "q3", "ns": "one", "text": "What did the parrot learn to do?", "type": "b", "ts": "", "rel_turns": ["D1:1"], "rel_sessions": ["S1"], "max_seq": 2}
"#;

    fn rankings(level: Level) -> Vec<(String, Vec<String>)> {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_owned();
        fs::write(data.join("corpus.jsonl"), CORPUS.trim_start()).unwrap();
        fs::write(data.join("queries.jsonl"), QUERIES.trim_start()).unwrap();
        let rankings = folder.path().join("rankings.jsonl");
        run(&Options {
            data,
            level,
            store: Some("memory:".to_owned()),
            mode: Mode::Hybrid,
            embedder: Choice::None,
            wrong: None,
            rankings: Some(rankings.clone()),
        })
        .unwrap();
        let row = |row: serde_json::Value| {
            let ids =
                row["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned());
            (row["query"].as_str().unwrap().to_owned(), ids.collect())
        };
        crate::data::rows(&rankings).unwrap().into_iter().map(row).collect()
    }

    #[test]
    fn a_set_is_recorded_asked_and_dumped_by_turns() {
        let ranked = rankings(Level::Turn);
        assert_eq!(ranked[0].1[0], "D1:2");
        assert_eq!(ranked[1].1[0], "D2:1");
        // Asked before the second session: what was said later, or elsewhere, is not there.
        assert_eq!(ranked[2].1, ["D1:1"]);
    }

    #[test]
    fn sessions_are_found_once_each() {
        let ranked = rankings(Level::Session);
        assert_eq!(ranked[0].1, ["S1"]);
        assert_eq!(ranked[1].1[0], "S2");
        assert_eq!(ranked[2].1, ["S1"]);
    }
}
