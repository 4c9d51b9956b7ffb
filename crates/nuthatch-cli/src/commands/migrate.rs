//! `nuthatch migrate`: copies everything from one store to another, losing nothing.
//!
//! The source is only read. Interrupting leaves both stores whole, and running the same
//! command again finishes the work.

use std::path::Path;

use clap::Args;
use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::migrate::{Migrated, Mover, migrate};
use nuthatch::store::Store;
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};

use crate::ask::{self, Reply};
use crate::cli::Globals;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::wiring::Site;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --store sqlite:old.db uses tabs
  $ nuthatch migrate --from sqlite:old.db --to markdown:notes
  $ nuthatch list --store markdown:notes";

/// Arguments of `migrate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MigrateArgs {
    /// The store to read
    #[arg(long, value_name = "URL")]
    from: String,
    /// The store to write; made if it is not there
    #[arg(long, value_name = "URL")]
    to: String,
    /// Do not ask when the target already holds something
    #[arg(long, short)]
    yes: bool,
}

/// Copies everything.
pub async fn run(args: &MigrateArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let (from, to) = (site.store_url(&args.from)?, site.store_url(&args.to)?);
    check(&from, &to)?;
    let (source, target) = (site.open(&from).await?, site.open(&to).await?);
    if !args.yes && ask::can_ask() && !wanted(&*target).await? {
        return out.note("nothing was copied");
    }
    let progress = Progress::new("migrating", out);
    let mover = Mover {
        ids: &SystemIds::default(),
        at: SystemClock.now(),
        progress: &|done, total| progress.show(done, total),
    };
    let migrated = migrate(&*source, &*target, &mover).await;
    progress.finish();
    out.answer(&migrated?, |out, Migrated { memories, versions, sessions, turns }| {
        let memories = render::memories(*memories);
        out.say(format_args!("copied {memories} to {to}"))?;
        out.note(format_args!("versions: {versions}, sessions: {sessions}, turns: {turns}"))
    })
}

fn check(from: &StoreUrl, to: &StoreUrl) -> Result<()> {
    let resolved = |url: &StoreUrl| url.path().and_then(|path| path.canonicalize().ok());
    if from == to || resolved(from).is_some_and(|place| resolved(to) == Some(place)) {
        return Err(Error::invalid("both stores are the same one")
            .with_hint("give another place after --to"));
    }
    // Opening would make an empty store there, and the mistake would look like success.
    if !from.path().is_some_and(Path::exists) {
        return Err(Error::not_found(format!("there is no store at {from}")));
    }
    Ok(())
}

async fn wanted(target: &dyn Store) -> Result<bool> {
    let there = target.stats().await?.memories;
    if there == 0 {
        return Ok(true);
    }
    let question = format!("the target already holds {}; go on?", render::memories(there));
    Ok(ask::confirm(&question)? == Reply::Yes)
}
