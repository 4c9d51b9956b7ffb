//! What the user trusts: files of a repository that may run commands, by their content.
//!
//! Trust is given to one file of one project as it stands. A changed byte is another file,
//! and another folder is another project. The list lies with the user's own data, where no
//! repository can write.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::disk;

/// Longer than any list that a person made.
const LONGEST: u64 = 4 << 20;

/// The list of what is trusted.
#[derive(Clone, Debug)]
pub struct Trust {
    file: PathBuf,
}

/// Something that may be trusted.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The project it came with.
    pub root: &'a Path,
    /// What it is, as `command build` or `hooks`.
    pub what: &'a str,
    /// The whole of it.
    pub content: &'a [u8],
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    #[serde(default)]
    trusted: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    root: String,
    what: String,
    hash: String,
}

impl Trust {
    /// The list in a file, which need not exist yet.
    #[must_use]
    pub fn in_file(file: PathBuf) -> Self {
        Trust { file }
    }

    /// Whether something is trusted as it stands.
    ///
    /// # Errors
    /// `unavailable` or `invalid`, when the list cannot be read.
    pub fn holds(&self, subject: Subject<'_>) -> Result<bool> {
        let hash = subject.hash();
        Ok(self.read()?.trusted.iter().any(|entry| entry.hash == hash))
    }

    /// Trusts something as it stands, instead of what stood in its place before.
    ///
    /// # Errors
    /// When the list cannot be read or written; it is never replaced unread.
    pub fn give(&self, subject: Subject<'_>) -> Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        disk::private_folder(folder, folder)?;
        let lock = self.lock()?;
        let mut list = self.read()?;
        let root = real(subject.root).display().to_string();
        list.trusted.retain(|entry| entry.root != root || entry.what != subject.what);
        list.trusted.push(Entry { root, what: subject.what.to_owned(), hash: subject.hash() });
        let text = serde_json::to_vec_pretty(&list)
            .map_err(|error| Error::internal("the list of trust is no JSON").with_source(error))?;
        disk::replace(folder, &self.file, &text)?;
        drop(lock);
        Ok(())
    }

    fn read(&self) -> Result<List> {
        let Some(text) = disk::read_text(&self.file, LONGEST)? else { return Ok(List::default()) };
        serde_json::from_str(&text).map_err(|error| {
            Error::unavailable(format!("cannot read {}: {error}", self.file.display()))
                .with_hint("mend it or move it away; until then nothing new is trusted")
        })
    }

    /// Two processes may trust something at once.
    fn lock(&self) -> Result<File> {
        let path = self.file.with_extension("lock");
        let open = disk::private_options().create(true).truncate(false).write(true).open(&path);
        let file = open.map_err(|error| disk::trouble("open", &path, error))?;
        file.lock().map_err(|error| disk::trouble("lock", &path, error))?;
        Ok(file)
    }
}

impl Subject<'_> {
    fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let root = real(self.root);
        for part in [root.as_os_str().as_encoded_bytes(), self.what.as_bytes(), self.content] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().to_hex().to_string()
    }
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_one_file_of_one_project_as_it_stands() {
        let dir = tempfile::tempdir().unwrap();
        let trust = Trust::in_file(dir.path().join("data/trusted.json"));
        let root = dir.path();
        let subject = Subject { root, what: "command build", content: b"one" };
        assert!(!trust.holds(subject).unwrap());
        trust.give(subject).unwrap();
        assert!(trust.holds(subject).unwrap());
        assert!(!trust.holds(Subject { content: b"two", ..subject }).unwrap());
        assert!(!trust.holds(Subject { what: "hooks", ..subject }).unwrap());
        assert!(!trust.holds(Subject { root: Path::new("/"), ..subject }).unwrap());
        trust.give(Subject { content: b"two", ..subject }).unwrap();
        assert!(!trust.holds(subject).unwrap());
    }

    #[test]
    fn a_list_that_cannot_be_read_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("trusted.json");
        fs::write(&file, "{broken").unwrap();
        let trust = Trust::in_file(file.clone());
        let subject = Subject { root: dir.path(), what: "hooks", content: b"" };
        assert!(trust.holds(subject).is_err());
        assert!(trust.give(subject).is_err());
        assert_eq!(fs::read_to_string(file).unwrap(), "{broken");
    }
}
