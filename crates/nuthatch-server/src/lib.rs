//! The doors that agents and programs come through: MCP, HTTP, devices, the memory tool, files.
//!
//! Pure translation: a request becomes a call of the `Engine`, its answer becomes JSON or a
//! short text. Nothing here decides anything about memory, and nothing knows which store or
//! model is behind.
//!
//! `verbs` reads what a caller says and answers with the library's own values; `mcp` and
//! `http` carry that over their protocols; `schema` describes it.

pub mod http;
pub mod mcp;
#[cfg(all(feature = "mount", target_os = "linux"))]
pub mod mount;
pub mod room;
pub mod schema;
pub mod verbs;

pub use room::Room;
