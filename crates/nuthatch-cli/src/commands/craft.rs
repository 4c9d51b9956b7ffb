//! `nuthatch craft`: a plan, carried out; what is done stays done.
//!
//! The order, what runs beside what and what is repeated are decided in `nuthatch-workspace`.

use clap::Args;
use nuthatch::error::Result;
use nuthatch::id::RequirementId;
use nuthatch_workspace::{CraftRequest, Crafted, Progress, TaskResult};

use super::Ending;
use crate::cli::Globals;
use crate::consent::ConsentArgs;
use crate::opening::Access;
use crate::output::{Chatter, Output};
use crate::render::visible;
use crate::signals::unless_told_to_end;
use crate::workbench::Workbench;

const EXAMPLES: &str = "\
Examples:
  $ mkdir -p .nuthatch/agents && echo 'engine = { command = [\"cat\"] }' > .nuthatch/agents/echo.toml
  $ mkdir -p .nuthatch/plan/R1; echo 'tasks=[{id=\"a\",agent=\"echo\"}]' > .nuthatch/plan/R1/plan.toml
  $ nuthatch craft --yes R1
  $ nuthatch craft --json R1";

/// Arguments of `craft`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CraftArgs {
    /// The plan
    #[arg(value_name = "REQ")]
    plan: String,
    /// How many tasks at a time
    #[arg(long, value_name = "N", default_value = "4")]
    at_once: usize,
    /// Most tokens of each context
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    #[command(flatten)]
    consent: ConsentArgs,
}

/// Carries it out.
pub async fn run(args: &CraftArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    let request =
        CraftRequest { plan: RequirementId::new(args.plan.as_str())?, at_once: args.at_once };
    let bench = Workbench::open(globals, Access::Read).await?;
    let (engines, sources) = (bench.engines(args.consent)?, bench.sources());
    let workshop = bench.workshop(&engines, &sources, args.budget);
    let is_told = out.chatter() == Chatter::Usual;
    let mut progress = |progress: Progress<'_>| {
        if is_told {
            tell(&progress);
        }
    };
    let crafted = unless_told_to_end(workshop.craft(&request, &mut progress)).await?;
    out.answer(&crafted, print)?;
    Ok(crafted.failure().map_or(Ending::Well, Ending::Badly))
}

/// Says what happens while it happens.
fn tell(progress: &Progress<'_>) {
    use std::io::Write as _;
    let line = match progress {
        Progress::Known(task) => format!("{}: done before", task.id),
        Progress::Begun(task) => format!("{}: {} begins", task.id, task.agent),
        Progress::Done(task, stepped) => {
            let notes = stepped.notes.iter().map(|note| format!("; {}", note.message));
            let notes = notes.collect::<String>();
            format!("{}: done ({} tokens){notes}", task.id, stepped.usage.total())
        }
        Progress::Failed(task, error) => format!("{}: failed: {error}", task.id),
        Progress::Stopped(task, by) => format!("{}: not begun, because {by} failed", task.id),
    };
    // Where nobody can be told, the answer tells it in the end.
    let _ = writeln!(anstream::stderr(), "{}", visible(&line));
}

fn print(out: &mut Output, crafted: &Crafted) -> Result<()> {
    let count = |wanted: fn(&TaskResult) -> bool| {
        crafted.tasks.iter().filter(|task| wanted(&task.result)).count()
    };
    let done = count(|result| matches!(result, TaskResult::Done));
    let known = count(|result| matches!(result, TaskResult::Known));
    let left = crafted.tasks.len() - done - known;
    out.line(format_args!("{}: {done} done, {known} done before, {left} left", crafted.plan))
}
