//! Finding memories again: lanes gather evidence, one ranking makes hits of it.
//!
//! `request.rs` says what can be asked and answered, `lanes.rs` asks the store, `rank.rs`
//! turns evidence into scores that mean the same everywhere.

mod lanes;
mod rank;
mod request;

pub use request::{Hit, HitKind, Lane, Mode, RecallRequest, Recalled, Trace};

use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::limits::Retention;
use crate::store::Store;
use crate::text::query_terms;

/// Most hits one recall gives: an answer, not an export.
const MOST_HITS: usize = 1000;

/// Answers a request out of a store.
pub(crate) async fn recall(
    store: &dyn Store,
    request: &RecallRequest,
    now: Timestamp,
    retention: &Retention,
) -> Result<Recalled> {
    if request.limit == 0 || request.limit > MOST_HITS {
        return Err(Error::invalid(format!(
            "a recall gives 1 to {MOST_HITS} hits, not {}",
            request.limit
        )));
    }
    let terms = query_terms(&request.query);
    let wants_recent = matches!(request.query.trim(), "" | "*");
    let mut hits = match request.mode {
        Mode::Recent => lanes::recent(store, request, now, retention).await?,
        Mode::Text | Mode::Hybrid if wants_recent => {
            lanes::recent(store, request, now, retention).await?
        }
        Mode::Text | Mode::Hybrid => lanes::text(store, request, &terms).await?,
    };
    let lane = if wants_recent { Lane::Recent } else { request.mode.lane() };
    let found = hits.len();
    hits.truncate(request.limit);
    let trace = Trace { mode: request.mode, lanes: vec![lane], terms, found };
    Ok(Recalled { hits, trace })
}
