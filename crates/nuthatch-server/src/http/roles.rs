//! Which role each route needs: the one table, asked before anything is read.
//!
//! A route that does not stand here needs the highest role, so that one that is forgotten is shut
//! and not open; a test holds the table to the OpenAPI document. What tools of MCP need is in
//! `mcp/tools.rs`.

use axum::http::Method;
use nuthatch::grant::Role;

/// Every route with the least role that may ask it.
pub const ROLES: &[(&str, Role)] = &[
    ("POST /v1/memories", Role::Writer),
    ("GET /v1/memories", Role::Reader),
    ("GET /v1/count", Role::Reader),
    ("POST /v1/recall", Role::Reader),
    ("GET /v1/memories/{id}", Role::Reader),
    ("PATCH /v1/memories/{id}", Role::Writer),
    ("DELETE /v1/memories/{id}", Role::Writer),
    ("POST /v1/forget", Role::Writer),
    ("GET /v1/preamble", Role::Reader),
    ("POST /v1/memory-tool", Role::Writer),
    ("POST /v1/browse", Role::Reader),
    ("POST /v1/memories/{id}/supersede", Role::Writer),
    ("POST /v1/injected", Role::Reader),
    ("POST /v1/reminded", Role::Reader),
    ("GET /v1/growth", Role::Reader),
    ("POST /v1/lessons", Role::Writer),
    ("GET /v1/lessons", Role::Reader),
    ("POST /v1/lessons/{id}/rating", Role::Writer),
    ("POST /v1/threads/{thread}", Role::Writer),
    ("GET /v1/threads/{thread}", Role::Reader),
    ("DELETE /v1/threads/{thread}", Role::Writer),
    ("POST /v1/sessions", Role::Writer),
    ("GET /v1/sessions", Role::Reader),
    ("GET /v1/sessions/{id}/turns", Role::Reader),
    ("POST /v1/sessions/{id}/turns", Role::Writer),
    ("DELETE /v1/sessions/{id}", Role::Writer),
    ("GET /v1/review", Role::Reviewer),
    ("GET /v1/review/{id}", Role::Reviewer),
    ("POST /v1/review/approve", Role::Reviewer),
    ("POST /v1/review/reject", Role::Reviewer),
    ("POST /v1/scan", Role::Reader),
    ("GET /v1/scan", Role::Reviewer),
    ("GET /v1/memory/status", Role::Reader),
    ("GET /v1/memory/jobs", Role::Reader),
    ("GET /v1/memory/view", Role::Reader),
    ("GET /v1/memory/log", Role::Reader),
    ("GET /v1/memory/diff", Role::Reader),
    ("GET /v1/memory/spend", Role::Reader),
    ("GET /v1/read", Role::Reader),
    ("POST /v1/memory/undo", Role::Reviewer),
    ("POST /v1/memory/run", Role::Admin),
    ("POST /v1/memory/enqueue", Role::Admin),
    ("POST /v1/memory/rebuild", Role::Admin),
    ("POST /v1/memory/clear", Role::Admin),
    ("GET /v1/stats", Role::Reader),
    ("GET /v1/health", Role::Reader),
    ("POST /v1/reindex", Role::Admin),
    ("POST /dev/memory/recall", Role::Reader),
    ("POST /dev/memory/{device}", Role::Writer),
    ("GET /metrics", Role::Admin),
    ("POST /mcp", Role::Reader),
    ("GET /mcp", Role::Reader),
    ("DELETE /mcp", Role::Reader),
];

/// The least role that may ask this. `route` is the path as it stands in the table of routes, where
/// the request met one; where it met none, there is nothing to be had.
pub fn needed(method: &Method, path: &str, route: Option<&str>) -> Role {
    let Some(route) = route else { return Role::Reader };
    // What answers GET answers HEAD as well.
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let of = |path: &str| {
        let known = |(of, _): &&(&str, Role)| of.split_once(' ') == Some((method, path));
        ROLES.iter().find(known).map(|(_, role)| *role)
    };
    of(path).or_else(|| of(route)).unwrap_or(Role::Admin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_the_table_is_for_the_highest_role() {
        assert_eq!(needed(&Method::PUT, "/v1/memories", Some("/v1/memories")), Role::Admin);
        assert_eq!(needed(&Method::GET, "/v1/new", Some("/v1/new")), Role::Admin);
        assert_eq!(needed(&Method::GET, "/nowhere", None), Role::Reader);
    }

    #[test]
    fn a_device_is_told_by_its_own_name_and_no_other_spelling_of_it() {
        let device = |path| needed(&Method::POST, path, Some("/dev/memory/{device}"));
        assert_eq!(device("/dev/memory/recall"), Role::Reader);
        assert_eq!(device("/dev/memory/commit"), Role::Writer);
        assert_eq!(device("/dev/memory/%72ecall"), Role::Writer);
        assert_eq!(needed(&Method::HEAD, "/v1/stats", Some("/v1/stats")), Role::Reader);
    }
}
