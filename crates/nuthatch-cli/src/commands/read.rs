//! `nuthatch read`: what an address names, as it is.
//!
//! Reads only; nothing outside of what Nuthatch keeps is ever reached by an address.

use clap::Args;
use nuthatch::error::Result;

use crate::output::Output;
use crate::render;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch read memory://root
  $ nuthatch read memory://root --json";

/// Arguments of `read`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReadArgs {
    /// memory://root, memory://root/MEMORY.md, memory://root/skills/NAME/SKILL.md or memory://ID
    #[arg(value_name = "ADDRESS")]
    address: String,
}

/// Prints what is there.
pub async fn run(args: &ReadArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let read = desk.read(&args.address.parse()?).await?;
    out.answer(&read, |out, read| out.line(render::visible(read.text.trim_end())))
}
