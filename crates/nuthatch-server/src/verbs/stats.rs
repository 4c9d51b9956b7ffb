//! `stats`, `health` and `reindex`: the store itself.
//!
//! Which store it is, nobody here knows.

use nuthatch::Place;
use nuthatch::embedder::EmbedderInfo;
use nuthatch::error::Result;
use nuthatch::store::{Description, Finding, StoreStats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stats {
    /// What it is and where.
    pub store: Description,
    /// The embedding model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<EmbedderInfo>,
    /// What is in it.
    #[serde(flatten)]
    pub stats: StoreStats,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// One for each thing that was looked at.
    pub findings: Vec<Finding>,
}

/// What is to be built anew.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReindexArgs {
    /// Only embed what has no vector of the present model yet, and drop those of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<bool>,
}

/// What was built anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reindexed {
    /// So many memories, where everything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reindexed: Option<u64>,
    /// So many texts, where only what was missing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<u64>,
}

/// Says what is in the store.
///
/// # Errors
/// Whatever the store says.
pub async fn stats(place: &Place) -> Result<Stats> {
    let store = place.engine().store().describe();
    let model = place.engine().embedder();
    Ok(Stats { store, model, stats: place.engine().stats().await? })
}

/// Looks for damage.
///
/// # Errors
/// Only when it cannot look at all.
pub async fn health(place: &Place) -> Result<Health> {
    Ok(Health { findings: place.engine().health().await? })
}

/// Builds everything derived anew, or what is missing of it.
///
/// # Errors
/// Whatever the store or the embedding model says.
pub async fn reindex(place: &Place, args: ReindexArgs) -> Result<Reindexed> {
    let (engine, quiet) = (place.engine(), |_, _| ());
    if args.missing != Some(true) {
        let reindexed = Some(engine.reindex(&quiet).await?);
        return Ok(Reindexed { reindexed, embedded: None });
    }
    let embedded = engine.embed_pending(&quiet).await?;
    engine.drop_other_vectors().await?;
    Ok(Reindexed { reindexed: None, embedded: Some(embedded) })
}
