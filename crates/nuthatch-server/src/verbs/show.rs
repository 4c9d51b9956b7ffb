//! `show`: one memory with everything it said before.
//!
//! A key is looked up in the visible scopes; an id names its memory wherever it is.

use nuthatch::error::Result;
use nuthatch::{Place, Shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which memory.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowArgs {
    /// The id or the key of a memory.
    pub id: String,
    /// The scope of the key, where several have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// Shows it.
///
/// # Errors
/// `not_found`, and `conflict` when several scopes have the key.
pub async fn show(place: &Place, args: ShowArgs) -> Result<Shown> {
    let scopes = place.scopes_of_key(args.scope.as_deref())?;
    let memory = place.find(&args.id, scopes).await?;
    place.engine().show(memory.id).await
}
