//! `nuthatch mcp`: serves one agent by the Model Context Protocol, until it hangs up.
//!
//! Standard output belongs to the protocol. The store is opened with the first request that
//! needs it, so that a client which only asks for the tools is answered at once.

use clap::Args;
use nuthatch::error::Result;
use nuthatch_server::{Room, mcp};

use crate::autonomy::{self, Worker};
use crate::cli::Globals;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}' | nuthatch mcp

In the configuration of an agent:
  {\"mcpServers\": {\"nuthatch\": {\"command\": \"nuthatch\", \"args\": [\"mcp\"]}}}";

/// Arguments of `mcp`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct McpArgs {}

/// Serves until the client is gone.
pub async fn run(_: &McpArgs, globals: &Globals) -> Result<()> {
    let own = globals.clone();
    let room = Room::lazy(move || {
        let globals = own.clone();
        async move { Desk::for_server(&globals, "mcp").await }
    });
    let serving = mcp::stdio::serve(room.clone());
    autonomy::beside(room, Worker::OfProject, globals, serving).await
}
