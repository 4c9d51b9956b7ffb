//! The verbs as an agent has them.

use serde_json::{Value, json};

use super::{Door, secret};
use crate::doors::Agent;
use crate::sandbox::Sandbox;

pub(super) fn door(sandbox: Sandbox) -> Door {
    let mut agent = Agent::start(&sandbox);
    Box::new(move |step| {
        let _alive = &sandbox;
        let (tool, arguments) = call(step)?;
        if step == "seen" {
            agent.done("memory_save", &seen("odd"));
        }
        let result = agent.call(tool, &arguments);
        if result["isError"] == true {
            let told = result["content"][0]["text"].as_str().unwrap();
            let kind = told.rsplit_once('(').and_then(|(_, kind)| kind.split(')').next());
            return Some(json!({"kind": kind}));
        }
        let answer = result["structuredContent"].clone();
        Some(match step {
            "count" => answer["total"].clone(),
            "seen" => json!({}),
            _ => answer,
        })
    })
}

/// Found in a tool's output.
pub(super) fn seen(key: &str) -> Value {
    json!({"content": format!("the {key} mirror moved"), "key": key, "origin": "tool"})
}

/// The tool of a step, and what it is told.
fn call(step: &str) -> Option<(&'static str, Value)> {
    let called = match step {
        "remember" | "again" => {
            let arguments =
                json!({"content": "uses tabs", "key": "editor", "category": "preference"});
            ("memory_save", arguments)
        }
        "refused" => ("memory_save", json!({"content": format!("it is {}", secret())})),
        "recall" => ("memory_search", json!({"query": "which tabs", "mode": "text"})),
        "show" | "gone" => ("memory_get", json!({"id": "editor"})),
        "edit" => ("memory_update", json!({"id": "editor", "content": "uses spaces"})),
        "list" => ("memory_list", json!({"limit": 50})),
        "count" => ("memory_list", json!({"limit": 0})),
        "preamble" => ("memory_context", json!({"query": "spaces", "budget_tokens": 500})),
        "missing" => ("memory_get", json!({"id": "nowhere"})),
        "note" => {
            let arguments = json!({"content": "the host is ares", "category": "host_info"});
            ("memory_session_save", arguments)
        }
        "seen" => ("memory_save", seen("strange")),
        "forget" => ("memory_forget", json!({"ids": ["editor"]})),
        _ => return None,
    };
    Some(called)
}
