//! Agents that a new project could be connected to.
//!
//! For the user, as `nuthatch install --all` does; whoever wants the repository to bring the
//! entries along asks `install --project`.

use nuthatch::error::Result;
use nuthatch_agents::{Agent, Verdict};

use crate::cli::Globals;
use crate::connecting::{self, Bench, WhichArgs};
use crate::output::{Format, Output};

/// The agents that are found on this machine and not connected yet.
pub fn waiting(globals: &Globals) -> Vec<Agent> {
    let Ok(bench) = Bench::of(&WhichArgs::everything(), globals) else { return Vec::new() };
    let is_new = |targets: &Vec<_>| {
        bench.installer.check(targets).iter().any(|file| file.state != Verdict::Installed)
    };
    bench.agents.iter().filter(|(_, targets)| is_new(targets)).map(|(agent, _)| *agent).collect()
}

/// Connects every agent that is found.
pub fn connect(globals: &Globals, out: &mut Output) -> Result<()> {
    if waiting(globals).is_empty() {
        return out.note("no agent is found that is not connected yet");
    }
    let which = WhichArgs::everything();
    let bench = Bench::of(&which, globals)?;
    let mut plans = Vec::new();
    for (agent, targets) in &bench.agents {
        plans.push((*agent, bench.installer.install(targets)?));
    }
    match out.format() {
        // The answer of `init` is one value.
        Format::Json => connecting::carry_out(&plans, &bench, &which, &mut Output::kept()),
        Format::Human => connecting::carry_out(&plans, &bench, &which, out),
    }
    .map(|_| ())
}
