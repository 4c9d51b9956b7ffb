//! Why a hook said nothing, for whoever looks into it later.
//!
//! A hook must not speak of its troubles: whatever it prints goes to a model. Lines of JSON,
//! never what an event said; the file is cut in half when it grows, and a log that cannot be
//! written is no further trouble.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Some hundred troubles: more than anybody reads.
const MOST_BYTES: usize = 64 * 1024;

/// One time that nothing was said although something should have been.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// When, as RFC 3339 writes it.
    pub at: String,
    /// In which product, where that is known.
    pub agent: Option<String>,
    /// At which event, where that is known.
    pub event: Option<String>,
    /// Why.
    pub reason: String,
}

/// The file.
#[derive(Clone, Debug)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// Keeps it in a file.
    #[must_use]
    pub fn at(path: PathBuf) -> Log {
        Log { path }
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line.
    ///
    /// # Errors
    /// What the system says; nothing depends on it.
    pub fn note(&self, trouble: &Trouble) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            private_folder(folder)?;
        }
        let line = serde_json::to_string(trouble).unwrap_or_default();
        let len = fs::metadata(&self.path).map_or(0, |found| found.len());
        if len + line.len() as u64 > MOST_BYTES as u64 {
            self.halve()?;
        }
        let mut file = private_options().create(true).append(true).open(&self.path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// The lines, oldest first; what is no trouble is passed over.
    #[must_use]
    pub fn troubles(&self) -> Vec<Trouble> {
        let bytes = fs::read(&self.path).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    fn halve(&self) -> io::Result<()> {
        let bytes = fs::read(&self.path)?;
        let half = bytes.len().saturating_sub(MOST_BYTES / 2);
        let from = bytes[half..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(bytes.len(), |at| half + at + 1);
        let draft = self.path.with_extension(format!("tmp-{}", std::process::id()));
        private_options().create(true).truncate(true).open(&draft)?.write_all(&bytes[from..])?;
        fs::rename(&draft, &self.path)
    }
}

pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

pub(super) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
