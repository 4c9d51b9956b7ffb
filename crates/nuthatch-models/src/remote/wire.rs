//! What is said to an endpoint and what it answers: JSON of two kinds.
//!
//! Pure. An answer is believed only after its count, its order, its dimensions and its
//! numbers have been looked at.

use nuthatch::error::{Error, Result};
use nuthatch::vector::Vector;
use serde::Deserialize;
use serde_json::json;

use super::Endpoint;

/// More than any embedding has; an answer beyond it is none.
const MOST_DIMENSIONS: usize = 16_384;

/// The language of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `POST /embeddings`, as OpenAI has it and many others copied it.
    OpenAi,
    /// `POST /api/embed` of Ollama.
    Ollama,
}

impl Wire {
    /// The name used in configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Wire::OpenAi => "openai",
            Wire::Ollama => "ollama",
        }
    }

    pub(super) fn usual_address(self) -> &'static str {
        match self {
            Wire::OpenAi => "https://api.openai.com/v1",
            Wire::Ollama => "http://127.0.0.1:11434",
        }
    }

    pub(super) fn path(self) -> &'static str {
        match self {
            Wire::OpenAi => "/embeddings",
            Wire::Ollama => "/api/embed",
        }
    }

    /// The body of a request. The languages differ in the answer only.
    pub(super) fn request(self, endpoint: &Endpoint, texts: &[String]) -> Result<Vec<u8>> {
        let mut body = json!({"model": endpoint.model, "input": texts});
        if let Some(dimensions) = endpoint.dimensions {
            body["dimensions"] = dimensions.into();
        }
        serde_json::to_vec(&body)
            .map_err(|error| Error::internal("a request cannot be written").with_source(error))
    }

    /// The vectors of an answer, in the order of the texts.
    pub(super) fn answer(self, body: &[u8]) -> Result<Vec<Vec<f32>>> {
        match self {
            Wire::OpenAi => {
                let OpenAiAnswer { mut data } = read(body)?;
                data.sort_by_key(|item| item.index);
                if data.iter().zip(0..).any(|(item, at)| item.index != at) {
                    return Err(strange("does not say which vector is whose"));
                }
                Ok(data.into_iter().map(|item| item.embedding).collect())
            }
            Wire::Ollama => read(body).map(|OllamaAnswer { embeddings }| embeddings),
        }
    }
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiItem>,
}

#[derive(Deserialize)]
struct OpenAiItem {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T> {
    // The reason would quote the answer.
    serde_json::from_slice(body).map_err(|_| strange("is not what its kind of endpoint says"))
}

/// As many vectors as texts, all of them numbers, of the same and the right length.
pub(super) fn check(
    vectors: &[Vec<f32>],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vector>> {
    if vectors.len() != texts {
        return Err(strange(&format!("has {} vectors for {texts} texts", vectors.len())));
    }
    let expected = dimensions.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
    for vector in vectors {
        if vector.len() != expected || vector.is_empty() || vector.len() > MOST_DIMENSIONS {
            let message = format!("has {} dimensions, not {expected}", vector.len());
            return Err(strange(&message).with_hint("set `dimensions` in [embeddings] to match"));
        }
        // A number too great for a float arrives as infinite.
        if !vector.iter().all(|x| x.is_finite()) || vector.iter().all(|x| *x == 0.0) {
            return Err(strange("has a vector without direction"));
        }
    }
    Ok(vectors.iter().map(|vector| Vector::quantise(vector)).collect())
}

fn strange(what: &str) -> Error {
    Error::unavailable(format!("the answer of the embedding endpoint {what}"))
}
