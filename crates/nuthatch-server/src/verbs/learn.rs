//! `learn`, `lessons` and `rate`: what work taught, and how it turned out.
//!
//! Programs that run agents teach here. A model needs no tool of its own for it: what it saves
//! as a `mistake` or a `strategy` is a lesson, too.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::filter::Scopes;
use nuthatch::learn::{self, LearnRequest, Learned, Lesson, Rating};
use nuthatch::memory::Memory;
use nuthatch::trust::Origin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be learnt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnArgs {
    /// What kind of lesson.
    pub lesson: Lesson,
    /// What happened, or what to do.
    pub text: String,
    /// What mends a mistake; only a mistake has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Whose lesson: project, global or user. Default project inside a repository, else
    /// global.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// How a lesson turned out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateArgs {
    /// The id or the key of a lesson.
    pub id: String,
    /// Whether it helped or harmed.
    pub rating: Rating,
}

/// What was learnt here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lessons {
    /// The most helpful first.
    pub lessons: Vec<Memory>,
}

/// Learns something, or learns it again.
///
/// # Errors
/// As [`nuthatch::learn::learn`].
pub async fn learn(place: &Place, args: LearnArgs) -> Result<Learned> {
    let LearnArgs { lesson, text, fix, scope } = args;
    let scope = match scope {
        Some(scope) => place.scope(&scope)?,
        None => place.home().clone(),
    };
    let request = LearnRequest { lesson, text, fix, scope, origin: Origin::Agent };
    learn::learn(place.engine(), request).await
}

/// Every lesson that counts here.
///
/// # Errors
/// Whatever the store says.
pub async fn lessons(place: &Place) -> Result<Lessons> {
    let scopes = Scopes::These(place.visible());
    Ok(Lessons { lessons: learn::lessons(place.engine(), scopes).await? })
}

/// Counts a lesson as helpful or harmful.
///
/// # Errors
/// As [`nuthatch::learn::rate`].
pub async fn rate(place: &Place, args: RateArgs) -> Result<Memory> {
    let id = place.find(&args.id, place.visible()).await?.id;
    learn::rate(place.engine(), id, args.rating).await
}
