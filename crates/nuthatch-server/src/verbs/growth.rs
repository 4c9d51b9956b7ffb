//! `growth`: how memory grew and was used, day by day.
//!
//! Numbers alone; what is in the store right now is `stats`.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::growth::{Grown, GrowthRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wanted;

/// So many days unless asked otherwise: a quarter of a year.
const USUAL_DAYS: u32 = 90;

/// What is counted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrowthArgs {
    /// So many days, up to and with today. Default 90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// Only these scopes. Default all that can be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// In every scope of every project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_projects: Option<bool>,
}

/// Counts.
///
/// # Errors
/// As [`nuthatch::Engine::growth`].
pub async fn growth(place: &Place, args: GrowthArgs) -> Result<Grown> {
    let mut wanted = wanted(args.scopes, None, None, None);
    wanted.all_projects = args.all_projects == Some(true);
    let scopes = place.scopes(&wanted, None)?;
    let zone = place.now().time_zone().clone();
    let request = GrowthRequest { scopes, days: args.days.unwrap_or(USUAL_DAYS), zone };
    place.engine().growth(&request).await
}
