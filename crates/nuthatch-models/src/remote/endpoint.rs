//! Where to ask, for which model, and as whom.
//!
//! The key is read from the variable that the configuration names, is sent to that address
//! alone, never over plain HTTP to another machine, and never shown.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use nuthatch::embedder::{EmbedderInfo, Purpose};
use nuthatch::error::{Error, Result};
use ureq::http::Uri;

use super::Wire;

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

/// A key, and the name of the variable it came from.
#[derive(Clone)]
pub struct ApiKey {
    variable: String,
    text: String,
}

impl ApiKey {
    /// Reads the key from a variable of the environment.
    ///
    /// # Errors
    /// `invalid`, when there is no such variable or it holds no key.
    pub fn from_env(variable: &str) -> Result<Self> {
        ApiKey::new(variable, std::env::var(variable).unwrap_or_default())
    }

    /// A key that was read from `variable` before.
    ///
    /// # Errors
    /// `invalid`, when it is empty or cannot be sent.
    pub fn new(variable: &str, text: impl Into<String>) -> Result<Self> {
        let text = text.into().trim().to_owned();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            let message = format!("the variable {variable} holds no API key");
            return Err(Error::invalid(message)
                .with_hint("set it, or change `api_key_env` in [embeddings]"));
        }
        Ok(ApiKey { variable: variable.to_owned(), text })
    }

    /// The variable the key came from.
    #[must_use]
    pub fn variable(&self) -> &str {
        &self.variable
    }

    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.text)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey(from {})", self.variable)
    }
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

    /// The address requests go to, if it is one that may be used.
    pub(super) fn address(&self) -> Result<String> {
        let wrong = |what: &str| {
            Error::invalid(format!("`base_url` {what}"))
                .with_hint("an address looks like https://api.example.com/v1")
        };
        let base = self.base_url.trim_end_matches('/');
        let address: Uri =
            format!("{base}{}", self.wire.path()).parse().map_err(|_| wrong("is no address"))?;
        let (Some(scheme), Some(authority)) = (address.scheme_str(), address.authority()) else {
            return Err(wrong("is no address"));
        };
        if authority.as_str().contains('@') || address.query().is_some() {
            return Err(wrong("must not carry a name, a password or a query"));
        }
        match scheme {
            "https" => {}
            "http" if self.api_key.is_none() || self.is_loopback() => {}
            "http" => return Err(wrong("must be https where a key is sent to another machine")),
            _ => return Err(wrong("must begin with http:// or https://")),
        }
        if self.model.is_empty() || self.batch == 0 || self.attempts == 0 {
            return Err(Error::invalid("an embedding endpoint needs a model, a batch, an attempt"));
        }
        Ok(address.to_string())
    }

    /// Whether the address is this machine's own.
    pub(super) fn is_loopback(&self) -> bool {
        let address: Option<Uri> = self.base_url.parse().ok();
        let host = address.as_ref().and_then(Uri::host).unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
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
