//! An answer that is still being put together out of its pieces.
//!
//! The three languages differ in how they cut an answer; what comes of it is the same.

use nuthatch::model::{ChatRequest, Reply, Stop, ToolCall, Usage};
use nuthatch::text::estimate_tokens;
use serde_json::Value;

/// Calls of one answer: more is a server gone wrong.
const MOST_CALLS: usize = 128;

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    /// How much of the text has been passed on.
    passed_on: usize,
    calls: Vec<DraftCall>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    stop: Option<Stop>,
    /// Whether the server said that this was all.
    pub(super) ended: bool,
}

#[derive(Debug, Default)]
struct DraftCall {
    id: String,
    name: String,
    /// JSON in pieces, or a value that came whole.
    arguments: String,
}

impl Draft {
    /// Adds text.
    pub(super) fn say(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// What was added since it was asked last.
    pub(super) fn news(&mut self) -> &str {
        let from = std::mem::replace(&mut self.passed_on, self.text.len());
        &self.text[from..]
    }

    /// Whether anything of it has been passed on, so that it cannot be asked for again.
    pub(super) fn was_heard(&self) -> bool {
        self.passed_on > 0
    }

    /// Adds to the call of that place; empty parts say nothing.
    pub(super) fn call(&mut self, index: usize, id: &str, name: &str, arguments: &str) {
        if index >= MOST_CALLS {
            return;
        }
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, DraftCall::default);
        }
        let call = &mut self.calls[index];
        if !id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if !name.is_empty() {
            name.clone_into(&mut call.name);
        }
        call.arguments.push_str(arguments);
    }

    /// The next place of a call that came whole.
    pub(super) fn next_call(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn count(&mut self, input: &Value, output: &Value) {
        self.input_tokens = input.as_u64().or(self.input_tokens);
        self.output_tokens = output.as_u64().or(self.output_tokens);
    }

    pub(super) fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// Whether the server said why it stopped: then nothing is missing but a farewell.
    pub(super) fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// The answer; what the provider did not count is estimated.
    pub(super) fn finished(self, request: &ChatRequest) -> Reply {
        let calls: Vec<ToolCall> = self
            .calls
            .into_iter()
            .enumerate()
            .filter(|(_, call)| !call.name.is_empty())
            .map(|(index, call)| call.finished(index))
            .collect();
        let written = calls.iter().map(|c| estimate_tokens(&c.arguments.to_string()));
        let written = estimate_tokens(&self.text) + written.sum::<usize>();
        let stop = match self.stop {
            // Some servers say that they are done where they wait for answers.
            Some(Stop::End) | None if !calls.is_empty() => Stop::Calls,
            stop => stop.unwrap_or(Stop::End),
        };
        Reply {
            text: self.text,
            calls,
            usage: Usage {
                input_tokens: self.input_tokens.unwrap_or_else(|| request.estimated_tokens()),
                output_tokens: self.output_tokens.unwrap_or(written as u64),
            },
            stop,
        }
    }
}

impl DraftCall {
    fn finished(self, index: usize) -> ToolCall {
        let arguments = match self.arguments.trim() {
            "" => Value::Object(serde_json::Map::new()),
            // What is no JSON is handed on as it is: whoever runs the tool says so.
            text => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        };
        let id = if self.id.is_empty() { format!("call_{index}") } else { self.id };
        ToolCall { id, name: self.name, arguments }
    }
}
