//! `nuthatch sync`: brings the store in use and another one into step.
//!
//! What the two agreed on last is kept in the data folder; without it they come to the same
//! state all the same.

mod telling;

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Region, Scopes};
use nuthatch::scope::ScopeKind;
use nuthatch::sync::{Agreement, Agreements, SyncRequest, Synced, Unremembered};
use nuthatch_stores::DiskAgreements;
use serde::Serialize;

use crate::cli::Globals;
use crate::crowding;
use crate::following::{self, Following};
use crate::opening::Access;
use crate::output::Output;
use crate::progress::Progress;
use crate::wiring::{Desk, Site};

/// Where agreements are kept, in the data folder.
const AGREEMENTS: &str = "sync";

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --store laptop.db uses tabs
  $ nuthatch sync --store laptop.db --dry-run team.db
  $ nuthatch sync --store laptop.db team.db
  $ nuthatch sync --store laptop.db --scope project --scope user --json team.db";

/// Arguments of `sync`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SyncArgs {
    /// The other store, such as postgres://HOST/DATABASE; made if it is not there
    #[arg(value_name = "URL")]
    url: String,
    /// Only this scope: global, user, project, or one such as plan:PROJECT:REQ (repeatable)
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Also your own profile
    #[arg(long, conflicts_with = "scopes")]
    include_user: bool,
    /// Also what is quarantined on either side
    #[arg(long)]
    include_quarantined: bool,
    /// As if the two had never met: what one side pushed out comes back
    #[arg(long)]
    afresh: bool,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Embed everything that waits before ending, instead of in the background
    #[arg(long)]
    wait: bool,
    /// Leave embedding to a later `nuthatch reindex --missing`
    #[arg(long, conflicts_with = "wait")]
    later: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    synced: Synced,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Following>,
}

/// Brings into step.
pub async fn run(args: &SyncArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let globals = Globals { access: Access::Write, ..globals.clone() };
    let site = Site::find(&globals)?;
    let url = site.store_url(&args.url)?;
    let desk = Desk::open(&globals).await?;
    let there = site.open(&url).await?;
    let (one, other) = (desk.engine().store().describe().url, there.describe().url);
    if one == other {
        return Err(Error::invalid("both stores are the same one").with_hint("name another one"));
    }
    let kept = DiskAgreements::of(&desk.data().join(AGREEMENTS), &one, &other);
    let agreements: &dyn Agreements = if args.afresh { &Afresh(&kept) } else { &kept };
    let request = request(args, &desk)?;
    let progress = Progress::new("comparing", out);
    let show = |done, total| progress.show(done, total);
    let synced = desk.engine().sync(&*there, &request, agreements, &show).await;
    progress.finish();
    let synced = synced?;
    let came = !args.dry_run && synced.here.all() > 0;
    let embedding = match (args.wait, args.later || !came) {
        (_, true) => None,
        (true, false) => following::wait(&desk, out).await?,
        (false, false) => following::begin(&desk).await?,
    };
    out.answer(&Answer { synced, embedding }, |out, answer| telling::tell(answer, &other, out))?;
    if let Some(error) = desk.engine().audit_trouble() {
        out.warn(format_args!("it was done, but not recorded: {error}"))?;
    }
    if came {
        crowding::warn(desk.engine().store(), |scope| desk.engine().limits_of(scope), out).await?;
    }
    Ok(())
}

/// Does not know the last agreement, and keeps the next.
struct Afresh<'a>(&'a DiskAgreements);

impl Agreements for Afresh<'_> {
    fn last(&self) -> Result<Agreement> {
        Unremembered.last()
    }

    fn keep(&self, agreement: &Agreement) -> Result<()> {
        self.0.keep(agreement)
    }
}

fn request(args: &SyncArgs, desk: &Desk) -> Result<SyncRequest> {
    let usual = SyncRequest::usual();
    let scopes = match (args.scopes.as_slice(), args.include_user) {
        ([], false) => usual.scopes,
        ([], true) => Scopes::outside(vec![Region::kind(ScopeKind::Session)]),
        (named, _) => {
            Scopes::These(named.iter().map(|name| desk.scope(name)).collect::<Result<_>>()?)
        }
    };
    Ok(SyncRequest { scopes, quarantined: args.include_quarantined, dry_run: args.dry_run })
}
