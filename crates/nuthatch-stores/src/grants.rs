//! Grants of a local store: one small file that only its owner can read.
//!
//! Whoever changes it holds a lock beside it while reading, changing and replacing it whole. A file
//! that cannot be read, or that others can, is an error and never overwritten: it says who may come
//! in. A store on a server keeps its grants itself (`postgres/grants.rs`).

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use jiff::Timestamp;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::grant::{DEFAULT_TENANT, Grants, Kept};
use serde::{Deserialize, Serialize};

use crate::disk;

/// The largest file that is read: thousands of grants.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The file as it stands.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    tokens: Vec<Kept>,
}

/// Grants in a file.
#[derive(Clone, Debug)]
pub struct FileGrants {
    path: PathBuf,
}

impl FileGrants {
    /// Those of a file, which is made when the first one is kept.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        FileGrants { path }
    }

    fn read(&self) -> Result<Document> {
        let Ok(found) = fs::symlink_metadata(&self.path) else {
            return Ok(Document::default());
        };
        if found.len() > MOST_BYTES {
            return Err(self.unreadable("it is far too large"));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            if found.is_file() && found.permissions().mode() & 0o077 != 0 {
                return Err(Error::unavailable(format!(
                    "others can read or write {}",
                    self.path.display()
                ))
                .with_hint("chmod 600 it, if nobody else changed it"));
            }
        }
        let Some(bytes) = disk::read_regular(&self.path)? else {
            return Ok(Document::default());
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            self.unreadable(&format!("line {}, column {}", error.line(), error.column()))
        })
    }

    fn unreadable(&self, why: &str) -> Error {
        Error::unavailable(format!("the tokens in {} cannot be read: {why}", self.path.display()))
            .with_hint("mend it, or move it away and give out new tokens; nothing was changed")
    }

    /// Changes the file, for one process at a time.
    fn change<R>(&self, change: impl FnOnce(&mut Document) -> Result<R>) -> Result<R> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        disk::create_private_dir(folder)?;
        let lock = self.path.with_extension("lock");
        let _held = locked(&lock).map_err(|error| disk::io_error("lock", &lock, error))?;
        let mut document = self.read()?;
        let result = change(&mut document)?;
        let mut bytes = serde_json::to_vec_pretty(&document)
            .map_err(|error| Error::internal("grants are no JSON").with_source(error))?;
        bytes.push(b'\n');
        let new = self.path.with_extension("new");
        disk::write_new(&new, &bytes)?;
        fs::rename(&new, &self.path)
            .map_err(|error| disk::io_error("replace", &self.path, error))?;
        disk::sync_dir(folder)?;
        Ok(result)
    }
}

/// A lock that is let go when the file is dropped.
fn locked(path: &Path) -> std::io::Result<File> {
    let file =
        disk::private_options().read(true).write(true).create(true).truncate(false).open(path)?;
    file.lock()?;
    Ok(file)
}

#[async_trait]
impl Grants for FileGrants {
    async fn keep(&self, kept: &Kept) -> Result<()> {
        if kept.grant.tenant != DEFAULT_TENANT {
            return Err(Error::invalid("a local store has no tenants")
                .with_hint("leave --tenant out, or use a store at postgres://…"));
        }
        self.change(|document| {
            if document.tokens.iter().any(|other| other.grant.id == kept.grant.id) {
                return Err(Error::new(Kind::Conflict, "this id of a token is taken"));
            }
            document.tokens.push(kept.clone());
            Ok(())
        })
    }

    async fn find(&self, tenant: &str, id: &str) -> Result<Option<Kept>> {
        let tokens = self.read()?.tokens;
        Ok(tokens.into_iter().find(|kept| kept.grant.tenant == tenant && kept.grant.id == id))
    }

    async fn all(&self, tenant: &str) -> Result<Vec<Kept>> {
        let mut tokens = self.read()?.tokens;
        tokens.retain(|kept| kept.grant.tenant == tenant);
        Ok(tokens)
    }

    async fn end(&self, tenant: &str, id: &str, at: Timestamp) -> Result<bool> {
        self.change(|document| {
            let mut tokens = document.tokens.iter_mut().map(|kept| &mut kept.grant);
            let found = tokens.find(|grant| grant.tenant == tenant && grant.id == id);
            Ok(found
                .map(|grant| {
                    grant.revoked_at = Some(grant.revoked_at.map_or(at, |ends| ends.min(at)));
                })
                .is_some())
        })
    }
}

#[cfg(test)]
mod tests;
