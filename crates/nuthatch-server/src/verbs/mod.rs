//! What callers say, and what they are answered: one file per verb.
//!
//! Each verb has its arguments as a value with a schema, and a function from a place and
//! those arguments to the library's own answer. MCP and HTTP both come through here, so that
//! neither can mean something else.

pub mod browse;
pub mod edit;
pub mod forget;
pub mod growth;
pub mod learn;
pub mod list;
pub mod memory;
pub mod memory_tool;
pub mod note;
pub mod preamble;
pub mod reading;
pub mod recall;
pub mod record;
pub mod remember;
pub mod remind;
pub mod review;
pub mod scan;
pub mod sessions;
pub mod show;
pub mod stats;
pub mod supersede;

pub use reading::{read, wanted};

/// One verb and its name at every door. What a door does not offer is empty, and why is in
/// `docs/mcp.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verb {
    /// The operation of the library, mostly a method of the `Engine`.
    pub name: &'static str,
    /// The command, with the option that makes it this verb.
    pub command: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// The route.
    pub route: &'static str,
}

const fn verb(
    name: &'static str,
    command: &'static str,
    tool: &'static str,
    route: &'static str,
) -> Verb {
    Verb { name, command, tool, route }
}

/// Every verb there is, and where it is found.
pub const VERBS: &[Verb] = &[
    verb("remember", "remember", "memory_save", "POST /v1/memories"),
    verb("recall", "recall", "memory_search", "POST /v1/recall"),
    verb("show", "show", "memory_get", "GET /v1/memories/{id}"),
    verb("list", "list", "memory_list", "GET /v1/memories"),
    verb("edit", "edit", "memory_update", "PATCH /v1/memories/{id}"),
    verb("forget", "forget", "memory_forget", "DELETE /v1/memories/{id}"),
    verb("preamble", "preamble", "memory_context", "GET /v1/preamble"),
    verb("remind", "preamble --remind", "", "POST /v1/reminded"),
    verb("note", "", "memory_session_save", "POST /v1/threads/{thread}"),
    verb("count", "list --limit 0", "memory_list", "GET /v1/count"),
    verb("learn", "learn", "", "POST /v1/lessons"),
    verb("lessons", "learn list", "", "GET /v1/lessons"),
    verb("rate", "learn helpful", "", "POST /v1/lessons/{id}/rating"),
    verb("record", "record", "", "POST /v1/sessions/{id}/turns"),
    verb("review", "review", "", "GET /v1/review"),
    verb("examine", "review show", "", "GET /v1/review/{id}"),
    verb("approve", "review approve", "", "POST /v1/review/approve"),
    verb("reject", "review reject", "", "POST /v1/review/reject"),
    verb("scan", "scan --stored", "", "GET /v1/scan"),
    verb("scanText", "scan", "", "POST /v1/scan"),
    verb("stats", "stats", "", "GET /v1/stats"),
    verb("growth", "stats --growth", "", "GET /v1/growth"),
    verb("health", "doctor", "", "GET /v1/health"),
    verb("reindex", "reindex", "", "POST /v1/reindex"),
];
