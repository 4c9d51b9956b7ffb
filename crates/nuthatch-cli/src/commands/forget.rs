//! `nuthatch forget`: removes memories and everything they ever said.
//!
//! Named ones by id or key, all or none; or everything a filter means, which is previewed
//! and never done unasked: off a terminal it takes `--yes`.

mod filter;
pub mod lingering;

use std::path::PathBuf;

use clap::Args;
use nuthatch::Memory;
use nuthatch::error::{Error, Result};
use nuthatch::forget::Forgotten;
use nuthatch::id::MemoryId;
use serde::Serialize;

use crate::ask::{self, Reply};
use crate::output::{Format, Output};
use crate::wiring::Desk;
use crate::{input, render};
use filter::FilterArgs;
use lingering::histories;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --key port the staging database listens on port 5433
  $ nuthatch forget --dry-run port
  $ nuthatch forget port
  $ nuthatch forget --category conversation --before 30d --yes";

/// Lines of a preview: enough to see what is meant.
const PREVIEW: usize = 20;

/// Arguments of `forget`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ForgetArgs {
    /// Which memories
    #[arg(
        value_name = "ID|KEY",
        value_parser = input::word,
        conflicts_with = "FilterArgs",
        required_unless_present_any = ["FilterArgs", "scopes"]
    )]
    names: Vec<String>,
    /// Only this scope, or the scope of the keys (repeatable)
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Only show what would be forgotten
    #[arg(long)]
    dry_run: bool,
}

/// What was forgotten, or would be.
#[derive(Debug, Default, Serialize)]
struct Answer {
    forgotten: Vec<MemoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    would_forget: Option<Vec<MemoryId>>,
    /// Files that somebody was reading, so that they could not be emptied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lingers: Vec<String>,
    /// Repositories whose history keeps what was committed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    histories: Vec<PathBuf>,
}

/// Forgets them.
pub async fn run(args: ForgetArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let meant = match args.names.as_slice() {
        [] => args.filter.meant(&args.scopes, desk).await?,
        names => named(names, &args.scopes, desk).await?,
    };
    let ids: Vec<MemoryId> = meant.iter().map(|memory| memory.id).collect();
    if args.dry_run {
        let answer = Answer { would_forget: Some(ids), ..Answer::default() };
        return out.answer(&answer, |out, _| {
            preview(&meant, desk, out)?;
            out.note(format_args!("would forget {}", render::memories(meant.len() as u64)))
        });
    }
    let mut answer = Answer::default();
    if agreed(&args, &meant, desk, out)? == Reply::Yes {
        let Forgotten { forgotten, mut lingers } = desk.forget(&ids).await?;
        lingers.extend(args.filter.forget_conversation(desk).await?);
        lingers.dedup();
        let histories = if forgotten.is_empty() { Vec::new() } else { histories(desk) };
        answer = Answer { forgotten, lingers, histories, ..answer };
    }
    out.answer(&answer, |out, answer| {
        out.say(format_args!("forgot {}", render::memories(answer.forgotten.len() as u64)))?;
        lingering::say(&answer.lingers, &answer.histories, out)
    })
}

/// Whether to go on: by `--yes`, by the user, or because each was named.
fn agreed(args: &ForgetArgs, meant: &[Memory], desk: &Desk, out: &mut Output) -> Result<Reply> {
    if args.yes || meant.is_empty() {
        return Ok(Reply::Yes);
    }
    let count = render::memories(meant.len() as u64);
    match (ask::can_ask(), args.names.is_empty()) {
        (false, false) => Ok(Reply::Yes),
        (true, _) => {
            preview(meant, desk, out)?;
            ask::confirm(&format!("forget {count} for good?"))
        }
        (false, true) => {
            if out.format() == Format::Human {
                preview(meant, desk, out)?;
            }
            Err(Error::invalid(format!("this would forget {count}, and nobody can be asked"))
                .with_hint("--yes goes ahead, --dry-run only shows them"))
        }
    }
}

fn preview(meant: &[Memory], desk: &Desk, out: &mut Output) -> Result<()> {
    let width = out.width();
    for memory in meant.iter().take(PREVIEW) {
        out.line(render::line(memory, desk.project(), width))?;
    }
    if meant.len() > PREVIEW {
        out.line(format_args!("… and {} more", meant.len() - PREVIEW))?;
    }
    Ok(())
}

/// Every memory named; one that is not there fails before anything is done.
async fn named(names: &[String], scopes: &[String], desk: &Desk) -> Result<Vec<Memory>> {
    let scopes = match scopes {
        [] => desk.visible(),
        named => named.iter().map(|scope| desk.scope(scope)).collect::<Result<_>>()?,
    };
    let mut found: Vec<Memory> = Vec::new();
    for name in names {
        let memory = desk.find(name, scopes.clone()).await?;
        if !found.contains(&memory) {
            found.push(memory);
        }
    }
    Ok(found)
}
