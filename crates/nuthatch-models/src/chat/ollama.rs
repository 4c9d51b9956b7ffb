//! Chat, as Ollama has it: a line of JSON for each piece.
//!
//! Only the shapes of requests and answers; sending and retrying is done beside it.

use nuthatch::model::{ChatRequest, Message, Speaker, Stop};
use serde_json::{Value, json};

use super::draft::Draft;
use super::openai;
use super::stream::Trouble;

/// The body of a request.
pub(super) fn body(model: &str, request: &ChatRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.extend(request.messages.iter().map(|one| message(one, &request.messages)));
    let mut body = json!({"model": model, "messages": messages, "stream": true});
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(openai::tool).collect();
    }
    if let Some(most) = request.max_tokens {
        body["options"] = json!({"num_predict": most});
    }
    body
}

fn message(message: &Message, all: &[Message]) -> Value {
    match message.speaker {
        Speaker::User => json!({"role": "user", "content": message.text}),
        Speaker::Tool => {
            // An answer names its tool, not its call.
            let calls = || all.iter().flat_map(|message| &message.calls);
            let call = calls().find(|call| Some(&call.id) == message.answers.as_ref());
            let name = call.map_or("", |call| &call.name);
            json!({"role": "tool", "tool_name": name, "content": message.text})
        }
        Speaker::Assistant => {
            let mut said = json!({"role": "assistant", "content": message.text});
            if !message.calls.is_empty() {
                let calls = message.calls.iter().map(
                    |call| json!({"function": {"name": call.name, "arguments": call.arguments}}),
                );
                said["tool_calls"] = calls.collect();
            }
            said
        }
    }
}

/// One line.
pub(super) fn take(line: &Value, draft: &mut Draft) -> Result<(), Trouble> {
    if line["error"].is_string() {
        return Err(Trouble::Failed);
    }
    if !line["message"].is_object() && line["done"] != true {
        return Err(Trouble::Strange);
    }
    draft.say(line["message"]["content"].as_str().unwrap_or_default());
    for call in line["message"]["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            arguments => arguments.to_string(),
        };
        draft.call(draft.next_call(), "", name, &arguments);
    }
    if line["done"] == true {
        draft.count(&line["prompt_eval_count"], &line["eval_count"]);
        draft.stop(if line["done_reason"] == "length" { Stop::Length } else { Stop::End });
        draft.ended = true;
    }
    Ok(())
}
