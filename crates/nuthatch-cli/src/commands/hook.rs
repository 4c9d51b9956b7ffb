//! `nuthatch hook`: answers one event of an agent.
//!
//! Only its arguments are here. It runs before everything else does, because it must answer
//! in time whatever happens: see `hooking`.

use clap::Args;

const EXAMPLES: &str = "\
Agents run it; `nuthatch install` tells them to. It always ends with code 0, and says nothing
rather than something late: `nuthatch doctor` tells why it was silent.

Examples:
  $ nuthatch remember the staging database listens on port 5433
  $ echo '{\"hook_event_name\": \"UserPromptSubmit\", \"prompt\": \"staging database port?\"}' | nuthatch hook
  $ echo '{\"hook_event_name\": \"SessionStart\", \"session_id\": \"s1\"}' | nuthatch hook codex";

/// Arguments of `hook`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct HookArgs {
    /// Which agent asks; its event tells where this is left out
    #[arg(value_name = "AGENT")]
    pub agent: Option<String>,
}
