//! What an answer may hold, product by product, as JSON Schema: written from the fields that
//! Claude Code, Codex, Gemini CLI, VS Code and Cursor document. Objects are closed, because
//! Codex refuses a whole answer for one field it does not know.
//!
//! Only the words of JSON Schema that stand here are understood, and an unknown one fails.

use serde_json::{Value, json};

use super::event::Event;
use crate::Agent;

/// The schema of the answers to an event.
pub(super) fn schema(event: &Event) -> Value {
    match event.agent {
        Agent::Cursor => cursor(&event.name),
        Agent::OpenCode => closed(&[("additional_context", text())], &[]),
        agent => like_claude(agent, &event.name),
    }
}

/// Claude Code's form, which Codex, Gemini CLI, VS Code and goose take over.
fn like_claude(agent: Agent, name: &str) -> Value {
    let mut fields = vec![
        ("continue", json!({"type": "boolean"})),
        ("stopReason", text()),
        ("suppressOutput", json!({"type": "boolean"})),
        ("systemMessage", text()),
    ];
    let decides = matches!(name, "UserPromptSubmit" | "Stop" | "BeforeAgent" | "AfterAgent");
    if decides || (agent != Agent::Codex && name == "PreCompact") {
        fields.push(("decision", json!({"const": "block"})));
        fields.push(("reason", text()));
    }
    if matches!(name, "SessionStart" | "UserPromptSubmit" | "BeforeAgent") {
        let named = json!({"type": "string", "const": name});
        let part = [("hookEventName", named), ("additionalContext", text())];
        fields.push(("hookSpecificOutput", closed(&part, &["hookEventName"])));
    }
    closed(&fields, &[])
}

fn cursor(name: &str) -> Value {
    match name {
        "sessionStart" => {
            closed(&[("additional_context", text()), ("env", json!({"type": "object"}))], &[])
        }
        "beforeSubmitPrompt" => closed(
            &[("continue", json!({"type": "boolean"})), ("user_message", text())],
            &["continue"],
        ),
        "stop" => closed(&[("followup_message", text())], &[]),
        "preCompact" => closed(&[("user_message", text())], &[]),
        _ => closed(&[], &[]),
    }
}

fn text() -> Value {
    json!({"type": "string"})
}

fn closed(fields: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false})
}

/// What is wrong with a value, each with its place; nothing where it is valid.
pub(super) fn complaints(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (word, wanted) in schema.as_object().expect("a schema is an object") {
        match word.as_str() {
            "type" if kind(value) != wanted => found.push(format!("{place}: not {wanted}")),
            "const" if value != wanted => found.push(format!("{place}: not {wanted}")),
            "required" => {
                let names = wanted.as_array().expect("names").iter().filter_map(Value::as_str);
                let missing = names.filter(|name| value.get(name).is_none());
                found.extend(missing.map(|name| format!("{place}: {name} is missing")));
            }
            "properties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    match wanted.get(name) {
                        Some(one) => {
                            found.extend(complaints(one, value, &format!("{place}/{name}")))
                        }
                        None => found.push(format!("{place}: {name} is not known")),
                    }
                }
            }
            "type" | "const" | "additionalProperties" => {}
            other => panic!("{other} is not understood"),
        }
    }
    found
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[test]
fn what_a_product_would_refuse_is_complained_about() {
    let event = |agent, name: &str| {
        let bytes = json!({"hook_event_name": name, "prompt": "x"}).to_string();
        super::understand(bytes.as_bytes(), Some(agent)).unwrap()
    };
    let wrong = |agent, name: &str, value: Value| {
        !complaints(&schema(&event(agent, name)), &value, "").is_empty()
    };
    let part = |name: &str| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "x"}});
    assert!(!wrong(Agent::Codex, "SessionStart", part("SessionStart")));
    assert!(wrong(Agent::Codex, "SessionStart", part("UserPromptSubmit")));
    assert!(wrong(Agent::Codex, "Stop", part("Stop")));
    assert!(wrong(Agent::Codex, "PreCompact", json!({"decision": "block"})));
    assert!(wrong(
        Agent::Codex,
        "UserPromptSubmit",
        json!({"hookSpecificOutput": {"additionalContext": "x"}})
    ));
    assert!(wrong(Agent::Codex, "UserPromptSubmit", json!({"additional_context": "x"})));
    assert!(wrong(Agent::GeminiCli, "BeforeAgent", json!("text")));
    assert!(wrong(Agent::Cursor, "beforeSubmitPrompt", json!({})));
    assert!(wrong(Agent::Cursor, "sessionStart", json!({"additional_context": 3})));
}
