//! `nuthatch context`: everything an agent would see, within a token budget.
//!
//! The answer lists what is in it, what did not fit and why; `--explain` shows it.

mod check;
mod files;

use clap::{Args, Subcommand};
use nuthatch::context::{Context, Format, Reason};
use nuthatch::error::{Error, Result};
use nuthatch::invocation::Invocation;

use super::Ending;
use crate::cli::Globals;
use crate::opening::Access;
use crate::output::Output;
use crate::render::visible;
use crate::workbench::{self, Workbench};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --category convention the tests run with just test
  $ nuthatch context code-agent
  $ echo 'Ship it on Friday.' > spec.md; nuthatch context 'code-agent[input:spec.md]'
  $ nuthatch context code-agent --query tests --budget 500 --format xml
  $ nuthatch context code-agent --explain --json
  $ echo 'Run the tests.' > AGENTS.md; nuthatch context files --as codex
  $ nuthatch context check spec.md";

/// Arguments of `context`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct ContextArgs {
    #[command(subcommand)]
    part: Option<Part>,
    /// The agent, and what to put in: agent[input:FILE,FILE][tail:LINES]
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// The plan it works on
    #[arg(long, value_name = "REQ")]
    plan: Option<String>,
    /// What it is about: memories that match come first
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Most tokens of the whole text [default: four times context.budget_tokens]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// How it is written: markdown, xml or json
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: Format,
    /// Show what each source gave, what it costs and what was left out, instead of the text
    #[arg(long)]
    explain: bool,
}

/// Parts of a context that can be looked at alone.
#[derive(Debug, Subcommand)]
enum Part {
    /// Print what context files say here, by our rules or another agent's
    Files(files::FilesArgs),
    /// Ask every source and say what it gave
    Check(check::CheckArgs),
}

/// Builds and prints it, or a part of it.
pub async fn run(args: &ContextArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    match &args.part {
        Some(Part::Files(args)) => files::run(args, globals, out).map(|()| Ending::Well),
        Some(Part::Check(args)) => check::run(args, globals, out),
        None => whole(args, globals, out).await.map(|()| Ending::Well),
    }
}

async fn whole(args: &ContextArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let agent = args.agent.as_deref().ok_or_else(|| {
        Error::invalid("an agent is missing").with_hint("`nuthatch context AGENT`, or --help")
    })?;
    let invocation: Invocation = agent.parse()?;
    let plan = workbench::plan(args.plan.as_deref())?;
    let bench = Workbench::open(globals, Access::Read).await?;
    let (engines, sources) = (bench.idle_engines(), bench.sources());
    let workshop = bench.workshop(&engines, &sources, args.budget);
    let context =
        workshop.context(&invocation, plan.as_ref(), args.query.clone(), args.format).await?;
    out.answer(
        &context,
        |out, context| {
            if args.explain { explain(out, context) } else { print(out, context) }
        },
    )
}

fn print(out: &mut Output, context: &Context) -> Result<()> {
    out.foreign(&context.text)?;
    if context.text.is_empty() {
        out.note("there is nothing to say")?;
    }
    for note in &context.notes {
        out.note(visible(&format!("{}: {}", note.source, note.message)))?;
    }
    match context.dropped.iter().filter(|dropped| dropped.reason != Reason::Repeat).count() {
        0 => Ok(()),
        dropped => out.note(format_args!(
            "{dropped} did not fit whole; --explain lists them, --budget gives more room"
        )),
    }
}

fn explain(out: &mut Output, context: &Context) -> Result<()> {
    out.line(format_args!("{} of {} tokens", context.spent, context.budget))?;
    for given in &context.sources {
        out.line(format_args!(
            "{}: {} of {} in, {} tokens",
            given.source, given.included, given.items, given.tokens
        ))?;
    }
    for section in &context.sections {
        let name = section.section.name();
        for citation in &section.citations {
            out.line(format_args!("in: {name}: {}", visible(citation)))?;
        }
    }
    for dropped in &context.dropped {
        let why = match dropped.reason {
            Reason::NoRoom => "no room",
            Reason::Cut => "cut",
            Reason::Repeat => "said already, or empty",
        };
        let (name, citation) = (dropped.section.name(), visible(&dropped.citation));
        out.line(format_args!("out: {name}: {citation} ({} tokens): {why}", dropped.tokens))?;
    }
    for note in &context.notes {
        out.line(visible(&format!("note: {}: {}", note.source, note.message)))?;
    }
    Ok(())
}
