//! `nuthatch install`: connects agents, or says whether they are connected.
//!
//! Thin: what each agent is to know is in `nuthatch-agents`, what is shown and asked in
//! `connecting`.

use clap::Args;
use nuthatch::error::{Kind, Result};
use nuthatch_agents::{Agent, Checked, Verdict};
use serde::Serialize;

use super::Ending;
use crate::cli::Globals;
use crate::connecting::{self, Bench, WhichArgs};
use crate::output::Output;

const EXAMPLES: &str = "\
The agent gets the memory server, and hooks that remind it: at the start of a session, and
of what matters to a prompt. Everything else in its files keeps its bytes.

Examples:
  $ nuthatch install --dry-run claude-code
  $ nuthatch install --yes claude-code codex
  $ nuthatch install --check --all
  $ nuthatch install --yes --project cursor
  $ nuthatch uninstall --yes claude-code";

/// Arguments of `install`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InstallArgs {
    #[command(flatten)]
    which: WhichArgs,
    /// Only say how it stands; ends with code 3 where something is missing
    #[arg(long, conflicts_with_all = ["yes", "dry_run"])]
    check: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    agents: Vec<Found>,
    ok: bool,
}

#[derive(Debug, Serialize)]
struct Found {
    agent: Agent,
    files: Vec<Checked>,
}

/// Connects, or looks.
pub fn run(args: &InstallArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    let bench = Bench::of(&args.which, globals)?;
    if args.check {
        return check(&bench, out);
    }
    let mut plans = Vec::new();
    for (agent, targets) in &bench.agents {
        plans.push((*agent, bench.installer.install(targets)?));
    }
    if connecting::carry_out(&plans, &bench, &args.which, out)? {
        for (agent, changes) in &plans {
            if changes.iter().any(|change| !change.is_nothing()) {
                out.note(advice(*agent))?;
            }
        }
    }
    Ok(Ending::Well)
}

fn advice(agent: Agent) -> String {
    let title = agent.title();
    match agent {
        Agent::Codex => format!("{title} asks once whether you trust new hooks; see /hooks there"),
        Agent::Goose => format!("{title} has no hooks: it is reminded when it asks the server"),
        _ => format!("{title} knows it from its next session on"),
    }
}

fn check(bench: &Bench, out: &mut Output) -> Result<Ending> {
    let look = |(agent, targets): &(Agent, Vec<_>)| Found {
        agent: *agent,
        files: bench.installer.check(targets),
    };
    let agents: Vec<Found> = bench.agents.iter().map(look).collect();
    let states = agents.iter().flat_map(|found| &found.files).map(|file| file.state);
    let worst = states.max_by_key(|state| severity(*state));
    let ok = worst.is_none_or(|worst| worst == Verdict::Installed);
    out.answer(&Answer { agents, ok }, |out, answer| {
        for found in &answer.agents {
            for file in &found.files {
                let state = word(file.state);
                out.line(format_args!("{}: {} {state}", found.agent, file.file.display()))?;
                file.details.iter().try_for_each(|why| out.line(format_args!("  {why}")))?;
            }
        }
        Ok(())
    })?;
    Ok(match worst {
        Some(Verdict::Broken) => Ending::Badly(Kind::Invalid),
        Some(Verdict::Missing | Verdict::Outdated) => Ending::Badly(Kind::NotFound),
        _ => Ending::Well,
    })
}

fn severity(state: Verdict) -> u8 {
    match state {
        Verdict::Installed => 0,
        Verdict::Outdated => 1,
        Verdict::Missing => 2,
        Verdict::Broken => 3,
    }
}

fn word(state: Verdict) -> &'static str {
    match state {
        Verdict::Installed => "is set up",
        Verdict::Outdated => "is not as it would be set up now",
        Verdict::Missing => "does not know Nuthatch",
        Verdict::Broken => "cannot be read",
    }
}
