//! `nuthatch preamble`: the block of memory for a prompt, within a token budget.
//!
//! Only what is trusted enters it, and every line has the id to cite.

use clap::Args;
use nuthatch::error::Result;
use nuthatch::preamble::{Preamble, PreambleRequest};

use crate::input;
use crate::output::Output;
use crate::select::ScopeArgs;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --category preference uses tabs
  $ nuthatch preamble
  $ nuthatch preamble --budget 500 how is this code indented
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
    #[command(flatten)]
    scopes: ScopeArgs,
}

/// Prints it.
pub async fn run(args: PreambleArgs, desk: &Desk, out: &mut Output) -> Result<()> {
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
