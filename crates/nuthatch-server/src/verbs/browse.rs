//! `browse`: what a person looks through, with a query or without.
//!
//! The page asks this way. It is `list` and `recall` with what only their owner may ask:
//! every project at once, by trust, by agent. No tool of a model leads here.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Include, Superseded};
use nuthatch::id::SessionId;
use nuthatch::memory::Memory;
use nuthatch::place::Wanted;
use nuthatch::recall::{Hit, RecallRequest, Trace};
use nuthatch::trust::Trust;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::ListArgs;

/// Most conversations of an agent that are looked through: a store can be asked for so many
/// by name.
const MOST_SESSIONS: usize = 5000;

/// What is looked through.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrowseArgs {
    /// What to look for, in plain words; without it, everything, newest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// At most so many. Default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Leave out so many first; not with a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Only these scopes: project, global, user, project:ID, session:ID. Default all that
    /// can be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// In every scope of every project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_projects: Option<bool>,
    /// Only these categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// Only what is believed exactly so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// Only what comes from conversations of this agent, for example claude-code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only what was stored from, or belongs to, this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Stored at or after: 7d, yesterday, 2026-03-01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Stored at or before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Only pinned memories, or only others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Also memories that were replaced by others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<bool>,
    /// What a query looks through. Default memories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Include>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Browsed {
    /// This page, newest first, where no query was given.
    pub memories: Vec<Memory>,
    /// What answers the query, best first, each with what its score is made of.
    pub hits: Vec<Hit>,
    /// How many there are in all; with a query, how many were weighed.
    pub total: u64,
    /// How a query was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

async fn filter(place: &Place, args: &BrowseArgs) -> Result<Filter> {
    let wanted = Wanted {
        scopes: args.scopes.clone().unwrap_or_default(),
        all_projects: args.all_projects == Some(true),
        categories: args.categories.clone().unwrap_or_default(),
        since: args.since.clone(),
        until: args.until.clone(),
        superseded: match args.superseded {
            Some(true) => Superseded::Shown,
            _ => Superseded::Hidden,
        },
    };
    let mut filter = place.filter(&wanted, None)?;
    filter.sessions = args.session.iter().cloned().collect();
    if let Some(agent) = &args.agent {
        let own = place.engine().sessions_of(agent, MOST_SESSIONS).await?;
        let kept = |id: &SessionId| filter.sessions.is_empty() || filter.sessions.contains(id);
        let sessions: Vec<SessionId> = own.into_iter().filter(kept).collect();
        if sessions.is_empty() {
            filter.scopes = nuthatch::filter::Scopes::These(Vec::new());
        }
        filter.sessions = sessions;
    }
    (filter.min_trust, filter.max_trust) = (args.trust, args.trust);
    filter.pinned = args.pinned;
    Ok(filter)
}

/// Looks.
///
/// # Errors
/// As [`nuthatch::Engine::recall`] and [`nuthatch::Engine::list`].
pub async fn browse(place: &Place, args: BrowseArgs) -> Result<Browsed> {
    let list = ListArgs { limit: args.limit, offset: args.offset, ..ListArgs::default() };
    let (page, filter) = (list.page()?, filter(place, &args).await?);
    let query = args.query.as_deref().map(str::trim).unwrap_or_default();
    if query.is_empty() {
        let listed = place.engine().list(&filter, page).await?;
        let (memories, total) = (listed.memories, listed.total);
        return Ok(Browsed { memories, hits: Vec::new(), total, trace: None });
    }
    let include = args.include.unwrap_or(Include::Memories);
    let request = RecallRequest {
        limit: usize::try_from(page.limit).unwrap_or(usize::MAX),
        mode: place.usual().mode,
        explain: true,
        ..RecallRequest::new(query, Filter { include, ..filter })
    };
    let found = place.engine().recall(&request).await?;
    let total = found.trace.found as u64;
    Ok(Browsed { memories: Vec::new(), hits: found.hits, total, trace: Some(found.trace) })
}
