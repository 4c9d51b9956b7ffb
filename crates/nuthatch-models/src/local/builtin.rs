//! The model compiled into the binary: nothing to set up, nothing to download.
//!
//! Its weights are bytes of the executable, which the system reads when they are first used.
//! A process that never embeds never touches them. Built without the feature `builtin`
//! there are none, and asking for the model says so.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use nuthatch::error::{Error, Result};

use super::{describe, embed};
use crate::bytes::Bytes;
use crate::encoder::Encoder;
use crate::kernels::Kernel;
use crate::safetensors::Container;
use crate::weights::{Config, Weights};
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::vector::Vector;

/// Bytes at an address that vectors are fond of.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

#[cfg(feature = "builtin")]
static WEIGHTS: &Aligned<[u8]> =
    &Aligned(*include_bytes!("../../weights/nuthatch-embed.safetensors"));

#[cfg(not(feature = "builtin"))]
static WEIGHTS: &Aligned<[u8]> = &Aligned([]);

/// The hashes (BLAKE3) of the weights and of some vectors, one a line, written down so that
/// no process spends time on them. A test holds both.
const HASHES: &str = include_str!("../../weights/HASH");

/// The built-in embedder.
pub struct Builtin {
    info: EmbedderInfo,
    kernel: Kernel,
    encoder: OnceLock<Arc<Encoder>>,
}

impl Builtin {
    /// The model, of which only the description is read now.
    ///
    /// # Errors
    /// `unavailable` where the weights were left out of the build.
    pub fn new() -> Result<Self> {
        Builtin::with_kernel(Kernel::best())
    }

    /// The same with a certain kernel, to measure or compare.
    ///
    /// # Errors
    /// As [`Builtin::new`].
    pub fn with_kernel(kernel: Kernel) -> Result<Self> {
        if WEIGHTS.0.is_empty() {
            return Err(Error::unavailable("this build carries no embedding model")
                .with_hint("configure another in [embeddings], or build with the model"));
        }
        let container = Container::parse(&bytes()).map_err(broken)?;
        let config = Config::parse(&container.metadata).map_err(broken)?;
        let info = describe(&config, HASHES.lines().next().unwrap_or_default(), "builtin")
            .map_err(broken)?;
        Ok(Builtin { info, kernel, encoder: OnceLock::new() })
    }

    fn encoder(&self) -> Result<Arc<Encoder>> {
        if let Some(encoder) = self.encoder.get() {
            return Ok(Arc::clone(encoder));
        }
        let weights = Weights::read(&bytes(), None).map_err(broken)?;
        // Two first calls at once both read, and agree on one.
        Ok(Arc::clone(self.encoder.get_or_init(|| Arc::new(Encoder::new(weights, self.kernel)))))
    }
}

fn bytes() -> Bytes {
    Bytes::from(&WEIGHTS.0)
}

fn broken(error: Error) -> Error {
    Error::internal("the built-in model cannot be read").with_source(error)
}

#[async_trait]
impl Embedder for Builtin {
    fn info(&self) -> EmbedderInfo {
        self.info.clone()
    }

    async fn embed(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        embed(self.encoder()?, purpose, texts).await
    }
}
