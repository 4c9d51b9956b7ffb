//! `nuthatch recall`: finds memories again, best first.
//!
//! A query is plain text, never syntax. Nothing found is an answer like any other.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use nuthatch::error::{Error, Result};
use nuthatch::filter::Include;
use nuthatch::recall::{Level, Mode, RecallRequest, Recalled};

use crate::output::{Format, Output};
use crate::select::{self, SelectArgs};
use crate::wiring::Desk;
use crate::{input, render};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember the staging database listens on port 5433
  $ nuthatch recall which port does staging use
  $ nuthatch recall --category core --since 7d --explain database port
  $ nuthatch recall --include memories --min-score 0.5 staging port
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
    /// What to look through
    #[arg(long, value_enum, default_value_t = Through::Both)]
    include: Through,
    /// Whether each turn of a conversation is a hit, or each conversation once
    #[arg(long, value_enum, default_value_t = By::Turn)]
    level: By,
    /// Only hits of at least this score, from 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.0)]
    min_score: f64,
    /// Say why each hit stands where it does
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    select: SelectArgs,
}

/// What is looked through.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Through {
    Both,
    Memories,
    Sessions,
}

/// What a hit is.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    Turn,
    Session,
}

/// Looks for it.
pub async fn run(args: RecallArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let session = select::session(args.session.as_deref())?;
    if !(0.0..=1.0).contains(&args.min_score) {
        return Err(Error::invalid("a score lies between 0 and 1"));
    }
    let mut filter = args.select.filter(desk, session.as_ref())?;
    filter.include = match args.include {
        Through::Both => Include::Both,
        Through::Memories => Include::Memories,
        Through::Sessions => Include::Sessions,
    };
    let request = RecallRequest {
        limit: args.limit.unwrap_or(desk.recall().limit),
        mode: match &args.mode {
            Some(mode) => mode.parse()?,
            None => desk.recall().mode.for_recall(),
        },
        level: match args.level {
            By::Turn => Level::Turn,
            By::Session => Level::Session,
        },
        min_score: args.min_score,
        explain: args.explain,
        ..RecallRequest::new(input::joined(&args.query), filter)
    };
    let recalled = desk.engine().recall(&request).await?;
    if recalled.hits.is_empty() && out.format() == Format::Human {
        out.note("nothing found")?;
    }
    if out.format() == Format::Human {
        recalled.trace.notes.iter().try_for_each(|note| out.note(format_args!("note: {note}")))?;
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
