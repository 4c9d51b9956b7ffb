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
use crate::render::{plain, visible};
use crate::signals::unless_told_to_end;
use crate::workbench::{AgentArgs, Workbench};

const EXAMPLES: &str = "\
Examples:
  $ mkdir -p .nuthatch/agents && echo 'engine = { command = [\"cat\"] }' > .nuthatch/agents/echo.toml
  $ nuthatch step --yes echo say it again
  $ nuthatch step --trust echo it is trusted as it stands
  $ nuthatch step --json 'echo[tail:5]' and again";

/// Arguments of `step`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StepArgs {
    #[command(flatten)]
    who: AgentArgs,
    /// What it is to do
    #[arg(value_name = "PROMPT")]
    prompt: Vec<String>,
}

/// Runs it.
pub async fn run(args: &StepArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let request = StepRequest {
        invocation: args.who.agent.parse()?,
        plan: args.who.plan()?,
        prompt: input::joined(&args.prompt),
    };
    let bench = Workbench::open(globals, Access::Read).await?;
    let (engines, sources) = (bench.engines(args.who.consent)?, bench.sources());
    let workshop = bench.workshop(&engines, &sources, args.who.budget);
    let is_streamed = out.format() == Format::Human;
    let mut last = None;
    let mut heard = |piece: &str| {
        last = piece.chars().last().or(last);
        if is_streamed {
            // A reader that went away is no failure of the agent.
            let _ = say(piece);
        }
    };
    let stepped = unless_told_to_end(workshop.step(&request, &mut heard)).await?;
    if is_streamed && last != Some('\n') {
        out.line("")?;
    }
    out.answer(&stepped, close)
}

/// Shows a piece of an answer as it comes, with nothing in it that steers a terminal.
pub fn say(piece: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut stdout = anstream::stdout();
    stdout.write_all(plain(piece).as_bytes()).and_then(|()| stdout.flush())
}

fn close(out: &mut Output, stepped: &Stepped) -> Result<()> {
    for note in &stepped.notes {
        out.note(visible(&format!("{}: {}", note.source, note.message)))?;
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
