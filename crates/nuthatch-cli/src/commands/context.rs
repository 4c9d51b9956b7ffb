//! `nuthatch context`: everything an agent would see, within a token budget.
//!
//! The answer lists what is in it, what did not fit and why; `--explain` shows it.

use clap::Args;
use nuthatch::context::{Context, Format, Reason};
use nuthatch::error::Result;
use nuthatch::invocation::Invocation;

use crate::cli::Globals;
use crate::opening::Access;
use crate::output::Output;
use crate::workbench::{self, Consent, Workbench};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --category convention the tests run with just test
  $ nuthatch context code-agent
  $ echo 'Ship it on Friday.' > spec.md; nuthatch context 'code-agent[input:spec.md]'
  $ nuthatch context code-agent --query tests --budget 500 --format xml
  $ nuthatch context code-agent --explain --json";

/// Arguments of `context`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ContextArgs {
    /// The agent, and what to put in: agent[input:FILE,FILE][tail:LINES]
    #[arg(value_name = "AGENT")]
    agent: String,
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

/// Builds and prints it.
pub async fn run(args: &ContextArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let invocation: Invocation = args.agent.parse()?;
    let plan = workbench::plan(args.plan.as_deref())?;
    let bench = Workbench::open(globals, Access::Read).await?;
    let (engines, sources) = (bench.engines(Consent::Asked), bench.sources());
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
    out.text(&context.text)?;
    if context.text.is_empty() {
        out.note("there is nothing to say")?;
    }
    for note in &context.notes {
        out.note(format_args!("{}: {}", note.source, note.message))?;
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
            out.line(format_args!("in: {name}: {citation}"))?;
        }
    }
    for dropped in &context.dropped {
        let why = match dropped.reason {
            Reason::NoRoom => "no room",
            Reason::Cut => "cut",
            Reason::Repeat => "said already, or empty",
        };
        let (name, citation) = (dropped.section.name(), &dropped.citation);
        out.line(format_args!("out: {name}: {citation} ({} tokens): {why}", dropped.tokens))?;
    }
    for note in &context.notes {
        out.line(format_args!("note: {}: {}", note.source, note.message))?;
    }
    Ok(())
}
