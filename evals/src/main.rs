//! Measures the product on labelled data: quality as shares, speed as milliseconds.
//!
//! The data is never part of the repository; every subcommand takes its folder. Figures
//! go to standard output as plain tables. One module for each subject.

mod data;
mod injection;
mod peers;
mod secrets;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Measures quality and speed on data outside the repository.")]
struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Subcommand)]
enum Subject {
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
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().subject {
        Subject::Injection { data, ordinary, third, wrong } => {
            injection::run(&injection::Options { data, ordinary, third, wrong })
        }
        Subject::Secrets { data, ordinary, third, wrong, peers } => {
            secrets::run(&secrets::Options { data, ordinary, third, wrong, peers })
        }
    }
}
