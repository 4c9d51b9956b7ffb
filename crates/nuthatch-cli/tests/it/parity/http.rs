//! The verbs as a program has them.

use serde_json::{Value, json};

use super::mcp::seen;
use super::{Door, names_of, secret};
use crate::doors::Served;
use crate::sandbox::Sandbox;

pub(super) fn door(sandbox: Sandbox) -> Door {
    let served = Served::start(&sandbox);
    Box::new(move |step| {
        let _alive = &sandbox;
        if step == "seen" {
            assert_eq!(served.ask("POST /v1/memories", &seen("odd")).0, 201);
        }
        let rated;
        let (mut route, body) = request(step);
        if step == "rate" {
            let (_, learnt) = served.ask("GET /v1/lessons", &Value::Null);
            let id = learnt["lessons"][0]["id"].as_str().unwrap().to_owned();
            rated = format!("POST /v1/lessons/{id}/rating");
            route = &rated;
        }
        let (_, answer) = served.ask(route, &body);
        if let Some(error) = answer.get("error") {
            return Some(json!({"kind": error["kind"]}));
        }
        Some(match step {
            "count" => answer["count"].clone(),
            "learn" | "learn again" => super::lesson_of(&answer["memory"]),
            "rate" => super::lesson_of(&answer),
            "lessons" => super::lessons_of(&answer["lessons"]),
            "seen" => json!({}),
            "review" => answer["waiting"].clone(),
            "stats" => super::counts_of(&answer),
            "growth" => super::growth_of(&answer),
            "health" => names_of(&answer["findings"]),
            _ => answer,
        })
    })
}

/// The route of a step, and what it is told.
fn request(step: &str) -> (&'static str, Value) {
    match step {
        "remember" | "again" => {
            let body = json!({"content": "uses tabs", "key": "editor", "category": "preference"});
            ("POST /v1/memories", body)
        }
        "refused" => ("POST /v1/memories", json!({"content": format!("it is {}", secret())})),
        "recall" => ("POST /v1/recall", json!({"query": "which tabs", "mode": "text"})),
        "show" | "gone" => ("GET /v1/memories/editor", Value::Null),
        "edit" => ("PATCH /v1/memories/editor", json!({"content": "uses spaces"})),
        "list" => ("GET /v1/memories?limit=50", Value::Null),
        "count" => ("GET /v1/count", Value::Null),
        "preamble" => ("GET /v1/preamble?query=spaces&budget_tokens=500", Value::Null),
        "remind" => ("POST /v1/reminded", json!({})),
        "missing" => ("GET /v1/memories/nowhere", Value::Null),
        "note" => {
            let body = json!({"content": "the host is ares", "category": "host_info"});
            ("POST /v1/threads/t", body)
        }
        "record" => {
            let said = json!({"seq": 0, "role": "user", "text": "where is the mirror?"});
            ("POST /v1/sessions/s-1/turns", json!({"turns": [said]}))
        }
        "seen" => ("POST /v1/memories", seen("strange")),
        "learn" => ("POST /v1/lessons", strategy("write the test first")),
        "learn again" => ("POST /v1/lessons", strategy("always write the test first")),
        "mistake without fix" => {
            ("POST /v1/lessons", json!({"lesson": "mistake", "text": "it broke"}))
        }
        "lessons" => ("GET /v1/lessons", Value::Null),
        "rate" => ("", json!({"rating": "helpful"})),
        "review" => ("GET /v1/review", Value::Null),
        "examine" => ("GET /v1/review/odd", Value::Null),
        "scan" => ("GET /v1/scan", Value::Null),
        "scan a text" => ("POST /v1/scan", json!({"text": format!("it is {}", secret())})),
        "approve" => ("POST /v1/review/approve", json!({"ids": ["odd"]})),
        "reject" => ("POST /v1/review/reject", json!({"ids": ["strange"]})),
        "stats" => ("GET /v1/stats", Value::Null),
        "growth" => ("GET /v1/growth?days=2", Value::Null),
        "health" => ("GET /v1/health", Value::Null),
        "reindex" => ("POST /v1/reindex", json!({})),
        "forget" => ("DELETE /v1/memories/editor", Value::Null),
        other => panic!("no step {other}"),
    }
}

fn strategy(text: &str) -> Value {
    json!({"lesson": "strategy", "text": text, "scope": "global"})
}
