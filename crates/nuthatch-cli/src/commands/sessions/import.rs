//! `nuthatch sessions import`: takes sessions into the store.
//!
//! Only what was added since the last time is read. One that cannot be read is named, and the
//! others are taken in all the same.

use std::collections::BTreeMap;

use clap::Args;
use nuthatch::error::Result;
use nuthatch::transcript::Skipped;
use serde::Serialize;

use super::Which;
use crate::following::{self, Following};
use crate::intake::{self, Taken};
use crate::output::Output;
use crate::progress::Progress;
use crate::shelf::{Ledger, Shelf, State};
use crate::wiring::{Desk, Site};

/// Arguments of `sessions import`.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    #[command(flatten)]
    which: Which,
    /// Also those that were taken in once and forgotten
    #[arg(long)]
    again: bool,
    /// Embed everything that waits before ending, instead of in the background
    #[arg(long)]
    wait: bool,
    /// Leave embedding to a later `nuthatch reindex --missing`
    #[arg(long, conflicts_with = "wait")]
    later: bool,
}

#[derive(Debug, Default, Serialize)]
struct Answer {
    imported: Vec<Taken>,
    turns: u64,
    unchanged: u64,
    forgotten: u64,
    failed: Vec<Failed>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    skipped: Skipped,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Following>,
}

#[derive(Debug, Serialize)]
struct Failed {
    id: String,
    path: String,
    reason: String,
}

/// Takes them in.
pub(super) async fn run(
    args: &ImportArgs,
    site: &Site,
    desk: &Desk,
    out: &mut Output,
) -> Result<()> {
    let shelf = Shelf::look(site, desk, &args.which.wanted()).await?;
    let elsewhere = shelf.elsewhere;
    let progress = Progress::new("importing", out);
    let taken = take(args, shelf, desk, &progress).await;
    progress.finish();
    let mut answer = taken?;
    answer.embedding = match (args.wait, args.later || answer.turns == 0) {
        (true, _) => following::wait(desk, out).await?,
        (false, true) => None,
        (false, false) => following::begin(desk).await?,
    };
    out.answer(&answer, |out, answer| {
        let Answer { imported, turns, unchanged, forgotten, failed, skipped, embedding } = answer;
        out.say(format_args!("imported {turns} turns of {} sessions", imported.len()))?;
        for (count, what) in [(unchanged, "unchanged"), (forgotten, "forgotten before")] {
            if *count > 0 {
                out.note(format_args!("{count} {what}"))?;
            }
        }
        for (kind, count) in skipped {
            out.note(format_args!("passed over {count}: {kind}"))?;
        }
        if elsewhere > 0 {
            out.note(format_args!("{elsewhere} more of other projects: --all takes them in"))?;
        }
        for one in failed {
            out.warn(format_args!("{} was not read: {}", one.id, one.reason))?;
        }
        embedding.iter().try_for_each(|following| out.note(following))
    })
}

async fn take(args: &ImportArgs, shelf: Shelf, desk: &Desk, progress: &Progress) -> Result<Answer> {
    let mut answer = Answer { skipped: shelf.skipped, ..Answer::default() };
    let mut ledger = Ledger::open(desk.data(), desk.engine());
    let size = |sessions: &[crate::shelf::Shelved]| -> u64 {
        sessions.iter().map(|one| one.located.stamp.size).sum()
    };
    let total = size(&shelf.sessions);
    for (nth, one) in shelf.sessions.iter().enumerate() {
        progress.show(size(&shelf.sessions[..nth]), total);
        match one.state {
            State::Imported => answer.unchanged += 1,
            State::Forgotten if !args.again => answer.forgotten += 1,
            _ => match intake::take(desk.engine(), one).await {
                Ok(taken) => {
                    ledger.note(&taken.id)?;
                    answer.turns += taken.turns;
                    for (kind, count) in &taken.skipped {
                        *answer.skipped.entry(kind.clone()).or_default() += count;
                    }
                    answer.imported.push(taken);
                }
                Err(error) => answer.failed.push(Failed {
                    id: one.located.head.id.clone(),
                    path: one.located.path.display().to_string(),
                    reason: error.to_string(),
                }),
            },
        }
    }
    Ok(answer)
}
