//! `/healthz`: whether a memory could be stored right now.
//!
//! It is tried, not guessed: the store rehearses a write and takes it back. Beside it stands how
//! much waits to be embedded, and for how long. What is told is fit for anybody, because it
//! needs no token.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use nuthatch::error::Result;
use serde_json::{Value, json};

use super::answer;

/// Says whether it works.
pub async fn healthz(State(state): State<super::State>) -> Response {
    let (status, told) = match look(&state).await {
        Ok(queue) => (StatusCode::OK, json!({"status": "ok", "store": "writable", "queue": queue})),
        Err(error) => {
            let told = json!({"status": "failing", "store": error.kind().name()});
            (StatusCode::SERVICE_UNAVAILABLE, told)
        }
    };
    answer::json(status, &told)
}

async fn look(state: &super::State) -> Result<Value> {
    let engine = state.room.place().await?.engine();
    engine.rehearse_write().await?;
    let backlog = engine.backlog().await?;
    let age = |since| engine.now().duration_since(since).as_secs().max(0);
    Ok(json!({"waiting": backlog.waiting, "oldest_seconds": backlog.since.map_or(0, age)}))
}
