//! `/mcp`, in a wing of its own for each tenant.
//!
//! The protocol keeps sessions and streams: a session that one tenant opened is not there for a
//! token of another, because each tenant has its own list of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::routing::{MethodRouter, any};
use axum::{Extension, Router};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::State;
use super::caller::Caller;
use crate::Room;

/// How long an idle MCP session is kept: people go to lunch and come back.
const SESSION_IDLE: Duration = Duration::from_secs(4 * 60 * 60);

type Service<H> = StreamableHttpService<H, LocalSessionManager>;

/// MCP as a service for each tenant, with sessions and without.
pub(super) struct Wings<H: ServerHandler> {
    handler: Arc<dyn Fn(Room) -> H + Send + Sync>,
    config: StreamableHttpServerConfig,
    services: Mutex<HashMap<String, Service<H>>>,
}

impl<H: ServerHandler> Wings<H> {
    pub(super) fn new(
        handler: impl Fn(Room) -> H + Send + Sync + 'static,
        config: StreamableHttpServerConfig,
    ) -> Self {
        Wings { handler: Arc::new(handler), config, services: Mutex::default() }
    }

    fn of(&self, caller: &Caller) -> Service<H> {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            let mut sessions = LocalSessionManager::default();
            sessions.session_config.keep_alive = Some(SESSION_IDLE);
            let (handler, room) = (Arc::clone(&self.handler), caller.room.clone());
            let handler = move || Ok(handler(room.clone()));
            StreamableHttpService::new(handler, Arc::new(sessions), self.config.clone())
        };
        services.entry(caller.tenant.clone()).or_insert_with(made).clone()
    }

    /// The route.
    pub(super) fn router(self) -> Router<State> {
        let wings = Arc::new(self);
        let speak = move |Extension(caller): Extension<Caller>, request: Request| {
            let service = wings.of(&caller);
            async move { service.handle(request).await.map(Body::new) }
        };
        let all: MethodRouter<State> = any(speak);
        Router::new().route("/mcp", all)
    }
}
