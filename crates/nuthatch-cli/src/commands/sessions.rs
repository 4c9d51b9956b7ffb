//! `nuthatch sessions`: the sessions of every agent on this machine.
//!
//! Listed and shown where they lie, taken in so that recall finds them. What is a session and
//! how it stands to the store is said in `shelf`; how it is taken in, in `intake`.

mod import;
mod list;
mod search;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use nuthatch::error::Result;

use crate::cli::Globals;
use crate::opening::Access;
use crate::output::Output;
use crate::shelf::Wanted;
use crate::wiring::{Desk, Site};

const EXAMPLES: &str = "\
Examples:
  $ echo '{\"type\": \"user\", \"uuid\": \"u\", \"message\": {\"content\": \"port 5433\"}}' > s.jsonl
  $ nuthatch sessions import --later s.jsonl
  $ nuthatch sessions search port
  $ nuthatch sessions show s --at 0
  $ nuthatch sessions list --all --agent claude-code --json";

/// Arguments of `sessions`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SessionsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List sessions, last active first
    List(Which),
    /// Take sessions in, so that recall finds what was said
    Import(import::ImportArgs),
    /// Show what was said in a session
    Show(show::ShowArgs),
    /// Find what was said in sessions
    Search(search::SearchArgs),
}

/// Which sessions.
#[derive(Debug, Args)]
struct Which {
    /// Sessions of every project, not only of this one
    #[arg(long)]
    all: bool,
    /// Only of this agent, for example claude-code (repeatable)
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<String>,
    /// Only in these files and folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl Which {
    fn wanted(&self) -> Wanted {
        Wanted { all: self.all, agents: self.agents.clone(), paths: self.paths.clone() }
    }
}

/// Answers.
pub async fn run(args: &SessionsArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let access = match args.action {
        Action::Import(_) => Access::Write,
        _ => Access::Read,
    };
    let globals = Globals { access, ..globals.clone() };
    let site = Site::find(&globals)?;
    let desk = Desk::open(&globals).await?;
    match &args.action {
        Action::List(which) => list::run(which, &site, &desk, out).await,
        Action::Import(args) => import::run(args, &site, &desk, out).await,
        Action::Show(args) => show::run(args, &site, &desk, out).await,
        Action::Search(args) => search::run(args, &desk, out).await,
    }
}
