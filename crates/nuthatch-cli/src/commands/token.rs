//! `nuthatch token`: who may come through a server, and as what.
//!
//! A token is shown once, when it is given out; what is kept is its hash. Chance comes from the
//! system.

mod telling;

use clap::{Args, Subcommand, ValueEnum};
use nuthatch::error::Result;
use nuthatch::grant::{self, GrantRequest, Role, RotateRequest};
use nuthatch::time;

use crate::cli::Globals;
use crate::output::Output;
use crate::tenancy::{Tenancy, seed};
use crate::wiring::{self, Site};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch token create ci --role reader --expires 90d
  $ nuthatch token list
  $ nuthatch token rotate ci --keep-old 1h
  $ nuthatch token revoke ci";

/// Arguments of `token`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TokenArgs {
    #[command(subcommand)]
    action: Action,
    /// Whose memory, of a store at postgres://… [default: the tenant of its address]
    #[arg(long, global = true, value_name = "NAME")]
    tenant: Option<String>,
}

/// What can be done with tokens.
#[derive(Debug, Subcommand)]
enum Action {
    /// Give one out, and show it once
    Create {
        /// Who or what will have it
        name: String,
        /// What it may do; each role may do what those before it may
        #[arg(long, value_enum, value_name = "ROLE")]
        role: RoleArg,
        /// Until when: 90d, 1y, 2030-01-01 [default: for ever]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
    },
    /// List those that were given out, and how they stand
    List,
    /// Take one back
    Revoke {
        /// Its id or its name
        which: String,
    },
    /// Give out another for the same, and end the old one
    Rotate {
        /// Its id or its name
        which: String,
        /// How long the old one still opens: 10m, 1h, 7d [default: no longer]
        #[arg(long, value_name = "TIME")]
        keep_old: Option<String>,
        /// Until when the new one opens [default: as the old one]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
    },
}

/// A role, as it is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum RoleArg {
    /// Finds and reads
    Reader,
    /// Stores, changes and forgets, too
    Writer,
    /// Decides about what is quarantined, too
    Reviewer,
    /// Rebuilds, learns, and sees how the server stands, too
    Admin,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Role {
        match role {
            RoleArg::Reader => Role::Reader,
            RoleArg::Writer => Role::Writer,
            RoleArg::Reviewer => Role::Reviewer,
            RoleArg::Admin => Role::Admin,
        }
    }
}

/// Gives out, lists, takes back or replaces.
pub async fn run(args: &TokenArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let tenancy = Tenancy::open(&site).await?;
    let tenant = args.tenant.clone().unwrap_or(tenancy.tenant);
    grant::check_tenant(&tenant)?;
    let (grants, now) = (tenancy.grants.as_ref(), wiring::now());
    let ahead = |text: &Option<String>| {
        text.as_deref().map(|text| time::parse_ahead(text, &now)).transpose()
    };
    let at = time::to_micros(now.timestamp());
    match &args.action {
        Action::Create { name, role, expires } => {
            let (name, role) = (name.clone(), Role::from(*role));
            let request = GrantRequest { tenant, name, role, expires_at: ahead(expires)? };
            let issued = grant::issue(grants, request, seed(), at).await?;
            site.record("token create", &issued.grant.id, at)?;
            telling::given(&issued, out)
        }
        Action::List => telling::listed(&grants.all(&tenant).await?, out),
        Action::Revoke { which } => {
            let gone = grant::revoke(grants, &tenant, which, at).await?;
            site.record("token revoke", &gone.id, at)?;
            telling::revoked(&gone, out)
        }
        Action::Rotate { which, keep_old, expires } => {
            let old_until = ahead(keep_old)?.unwrap_or(at);
            let (which, expires_at) = (which.clone(), ahead(expires)?);
            let request = RotateRequest { tenant, which, old_until, expires_at };
            let issued = grant::rotate(grants, request, seed(), at).await?;
            site.record("token rotate", &issued.grant.id, at)?;
            telling::given(&issued, out)
        }
    }
}
