//! `nuthatch audit`: who did what to which memory, and how it ended.
//!
//! Reads the log and never writes to it. The log holds ids and never what a memory says, so
//! it stays when a memory is forgotten.

use clap::Args;
use nuthatch::audit::Event;
use nuthatch::error::Result;
use nuthatch::time::{self, Edge};

use crate::cli::Globals;
use crate::output::Output;
use crate::render;
use crate::wiring::{self, Site};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember uses tabs
  $ nuthatch audit
  $ nuthatch audit --since 7d --json";

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct AuditArgs {
    /// Only what happened at or after this time: 7d, yesterday, 2026-03-01 …
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what was done to this memory or conversation
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Only the last so many
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: usize,
}

/// Shows what was recorded, oldest first.
pub fn run(args: &AuditArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let since = args.since.as_deref().map(|text| time::parse(text, Edge::Start, &wiring::now()));
    let since = since.transpose()?;
    let mut events = site.audit_log().read()?;
    events.retain(|event| {
        since.is_none_or(|since| event.at >= since)
            && args.id.as_ref().is_none_or(|id| event.ids.contains(id))
    });
    let events = events.split_off(events.len().saturating_sub(args.limit));
    out.answer(&events, |out, events| events.iter().try_for_each(|event| print(event, out)))
}

fn print(event: &Event, out: &mut Output) -> Result<()> {
    let Event { at, door, who, origin, operation, ids, outcome } = event;
    let who = who.as_deref().map(|who| format!(" {}", render::visible(who))).unwrap_or_default();
    let origin = origin.map(|origin| format!(" for {origin}")).unwrap_or_default();
    let ids = match ids.as_slice() {
        [] => String::new(),
        [id] => format!(" {}", render::visible(id)),
        [id, ..] => format!(" {} and {} more", render::visible(id), ids.len() - 1),
    };
    out.line(format_args!("{at} {door}{who}{origin}: {operation}{ids}: {outcome}"))
}
