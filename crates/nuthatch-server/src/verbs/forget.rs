//! `forget`: removes memories and everything they ever said.
//!
//! By name only: to forget by a filter is the user's own business.

use nuthatch::Place;
use nuthatch::error::{Error, Result};
use nuthatch::forget::Forgotten;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most memories one request forgets: more than that is the user's own business.
const MOST: usize = 100;

/// Which memories.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetArgs {
    /// Ids or keys of the memories to remove for good.
    pub ids: Vec<String>,
    /// The scope of the keys, where several have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// Removes them. All are looked up first: when one is not there, none goes.
///
/// # Errors
/// `not_found`, and `conflict` when several scopes have a key.
pub async fn forget(place: &Place, args: ForgetArgs) -> Result<Forgotten> {
    if args.ids.is_empty() || args.ids.len() > MOST {
        return Err(Error::invalid(format!("name 1 to {MOST} memories to forget"))
            .with_hint("find their ids with a search or a list"));
    }
    let mut ids = Vec::new();
    for name in &args.ids {
        let scopes = place.scopes_of_key(args.scope.as_deref())?;
        ids.push(place.find(name, scopes).await?.id);
    }
    place.forget(&ids).await
}
