//! Which embedder a run works with.
//!
//! One of them costs nothing: it answers for the built-in model with directions that have
//! nothing to do with anything, so that recall can be timed apart from the model.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::Result;
use nuthatch::id::ContentHash;
use nuthatch::vector::Vector;
use nuthatch_models::{Builtin, FileModel};

use crate::random;

/// As named on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one in the binary.
    #[default]
    Builtin,
    /// None: words alone.
    None,
    /// A model in a file.
    File(PathBuf),
    /// Random directions under the name of the built-in model, at no cost.
    Instant,
}

/// The embedder of a choice, if there is one.
pub(crate) fn open(choice: &Choice) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    Ok(match choice {
        Choice::Builtin => Some(Arc::new(Builtin::new()?)),
        Choice::File(path) => Some(Arc::new(FileModel::open(path)?)),
        Choice::Instant => Some(Arc::new(Instant { info: builtin_info()? })),
        Choice::None => None,
    })
}

/// What the built-in model is.
pub(crate) fn builtin_info() -> anyhow::Result<EmbedderInfo> {
    Ok(Builtin::new()?.info())
}

/// Gives each text a direction of its own.
struct Instant {
    info: EmbedderInfo,
}

#[async_trait]
impl Embedder for Instant {
    fn info(&self) -> EmbedderInfo {
        self.info.clone()
    }

    async fn embed(&self, _: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        let embed = |text: &&str| {
            let hash = ContentHash::of(None, text);
            random::direction(random::seed(&hash), self.info.dimensions)
        };
        Ok(texts.iter().map(embed).collect())
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "builtin" => Ok(Choice::Builtin),
            None if text == "none" => Ok(Choice::None),
            Some(("file", path)) if !path.is_empty() => Ok(Choice::File(PathBuf::from(path))),
            _ => Err("an embedder is builtin, none or file:PATH".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedder_is_named_or_refused() {
        assert_eq!("builtin".parse(), Ok(Choice::Builtin));
        assert_eq!("none".parse(), Ok(Choice::None));
        assert_eq!("file:a/b".parse(), Ok(Choice::File(PathBuf::from("a/b"))));
        assert!("file:".parse::<Choice>().is_err() && "other".parse::<Choice>().is_err());
    }
}
