//! `nuthatch recall`: finds memories again, best first.
//!
//! A query is plain text, never syntax. Nothing found is an answer like any other.

use clap::Args;
use clap::builder::PossibleValuesParser;
use nuthatch::error::Result;
use nuthatch::recall::{Mode, RecallRequest, Recalled};

use crate::output::{Format, Output};
use crate::select::{self, SelectArgs};
use crate::wiring::Desk;
use crate::{input, render};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember the staging database listens on port 5433
  $ nuthatch recall which port does staging use
  $ nuthatch recall --category core --since 7d --explain database port
  $ nuthatch recall --json --mode recent --limit 3 '*'";

/// Arguments of `recall`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RecallArgs {
    /// What to look for; `*` means the newest
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// At most so many hits [default: recall.limit of the configuration]
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// How to look [default: recall.mode of the configuration]
    #[arg(long, value_parser = PossibleValuesParser::new(Mode::ALL.map(Mode::name)))]
    mode: Option<String>,
    /// As seen from this conversation: its own memories, too
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Say why each hit stands where it does
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    select: SelectArgs,
}

/// Looks for it.
pub async fn run(args: RecallArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let session = select::session(args.session.as_deref())?;
    let request = RecallRequest {
        query: input::joined(&args.query),
        filter: args.select.filter(desk, session.as_ref())?,
        limit: args.limit.unwrap_or(desk.recall().limit),
        mode: match &args.mode {
            Some(mode) => mode.parse()?,
            None => desk.recall().mode.for_recall()?,
        },
    };
    let recalled = desk.engine().recall(&request).await?;
    if recalled.hits.is_empty() && out.format() == Format::Human {
        out.note("nothing found")?;
    }
    out.answer(&recalled, |out, recalled| print(recalled, &args, desk, out))
}

fn print(recalled: &Recalled, args: &RecallArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let now = desk.now().timestamp();
    for hit in &recalled.hits {
        out.line(render::hit(hit, &recalled.trace.terms, desk.project(), now))?;
        if args.explain {
            out.line(render::evidence(hit))?;
        }
    }
    if args.explain {
        out.line(render::trace(recalled))?;
    }
    Ok(())
}
