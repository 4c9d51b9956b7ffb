//! `/readyz`: whether requests should be sent here now.
//!
//! Apart from health: a server that was told to end is healthy and not ready. Reading is tried
//! and nothing is written, because it is asked every few seconds; what takes too long is a no.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use nuthatch::error::Result;
use nuthatch::filter::Page;
use serde_json::json;

use super::answer;

/// How long the store may take: less than whoever asks waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// Says whether it is.
pub async fn readyz(State(state): State<super::State>) -> Response {
    let why = if state.draining.load(Ordering::SeqCst) {
        "draining"
    } else {
        match tokio::time::timeout(PATIENCE, look(&state)).await {
            Ok(Ok(())) => return answer::json(StatusCode::OK, &json!({"status": "ready"})),
            Ok(Err(error)) => error.kind().name(),
            Err(_) => "slow",
        }
    };
    answer::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready", "why": why}))
}

async fn look(state: &super::State) -> Result<()> {
    let place = state.room.place().await?;
    place.engine().sessions(Page { limit: 1, offset: 0 }).await.map(|_| ())
}
