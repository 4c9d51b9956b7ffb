//! `/metrics`: what was asked how often, how long it took, and how much is remembered.
//!
//! The text format of Prometheus. Labels are routes, statuses and tenants with a grant, never
//! anything that a caller wrote. Only who runs the server sees more than its own tenant.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::caller::Caller;

/// Upper ends of the buckets, in seconds: a local answer takes milliseconds.
const BUCKETS: [f64; 8] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// Tenants that are told apart; the rest are counted together, so that a server of thousands does
/// not drown whoever collects this.
const TENANTS: usize = 200;
/// Their name: no tenant can have it.
const THE_REST: &str = "(others)";

/// Method, route and status of requests.
type Label = (&'static str, String, u16);

#[derive(Default)]
struct Times {
    count: u64,
    seconds: f64,
    buckets: [u64; BUCKETS.len()],
}

/// What a tenant asked for.
#[derive(Clone, Copy, Default)]
struct Asked {
    requests: u64,
    failed: u64,
    refused: u64,
    seconds: f64,
}

/// One number of what a tenant asked for.
type Told = fn(&Asked) -> f64;

/// What was counted since the start.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<Label, Times>>,
    tenants: Mutex<BTreeMap<String, Asked>>,
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

    fn add_of(&self, tenant: &str, status: StatusCode, took: Duration) {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !tenants.contains_key(tenant);
        let name = if is_new && tenants.len() >= TENANTS { THE_REST } else { tenant };
        let asked = tenants.entry(name.to_owned()).or_default();
        asked.requests += 1;
        asked.failed += u64::from(status.is_server_error());
        asked.refused += u64::from(status == StatusCode::TOO_MANY_REQUESTS);
        asked.seconds += took.as_secs_f64();
    }

    /// What tenants asked for: all of them, or one.
    fn render_tenants(&self, only: Option<&str>) -> String {
        let tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let told: [(&str, &str, Told); 4] = [
            ("requests_total", "Requests of a tenant.", |asked| as_float(asked.requests)),
            ("failed_total", "Those that failed here.", |asked| as_float(asked.failed)),
            ("refused_total", "Those that came too often.", |asked| as_float(asked.refused)),
            ("seconds_total", "How long all of them took.", |asked| asked.seconds),
        ];
        for (name, about, value) in told {
            let name = format!("nuthatch_tenant_{name}");
            let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} counter");
            for (tenant, asked) in tenants.iter().filter(|(t, _)| only.is_none_or(|o| o == *t)) {
                let _ = writeln!(text, "{name}{{tenant=\"{tenant}\"}} {}", value(asked));
            }
        }
        text
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
    let took = begun.elapsed();
    state.metrics.add(label, took);
    if let Some(caller) = response.extensions().get::<Caller>() {
        state.metrics.add_of(&caller.tenant, response.status(), took);
    }
    response
}

#[allow(clippy::cast_precision_loss, reason = "the format knows floating numbers only")]
fn as_float(count: u64) -> f64 {
    count as f64
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
pub async fn metrics(
    State(state): State<super::State>,
    Extension(caller): Extension<Caller>,
) -> Response {
    let mut text = match caller.is_operator {
        true => state.metrics.render() + &state.metrics.render_tenants(None),
        false => state.metrics.render_tenants(Some(&caller.tenant)),
    };
    let _ = write!(
        text,
        "# HELP nuthatch_build_info Which version this is.\n# TYPE nuthatch_build_info gauge\n\
         nuthatch_build_info{{version=\"{}\"}} 1\n",
        env!("CARGO_PKG_VERSION")
    );
    let stats = match caller.room.place().await {
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
