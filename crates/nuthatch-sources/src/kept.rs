//! What sources said, kept for a while in files of the user's own.
//!
//! One file an answer, named by a hash, for its owner alone. Keeping is a convenience: a
//! file that cannot be read is as good as none.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::path::PathBuf;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::trackers::Said;

/// Longer than any answer that is taken.
const LONGEST: u64 = 8 << 20;

/// A folder of kept answers.
#[derive(Clone, Debug)]
pub struct Keeping {
    folder: PathBuf,
}

/// An answer and when it was given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    name: String,
    pub(crate) at: Timestamp,
    title: String,
    text: String,
}

impl Kept {
    pub(crate) fn new(said: &Said, at: Timestamp) -> Self {
        let Said { title, text } = said.clone();
        Kept { name: String::new(), at, title, text }
    }

    pub(crate) fn said(&self) -> Said {
        Said { title: self.title.clone(), text: self.text.clone() }
    }
}

impl Keeping {
    /// Keeps answers in `folder`, which is made when it is needed.
    #[must_use]
    pub fn in_folder(folder: PathBuf) -> Self {
        Keeping { folder }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Kept> {
        let path = self.path(name);
        let length = fs::metadata(&path).ok()?.len();
        let bytes = (length <= LONGEST).then(|| fs::read(&path).ok()).flatten()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        (kept.name == name).then_some(kept)
    }

    pub(crate) fn put(&self, name: &str, kept: &Kept) -> Result<()> {
        let broken = |error: std::io::Error| {
            let folder = self.folder.display();
            Error::unavailable(format!("cannot write to {folder}")).with_source(error)
        };
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder).map_err(broken)?;
        let kept = Kept { name: name.to_owned(), ..kept.clone() };
        let bytes = serde_json::to_vec(&kept)
            .map_err(|error| Error::internal("an answer is no JSON").with_source(error))?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(broken)?;
        file.write_all(&bytes).map_err(broken)?;
        file.persist(self.path(name)).map_err(|error| broken(error.error))?;
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        let hash = blake3::hash(name.as_bytes()).to_hex();
        self.folder.join(format!("{}.json", &hash[..32]))
    }
}
