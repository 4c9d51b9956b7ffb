//! Models that run in this process: the one compiled in, and one from a file.
//!
//! Both are the same encoder over the same file format (see `weights`); they differ in where
//! the bytes come from and when they are first looked at.

mod builtin;
mod file;

use std::sync::Arc;

use nuthatch::error::Result;

use crate::encoder::Encoder;
use crate::weights::Config;
pub use builtin::Builtin;
pub use file::FileModel;
use nuthatch::embedder::{EmbedderInfo, Purpose};
use nuthatch::vector::Vector;

/// What a model in this process says of itself.
fn describe(config: &Config, hash: &str, origin: &str) -> Result<EmbedderInfo> {
    Ok(EmbedderInfo {
        id: crate::model_id(&config.name, &config.version, hash)?,
        name: config.name.clone(),
        version: config.version.clone(),
        dimensions: config.hidden,
        hash: hash.to_owned(),
        licence: config.licence.clone(),
        origin: origin.to_owned(),
    })
}

/// Embeds away from the caller's executor, which has other things to do meanwhile.
async fn embed(encoder: Arc<Encoder>, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    crate::blocking(move || {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = encoder.encode(encoder.prefix(purpose), &texts)?;
        Ok(vectors.iter().map(|vector| Vector::quantise(vector)).collect())
    })
    .await
}
