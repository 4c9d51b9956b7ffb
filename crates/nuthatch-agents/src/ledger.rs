//! What files said before Nuthatch was put into them, so that it can be taken out to the byte.
//!
//! One record per file, for the owner alone: configuration files hold other people's keys.
//! What a record says only counts as long as the file is as we left it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use serde::{Deserialize, Serialize};

use crate::disk::{read, trouble};

/// Enough digits that two paths never meet.
const NAME_CHARS: usize = 24;

/// The folder of records.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    folder: PathBuf,
}

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// Whether it was there before.
    pub(crate) existed: bool,
    /// The hash of what was written.
    pub(crate) after: String,
    /// Folders that were made for it, innermost first.
    pub(crate) made: Vec<PathBuf>,
}

impl Ledger {
    pub(crate) fn at(folder: PathBuf) -> Ledger {
        Ledger { folder }
    }

    /// The record of a file with what it said before. One that cannot be read is none.
    pub(crate) fn find(&self, path: &Path) -> Option<(Record, Option<Vec<u8>>)> {
        let bytes = read(&self.name(path, "json")).ok()??;
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        let before = read(&self.backup(path)).ok()?;
        if record.path != path || before.is_some() != record.existed {
            return None;
        }
        Some((record, before))
    }

    /// Keeps what a file said before.
    pub(crate) fn keep(&self, record: &Record, before: Option<&[u8]>) -> Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder).map_err(|error| trouble("make", &self.folder, error))?;
        let backup = self.backup(&record.path);
        match before {
            Some(bytes) => write(&backup, bytes)?,
            None if backup.exists() => {
                fs::remove_file(&backup).map_err(|error| trouble("remove", &backup, error))?;
            }
            None => {}
        }
        let json = serde_json::to_vec(record).unwrap_or_default();
        write(&self.name(&record.path, "json"), &json)
    }

    /// Drops the record of a file that is as it was.
    pub(crate) fn drop(&self, path: &Path) {
        // A record that stays behind says nothing of a file that has other bytes.
        let _ = fs::remove_file(self.name(path, "json"));
        let _ = fs::remove_file(self.backup(path));
    }

    /// Where the bytes from before are kept.
    pub(crate) fn backup(&self, path: &Path) -> PathBuf {
        self.name(path, "before")
    }

    fn name(&self, path: &Path, ending: &str) -> PathBuf {
        let hash = hash(path.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{}.{ending}", &hash[..NAME_CHARS]))
    }
}

/// Names bytes.
pub(crate) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let draft = path.with_extension(format!("tmp-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || {
        let mut file = options.open(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().map_err(|error| trouble("keep a backup in", path, error))
}
