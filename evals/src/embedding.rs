//! Which embedder a run works with.
//!
//! One of them costs nothing: it answers for another with directions that have nothing to
//! do with anything, so that recall can be timed apart from the model.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context;
use async_trait::async_trait;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::Result;
use nuthatch::id::ContentHash;
use nuthatch::vector::Vector;
use nuthatch_models::{Builtin, FileModel};

use crate::cache::Cached;
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
    /// Random directions under the name of another embedder, at no cost.
    Instant(Box<Choice>),
    /// Another, whose vectors are kept in a folder.
    Kept(Box<Choice>, PathBuf),
}

impl Choice {
    /// The same, with its vectors kept in a folder if there is one.
    pub(crate) fn kept(self, folder: Option<PathBuf>) -> Choice {
        match folder {
            Some(folder) if self != Choice::None => Choice::Kept(Box::new(self), folder),
            _ => self,
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Builtin => f.write_str("builtin"),
            Choice::None => f.write_str("none"),
            Choice::File(path) => write!(f, "file:{}", path.display()),
            Choice::Instant(named) => write!(f, "instant {named}"),
            Choice::Kept(named, _) => named.fmt(f),
        }
    }
}

/// The embedder of a choice, if there is one.
pub(crate) fn open(choice: &Choice) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    Ok(match choice {
        Choice::Builtin => Some(Arc::new(Builtin::new()?)),
        Choice::File(path) => Some(Arc::new(FileModel::open(path)?)),
        Choice::Instant(named) => Some(Arc::new(Instant { info: info(named)? })),
        Choice::Kept(named, folder) => match open(named)? {
            Some(inner) => Some(Arc::new(Cached::open(inner, folder)?)),
            None => None,
        },
        Choice::None => None,
    })
}

/// What the embedder of a choice is.
pub(crate) fn info(choice: &Choice) -> anyhow::Result<EmbedderInfo> {
    Ok(open(choice)?.context("there is no embedder to speak of")?.info())
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
