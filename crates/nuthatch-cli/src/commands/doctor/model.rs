//! Which model compares meanings, and whether it can be asked.
//!
//! A finding only: the model is chosen in `embedder.rs`, and used by the library.

use std::path::Path;

use nuthatch::error::Kind;
use nuthatch::store::Finding;

use crate::config::settings::{Embeddings, Provider};
use crate::embedder;

/// What the model is: its name, version, hash and licence.
pub async fn check(settings: &Embeddings, data: &Path) -> Finding {
    const NAME: &str = "model";
    match embedder::opened(settings, data).await {
        Ok(Some(embedder)) => {
            let info = embedder.info();
            let licence = if info.licence.is_empty() { "licence not known" } else { &info.licence };
            Finding::ok(
                NAME,
                format!(
                    "{} ({}), {} dimensions, hash {}, {licence}",
                    info.id, info.origin, info.dimensions, info.hash
                ),
            )
        }
        Ok(None) => Finding::ok(NAME, "none: recall goes by words"),
        Err(error)
            if settings.provider == Provider::Builtin && error.kind() == Kind::Unavailable =>
        {
            Finding::ok(NAME, "none in this build: recall goes by words")
        }
        Err(error) => Finding::warning(
            NAME,
            format!("{error}; recall goes by words"),
            error.hint().unwrap_or("set embeddings.provider").to_owned(),
        ),
    }
}
