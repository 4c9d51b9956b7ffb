//! `nuthatch preamble`: the block of memory for a prompt, within a token budget.
//!
//! Only what is trusted enters it, and every line has the id to cite. `--remind` shows what
//! a hook would say instead, and why.

use std::collections::BTreeSet;

use clap::Args;
use nuthatch::error::Result;
use nuthatch::preamble::{Preamble, PreambleRequest};
use nuthatch::recall::{Lane, Mode};
use nuthatch::remind::{Because, Considered, PROMPT_TOKENS, RemindRequest, Reminded, START_TOKENS};

use crate::input;
use crate::output::Output;
use crate::select::ScopeArgs;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --category preference uses tabs
  $ nuthatch preamble
  $ nuthatch preamble --budget 500 how is this code indented
  $ nuthatch preamble --remind who uses tabs
  $ nuthatch preamble --json --scope global";

/// Arguments of `preamble`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PreambleArgs {
    /// What the prompt is about: memories that match come first
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// Most tokens of the block [default: context.budget_tokens of the configuration]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// What an agent's hook would say at this prompt, and why; without one, as a session begins
    #[arg(long)]
    remind: bool,
    #[command(flatten)]
    scopes: ScopeArgs,
}

/// Prints it.
pub async fn run(args: PreambleArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    if args.remind {
        return remind(args, desk, out).await;
    }
    let request = PreambleRequest {
        scopes: args.scopes.scopes(desk, None)?,
        thread: None,
        query: Some(input::joined(&args.query)).filter(|query| !query.is_empty()),
        budget_tokens: args.budget.unwrap_or(desk.usual().budget_tokens),
    };
    let preamble = desk.engine().preamble(&request).await?;
    out.answer(&preamble, print)
}

fn print(out: &mut Output, preamble: &Preamble) -> Result<()> {
    if preamble.text.is_empty() && preamble.dropped.is_empty() {
        out.note("nothing is remembered here")?;
    }
    out.text(&preamble.text)?;
    match preamble.dropped.len() {
        0 => Ok(()),
        dropped => out.note(format_args!("{dropped} did not fit; --budget gives more room")),
    }
}

async fn remind(args: PreambleArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let prompt = Some(input::joined(&args.query)).filter(|prompt| !prompt.is_empty());
    let usual = if prompt.is_some() { PROMPT_TOKENS } else { START_TOKENS };
    let request = RemindRequest {
        scopes: args.scopes.scopes(desk, None)?,
        prompt,
        given: BTreeSet::new(),
        budget_tokens: args.budget.unwrap_or(usual),
        mode: Mode::Hybrid,
    };
    let reminded = desk.engine().reminded(&request).await?;
    out.answer(&reminded, |out, Reminded { block, considered, .. }| {
        if block.text.is_empty() {
            out.note("nothing would be said")?;
        }
        out.text(&block.text)?;
        considered.iter().try_for_each(|one| out.note(reason(one)))
    })
}

/// What became of a memory, in a line.
fn reason(one: &Considered) -> String {
    let told = match one.because {
        Because::Sure => "in: sure",
        Because::Pinned => "in: pinned",
        Because::Restriction => "in: a restriction",
        Because::Room => "in: there was room",
        Because::Unsure => "out: not sure",
        Because::Enough => "out: enough others are nearer",
        Because::Given => "out: given already",
        Because::Budget => "out: did not fit",
    };
    let score = one.score.map(|score| format!(" {score:.2}")).unwrap_or_default();
    let lanes = one.lanes.iter().map(|(lane, seen)| match lane {
        Lane::Text => format!("words: {}", seen.terms.join(", ")),
        Lane::Vector => format!("meaning {:.2}", seen.raw),
        Lane::Key => "its key".to_owned(),
        Lane::Recent => "its time".to_owned(),
    });
    let lanes: Vec<String> = lanes.collect();
    let lanes = if lanes.is_empty() { String::new() } else { format!(" ({})", lanes.join("; ")) };
    format!("{}  {told}{score}{lanes}", one.id)
}
