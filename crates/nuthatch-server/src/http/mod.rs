//! The same verbs over HTTP: REST under `/v1`, devices under `/dev/memory`, MCP at `/mcp`.
//!
//! `routes` is the one table of what there is; the router, the OpenAPI document and the tests
//! are made from it. `access` decides who may speak, before anything is read. What requests
//! mean is in `crate::verbs`.

pub mod access;
mod answer;
mod beliefs;
pub mod caller;
mod devices;
mod endpoint;
mod health;
mod metrics;
pub mod openapi;
pub mod page;
mod query;
pub mod rate;
mod readiness;
pub mod roles;
pub mod rooms;
pub mod routes;
mod wings;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use tokio::net::TcpListener;

use crate::Room;
use crate::mcp::McpServer;
use access::Access;
use metrics::Metrics;
use rooms::Rooms;
use wings::Wings;

/// Largest body that is read: more than any memory, and still nothing.
const BODY_BYTES: usize = 1024 * 1024;
/// How long open requests may take once the server is told to end.
const LAST_REQUESTS: Duration = Duration::from_secs(10);

/// What every request sees.
#[derive(Clone)]
pub(crate) struct State {
    /// The server's own: whether that one works is what the server is asked for as a whole.
    pub room: Room,
    pub metrics: Arc<Metrics>,
    /// Whether it was told to end.
    pub draining: Arc<AtomicBool>,
}

/// A session that was ended is ended, and nothing is said about it: some clients take the
/// "accepted" that the protocol's layer answers for a failure.
async fn ended(request: Request, next: Next) -> Response {
    let is_end = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if is_end && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Everything that is served.
fn router<H: ServerHandler>(rooms: Rooms, state: State, access: Access, mcp: Wings<H>) -> Router {
    let mut router = Router::new();
    for endpoint in routes::all() {
        router = router.route(endpoint.path, endpoint.method_router());
    }
    router
        .route("/dev/memory/{device}", axum::routing::post(devices::speak))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(readiness::readyz))
        .route("/metrics", get(metrics::metrics))
        .route("/openapi.json", get(openapi::serve))
        .route(page::AT, get(page::whole))
        .route("/ui/{version}/{name}", get(page::part))
        .merge(mcp.router().layer(middleware::from_fn(ended)))
        .fallback(answer::no_such_route)
        .method_not_allowed_fallback(answer::no_such_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state((Arc::new(access), rooms), access::check))
        .layer(middleware::from_fn_with_state(state.clone(), metrics::count))
        .with_state(state)
}

/// A server that has its address and serves nobody yet.
pub struct Listening {
    listener: TcpListener,
    addr: SocketAddr,
    drain: Duration,
}

impl Listening {
    /// Takes an address; port 0 takes any.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn at(addr: SocketAddr) -> io::Result<Listening> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        Ok(Listening { listener, addr, drain: Duration::ZERO })
    }

    /// The same, and still taking requests for so long after it was told to end, while it says
    /// that it is not ready: whoever shares requests out has that long to notice.
    #[must_use]
    pub fn draining(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }

    /// Where it is.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

/// Serves until `end`; then it is not ready any more, takes requests for as long as it drains, and
/// lets those that are open finish.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    rooms: impl Into<Rooms>,
    listening: Listening,
    access: Access,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_with(McpServer::stateless, rooms, listening, access, end).await
}

/// The same with another handler at `/mcp`: for tests of the protocol itself, which want tools
/// of their own behind the same layers.
///
/// # Errors
/// When the listener fails.
pub async fn serve_with<H: ServerHandler>(
    handler: impl Fn(Room) -> H + Send + Sync + 'static,
    rooms: impl Into<Rooms>,
    listening: Listening,
    access: Access,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    // Host and Origin are checked for every route by `access`, more strictly than here.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(BODY_BYTES);
    let (streams, rooms, draining) =
        (config.cancellation_token.clone(), rooms.into(), Arc::<AtomicBool>::default());
    let state = State {
        room: rooms.own().clone(),
        metrics: Arc::default(),
        draining: Arc::clone(&draining),
    };
    let router = router(rooms, state, access, Wings::new(handler, config));
    let (told, ended) = tokio::sync::oneshot::channel::<()>();
    let drain = listening.drain;
    let end = async move {
        end.await;
        draining.store(true, std::sync::atomic::Ordering::SeqCst);
        tokio::time::sleep(drain).await;
        // Streams that only wait for the server would otherwise keep it from ending.
        streams.cancel();
        let _ = told.send(());
    };
    let serving = axum::serve(listening.listener, router).with_graceful_shutdown(end);
    let too_long = async {
        if ended.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(LAST_REQUESTS).await;
    };
    tokio::select! {
        served = serving.into_future() => served,
        () = too_long => Ok(()),
    }
}
