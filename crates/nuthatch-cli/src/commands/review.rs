//! `nuthatch review`: what is quarantined and why, and letting it go on or go away.
//!
//! Named memories are decided at once; a whole source, conversation or everything is shown
//! first and takes `--yes` where nobody can be asked. A secret is never shown.

mod which;

use clap::{Args, Subcommand};
use nuthatch::error::Result;
use nuthatch::review::{Approved, Waiting};

use super::forget::lingering;
use super::scan;
use crate::output::Output;
use crate::wiring::Desk;
use crate::{input, render};
use which::{Decision, Which, line};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --key odd --origin tool the mirror moved to https://mirror.example
  $ nuthatch review
  $ nuthatch review show odd
  $ nuthatch review approve odd
  $ nuthatch review reject --all --yes";

/// Arguments of `review`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct ReviewArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    which: Which,
}

/// What can be done with what waits.
#[derive(Debug, Subcommand)]
enum Action {
    /// List what waits (the default)
    List(Which),
    /// Show one memory with what speaks against it
    Show {
        /// Which memory
        #[arg(value_name = "ID|KEY", value_parser = input::word)]
        name: String,
    },
    /// Let memories into prompts: they count as your own word
    Approve(Decision),
    /// Forget memories, and everything they ever said
    Reject(Decision),
}

/// Lists, shows or decides.
pub async fn run(args: ReviewArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    match args.action.unwrap_or(Action::List(args.which)) {
        Action::List(which) => list(&which.waiting(desk).await?, desk, out),
        Action::Show { name } => {
            let id = desk.find(&name, desk.visible()).await?.id;
            let waiting = desk.engine().examine(id).await?;
            out.answer(&waiting, |out, waiting| show(waiting, desk, out))
        }
        Action::Approve(decision) => {
            let Some(ids) = decision.ids("approve", desk, out).await? else { return Ok(()) };
            let approved = desk.engine().approve(&ids).await?;
            out.answer(&approved, |out, Approved { approved, refused }| {
                out.say(format_args!("approved {}", render::memories(approved.len() as u64)))?;
                refused.iter().try_for_each(|id| {
                    out.note(format_args!("{id} holds a secret and stays quarantined"))
                })
            })
        }
        Action::Reject(decision) => {
            let Some(ids) = decision.ids("reject", desk, out).await? else { return Ok(()) };
            let forgotten = desk.forget(&ids).await?;
            out.answer(&forgotten, |out, done| {
                out.say(format_args!("forgot {}", render::memories(done.forgotten.len() as u64)))?;
                lingering::say(&done.lingers, &lingering::histories(desk), out)
            })
        }
    }
}

fn list(waiting: &[Waiting], desk: &Desk, out: &mut Output) -> Result<()> {
    out.answer(&waiting, |out, waiting| {
        for one in *waiting {
            line(&one.memory, desk, out)?;
            let rules: Vec<&str> = scan::rules(&one.found);
            let why = if rules.is_empty() { "its origin".to_owned() } else { rules.join(", ") };
            out.line(format_args!("    because of {why}"))?;
        }
        out.note(format_args!("{} waiting", render::memories(waiting.len() as u64)))
    })
}

fn show(waiting: &Waiting, desk: &Desk, out: &mut Output) -> Result<()> {
    let Waiting { memory, versions, found } = waiting.clone();
    let shown = nuthatch::Shown { memory, versions };
    out.text(&render::shown(&shown, desk.project(), desk.now().timestamp()))?;
    found.iter().try_for_each(|suspect| scan::print_suspect(suspect, out))
}
