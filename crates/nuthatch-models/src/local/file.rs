//! A model from a file of the user's: the same format as the built-in one.
//!
//! The file is read whole and checked before anything is computed. A file that is not what
//! it should be is refused with the reason; its contents are never run, only multiplied.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::error::{Error, Result};

use super::{describe, embed};
use crate::bytes::Bytes;
use crate::encoder::Encoder;
use crate::kernels::Kernel;
use crate::weights::Weights;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::vector::Vector;

/// Twice the largest encoder that a machine without accelerator would run.
const LARGEST: u64 = 1 << 30;

/// More than a vocabulary of every piece there may be.
const LARGEST_VOCABULARY: u64 = 1 << 26;

/// An embedder from a file.
pub struct FileModel {
    info: EmbedderInfo,
    encoder: Arc<Encoder>,
}

impl FileModel {
    /// Reads and checks a model. Its vocabulary is inside, or in `vocab.txt` beside it.
    ///
    /// # Errors
    /// `not_found` or `unavailable` where it cannot be read, `invalid` where it is no model.
    pub fn open(path: &Path) -> Result<Self> {
        FileModel::with_kernel(path, Kernel::best())
    }

    /// The same with a certain kernel, to measure or compare.
    ///
    /// # Errors
    /// As [`FileModel::open`].
    pub fn with_kernel(path: &Path, kernel: Kernel) -> Result<Self> {
        let file = read(path, LARGEST)?;
        let vocabulary = path.with_file_name("vocab.txt");
        let beside =
            if vocabulary.is_file() { Some(read(&vocabulary, LARGEST_VOCABULARY)?) } else { None };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&file);
        hasher.update(beside.as_deref().unwrap_or_default());
        let hash = hasher.finalize().to_hex();
        let weights = Weights::read(&Bytes::from(file), beside.map(Bytes::from))?;
        let info = describe(&weights.config, &hash, "file")?;
        Ok(FileModel { info, encoder: Arc::new(Encoder::new(weights, kernel)) })
    }

    /// The directions of texts before they are rounded to bytes, each of length one; without
    /// a purpose as they stand, with no prefix.
    ///
    /// # Errors
    /// `invalid` where the model's numbers have no end.
    pub fn directions(&self, purpose: Option<Purpose>, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let prefix = purpose.map_or("", |purpose| self.encoder.prefix(purpose));
        let mut vectors = self.encoder.encode(prefix, texts)?;
        for vector in &mut vectors {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|x| *x /= length);
        }
        Ok(vectors)
    }
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot read the model {}: {error}", path.display());
        match error.kind() {
            ErrorKind::NotFound => Error::not_found(message),
            _ => Error::unavailable(message),
        }
    };
    let metadata = path.metadata().map_err(failed)?;
    // Opening a pipe would wait for whoever fills it.
    if !metadata.is_file() || metadata.len() > most {
        let message = format!("{} is no model file, or larger than any", path.display());
        return Err(Error::invalid(message));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

#[async_trait]
impl Embedder for FileModel {
    fn info(&self) -> EmbedderInfo {
        self.info.clone()
    }

    async fn embed(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        embed(Arc::clone(&self.encoder), purpose, texts).await
    }
}
