//! `stats`, `health` and `reindex`: the store itself.
//!
//! Which store it is, nobody here knows.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::store::{Description, Finding, StoreStats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stats {
    /// What it is and where.
    pub store: Description,
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

/// What was built anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reindexed {
    /// So many memories.
    pub reindexed: u64,
}

/// Says what is in the store.
///
/// # Errors
/// Whatever the store says.
pub async fn stats(place: &Place) -> Result<Stats> {
    let store = place.engine().store().describe();
    Ok(Stats { store, stats: place.engine().stats().await? })
}

/// Looks for damage.
///
/// # Errors
/// Only when it cannot look at all.
pub async fn health(place: &Place) -> Result<Health> {
    Ok(Health { findings: place.engine().health().await? })
}

/// Builds everything derived anew.
///
/// # Errors
/// Whatever the store says.
pub async fn reindex(place: &Place) -> Result<Reindexed> {
    Ok(Reindexed { reindexed: place.engine().reindex(&|_, _| ()).await? })
}
