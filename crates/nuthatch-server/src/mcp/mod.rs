//! The Model Context Protocol, in the revisions 2025-03-26 to 2025-11-25 and the stateless
//! 2026-07-28 at once.
//!
//! `rmcp` speaks the protocol; nothing outside this folder knows its types. `tools` has the
//! tools, `text` what they say to a model, `resources` and `prompts` the rest, `stdio` and
//! `crate::http` the ways in.

pub mod prompts;
pub mod resources;
pub mod stdio;
mod text;
pub mod tools;

use std::sync::{Arc, OnceLock};

use nuthatch::error::{Error, Kind};
use nuthatch::grant::Role;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::Room;
use crate::http::caller::Caller;

/// What a client is told about when to use what. Clients cut it at 2 KB.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The name under which a server of sessions gets the id of one.
const SESSION_HEADER: &str = "mcp-session-id";

/// One connection of a client, or, where the protocol has none, one request.
#[derive(Clone)]
pub struct McpServer {
    room: Room,
    thread: Arc<Thread>,
}

/// The thread that a connection is, once something was noted for it. Ends with it.
struct Thread {
    room: Room,
    name: OnceLock<String>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let (Some(place), Some(name)) = (self.room.opened(), self.name.get()) {
            place.engine().end_thread(name);
        }
    }
}

impl McpServer {
    /// A server for one connection, which is a thread of its own.
    #[must_use]
    pub fn connected(room: Room, connection: String) -> Self {
        let server = Self::stateless(room);
        // Just made, so nobody named it before.
        let _ = server.thread.name.set(connection);
        server
    }

    /// A server for requests that may or may not belong to a connection.
    #[must_use]
    pub fn stateless(room: Room) -> Self {
        let thread = Arc::new(Thread { room: room.clone(), name: OnceLock::new() });
        McpServer { room, thread }
    }

    /// The thread of the connection that a request came by, if it is known.
    fn connection(&self, context: &RequestContext<RoleServer>) -> Option<&str> {
        if let Some(name) = self.thread.name.get() {
            return Some(name);
        }
        // A request without a handshake may carry any header; only a session's own counts.
        let is_stateless = context.meta.protocol_version().is_some();
        if is_stateless || context.peer.peer_info().is_none() {
            return None;
        }
        let parts = context.extensions.get::<axum::http::request::Parts>()?;
        let session = parts.headers.get(SESSION_HEADER)?.to_str().ok()?;
        Some(self.thread.name.get_or_init(|| format!("mcp:{session}")))
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let us = Implementation::new("nuthatch", env!("CARGO_PKG_VERSION")).with_title("Nuthatch");
        ServerConfig::new(capabilities).with_server_info(us).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::ToolName::parse(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!("there is no tool {:?}", shortened(&request.name)),
                None,
            ));
        };
        let role = role_of(&context);
        if role < tool.needed() {
            let (has, needs) = (role.name(), tool.needed().name());
            let error = Error::new(Kind::Denied, format!("a {has} may not do this"))
                .with_hint(format!("it needs a token of the role {needs}"));
            return Ok(CallToolResult::error(vec![ContentBlock::text(told(&error))]).into());
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let connection = self.connection(&context);
        let answer = match self.room.place().await {
            Ok(place) => tools::call(place, tool, arguments, connection).await,
            Err(error) => Err(error),
        };
        Ok(match answer {
            Ok(reply) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
                result.structured_content = Some(reply.structured);
                result
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(told(&error))]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&self.room, cursor).await.map_err(|error| protocol_error(&error))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let connection = self.connection(&context);
        let read = resources::read(&self.room, &request.uri, connection).await;
        read.map(Into::into).map_err(|error| protocol_error(&error))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let connection = self.connection(&context);
        let arguments = request.arguments.unwrap_or_default();
        let prompt = prompts::fill(&self.room, &request.name, &arguments, connection).await;
        prompt.map(Into::into).map_err(|error| protocol_error(&error))
    }
}

/// What a request may do: by HTTP what its token may; who starts a server of their own may
/// everything.
fn role_of(context: &RequestContext<RoleServer>) -> Role {
    let Some(parts) = context.extensions.get::<axum::http::request::Parts>() else {
        return Role::Admin;
    };
    parts.extensions.get::<Caller>().map_or(Role::Reader, |caller| caller.role)
}

/// An error as a model reads it: what is wrong, and what to do about it.
fn told(error: &Error) -> String {
    let hint = error.hint().map(|hint| format!("\nHint: {hint}.")).unwrap_or_default();
    format!("{} ({}){hint}", error, error.kind().name())
}

/// An error where the protocol has no place for a failed answer.
fn protocol_error(error: &Error) -> ErrorData {
    let told = told(error);
    match error.kind() {
        Kind::NotFound => ErrorData::resource_not_found(told, None),
        Kind::Invalid | Kind::Conflict | Kind::Denied => ErrorData::invalid_params(told, None),
        Kind::Unavailable | Kind::Internal => ErrorData::internal_error(told, None),
    }
}

/// A foreign name, short enough to be repeated.
fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}
