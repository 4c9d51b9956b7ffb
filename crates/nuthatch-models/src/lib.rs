//! Embedders behind Nuthatch's `Embedder` port.

mod arithmetic;
mod bytes;
mod encoder;
mod kernels;
mod local;
pub mod ports;
mod safetensors;
mod tokenizer;
mod weights;

use nuthatch::error::{Error, Result};

pub use kernels::Kernel;
pub use local::{Builtin, FileModel};
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
