//! `nuthatch memory`: what is learnt from sessions, and the documents made of it.
//!
//! Says what is due and why the rest is not, runs it, shows what would be put in at the start
//! of a session, and keeps every set of documents that was published.

mod clear;
mod history;
mod run;
mod status;

use clap::{Args, Subcommand};
use nuthatch::autonomy::pick::Reach;
use nuthatch::autonomy::{Afterwards, Autonomy};
use nuthatch::error::Result;

use crate::opening::Access;
use crate::output::Output;
use crate::render;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch memory status
  $ nuthatch memory run --dry-run
  $ nuthatch memory run
  $ nuthatch memory view --json
  $ nuthatch memory spend --json

Autonomous memory works by itself once `enabled = true` stands in [memories].";

/// Arguments of `memory`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MemoryArgs {
    #[command(subcommand)]
    action: Action,
}

/// What can be done.
#[derive(Debug, Subcommand)]
enum Action {
    /// Show every job, and every session with why it is skipped
    Status(Where),
    /// Learn from sessions now, and renew the documents
    Run(run::RunArgs),
    /// Print exactly what is put in at the start of a session
    View,
    /// Remove what was learnt here and its documents; it does not come back by itself
    Clear(clear::ClearArgs),
    /// The same, and learn everything anew at the next run
    Reset(clear::ClearArgs),
    /// Let the documents be made anew at the next run
    Enqueue,
    /// Make the documents anew, now
    Rebuild,
    /// List the sets of documents that are kept, newest first
    Log,
    /// Show what is different between two sets
    Diff {
        /// The older set [default: the one before]
        from: Option<u64>,
        /// The newer set [default: the published one]
        to: Option<u64>,
    },
    /// Publish an earlier set of documents again
    Undo {
        /// Which [default: the one before]
        to: Option<u64>,
    },
    /// Show what models cost
    Spend,
}

/// Whose sessions.
#[derive(Clone, Copy, Debug, Args)]
pub struct Where {
    /// Sessions of every project
    #[arg(long)]
    all_projects: bool,
}

impl Where {
    /// The same as the library says it.
    pub fn reach(self, autonomy: &Autonomy) -> Reach {
        match self.all_projects {
            true => Reach::AllProjects,
            false => Reach::Project(autonomy.project().clone()),
        }
    }
}

impl MemoryArgs {
    /// What it does with a store: only what learns may begin one.
    pub fn access(&self) -> Access {
        match &self.action {
            Action::Run(args) if !args.only_looks() => Access::Write,
            _ => Access::Read,
        }
    }
}

/// Does what was asked for.
pub async fn run(args: MemoryArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let autonomy = desk.autonomy()?;
    match args.action {
        Action::Status(place) => status::run(autonomy, place, out).await,
        Action::Run(args) => run::run(autonomy, args, out).await,
        Action::View => view(autonomy, out),
        Action::Clear(args) => clear::run(autonomy, args, Afterwards::StayAway, out).await,
        Action::Reset(args) => clear::run(autonomy, args, Afterwards::LearnAnew, out).await,
        Action::Enqueue => {
            let job = autonomy.enqueue(autonomy.project()).await?;
            out.answer(&job, |out, _| out.say("the documents are made anew at the next run"))
        }
        Action::Rebuild => {
            let made = autonomy.rebuild(autonomy.project()).await?;
            out.answer(&made, run::say_documents)
        }
        Action::Log => history::log(autonomy, out),
        Action::Diff { from, to } => history::diff(autonomy, from, to, out),
        Action::Undo { to } => history::undo(autonomy, to, out),
        Action::Spend => history::spend(autonomy, out),
    }
}

fn view(autonomy: &Autonomy, out: &mut Output) -> Result<()> {
    let viewed = autonomy.view()?;
    out.answer(&viewed, |out, viewed| {
        if viewed.text.is_empty() {
            return out.note("nothing is put in: this project has no summary yet");
        }
        out.line(render::visible(&viewed.text))?;
        out.note(format_args!("about {} tokens", viewed.tokens))
    })
}
