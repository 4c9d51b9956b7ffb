//! Measures the product on labelled data: quality as shares, speed as milliseconds.
//!
//! The data is never part of the repository; every subcommand takes its folder. Figures
//! go to standard output as plain tables. One module for each subject.

mod cache;
mod data;
mod embedding;
mod engines;
mod injection;
mod metrics;
mod peers;
mod random;
mod retrieval;
mod secrets;
mod speed;
mod table;
mod transcripts;
mod uniform;
mod updates;
mod when;
mod worker;
mod world;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use nuthatch::recall::Mode;

use embedding::Choice;
use uniform::Level;

#[derive(Parser)]
#[command(about = "Measures quality and speed on data outside the repository.")]
struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
    /// Writes down what each lane knows of a set, so that rankings can be studied apart.
    Evidence {
        /// Folder with `corpus.jsonl` and `queries.jsonl`, plain or gzipped.
        #[arg(long)]
        data: PathBuf,
        /// What embeds: `builtin` or `file:PATH`.
        #[arg(long, default_value = "builtin")]
        embedder: Choice,
        /// A folder that keeps vectors between runs.
        #[arg(long)]
        cache: Option<PathBuf>,
        /// The folder to write into.
        #[arg(long)]
        out: PathBuf,
    },
    /// What the injection scorer flags, what it should not have, and its speed.
    Injection {
        /// Folder with `*.jsonl.gz` of labelled samples.
        #[arg(long)]
        data: PathBuf,
        /// Folders of ordinary conversations, in which nothing should be flagged.
        #[arg(long)]
        ordinary: Vec<PathBuf>,
        /// Only this third of the samples (0, 1 or 2), to tune on some and report on others.
        #[arg(long)]
        third: Option<u32>,
        /// Also print every sample that was judged wrongly.
        #[arg(long)]
        wrong: bool,
    },
    /// Other memory engines beside ours, each over its own interface.
    Peers {
        /// Folder with `corpus.jsonl` and `queries.jsonl`, plain or gzipped.
        #[arg(long)]
        data: PathBuf,
        /// Where peers are installed; `nuthatch-evals` in the user's cache folder if not said.
        #[arg(long)]
        cache: Option<PathBuf>,
        /// Folder for the rankings of each peer.
        #[arg(long)]
        rankings: Option<PathBuf>,
        /// Only these.
        names: Vec<String>,
    },
    /// Finds turns or sessions again: the metrics of a retrieval set by kind of question.
    Retrieval {
        /// Folder with `corpus.jsonl` and `queries.jsonl`, plain or gzipped.
        #[arg(long)]
        data: PathBuf,
        /// What is looked for.
        #[arg(long, value_enum, default_value = "turn")]
        level: Level,
        /// The store; a fresh SQLite file if not said.
        #[arg(long)]
        store: Option<String>,
        /// How recall looks.
        #[arg(long, default_value = "hybrid")]
        mode: Mode,
        /// What embeds: `builtin`, `none` or `file:PATH`.
        #[arg(long, default_value = "builtin")]
        embedder: Choice,
        /// A folder that keeps vectors between runs.
        #[arg(long)]
        cache: Option<PathBuf>,
        /// A set whose questions this store cannot answer.
        #[arg(long)]
        wrong: Option<PathBuf>,
        /// Where the rankings go, as JSON lines.
        #[arg(long)]
        rankings: Option<PathBuf>,
    },
    /// Recall and false alarms of the secret scanner, and its speed.
    Secrets {
        /// Folder with `*.jsonl.gz` of labelled samples.
        #[arg(long)]
        data: PathBuf,
        /// Folders of ordinary conversations, in which nothing should be found.
        #[arg(long)]
        ordinary: Vec<PathBuf>,
        /// Only this third of the rules (0, 1 or 2), to tune on some and report on others.
        #[arg(long)]
        third: Option<u32>,
        /// Also print every sample that was judged wrongly.
        #[arg(long)]
        wrong: bool,
        /// Folder of `scripts/peers`, whose scanners are run on the same samples.
        #[arg(long)]
        peers: Option<PathBuf>,
    },
    /// Recall over made-up conversations of growing size, beside bare yardsticks.
    Speed {
        /// How many turns; one table row for each.
        #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
        sizes: Vec<usize>,
        /// How many questions are asked in each way.
        #[arg(long, default_value_t = 200)]
        questions: usize,
        /// Whose vectors the random ones are, and who is timed: `builtin` or `file:PATH`.
        #[arg(long, default_value = "builtin")]
        embedder: Choice,
        /// Where stores are built and kept; a temporary folder if not said.
        #[arg(long)]
        folder: Option<PathBuf>,
        /// The product's binary, to time a recall from process start.
        #[arg(long)]
        nuthatch: Option<PathBuf>,
    },
    /// The same memories in SQLite and in PostgreSQL, recalled side by side.
    Beside {
        /// An empty place in PostgreSQL, or one that this filled before: `postgres://…?tenant=…`.
        #[arg(long)]
        postgres: String,
        /// How many memories.
        #[arg(long, default_value_t = 1_000_000)]
        memories: usize,
        /// How many questions are asked in each way.
        #[arg(long, default_value_t = 100)]
        questions: usize,
        /// Where the SQLite file is built and kept; a temporary folder if not said.
        #[arg(long)]
        folder: Option<PathBuf>,
    },
    /// Measures one store of `speed`, in a process of its own.
    #[command(hide = true)]
    SpeedOf {
        /// The folder of that size.
        #[arg(long)]
        folder: PathBuf,
        /// How many turns it holds.
        #[arg(long)]
        turns: usize,
        /// How many questions are asked.
        #[arg(long)]
        questions: usize,
        /// As for `speed`.
        #[arg(long)]
        embedder: Choice,
    },
    /// What the readers of sessions make of real ones.
    Transcripts {
        /// Folder with a folder for each agent.
        #[arg(long)]
        data: PathBuf,
        /// Also print a row for each session.
        #[arg(long)]
        each: bool,
    },
    /// How fast made-up sessions are read and recorded, and in how much memory.
    TranscriptsSpeed {
        /// Megabytes of one large session.
        #[arg(long, default_value_t = 300)]
        large: u64,
        /// Megabytes of all others together.
        #[arg(long, default_value_t = 1000)]
        all: u64,
        /// Megabytes of each of them.
        #[arg(long, default_value_t = 10)]
        each: u64,
        /// Where they are written; a temporary folder if not said.
        #[arg(long)]
        folder: Option<PathBuf>,
    },
    /// Facts that replace others, scopes that must not leak, and nothing beside.
    Updates {
        /// Folder with PrecisionMemBench, Conflict_Resolution or both.
        #[arg(long)]
        data: PathBuf,
        /// What embeds: `builtin`, `none` or `file:PATH`.
        #[arg(long, default_value = "builtin")]
        embedder: Choice,
        /// A folder that keeps vectors between runs.
        #[arg(long)]
        cache: Option<PathBuf>,
        /// Lists of contradicting facts longer than this are left out.
        #[arg(long, default_value_t = 6000)]
        most_facts: usize,
        /// Also print every case that got something else than it expected.
        #[arg(long)]
        wrong: bool,
    },
    /// Answers one JSON line for each line, as a peer among the peers of `evals/peers`.
    #[command(hide = true)]
    Worker {
        /// The store.
        #[arg(long)]
        store: String,
        /// What embeds: `builtin`, `none` or `file:PATH`.
        #[arg(long, default_value = "builtin")]
        embedder: Choice,
    },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().subject {
        Subject::Evidence { data, embedder, cache, out } => {
            let embedder = embedder.kept(cache);
            retrieval::write_evidence(&retrieval::EvidenceOptions { data, embedder, out })
        }
        Subject::Injection { data, ordinary, third, wrong } => {
            injection::run(&injection::Options { data, ordinary, third, wrong })
        }
        Subject::Peers { data, cache, rankings, names } => {
            engines::run(&engines::Options { data, cache, rankings, names })
        }
        Subject::Retrieval { data, level, store, mode, embedder, cache, wrong, rankings } => {
            let embedder = embedder.kept(cache);
            let options =
                retrieval::Options { data, level, store, mode, embedder, wrong, rankings };
            retrieval::run(&options)
        }
        Subject::Secrets { data, ordinary, third, wrong, peers } => {
            secrets::run(&secrets::Options { data, ordinary, third, wrong, peers })
        }
        Subject::Speed { sizes, questions, embedder, folder, nuthatch } => {
            speed::run(&speed::Options { sizes, questions, embedder, folder, nuthatch })
        }
        Subject::Beside { postgres: url, memories, questions, folder } => {
            speed::beside(&speed::BesideOptions { url, memories, questions, folder })
        }
        Subject::SpeedOf { folder, turns, questions, embedder } => {
            let (sizes, nuthatch) = (vec![turns], None);
            let options = speed::Options { sizes, questions, embedder, folder: None, nuthatch };
            speed::measure(&folder, turns, &options)
        }
        Subject::Transcripts { data, each } => transcripts::run(&data, each),
        Subject::TranscriptsSpeed { large, all, each, folder } => {
            transcripts::speed(&transcripts::SpeedOptions { large, all, each, folder })
        }
        Subject::Updates { data, embedder, cache, most_facts, wrong } => {
            let embedder = embedder.kept(cache);
            updates::run(&updates::Options { data, embedder, most_facts, wrong })
        }
        Subject::Worker { store, embedder } => worker::run(&store, &embedder),
    }
}
