//! `nuthatch step`: one agent, once, with its context; what it says is kept.
//!
//! What its context holds and how its output is kept is decided in `nuthatch-workspace`.

use clap::Args;
use nuthatch::error::Result;
use nuthatch_workspace::{StepRequest, Stepped};

use crate::cli::Globals;
use crate::input;
use crate::opening::Access;
use crate::output::{Format, Output};
use crate::render::is_unseen;
use crate::workbench::{self, Consent, Workbench};

const EXAMPLES: &str = "\
Examples:
  $ mkdir -p .nuthatch/agents && echo 'engine = { command = [\"cat\"] }' > .nuthatch/agents/echo.toml
  $ nuthatch step --yes echo say it again
  $ nuthatch step --yes --json 'echo[tail:5]' and again";

/// Arguments of `step`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StepArgs {
    /// The agent, and what to put in: agent[input:FILE,FILE][tail:LINES]
    #[arg(value_name = "AGENT")]
    agent: String,
    /// What it is to do
    #[arg(value_name = "PROMPT")]
    prompt: Vec<String>,
    /// The plan it works on: it sees what earlier agents said, and is seen by later ones
    #[arg(long, value_name = "REQ")]
    plan: Option<String>,
    /// Most tokens of its context
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Let the agent run the program it names
    #[arg(long)]
    yes: bool,
}

/// Runs it.
pub async fn run(args: &StepArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let request = StepRequest {
        invocation: args.agent.parse()?,
        plan: workbench::plan(args.plan.as_deref())?,
        prompt: input::joined(&args.prompt),
    };
    let bench = Workbench::open(globals, Access::Read).await?;
    let (engines, sources) = (bench.engines(Consent::of(args.yes)), bench.sources());
    let workshop = bench.workshop(&engines, &sources, args.budget);
    let is_streamed = out.format() == Format::Human;
    let stepped = workshop
        .step(&request, &mut |piece| {
            if is_streamed {
                // A reader that went away is no failure of the agent.
                let _ = say(piece);
            }
        })
        .await?;
    out.answer(&stepped, close)
}

/// Shows a piece of an answer as it comes, with nothing in it that steers a terminal.
pub fn say(piece: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let plain = |c: &char| !is_unseen(*c) || matches!(c, '\n' | '\t');
    let piece: String = piece.chars().filter(plain).collect();
    let mut stdout = anstream::stdout();
    stdout.write_all(piece.as_bytes()).and_then(|()| stdout.flush())
}

fn close(out: &mut Output, stepped: &Stepped) -> Result<()> {
    if !stepped.output.ends_with('\n') {
        out.line("")?;
    }
    for note in &stepped.notes {
        out.note(format_args!("{}: {}", note.source, note.message))?;
    }
    if stepped.cut {
        out.warn("the answer was cut: the model may say no more")?;
    }
    if stepped.kept.is_quarantined() {
        out.warn("the answer looks like orders to its reader; later agents will not see it")?;
    }
    match stepped.dropped.len() {
        0 => Ok(()),
        dropped => out.note(format_args!("{dropped} did not fit into its context")),
    }
}
