//! `nuthatch memory run`: learns from sessions and renews documents, or says what it would do.
//!
//! Interrupted, it gives back what it holds.

use clap::Args;
use nuthatch::autonomy::report::{Learnt, Ran, Rewritten};
use nuthatch::autonomy::{Autonomy, RunMode, RunRequest};
use nuthatch::error::{Error, Result};

use super::Where;
use crate::output::Output;
use crate::render;
use crate::signals::told_to_end;

/// Arguments of `memory run`.
#[derive(Clone, Copy, Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    place: Where,
    /// Only show what would be done, and what it would cost
    #[arg(long)]
    dry_run: bool,
}

impl RunArgs {
    /// Whether nothing is written.
    pub fn only_looks(&self) -> bool {
        self.dry_run
    }
}

/// Runs once; whoever interrupts it leaves nothing half done.
pub async fn run(autonomy: &Autonomy, args: RunArgs, out: &mut Output) -> Result<()> {
    let mode = if args.dry_run { RunMode::LookOnly } else { RunMode::Work };
    let running = autonomy.begin(RunRequest { reach: args.place.reach(autonomy), mode });
    let end = told_to_end()?;
    let ran = tokio::select! {
        ran = running.finish() => ran?,
        () = end => {
            running.let_go().await?;
            return Err(Error::unavailable("interrupted").with_hint("run it again to go on"));
        }
    };
    out.answer(&ran, say)
}

fn say(out: &mut Output, ran: &Ran) -> Result<()> {
    for learnt in &ran.sessions {
        out.line(render::visible(&session(learnt, ran.dry_run)))?;
    }
    for rewritten in &ran.projects {
        say_documents(out, rewritten)?;
    }
    if ran.sessions.is_empty() {
        out.line("no session is due")?;
    }
    if !ran.skipped.is_empty() {
        let skipped = ran.skipped.len();
        out.note(format_args!("{skipped} skipped; `nuthatch memory status` says why"))?;
    }
    match (ran.estimate, &ran.stopped) {
        (Some(tokens), _) => out.note(format_args!("it would cost at most {tokens} tokens")),
        (None, Some(why)) => out.warn(render::visible(&format!("stopped early: {why}"))),
        (None, None) => out.note(format_args!("{} tokens spent", ran.tokens)),
    }
}

fn session(learnt: &Learnt, dry_run: bool) -> String {
    let Learnt { id, agent, stored, known, error, estimate, .. } = learnt;
    match (error, dry_run) {
        (Some(error), _) => format!("{agent} {id}: {error}"),
        (None, true) => format!("{agent} {id}: about {} tokens", estimate.unwrap_or_default()),
        (None, false) => {
            let dropped: u64 = learnt.dropped.values().sum();
            format!("{agent} {id}: {stored} learnt, {known} known, {dropped} left out")
        }
    }
}

/// What became of the documents of a project.
pub fn say_documents(out: &mut Output, one: &Rewritten) -> Result<()> {
    let number = one.generation.map(|number| format!(" (set {number})")).unwrap_or_default();
    let changes = match one.changes.len() {
        0 => String::new(),
        1 => ", 1 change".to_owned(),
        count => format!(", {count} changes"),
    };
    out.line(format_args!("documents of {}: {}{number}{changes}", one.project, one.state))?;
    one.notes.iter().try_for_each(|note| out.note(render::visible(note)))
}
