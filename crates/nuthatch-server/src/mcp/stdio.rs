//! MCP over standard input and output: one JSON message a line, until the input ends.
//!
//! Nothing else may write to standard output while this runs.

use nuthatch::error::{Error, Result};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};

use super::McpServer;
use crate::Room;

/// Serves the client at the other end of standard input and output until it goes.
///
/// # Errors
/// As [`converse`].
pub async fn serve(room: Room) -> Result<()> {
    let (read, write) = stdio_pipes();
    converse(room, read, write).await
}

/// Serves one client that writes to `read` and reads from `write`, until it goes.
///
/// # Errors
/// `invalid`, when what comes in is not the protocol.
pub async fn converse<R, W>(room: Room, read: R, write: W) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = McpServer::connected(room, "stdio".to_owned());
    let running = match server.serve((read, write)).await {
        Ok(running) => running,
        // A client that goes before it said anything has asked for nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(Error::invalid(format!("the client does not speak MCP: {error}")));
        }
    };
    match running.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::internal("the server stopped").with_source(error)),
    }
}
