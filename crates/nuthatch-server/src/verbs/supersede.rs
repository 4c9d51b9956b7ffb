//! `supersede`: marks a memory as replaced by another, or as current again.
//!
//! Nothing is lost by it: what was replaced is kept, and brought back the same way.

use nuthatch::error::Result;
use nuthatch::{Place, Shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What replaces what.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupersedeArgs {
    /// The id or the key of the memory that is replaced.
    pub id: String,
    /// The id or the key of the one that replaces it; without it, the memory is current again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Marks it.
///
/// # Errors
/// As [`nuthatch::Engine::supersede`].
pub async fn supersede(place: &Place, args: SupersedeArgs) -> Result<Shown> {
    let old = place.find(&args.id, place.visible()).await?.id;
    let by = match &args.by {
        Some(name) => Some(place.find(name, place.visible()).await?.id),
        None => None,
    };
    place.engine().supersede(old, by).await
}
