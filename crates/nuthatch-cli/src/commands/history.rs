//! `nuthatch history`: what was said in chats.
//!
//! Reads and clears the files of sessions; `chat` writes them.

use clap::{Args, Subcommand};
use nuthatch::error::{Error, Result};
use nuthatch_workspace::{History, Workspace};
use serde::Serialize;

use crate::cli::Globals;
use crate::output::Output;
use crate::render::{plain, visible};
use crate::wiring;

const EXAMPLES: &str = "\
Examples:
  $ mkdir -p .nuthatch/agents && echo 'engine = { command = [\"cat\"] }' > .nuthatch/agents/echo.toml
  $ echo hello | nuthatch chat --yes --session monday echo
  $ nuthatch history list
  $ nuthatch history show monday
  $ nuthatch history clear monday";

/// Arguments of `history`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct HistoryArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the sessions that have a history
    List,
    /// Show the interactions of a session
    Show {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,
    },
    /// Remove the history of a session
    Clear {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,
    },
}

#[derive(Serialize)]
struct Listed {
    session_id: String,
    agent_id: String,
    interactions: usize,
    last: Option<jiff::Timestamp>,
}

#[derive(Serialize)]
struct Cleared<'a> {
    cleared: &'a str,
}

/// Answers.
pub fn run(args: &HistoryArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let workspace = Workspace::new(wiring::find_root(globals)?.folder);
    match &args.action {
        Action::List => list(&workspace, out),
        Action::Show { session } => show(&workspace, session, out),
        Action::Clear { session } => {
            History::clear(&workspace, session)?;
            out.answer(&Cleared { cleared: session }, |out, Cleared { cleared }| {
                out.say(format_args!("cleared {cleared}"))
            })
        }
    }
}

fn list(workspace: &Workspace, out: &mut Output) -> Result<()> {
    let mut listed = Vec::new();
    for name in History::list(workspace)? {
        match History::load(workspace, &name) {
            Ok(History { session_id, agent_id, interactions }) => listed.push(Listed {
                session_id,
                agent_id,
                last: interactions.last().map(|last| last.timestamp),
                interactions: interactions.len(),
            }),
            // One that is broken must not hide the others.
            Err(error) => out.warn(&error)?,
        }
    }
    out.answer(&listed, |out, listed| {
        if listed.is_empty() {
            out.note("there is no history yet")?;
        }
        listed.iter().try_for_each(|one| {
            let (session, agent) = (&one.session_id, visible(&one.agent_id));
            out.line(format_args!("{session}  {agent}  {}", one.interactions))
        })
    })
}

fn show(workspace: &Workspace, session: &str, out: &mut Output) -> Result<()> {
    let history = History::load(workspace, session)?;
    if history.interactions.is_empty() {
        return Err(Error::not_found(format!("there is no history of {session:?}"))
            .with_hint("`nuthatch history list` shows the sessions"));
    }
    out.answer(&history, |out, history| {
        history.interactions.iter().try_for_each(|one| {
            out.line(format_args!("> {}", plain(&one.goal)))?;
            if !one.plan.is_empty() {
                out.line(format_args!("({})", plain(&one.plan)))?;
            }
            out.line(plain(&one.output))
        })
    })
}
