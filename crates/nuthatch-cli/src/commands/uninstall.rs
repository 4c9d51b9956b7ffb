//! `nuthatch uninstall`: disconnects agents.
//!
//! A file that is as `install` left it gets the bytes it had before; from one that was changed
//! since, our entries alone are taken.

use clap::Args;
use nuthatch::error::Result;

use crate::cli::Globals;
use crate::connecting::{self, Bench, WhichArgs};
use crate::output::Output;

const EXAMPLES: &str = "\
Memories stay; `nuthatch forget` removes those.

Examples:
  $ nuthatch uninstall --dry-run claude-code
  $ nuthatch uninstall --yes claude-code codex
  $ nuthatch uninstall --yes --project cursor";

/// Arguments of `uninstall`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct UninstallArgs {
    #[command(flatten)]
    which: WhichArgs,
}

/// Disconnects.
pub fn run(args: &UninstallArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let bench = Bench::of(&args.which, globals)?;
    let mut plans = Vec::new();
    for (agent, targets) in &bench.agents {
        plans.push((*agent, bench.installer.uninstall(targets)?));
    }
    connecting::carry_out(&plans, &bench, &args.which, out).map(|_| ())
}
