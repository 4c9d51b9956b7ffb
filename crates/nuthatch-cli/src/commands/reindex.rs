//! `nuthatch reindex`: builds everything derived anew from what is canonical.
//!
//! Safe to interrupt and to run again: what it rebuilds can always be rebuilt.

use clap::Args;
use nuthatch::error::Result;
use serde::Serialize;

use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember uses tabs
  $ nuthatch reindex";

/// Arguments of `reindex`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReindexArgs {}

#[derive(Debug, Serialize)]
struct Answer {
    reindexed: u64,
}

/// Rebuilds.
pub async fn run(_: &ReindexArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let progress = Progress::new("reindexing", out);
    let reindexed = desk.engine().reindex(&|done, total| progress.show(done, total)).await;
    progress.finish();
    out.answer(&Answer { reindexed: reindexed? }, |out, answer| {
        out.say(format_args!("reindexed {}", render::memories(answer.reindexed)))
    })
}
