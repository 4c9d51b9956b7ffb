//! Where a chat model is asked, by which name, and as whom.
//!
//! Only an address on this machine counts as free of charge: everything else may cost money,
//! so that a budget holds for it.

use std::time::Duration;

use nuthatch::error::{Error, Result};
use nuthatch::model::{ChatRequest, ModelInfo};
use serde_json::Value;

use super::{anthropic, ollama, openai};
use crate::http::{Patience, Target, checked_address, is_loopback};
use crate::key::ApiKey;

/// The language of a chat endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatWire {
    /// `POST /chat/completions`, as OpenAI has it and many others copied it.
    OpenAi,
    /// `POST /v1/messages` of Anthropic.
    Anthropic,
    /// `POST /api/chat` of Ollama.
    Ollama,
}

impl ChatWire {
    /// The name used in configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ChatWire::OpenAi => "openai",
            ChatWire::Anthropic => "anthropic",
            ChatWire::Ollama => "ollama",
        }
    }

    fn usual_address(self) -> &'static str {
        match self {
            ChatWire::OpenAi => "https://api.openai.com/v1",
            ChatWire::Anthropic => "https://api.anthropic.com",
            ChatWire::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// What is configured about a chat model behind an address.
#[derive(Clone, Debug)]
pub struct ChatEndpoint {
    /// The language it speaks.
    pub wire: ChatWire,
    /// Its address; the usual one of its kind by default.
    pub base_url: String,
    /// The model to ask for.
    pub model: String,
    /// The key, where one is needed.
    pub api_key: Option<ApiKey>,
    /// How long one answer may take, from the first word to the last.
    pub timeout: Duration,
    /// How often a request is made before it counts as failed.
    pub attempts: u32,
    /// How long to wait before the second attempt; twice as long before each further one.
    pub pause: Duration,
}

impl ChatEndpoint {
    /// A model at the usual address of its kind, with patience for long answers.
    #[must_use]
    pub fn new(wire: ChatWire, model: impl Into<String>) -> Self {
        ChatEndpoint {
            wire,
            base_url: wire.usual_address().to_owned(),
            model: model.into(),
            api_key: None,
            timeout: Duration::from_secs(600),
            attempts: 4,
            pause: Duration::from_millis(500),
        }
    }

    pub(super) fn target(&self) -> Result<Target> {
        if self.model.is_empty() || self.attempts == 0 {
            return Err(Error::invalid("a chat model needs a name and an attempt")
                .with_hint("name it in `model`"));
        }
        let key = self.api_key.as_ref();
        let headers = match self.wire {
            ChatWire::Anthropic => {
                let mut headers = vec![("anthropic-version", anthropic::VERSION.to_owned())];
                headers.extend(key.map(|key| ("x-api-key", key.bare())));
                headers
            }
            _ => key.map(|key| ("authorization", key.bearer())).into_iter().collect(),
        };
        Ok(Target {
            noun: "the model at",
            address: checked_address(&self.base_url, self.path(), key.is_some())?,
            model: self.model.clone(),
            headers,
            variable: key.map(|key| key.variable().to_owned()),
        })
    }

    fn path(&self) -> &'static str {
        match self.wire {
            ChatWire::OpenAi => "/chat/completions",
            // People write the address with and without its version.
            ChatWire::Anthropic if self.base_url.trim_end_matches('/').ends_with("/v1") => {
                "/messages"
            }
            ChatWire::Anthropic => "/v1/messages",
            ChatWire::Ollama => "/api/chat",
        }
    }

    pub(super) fn patience(&self) -> Patience {
        Patience { timeout: self.timeout, attempts: self.attempts, pause: self.pause }
    }

    /// The body of a request.
    pub(super) fn body(&self, request: &ChatRequest) -> Value {
        match self.wire {
            ChatWire::OpenAi => openai::body(&self.model, request, self.limit_name()),
            ChatWire::Anthropic => anthropic::body(&self.model, request),
            ChatWire::Ollama => ollama::body(&self.model, request),
        }
    }

    /// What the most tokens of an answer are called: OpenAI renamed it, its copies did not.
    fn limit_name(&self) -> &'static str {
        if self.base_url.starts_with("https://api.openai.com/") {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }

    pub(super) fn info(&self) -> ModelInfo {
        ModelInfo {
            provider: self.wire.name().to_owned(),
            name: self.model.clone(),
            paid: self.wire != ChatWire::Ollama && !is_loopback(&self.base_url),
        }
    }
}
