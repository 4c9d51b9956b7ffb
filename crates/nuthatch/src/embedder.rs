//! The port to whatever turns text into vectors.
//!
//! An embedder is named exactly (`ModelId`), because vectors of two of them say nothing
//! about each other. The embedders themselves live in `nuthatch-models`.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::id::ModelId;
use crate::vector::Vector;

/// What a text is embedded for: a question lies elsewhere than its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It asks.
    Query,
    /// It is to be found.
    Passage,
}

/// What an embedder is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmbedderInfo {
    /// Names it exactly.
    pub id: ModelId,
    /// What people call it.
    pub name: String,
    /// Which version.
    pub version: String,
    /// How many components its vectors have.
    pub dimensions: usize,
    /// The hash of its weights, or of what else decides its answers.
    pub hash: String,
    /// Under which licence.
    pub licence: String,
    /// Where it runs: `builtin`, `file`, `openai` or `ollama`.
    pub origin: String,
}

/// Turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What it is.
    fn info(&self) -> EmbedderInfo;

    /// One vector for each text, in order. A long text is cut at the model's own limit.
    ///
    /// # Errors
    /// `unavailable`, when the model cannot be asked right now.
    async fn embed(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>>;
}
