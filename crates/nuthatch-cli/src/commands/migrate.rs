//! `nuthatch migrate`: copies everything, or some scopes, from one store to another.
//!
//! The source is only read, and may be written to meanwhile. Interrupting leaves both stores whole, and running the same
//! command again finishes the work.

use clap::Args;
use nuthatch::Scope;
use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Scopes;
use nuthatch::migrate::{Migrated, Mover, migrate};
use nuthatch::store::Store;
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};

use crate::ask::{self, Reply};
use crate::cli::Globals;
use crate::crowding;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::wiring::Site;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --store sqlite:old.db uses tabs
  $ nuthatch migrate --from sqlite:old.db --to markdown:notes
  $ nuthatch list --store markdown:notes
  $ nuthatch migrate --from sqlite:old.db --to shared.db --scope project --scope user";

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
    /// Only this scope: global, user, project, or one such as session:ID (repeatable)
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Do not ask when the target already holds something
    #[arg(long, short)]
    yes: bool,
}

/// Copies.
pub async fn run(args: &MigrateArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let (from, to) = (site.store_url(&args.from)?, site.store_url(&args.to)?);
    check(&from, &to)?;
    let (source, target) = (site.open(&from).await?, site.open(&to).await?);
    if !args.yes && ask::can_ask() && !wanted(&*target).await? {
        return out.note("nothing was copied");
    }
    let progress = Progress::new("migrating", out);
    let auditor = site.auditor("cli");
    let mover = Mover {
        ids: &SystemIds::default(),
        at: SystemClock.now(),
        scopes: scopes(args, &site)?,
        auditor: &auditor,
        progress: &|done, total| progress.show(done, total),
    };
    let migrated = migrate(&*source, &*target, &mover).await;
    progress.finish();
    out.answer(&migrated?, |out, migrated| {
        let Migrated { memories, versions, sessions, turns, jobs: _, forgotten, flagged } =
            migrated;
        let memories = render::memories(*memories);
        out.say(format_args!("copied {memories} to {to}"))?;
        out.note(format_args!("versions: {versions}, sessions: {sessions}, turns: {turns}"))?;
        if *forgotten > 0 {
            let memories = render::memories(*forgotten);
            out.note(format_args!("forgotten there, and not copied: {memories}"))?;
        }
        match flagged.len() {
            0 => Ok(()),
            count => out.note(format_args!(
                "{count} of them would not pass the gate today and were copied as they are; \
                 `nuthatch scan --store` names them"
            )),
        }
    })?;
    if let Some(error) = auditor.trouble() {
        out.warn(format_args!("it was done, but not recorded: {error}"))?;
    }
    let rules = site.config.settings().rules;
    crowding::warn(&*target, |scope| rules.limits_of(scope), out).await
}

fn scopes(args: &MigrateArgs, site: &Site) -> Result<Scopes> {
    if args.scopes.is_empty() {
        return Ok(Scopes::All);
    }
    let read = |text: &String| match text.as_str() {
        "project" => site.project_id().map(Scope::Project),
        text => text.parse(),
    };
    args.scopes.iter().map(read).collect::<Result<_>>().map(Scopes::These)
}

fn check(from: &StoreUrl, to: &StoreUrl) -> Result<()> {
    let resolved = |url: &StoreUrl| url.path().and_then(|path| path.canonicalize().ok());
    if from == to || resolved(from).is_some_and(|place| resolved(to) == Some(place)) {
        return Err(Error::invalid("both stores are the same one")
            .with_hint("give another place after --to"));
    }
    // Opening would make an empty store there, and the mistake would look like success.
    if from.path().is_some_and(|path| !path.exists()) || *from == StoreUrl::Memory {
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
