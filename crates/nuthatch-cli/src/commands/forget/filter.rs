//! Which memories `nuthatch forget` means when none is named.
//!
//! Replaced memories are included: what is to be forgotten must not live on in them.

use clap::Args;
use jiff::SignedDuration;
use nuthatch::Memory;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::filter::{Filter, Superseded};
use nuthatch::time::{self, Edge};

use crate::select::{self, ScopeArgs};
use crate::wiring::Desk;

/// The conditions; every one given must hold.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Everything of this category (repeatable)
    #[arg(long = "category", value_name = "NAME")]
    categories: Vec<String>,
    /// Everything stored before this time: 30d, yesterday, 2026-03-01 …
    #[arg(long, value_name = "TIME")]
    before: Option<String>,
    /// Everything that came from this conversation, and the conversation itself
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Everything that came from this page, site, file or folder
    #[arg(long, value_name = "PLACE")]
    source: Option<String>,
    /// Everything, in the visible scopes or those of --scope
    #[arg(long)]
    all: bool,
    /// In every scope of every project
    #[arg(long, conflicts_with = "scopes")]
    all_projects: bool,
}

impl FilterArgs {
    /// The memories meant.
    pub async fn meant(&self, scopes: &[String], desk: &Desk) -> Result<Vec<Memory>> {
        let narrowed =
            !self.categories.is_empty() || self.before.is_some() || self.source.is_some();
        if !narrowed && self.session.is_none() && !self.all && scopes.is_empty() {
            return Err(Error::invalid("--all-projects alone would forget everything there is")
                .with_hint("say --all as well if that is meant"));
        }
        let session = select::session(self.session.as_deref())?;
        let comes_from = session.is_some() || self.source.is_some();
        let all_projects = self.all_projects || (comes_from && scopes.is_empty());
        let scopes = ScopeArgs { scopes: scopes.to_vec(), all_projects };
        let mut filter = Filter::scoped(scopes.scopes(desk, session.as_ref())?);
        filter.categories = select::categories(&self.categories)?;
        filter.superseded = Superseded::Shown;
        filter.source.clone_from(&self.source);
        filter.sessions = session.into_iter().collect();
        if let Some(before) = &self.before {
            let before = time::parse(before, Edge::Start, &desk.now())?;
            // A filter holds its last moment too, and "before" does not.
            filter.until = before.checked_sub(SignedDuration::from_micros(1)).ok();
        }
        desk.engine().meant(&filter).await
    }

    /// Forgets the conversation as well, when all that came from it was meant.
    pub async fn forget_conversation(&self, desk: &Desk) -> Result<Vec<String>> {
        let whole = self.categories.is_empty() && self.before.is_none() && self.source.is_none();
        let Some(session) = select::session(self.session.as_deref())?.filter(|_| whole) else {
            return Ok(Vec::new());
        };
        match desk.forget_session(session).await {
            // Memories can name a conversation of another product that was never stored.
            Err(error) if error.kind() == Kind::NotFound => Ok(Vec::new()),
            ended => ended.map(|forgotten| forgotten.lingers),
        }
    }
}
