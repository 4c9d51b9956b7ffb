//! Chat completions, as OpenAI has them and many others copied them.
//!
//! Only the shapes of requests and of streamed events; sending and retrying is done beside it.

use nuthatch::model::{ChatRequest, Message, Speaker, Stop, Tool};
use serde_json::{Value, json};

use super::draft::Draft;
use super::stream::Trouble;

/// The body of a request; `limit` is what the server calls the most tokens of an answer.
pub(super) fn body(model: &str, request: &ChatRequest, limit: &str) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.extend(request.messages.iter().map(message));
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(most) = request.max_tokens {
        body[limit] = most.into();
    }
    body
}

pub(super) fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        },
    })
}

fn message(message: &Message) -> Value {
    match message.speaker {
        Speaker::User => json!({"role": "user", "content": message.text}),
        Speaker::Tool => json!({
            "role": "tool",
            "tool_call_id": message.answers.as_deref().unwrap_or_default(),
            "content": message.text,
        }),
        Speaker::Assistant => {
            let mut said = json!({"role": "assistant", "content": message.text});
            if !message.calls.is_empty() {
                let calls = message.calls.iter().map(|call| {
                    json!({
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments.to_string()},
                    })
                });
                said["tool_calls"] = calls.collect();
            }
            said
        }
    }
}

/// One event of a stream.
pub(super) fn take(event: &Value, draft: &mut Draft) -> Result<(), Trouble> {
    refuse_error(event)?;
    let choice = &event["choices"][0];
    part(&choice["delta"], draft);
    finish(event, choice, draft);
    Ok(())
}

/// An answer that came as one.
pub(super) fn whole(answer: &Value, draft: &mut Draft) -> Result<(), Trouble> {
    refuse_error(answer)?;
    let choice = &answer["choices"][0];
    if !choice["message"].is_object() {
        return Err(Trouble::Strange);
    }
    part(&choice["message"], draft);
    finish(answer, choice, draft);
    draft.ended = true;
    Ok(())
}

fn refuse_error(event: &Value) -> Result<(), Trouble> {
    match &event["error"] {
        Value::Null => Ok(()),
        _ => Err(Trouble::Failed),
    }
}

fn part(part: &Value, draft: &mut Draft) {
    draft.say(part["content"].as_str().unwrap_or_default());
    for (place, call) in part["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let index = call["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let arguments = match &call["function"]["arguments"] {
            Value::String(piece) => piece.clone(),
            Value::Null => String::new(),
            whole => whole.to_string(),
        };
        let (id, name) = (text(&call["id"]), text(&call["function"]["name"]));
        draft.call(index.unwrap_or(place), &id, &name, &arguments);
    }
}

fn finish(event: &Value, choice: &Value, draft: &mut Draft) {
    draft.count(&event["usage"]["prompt_tokens"], &event["usage"]["completion_tokens"]);
    let Some(reason) = choice["finish_reason"].as_str() else { return };
    draft.stop(match reason {
        "tool_calls" | "function_call" => Stop::Calls,
        "length" => Stop::Length,
        "content_filter" => Stop::Refused,
        _ => Stop::End,
    });
}
