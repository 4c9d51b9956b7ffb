//! The same verbs over HTTP: REST under `/v1`, devices under `/dev/memory`, MCP at `/mcp`.
//!
//! `routes` is the one table of what there is; the router, the OpenAPI document and the tests
//! are made from it. `access` decides who may speak, before anything is read. What requests
//! mean is in `crate::verbs`.

pub mod access;
mod answer;
mod devices;
mod endpoint;
mod health;
mod metrics;
pub mod openapi;
pub mod page;
mod query;
pub mod routes;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::Room;
use crate::mcp::McpServer;
use access::Access;
use metrics::Metrics;

/// Largest body that is read: more than any memory, and still nothing.
const BODY_BYTES: usize = 1024 * 1024;
/// How long an idle MCP session is kept: people go to lunch and come back.
const SESSION_IDLE: Duration = Duration::from_secs(4 * 60 * 60);
/// How long open requests may take once the server is told to end.
const LAST_REQUESTS: Duration = Duration::from_secs(10);

/// What every request sees.
#[derive(Clone)]
pub(crate) struct State {
    pub room: Room,
    pub metrics: Arc<Metrics>,
}

/// MCP as a service, with sessions and without.
fn mcp_service<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    config: StreamableHttpServerConfig,
) -> StreamableHttpService<H, LocalSessionManager> {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE);
    StreamableHttpService::new(move || Ok(handler()), Arc::new(sessions), config)
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
fn router<H: ServerHandler>(
    room: Room,
    access: Access,
    mcp: StreamableHttpService<H, LocalSessionManager>,
) -> Router {
    let state = State { room, metrics: Arc::default() };
    let mut router = Router::new();
    for endpoint in routes::all() {
        router = router.route(endpoint.path, endpoint.method_router());
    }
    router
        .route("/dev/memory/{device}", axum::routing::post(devices::speak))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(metrics::metrics))
        .route("/openapi.json", get(openapi::serve))
        .route(page::AT, get(page::whole))
        .route("/ui/{version}/{name}", get(page::part))
        .merge(Router::new().route_service("/mcp", mcp).layer(middleware::from_fn(ended)))
        .fallback(answer::no_such_route)
        .method_not_allowed_fallback(answer::no_such_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(Arc::new(access), access::check))
        .layer(middleware::from_fn_with_state(state.clone(), metrics::count))
        .with_state(state)
}

/// A server that has its address and serves nobody yet.
pub struct Listening {
    listener: TcpListener,
    addr: SocketAddr,
}

impl Listening {
    /// Takes an address; port 0 takes any.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn at(addr: SocketAddr) -> io::Result<Listening> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        Ok(Listening { listener, addr })
    }

    /// Where it is.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

/// Serves until `end`, then lets open requests finish.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    room: Room,
    listening: Listening,
    access: Access,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let own = room.clone();
    serve_with(move || McpServer::stateless(own.clone()), room, listening, access, end).await
}

/// The same with another handler at `/mcp`: for tests of the protocol itself, which want tools
/// of their own behind the same layers.
///
/// # Errors
/// When the listener fails.
pub async fn serve_with<H: ServerHandler>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    room: Room,
    listening: Listening,
    access: Access,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    // Host and Origin are checked for every route by `access`, more strictly than here.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(BODY_BYTES);
    let streams = config.cancellation_token.clone();
    let router = router(room, access, mcp_service(handler, config));
    let (told, ended) = tokio::sync::oneshot::channel::<()>();
    let end = async move {
        end.await;
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
