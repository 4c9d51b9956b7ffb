//! `nuthatch completions`: prints a completion script for a shell.
//!
//! Made from the definition of the arguments; touches neither configuration nor store.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use nuthatch::error::Result;
use serde::Serialize;

use crate::cli::Cli;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch completions bash > nuthatch.bash
  $ nuthatch completions zsh > _nuthatch";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Serialize)]
struct Answer {
    shell: String,
    script: String,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs, out: &mut Output) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nuthatch", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let answer = Answer { shell: args.shell.to_string(), script };
    out.answer(&answer, |out, answer| out.text(&answer.script))
}
