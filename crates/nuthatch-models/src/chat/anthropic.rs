//! Messages, as Anthropic has them.
//!
//! Only the shapes of requests and of streamed events; sending and retrying is done beside it.

use nuthatch::model::{ChatRequest, Message, Speaker, Stop};
use serde_json::{Value, json};

use super::draft::Draft;
use super::stream::Trouble;

/// The revision of the interface that is spoken here.
pub(super) const VERSION: &str = "2023-06-01";

/// The interface demands a limit; this one leaves room for a long answer.
const USUAL_LIMIT: u32 = 8192;

/// The body of a request.
pub(super) fn body(model: &str, request: &ChatRequest) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens.unwrap_or(USUAL_LIMIT),
        "messages": messages(&request.messages),
        "stream": true,
    });
    if !request.system.is_empty() {
        body["system"] = request.system.as_str().into();
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters,
            })
        });
        body["tools"] = tools.collect();
    }
    body
}

/// Neighbours of one role become one message: the answers to several calls must stand
/// together.
fn messages(all: &[Message]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in all {
        let role = if message.speaker == Speaker::Assistant { "assistant" } else { "user" };
        let blocks = blocks(message);
        match messages.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages = messages.into_iter().filter(|(_, content)| !content.is_empty());
    messages.map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// A message as blocks; a block of no text would be refused.
fn blocks(message: &Message) -> Vec<Value> {
    if message.speaker == Speaker::Tool {
        let call = message.answers.as_deref().unwrap_or_default();
        return vec![json!({"type": "tool_result", "tool_use_id": call, "content": message.text})];
    }
    let text = Some(&message.text).filter(|text| !text.trim().is_empty());
    let mut blocks: Vec<Value> =
        text.map(|text| json!({"type": "text", "text": text})).into_iter().collect();
    blocks.extend(message.calls.iter().map(|call| {
        let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    }));
    blocks
}

/// One event of a stream.
pub(super) fn take(event: &Value, draft: &mut Draft) -> Result<(), Trouble> {
    let index = event["index"].as_u64().and_then(|index| usize::try_from(index).ok());
    let index = index.unwrap_or_default();
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => {
            let usage = &event["message"]["usage"];
            draft.count(&usage["input_tokens"], &usage["output_tokens"]);
        }
        "content_block_start" => block(&event["content_block"], index, draft),
        "content_block_delta" => {
            let delta = &event["delta"];
            draft.say(delta["text"].as_str().unwrap_or_default());
            let json = delta["partial_json"].as_str().unwrap_or_default();
            if !json.is_empty() {
                draft.call(index, "", "", json);
            }
        }
        "message_delta" => {
            draft.count(&Value::Null, &event["usage"]["output_tokens"]);
            stop(&event["delta"]["stop_reason"], draft);
        }
        "message_stop" => draft.ended = true,
        "error" => return Err(Trouble::Failed),
        // Pings, and what later revisions add.
        _ => {}
    }
    Ok(())
}

/// An answer that came as one.
pub(super) fn whole(answer: &Value, draft: &mut Draft) -> Result<(), Trouble> {
    if answer["type"] == "error" {
        return Err(Trouble::Failed);
    }
    let content = answer["content"].as_array().ok_or(Trouble::Strange)?;
    for (index, one) in content.iter().enumerate() {
        block(one, index, draft);
    }
    draft.count(&answer["usage"]["input_tokens"], &answer["usage"]["output_tokens"]);
    stop(&answer["stop_reason"], draft);
    draft.ended = true;
    Ok(())
}

fn block(block: &Value, index: usize, draft: &mut Draft) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => draft.say(&text(&block["text"])),
        "tool_use" => {
            // A stream begins with an empty object and sends the real one in pieces.
            let whole = block["input"].as_object().filter(|input| !input.is_empty());
            let input = whole.map(|_| block["input"].to_string()).unwrap_or_default();
            draft.call(index, &text(&block["id"]), &text(&block["name"]), &input);
        }
        _ => {}
    }
}

fn stop(reason: &Value, draft: &mut Draft) {
    let Some(reason) = reason.as_str() else { return };
    draft.stop(match reason {
        "tool_use" => Stop::Calls,
        "max_tokens" => Stop::Length,
        "refusal" => Stop::Refused,
        _ => Stop::End,
    });
}
