//! `/healthz`: whether a memory could be stored right now.
//!
//! It is tried, not guessed: the store rehearses a write and takes it back. What is told is
//! fit for anybody, because it needs no token.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use nuthatch::error::Result;
use serde_json::json;

use super::answer;

/// Says whether it works.
pub async fn healthz(State(state): State<super::State>) -> Response {
    let (status, told) = match writable(&state).await {
        Ok(()) => (StatusCode::OK, json!({"status": "ok", "store": "writable"})),
        Err(error) => {
            let told = json!({"status": "failing", "store": error.kind().name()});
            (StatusCode::SERVICE_UNAVAILABLE, told)
        }
    };
    answer::json(status, &told)
}

async fn writable(state: &super::State) -> Result<()> {
    state.room.place().await?.engine().rehearse_write().await
}
