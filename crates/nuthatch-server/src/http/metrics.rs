//! `/metrics`: what was asked how often, how long it took, and how much is remembered.
//!
//! The text format of Prometheus. Labels are routes and statuses, never anything that a
//! caller wrote.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// Upper ends of the buckets, in seconds: a local answer takes milliseconds.
const BUCKETS: [f64; 8] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// Method, route and status of requests.
type Label = (&'static str, String, u16);

#[derive(Default)]
struct Times {
    count: u64,
    seconds: f64,
    buckets: [u64; BUCKETS.len()],
}

/// What was counted since the start.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<Label, Times>>,
}

impl Metrics {
    fn add(&self, label: Label, took: Duration) {
        let seconds = took.as_secs_f64();
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let times = requests.entry(label).or_default();
        times.count += 1;
        times.seconds += seconds;
        for (count, _) in times.buckets.iter_mut().zip(BUCKETS).filter(|(_, end)| seconds <= *end) {
            *count += 1;
        }
    }

    fn render(&self) -> String {
        let mut text = String::from(
            "# HELP nuthatch_request_seconds How long requests took.\n\
             # TYPE nuthatch_request_seconds histogram\n",
        );
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, route, status), times) in requests.iter() {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            let name = "nuthatch_request_seconds";
            for (end, count) in BUCKETS.iter().zip(times.buckets) {
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {count}");
            }
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(text, "{name}_sum{{{labels}}} {}", times.seconds);
            let _ = writeln!(text, "{name}_count{{{labels}}} {}", times.count);
        }
        text
    }
}

/// Counts a request once it is answered.
pub async fn count(State(state): State<super::State>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    let label = (method, route.unwrap_or_else(|| "none".to_owned()), response.status().as_u16());
    state.metrics.add(label, begun.elapsed());
    response
}

/// Methods anybody can invent; only the usual ones are told apart.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// The whole text.
pub async fn metrics(State(state): State<super::State>) -> Response {
    let mut text = state.metrics.render();
    let _ = write!(
        text,
        "# HELP nuthatch_build_info Which version this is.\n# TYPE nuthatch_build_info gauge\n\
         nuthatch_build_info{{version=\"{}\"}} 1\n",
        env!("CARGO_PKG_VERSION")
    );
    let stats = match state.room.place().await {
        Ok(place) => place.engine().stats().await.ok(),
        Err(_) => None,
    };
    let _ = write!(
        text,
        "# HELP nuthatch_store_up Whether the store answers.\n# TYPE nuthatch_store_up gauge\n\
         nuthatch_store_up {}\n",
        u8::from(stats.is_some())
    );
    if let Some(stats) = stats {
        for (name, about, value) in [
            ("memories", "Memories, replaced ones included.", stats.memories),
            ("versions", "Old versions of memories.", stats.versions),
            ("sessions", "Conversations.", stats.sessions),
            ("bytes", "Bytes on disk.", stats.bytes),
        ] {
            let _ = write!(
                text,
                "# HELP nuthatch_{name} {about}\n# TYPE nuthatch_{name} gauge\n\
                 nuthatch_{name} {value}\n"
            );
        }
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
