//! `review`: what is quarantined and why, and letting it go on or go away.
//!
//! For whoever holds the token of the server, on behalf of the person who reads it: no tool
//! of a model leads here.

use nuthatch::Place;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Superseded};
use nuthatch::forget::Forgotten;
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::review::{Approved, Waiting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wanted;

/// Most memories that are decided about at once: a person has read them all.
const MOST: usize = 1000;

/// Which of those that wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewArgs {
    /// Only what came from this page, site, file or folder, in any project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Only what came from this conversation, in any project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// In every scope of every project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_projects: Option<bool>,
}

/// Memories that wait for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reviewed {
    /// Newest first, each with what speaks against it.
    pub waiting: Vec<Waiting>,
}

/// One memory that waits.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneWaiting {
    /// The id or the key of a memory.
    pub id: String,
}

/// Memories that are decided about.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Their ids or keys.
    pub ids: Vec<String>,
}

/// What waits, and why.
///
/// # Errors
/// As [`nuthatch::Engine::review`].
pub async fn review(place: &Place, args: ReviewArgs) -> Result<Reviewed> {
    let mut wanted = wanted(None, None, None, None);
    wanted.all_projects =
        args.all_projects == Some(true) || args.session.is_some() || args.source.is_some();
    let mut filter = Filter::scoped(place.scopes(&wanted, None)?);
    filter.superseded = Superseded::Shown;
    filter.source = args.source;
    filter.sessions = args.session.into_iter().collect();
    Ok(Reviewed { waiting: place.engine().review(&filter).await? })
}

/// One memory with what speaks against it, whether it waits or not.
///
/// # Errors
/// `not_found`, and `conflict` when several scopes have the key.
pub async fn examine(place: &Place, args: OneWaiting) -> Result<Waiting> {
    let id = place.find(&args.id, place.visible()).await?.id;
    place.engine().examine(id).await
}

/// Lets memories into prompts: they count as the user's own word.
///
/// # Errors
/// As [`nuthatch::Engine::approve`].
pub async fn approve(place: &Place, decision: Decision) -> Result<Approved> {
    place.engine().approve(&ids(place, decision).await?).await
}

/// Forgets memories, and everything they ever said.
///
/// # Errors
/// As [`nuthatch::Engine::forget`].
pub async fn reject(place: &Place, decision: Decision) -> Result<Forgotten> {
    place.forget(&ids(place, decision).await?).await
}

async fn ids(place: &Place, Decision { ids: names }: Decision) -> Result<Vec<MemoryId>> {
    if names.is_empty() || names.len() > MOST {
        return Err(Error::invalid(format!("name 1 to {MOST} memories to decide about")));
    }
    let mut ids = Vec::new();
    for name in &names {
        ids.push(place.find(name, place.visible()).await?.id);
    }
    Ok(ids)
}
