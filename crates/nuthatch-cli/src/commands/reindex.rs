//! `nuthatch reindex`: builds everything derived anew from what is canonical.
//!
//! Safe to interrupt and to run again: what it rebuilds can always be rebuilt, and what was
//! embedded stays.

use clap::Args;
use nuthatch::error::Result;
use serde::Serialize;

use crate::following;
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
pub struct ReindexArgs {
    /// Only embed what has no vector of the present model yet, and drop those of others
    #[arg(long)]
    missing: bool,
    /// As what follows a recording: leave vectors of other models, and end at once where
    /// another process is at work.
    #[arg(long, hide = true, requires = "missing")]
    follow: bool,
}

#[derive(Debug, Serialize)]
struct Missing {
    embedded: u64,
}

#[derive(Debug, Serialize)]
struct Answer {
    reindexed: u64,
}

/// Rebuilds.
pub async fn run(args: &ReindexArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let engine = desk.engine();
    if args.follow {
        let embedded = following::follow(desk).await?;
        return out.answer(&Missing { embedded }, |out, answer| {
            out.say(format_args!("embedded {}", answer.embedded))
        });
    }
    let progress = Progress::new(if args.missing { "embedding" } else { "reindexing" }, out);
    let show = |done, total| progress.show(done, total);
    let done = match args.missing {
        false => engine.reindex(&show).await,
        true => match engine.embed_pending(&show).await {
            Ok(embedded) => engine.drop_other_vectors().await.map(|_| embedded),
            Err(error) => Err(error),
        },
    };
    progress.finish();
    if args.missing {
        return out.answer(&Missing { embedded: done? }, |out, answer| {
            out.say(format_args!("embedded {}", answer.embedded))
        });
    }
    out.answer(&Answer { reindexed: done? }, |out, answer| {
        out.say(format_args!("reindexed {}", render::memories(answer.reindexed)))
    })
}
