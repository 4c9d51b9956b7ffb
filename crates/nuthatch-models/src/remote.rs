//! Embedders behind an address: OpenAI-compatible endpoints and Ollama.
//!
//! Texts go in batches, failures that pass are tried again (`http`), answers are checked
//! against what was asked (`wire`), and what was embedded lately is remembered (`cache`).

mod cache;
mod endpoint;
mod wire;

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::Result;
use nuthatch::vector::Vector;

use cache::{Cache, Key};
pub use endpoint::Endpoint;
pub use wire::Wire;

use crate::http::Caller;

/// Cut here, a text stays below the limit of common models (8191 tokens) in any language.
const LONGEST_TEXT: usize = 8_000;

/// Vectors kept: a few megabytes, and more than a conversation asks for again.
const CACHED: usize = 4_096;

/// An embedder behind an address.
pub struct Remote {
    info: EmbedderInfo,
    shared: Arc<Shared>,
}

struct Shared {
    endpoint: Endpoint,
    caller: Caller,
    cache: Mutex<Cache>,
}

impl Remote {
    /// Checks the configuration. Where the number of dimensions is not configured, the
    /// endpoint is asked once.
    ///
    /// # Errors
    /// `invalid` for a configuration that cannot be right, and whatever the endpoint answers.
    pub async fn open(mut endpoint: Endpoint) -> Result<Self> {
        let caller = Caller::new(endpoint.target()?);
        let cache = Mutex::new(Cache::new(CACHED));
        if endpoint.dimensions.is_none() {
            let probe =
                Arc::new(Shared { endpoint: endpoint.clone(), caller: caller.clone(), cache });
            let answer = crate::blocking(move || probe.ask(Purpose::Query, &["dimensions".into()]));
            endpoint.dimensions = Some(answer.await?[0].dimensions());
        }
        let cache = Mutex::new(Cache::new(CACHED));
        let info = endpoint.describe()?;
        Ok(Remote { info, shared: Arc::new(Shared { endpoint, caller, cache }) })
    }
}

#[async_trait]
impl Embedder for Remote {
    fn info(&self) -> EmbedderInfo {
        self.info.clone()
    }

    async fn embed(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        let prefix = self.shared.endpoint.prefix(purpose);
        let texts: Vec<String> = texts.iter().map(|text| prepare(prefix, text)).collect();
        let shared = Arc::clone(&self.shared);
        crate::blocking(move || shared.embed(purpose, &texts)).await
    }
}

/// Prefix and text, cut. Endpoints refuse a text of nothing, and a blank means as much.
fn prepare(prefix: &str, text: &str) -> String {
    let cut = text.char_indices().nth(LONGEST_TEXT).map_or(text.len(), |(at, _)| at);
    let text = format!("{prefix}{}", &text[..cut]);
    if text.is_empty() { " ".into() } else { text }
}

impl Shared {
    fn embed(&self, purpose: Purpose, texts: &[String]) -> Result<Vec<Vector>> {
        let keys: Vec<Key> = texts.iter().map(|text| cache::key(purpose, text)).collect();
        let mut found: Vec<Option<Vector>> =
            self.with_cache(|cache| keys.iter().map(|key| cache.find(key)).collect());
        let missing: Vec<usize> = (0..texts.len()).filter(|at| found[*at].is_none()).collect();
        for part in missing.chunks(self.endpoint.batch) {
            let asked: Vec<String> = part.iter().map(|at| texts[*at].clone()).collect();
            let vectors = self.ask(purpose, &asked)?;
            self.with_cache(|cache| {
                for (at, vector) in part.iter().zip(vectors) {
                    cache.put(keys[*at], vector.clone());
                    found[*at] = Some(vector);
                }
            });
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// One request, answered with a vector for each text.
    fn ask(&self, purpose: Purpose, texts: &[String]) -> Result<Vec<Vector>> {
        let body = self.endpoint.wire.request(&self.endpoint, texts)?;
        let patience = self.endpoint.patience(purpose);
        let answer = self.caller.call(patience, &body, |caller, answer| {
            let mut read = Vec::new();
            match answer.read_to_end(&mut read) {
                Ok(_) => Ok(read),
                Err(error) => Err(caller.broken(&error)),
            }
        })?;
        let vectors = self.endpoint.wire.answer(&answer)?;
        wire::check(&vectors, texts.len(), self.endpoint.dimensions)
    }

    fn with_cache<R>(&self, work: impl FnOnce(&mut Cache) -> R) -> R {
        work(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
