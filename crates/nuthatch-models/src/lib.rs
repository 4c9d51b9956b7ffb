//! Models behind Nuthatch's ports: [`Embedder`](nuthatch::embedder::Embedder) and
//! [`ChatModel`](nuthatch::model::ChatModel).
//!
//! - [`RemoteModel`], [`CommandModel`]: what answers in words, at an address or as a program.
//! - [`Builtin`]: the model compiled into the binary; nothing to set up, no network.
//! - [`FileModel`]: another of the same format, from a file.
//! - [`Remote`]: an OpenAI-compatible endpoint, or Ollama.
//!
//! [`Builtin`] and [`FileModel`] compute here, in bytes, with whatever vector instructions the machine has,
//! and give the same vectors on every machine: `tokenizer` → `encoder` over `kernels`, out
//! of `weights`. Nothing here knows stores or doors.

mod arithmetic;
mod bytes;
mod chat;
mod encoder;
mod http;
mod kernels;
mod key;
mod local;
mod remote;
mod safetensors;
mod tokenizer;
mod weights;

use nuthatch::error::{Error, Result};
use nuthatch::vector::ModelId;

pub use chat::{ChatEndpoint, ChatWire, CommandModel, RemoteModel, Variables};
pub use kernels::Kernel;
pub use key::ApiKey;
pub use local::{Builtin, FileModel};
pub use remote::{Endpoint, Remote, Wire};
pub use weights::pack;

/// Runs work that computes or waits where it holds nobody up: on a thread for it if there is
/// a runtime, otherwise here.
async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R> + Send + 'static,
) -> Result<R> {
    if tokio::runtime::Handle::try_current().is_err() {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::internal("an embedding task ended early").with_source(error)),
    }
}

/// The exact name of a model: what people call it, and the first 16 digits of its hash.
fn model_id(name: &str, version: &str, hash: &str) -> Result<ModelId> {
    let digits = hash.get(..16).unwrap_or(hash);
    ModelId::new(format!("{name}@{version}#{digits}"))
}
