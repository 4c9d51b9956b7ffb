//! `nuthatch plan`: the plans of a project, how far they are, and what agents said.
//!
//! Only reads; `craft` carries plans out.

use clap::{Args, Subcommand};
use nuthatch::error::{Error, Result};
use nuthatch::id::{AgentId, RequirementId};
use nuthatch_workspace::{Output as Said, Outputs, Plan, PlanState, Stage, Workspace};
use serde::Serialize;

use crate::cli::Globals;
use crate::output::Output;
use crate::render::{plain, visible};
use crate::wiring;

const EXAMPLES: &str = "\
Examples:
  $ mkdir -p .nuthatch/plan/REQ-069 && echo 'title = \"Sign in\"' > .nuthatch/plan/REQ-069/plan.toml
  $ nuthatch plan list
  $ nuthatch plan show REQ-069
  $ nuthatch plan memory REQ-069 --json";

/// Arguments of `plan`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct PlanArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the plans
    List,
    /// Show a plan's tasks and how far they are
    Show {
        /// The plan
        #[arg(value_name = "REQ")]
        plan: String,
    },
    /// Show what agents said in a plan: the end of each one's last output
    Memory {
        /// The plan
        #[arg(value_name = "REQ")]
        plan: String,
        /// Only this agent
        #[arg(value_name = "AGENT")]
        agent: Option<String>,
    },
}

#[derive(Serialize)]
struct Listed {
    id: RequirementId,
    title: String,
    status: String,
    tasks: usize,
    done: usize,
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    plan: Plan,
    state: PlanState,
}

/// Answers.
pub fn run(args: &PlanArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let workspace = Workspace::new(wiring::find_root(globals)?.folder);
    match &args.action {
        Action::List => list(&workspace, out),
        Action::Show { plan } => show(&workspace, &RequirementId::new(plan.as_str())?, out),
        Action::Memory { plan, agent } => {
            let agent = agent.as_deref().map(AgentId::new).transpose()?;
            memory((&workspace, &RequirementId::new(plan.as_str())?), agent.as_ref(), out)
        }
    }
}

fn list(workspace: &Workspace, out: &mut Output) -> Result<()> {
    let mut plans = Vec::new();
    for id in Plan::list(workspace)? {
        // One that is broken must not hide the others.
        let (plan, state) = match (Plan::load(workspace, &id), PlanState::load(workspace, &id)) {
            (Ok(plan), Ok(state)) => (plan, state),
            (Err(error), _) | (_, Err(error)) => {
                out.warn(&error)?;
                continue;
            }
        };
        let done = plan.tasks.iter().filter(|task| state.is_done(task)).count();
        let Plan { id, title, status, tasks } = plan;
        plans.push(Listed { id, title, status, tasks: tasks.len(), done });
    }
    out.answer(&plans, |out, plans| {
        if plans.is_empty() {
            out.note("there are no plans; write one in .nuthatch/plan/REQ/plan.toml")?;
        }
        plans.iter().try_for_each(|Listed { id, title, status, tasks, done }| {
            let (status, title) = (visible(status), visible(title));
            out.line(format_args!("{id}  {status}  {done}/{tasks}  {title}"))
        })
    })
}

fn show(workspace: &Workspace, id: &RequirementId, out: &mut Output) -> Result<()> {
    let (plan, state) = (Plan::load(workspace, id)?, PlanState::load(workspace, id)?);
    out.answer(&Shown { plan, state }, |out, Shown { plan, state }| {
        let (status, title) = (visible(&plan.status), visible(&plan.title));
        out.line(format_args!("{} ({status}): {title}", plan.id))?;
        plan.tasks.iter().try_for_each(|task| {
            let stage = match state.tasks.get(&task.id).map(|known| known.stage) {
                Some(Stage::Done) if state.is_done(task) => "done",
                Some(Stage::Done) => "changed since it was done",
                Some(Stage::Running) => "begun",
                Some(Stage::Failed) => "failed",
                None => "open",
            };
            let agent = visible(&task.agent.to_string());
            out.line(format_args!("  {}  {agent}  {stage}", task.id))
        })
    })
}

fn memory(
    (workspace, id): (&Workspace, &RequirementId),
    agent: Option<&AgentId>,
    out: &mut Output,
) -> Result<()> {
    let (mut said, errors) = Outputs::of(workspace, Some(id)).all()?;
    errors.iter().try_for_each(|error| out.warn(error))?;
    if let Some(agent) = agent {
        said.retain(|one| one.agent_id == *agent);
        if said.is_empty() {
            return Err(Error::not_found(format!("{agent} has said nothing in {id}")));
        }
    }
    out.answer(&said, |out, said: &Vec<Said>| {
        if said.is_empty() {
            out.note("nobody has said anything yet")?;
        }
        said.iter().try_for_each(|one| {
            out.line(format_args!("== {} at {}", one.agent_id, one.timestamp))?;
            out.line(plain(&one.output))
        })
    })
}
