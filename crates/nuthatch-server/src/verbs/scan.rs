//! `scan`: what the gate makes of a text, and of everything that is stored.
//!
//! Nothing is kept and nothing is changed; findings never hold what they are about.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::guard::{Examined, examine};
use nuthatch::scan::Scanned;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScanArgs {
    /// The text to look at; it is not stored.
    pub text: String,
}

/// What would become of a text.
#[must_use]
pub fn text(args: &ScanArgs) -> Examined {
    examine(&args.text)
}

/// Looks again at everything that is stored.
///
/// # Errors
/// Whatever the store says.
pub async fn scan(place: &Place) -> Result<Scanned> {
    place.engine().scan().await
}
