//! The model that compares meanings, as the configuration names it.
//!
//! What cannot be opened does not stop a command: it stands in the engine as a model that is
//! away, so that recall answers from words and says why.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::{Error, Kind, Result};
use nuthatch::vector::{ModelId, Vector};
use nuthatch_models::{ApiKey, Builtin, Endpoint, FileModel, Remote, Wire};

use crate::config::settings::{Embeddings, Provider};

/// The folder of the data folder with models from files, each in a folder of its own.
pub const MODELS: &str = "models";
/// The name of a model's file in its folder.
pub const WEIGHTS: &str = "model.safetensors";

/// The model that is configured, or none where none is wanted or this build carries none.
pub async fn open(settings: &Embeddings, data: &Path) -> Option<Arc<dyn Embedder>> {
    match opened(settings, data).await {
        Ok(found) => found,
        // A build without the model is no mistake of the user's.
        Err(error)
            if settings.provider == Provider::Builtin && error.kind() == Kind::Unavailable =>
        {
            None
        }
        Err(error) => Some(Arc::new(Away { info: away(settings), error: error.to_string() })),
    }
}

/// The same, failing where it cannot be opened.
pub async fn opened(settings: &Embeddings, data: &Path) -> Result<Option<Arc<dyn Embedder>>> {
    Ok(match settings.provider {
        Provider::None => None,
        Provider::Builtin => Some(Arc::new(Builtin::new()?)),
        Provider::File => Some(Arc::new(FileModel::open(&model_file(settings, data)?)?)),
        Provider::OpenAi => Some(Arc::new(remote(Wire::OpenAi, settings).await?)),
        Provider::Ollama => Some(Arc::new(remote(Wire::Ollama, settings).await?)),
    })
}

/// The file of a model: one that was added by its name, or a path.
fn model_file(settings: &Embeddings, data: &Path) -> Result<PathBuf> {
    let name = named(settings)?;
    let added = data.join(MODELS).join(name).join(WEIGHTS);
    Ok(if added.is_file() { added } else { PathBuf::from(name) })
}

fn named(settings: &Embeddings) -> Result<&str> {
    settings.model.as_deref().ok_or_else(|| {
        Error::invalid("embeddings.model is not set").with_hint("name the model to embed with")
    })
}

async fn remote(wire: Wire, settings: &Embeddings) -> Result<Remote> {
    let mut endpoint = Endpoint::new(wire, named(settings)?);
    if let Some(url) = &settings.base_url {
        endpoint.base_url.clone_from(url);
    }
    endpoint.dimensions = settings.dimensions;
    endpoint.api_key = settings.api_key_env.as_deref().map(ApiKey::from_env).transpose()?;
    Remote::open(endpoint).await
}

/// A model that cannot be asked.
struct Away {
    info: EmbedderInfo,
    error: String,
}

fn away(settings: &Embeddings) -> EmbedderInfo {
    let name = settings.model.as_deref().unwrap_or_default();
    let plain: String = name.chars().filter(|c| c.is_ascii_graphic()).take(100).collect();
    let id = ModelId::new(format!("{plain}@away#0000000000000000"));
    EmbedderInfo {
        id: id.expect("graphic characters make an id"),
        name: name.to_owned(),
        version: String::new(),
        dimensions: 0,
        hash: String::new(),
        licence: String::new(),
        origin: settings.provider.name().to_owned(),
    }
}

#[async_trait]
impl Embedder for Away {
    fn info(&self) -> EmbedderInfo {
        self.info.clone()
    }

    async fn embed(&self, _: Purpose, _: &[&str]) -> Result<Vec<Vector>> {
        Err(Error::unavailable(self.error.clone()))
    }
}
