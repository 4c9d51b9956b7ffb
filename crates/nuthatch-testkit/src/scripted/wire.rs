//! Answers in the language that was asked in, cut into pieces as a stream has them.
//!
//! What is answered is decided by the script; this only says it.

use serde_json::{Value, json};

use super::Asked;

/// What every answer says it cost, besides its own length.
const INPUT_TOKENS: u64 = 11;

/// The whole answer; streamed where the request says so.
pub(super) fn answer(asked: &Asked, text: &str, calls: &[(String, Value)]) -> String {
    let streamed = asked.body["stream"] == true;
    match asked.path.as_str() {
        path if path.ends_with("/messages") => anthropic(text, calls, streamed),
        path if path.ends_with("/api/chat") => ollama(text, calls),
        _ => openai(text, calls, streamed),
    }
}

/// A stream whose last words are missing.
pub(super) fn without_end(whole: &str) -> String {
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    lines[..lines.len() / 2].concat()
}

/// The text of a message's content: a string, or blocks of it.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let text = |block: &Value| {
                let said = block["text"].as_str().map(str::to_owned);
                said.unwrap_or_else(|| text_of(&block["content"]))
            };
            blocks.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Words with what parts them, as models stream them.
fn pieces(text: &str) -> Vec<&str> {
    text.split_inclusive(' ').collect()
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn openai(text: &str, calls: &[(String, Value)], streamed: bool) -> String {
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({"prompt_tokens": INPUT_TOKENS, "completion_tokens": pieces(text).len() + 1});
    let call = |(at, (name, arguments)): (usize, &(String, Value))| {
        json!({
            "index": at, "id": format!("call-{at}"), "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()},
        })
    };
    let called: Vec<Value> = calls.iter().enumerate().map(call).collect();
    if !streamed {
        let message = json!({"role": "assistant", "content": text, "tool_calls": called});
        return json!({
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": usage,
        })
        .to_string();
    }
    let delta = |delta: Value, reason: Value| {
        event(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}))
    };
    let mut said = delta(json!({"role": "assistant", "content": ""}), Value::Null);
    for piece in pieces(text) {
        said.push_str(&delta(json!({"content": piece}), Value::Null));
    }
    for call in called {
        said.push_str(&delta(json!({"tool_calls": [call]}), Value::Null));
    }
    said.push_str(&delta(json!({}), reason.into()));
    said.push_str(&event(&json!({"choices": [], "usage": usage})));
    said.push_str("data: [DONE]\n\n");
    said
}

fn anthropic(text: &str, calls: &[(String, Value)], streamed: bool) -> String {
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let written = pieces(text).len() + 1;
    let named = |kind: &str, mut value: Value| {
        value["type"] = kind.into();
        format!("event: {kind}\n{}", event(&value))
    };
    if !streamed {
        let mut content = vec![json!({"type": "text", "text": text})];
        content.extend(calls.iter().enumerate().map(|(at, (name, input))| {
            json!({"type": "tool_use", "id": format!("call-{at}"), "name": name, "input": input})
        }));
        return json!({
            "type": "message", "role": "assistant", "content": content, "stop_reason": reason,
            "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": written},
        })
        .to_string();
    }
    let usage = json!({"input_tokens": INPUT_TOKENS, "output_tokens": 1});
    let mut said = named("message_start", json!({"message": {"usage": usage}}));
    said.push_str(&named("ping", json!({})));
    let block = json!({"type": "text", "text": ""});
    said.push_str(&named("content_block_start", json!({"index": 0, "content_block": block})));
    for piece in pieces(text) {
        let delta = json!({"type": "text_delta", "text": piece});
        said.push_str(&named("content_block_delta", json!({"index": 0, "delta": delta})));
    }
    said.push_str(&named("content_block_stop", json!({"index": 0})));
    for (at, (name, input)) in calls.iter().enumerate() {
        let block =
            json!({"type": "tool_use", "id": format!("call-{at}"), "name": name, "input": {}});
        let index = at + 1;
        said.push_str(&named(
            "content_block_start",
            json!({"index": index, "content_block": block}),
        ));
        let whole = input.to_string();
        let (front, back) = whole.split_at(whole.floor_char_boundary(whole.len() / 2));
        for piece in [front, back] {
            let delta = json!({"type": "input_json_delta", "partial_json": piece});
            said.push_str(&named("content_block_delta", json!({"index": index, "delta": delta})));
        }
        said.push_str(&named("content_block_stop", json!({"index": index})));
    }
    let delta = json!({"stop_reason": reason});
    let usage = json!({"output_tokens": written});
    said.push_str(&named("message_delta", json!({"delta": delta, "usage": usage})));
    said.push_str(&named("message_stop", json!({})));
    said
}

fn ollama(text: &str, calls: &[(String, Value)]) -> String {
    let line = |value: Value| format!("{value}\n");
    let mut said = String::new();
    for piece in pieces(text) {
        let message = json!({"role": "assistant", "content": piece});
        said.push_str(&line(json!({"message": message, "done": false})));
    }
    if !calls.is_empty() {
        let calls: Vec<Value> = calls
            .iter()
            .map(|(name, arguments)| json!({"function": {"name": name, "arguments": arguments}}))
            .collect();
        let message = json!({"role": "assistant", "content": "", "tool_calls": calls});
        said.push_str(&line(json!({"message": message, "done": false})));
    }
    said.push_str(&line(json!({
        "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": INPUT_TOKENS, "eval_count": pieces(text).len() + 1,
    })));
    said
}
