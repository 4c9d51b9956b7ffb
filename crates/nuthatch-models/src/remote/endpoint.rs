//! Where to ask, for which model, and as whom.
//!
//! What the vectors are called depends on everything here that decides them.

use std::time::Duration;

use nuthatch::embedder::{EmbedderInfo, Purpose};
use nuthatch::error::{Error, Result};

use super::Wire;
use crate::http::{Patience, Target, checked_address};
use crate::key::ApiKey;

/// A person waits for the answer to a query, and text alone answers, too.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
const QUERY_ATTEMPTS: u32 = 2;

/// What is configured about an endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The language it speaks.
    pub wire: Wire,
    /// Its address; the usual one of its kind by default.
    pub base_url: String,
    /// The model to ask for.
    pub model: String,
    /// Dimensions of the vectors: asked for, and required of the answer.
    pub dimensions: Option<usize>,
    /// The key, where one is needed.
    pub api_key: Option<ApiKey>,
    /// Put before a text that asks.
    pub query_prefix: String,
    /// Put before a text that is to be found.
    pub passage_prefix: String,
    /// Texts of one request.
    pub batch: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// How often a request is made before it counts as failed.
    pub attempts: u32,
    /// How long to wait before the second attempt; twice as long before each further one.
    pub pause: Duration,
}

impl Endpoint {
    /// A model at the usual address of its kind, with patience for a busy server.
    #[must_use]
    pub fn new(wire: Wire, model: impl Into<String>) -> Self {
        Endpoint {
            wire,
            base_url: wire.usual_address().to_owned(),
            model: model.into(),
            dimensions: None,
            api_key: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            batch: 64,
            timeout: Duration::from_secs(30),
            attempts: 4,
            pause: Duration::from_millis(250),
        }
    }

    /// Where requests go, if the configuration can be right.
    pub(super) fn target(&self) -> Result<Target> {
        if self.model.is_empty() || self.batch == 0 || self.attempts == 0 {
            return Err(Error::invalid("an embedding endpoint needs a model, a batch, an attempt"));
        }
        let bearer = self.api_key.as_ref().map(|key| ("authorization", key.bearer()));
        Ok(Target {
            noun: "the embedding endpoint",
            address: checked_address(&self.base_url, self.wire.path(), self.api_key.is_some())?,
            model: self.model.clone(),
            headers: bearer.into_iter().collect(),
            variable: self.api_key.as_ref().map(|key| key.variable().to_owned()),
        })
    }

    /// How long a request may take and how often it is made.
    pub(super) fn patience(&self, purpose: Purpose) -> Patience {
        let (attempts, timeout) = match purpose {
            Purpose::Query => (self.attempts.min(QUERY_ATTEMPTS), self.timeout.min(QUERY_TIMEOUT)),
            Purpose::Passage => (self.attempts, self.timeout),
        };
        Patience { timeout, attempts, pause: self.pause }
    }

    pub(super) fn prefix(&self, purpose: Purpose) -> &str {
        match purpose {
            Purpose::Query => &self.query_prefix,
            Purpose::Passage => &self.passage_prefix,
        }
    }

    /// What the embedder says of itself. Its hash is one of everything that decides the
    /// vectors, the address among it: two servers may call different models the same.
    pub(super) fn describe(&self) -> Result<EmbedderInfo> {
        let dimensions = self.dimensions.unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        let base = self.base_url.trim_end_matches('/');
        for part in [self.wire.name(), base, &self.model, &self.query_prefix, &self.passage_prefix]
        {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update(&(dimensions as u64).to_le_bytes());
        let hash = hasher.finalize().to_hex().to_string();
        Ok(EmbedderInfo {
            id: crate::model_id(&self.model, self.wire.name(), &hash)?,
            name: self.model.clone(),
            version: self.wire.name().to_owned(),
            dimensions,
            hash,
            licence: "as its provider says".into(),
            origin: self.wire.name().to_owned(),
        })
    }
}
