//! The port to whatever answers in words.
//!
//! A chat model takes a system text and a conversation and answers with text, with calls of
//! the tools it was offered, or both. What it costs comes with the answer. The models
//! themselves live in `nuthatch-models`; whoever asks one asks it as [`Guarded`], so that
//! nothing is sent that has not passed the guard and that the budget has no room for.

mod guarded;
#[cfg(test)]
pub(crate) mod scripted;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::text::estimate_tokens;

pub use guarded::{Ceiling, Guarded, Ledger, Need, Reserved};

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The person, or the program that asks.
    User,
    /// The model.
    Assistant,
    /// A tool, answering a call of the model.
    Tool,
}

/// One message of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who it is from.
    pub speaker: Speaker,
    /// What it says; may be empty beside calls.
    pub text: String,
    /// What the model wants done; only the assistant calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

impl Message {
    /// What a person or program says.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Message { speaker: Speaker::User, text: text.into(), calls: Vec::new(), answers: None }
    }

    /// What the model said.
    #[must_use]
    pub fn assistant(text: impl Into<String>, calls: Vec<ToolCall>) -> Self {
        Message { speaker: Speaker::Assistant, text: text.into(), calls, answers: None }
    }

    /// What came of a call.
    #[must_use]
    pub fn tool(call: impl Into<String>, text: impl Into<String>) -> Self {
        Message {
            speaker: Speaker::Tool,
            text: text.into(),
            calls: Vec::new(),
            answers: Some(call.into()),
        }
    }
}

/// A tool a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Names it: letters, digits and underscores.
    pub name: String,
    /// Says when to call it.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call, for its answer.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as the model gave them, whatever they are.
    pub arguments: Value,
}

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// Who the model is to be, and what holds for the whole conversation.
    pub system: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// What it may call.
    pub tools: Vec<Tool>,
    /// Most tokens of the answer; the model's own limit without it.
    pub max_tokens: Option<u32>,
}

impl ChatRequest {
    /// About how many tokens the model has to read.
    #[must_use]
    pub fn estimated_tokens(&self) -> u64 {
        let calls = |message: &Message| -> usize {
            message.calls.iter().map(|call| estimate_tokens(&call.arguments.to_string())).sum()
        };
        let said: usize =
            self.messages.iter().map(|one| estimate_tokens(&one.text) + calls(one)).sum();
        let offered = |tool: &Tool| {
            estimate_tokens(&tool.description) + estimate_tokens(&tool.parameters.to_string())
        };
        let offered: usize = self.tools.iter().map(offered).sum();
        (estimate_tokens(&self.system) + said + offered) as u64
    }
}

/// Tokens that were counted by the provider, or estimated where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by it.
    pub output_tokens: u64,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was done.
    End,
    /// It waits for its calls to be answered.
    Calls,
    /// It reached the most tokens it may write: the text is cut.
    Length,
    /// It, or its provider, would not answer.
    Refused,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The text, whole, also where it was streamed.
    pub text: String,
    /// What it wants done.
    pub calls: Vec<ToolCall>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Stop,
}

/// What a chat model is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// `openai`, `anthropic`, `ollama` or `command`.
    pub provider: String,
    /// The provider's name for it.
    pub name: String,
    /// Whether its tokens may cost money, so that a budget holds for it.
    pub paid: bool,
}

/// Answers in words.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// What it is.
    fn info(&self) -> ModelInfo;

    /// Asks it. `heard` is called with each piece of text as it arrives; a model that does
    /// not stream calls it once.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be asked right now, after the retries of its provider;
    /// `denied`, when its credentials are refused; `invalid`, when it does not understand the
    /// request. No error holds a key.
    async fn chat(
        &self,
        request: &ChatRequest,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply>;
}
