//! `nuthatch show`: one memory with everything it said before.
//!
//! A key is looked up in the visible scopes; an id names its memory wherever it is.

use clap::Args;
use nuthatch::error::Result;

use crate::output::Output;
use crate::wiring::Desk;
use crate::{input, render};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --key editor uses tabs
  $ nuthatch show editor
  $ nuthatch show editor --json";

/// Arguments of `show`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ShowArgs {
    /// Which memory
    #[arg(value_name = "ID|KEY", value_parser = input::word)]
    name: String,
    /// The scope of the key, where several have it
    #[arg(long)]
    scope: Option<String>,
}

/// Shows it.
pub async fn run(args: &ShowArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let memory = desk.find(&args.name, desk.scopes_of_key(args.scope.as_deref())?).await?;
    let shown = desk.engine().show(memory.id).await?;
    out.answer(&shown, |out, shown| {
        out.text(&render::shown(shown, desk.project(), desk.now().timestamp()))
    })
}
