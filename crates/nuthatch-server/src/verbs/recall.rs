//! `recall`: finds memories again.
//!
//! How they are found and ranked stands in the library.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Include};
use nuthatch::id::SessionId;
use nuthatch::recall::{Level, Mode, RecallRequest, Recalled};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wanted;

/// What is looked for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallArgs {
    /// What to look for, in plain words. "*" means the newest.
    pub query: String,
    /// At most so many hits. Default 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only these categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// Only these scopes: project, global, user, session:ID. Default all that can be seen
    /// from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Stored at or after: 7d, yesterday, 2026-03-01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Stored at or before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// How to look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// What to look through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Include>,
    /// Whether each turn of a conversation is a hit, or each conversation once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Only hits of at least this score, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// Say what each score is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<bool>,
    /// Look as this conversation does: its own memories, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// Looks for it.
///
/// # Errors
/// As [`nuthatch::Engine::recall`].
pub async fn recall(place: &Place, args: RecallArgs) -> Result<Recalled> {
    let wanted = wanted(args.scopes, args.categories, args.since, args.until);
    let filter = place.filter(&wanted, args.session.as_ref())?;
    let request = RecallRequest {
        limit: args.limit.unwrap_or(place.usual().limit),
        mode: args.mode.unwrap_or(place.usual().mode),
        level: args.level.unwrap_or_default(),
        min_score: args.min_score.unwrap_or_default(),
        explain: args.explain.unwrap_or_default(),
        ..RecallRequest::new(
            args.query,
            Filter { include: args.include.unwrap_or_default(), ..filter },
        )
    };
    place.engine().recall(&request).await
}
