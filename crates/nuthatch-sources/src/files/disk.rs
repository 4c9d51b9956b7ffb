//! The disk as context files see it: every look is recorded.
//!
//! The record is the chain that a cached answer depends on: files that were read, files that
//! were looked for in vain, folders that were listed. An answer holds as long as each of
//! them looks as it did.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::within::{self, Text, Trouble};

/// What a path looked like.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    /// Nothing where there was nothing.
    seen: Option<Seen>,
    /// Whether a later change would show: not while the file's time is that of the look.
    settled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    identity: Identity,
}

#[cfg(unix)]
type Identity = (u64, u64, i64, i64);
#[cfg(not(unix))]
type Identity = ();

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}

/// File systems round times; within this much two changes may bear the same.
const ROUNDING: Duration = Duration::from_secs(2);

impl Stamp {
    fn of(path: &Path) -> Stamp {
        let Ok(metadata) = fs::metadata(path) else { return Stamp { seen: None, settled: true } };
        let modified = metadata.modified().ok();
        let age = modified.and_then(|time| SystemTime::now().duration_since(time).ok());
        Stamp {
            settled: age.is_some_and(|age| age > ROUNDING),
            seen: Some(Seen { length: metadata.len(), modified, identity: identity(&metadata) }),
        }
    }
}

/// A disk with a record.
#[derive(Debug, Default)]
pub(super) struct Disk {
    record: BTreeMap<PathBuf, Stamp>,
}

impl Disk {
    /// Whether there is a file.
    pub(super) fn is_file(&mut self, path: &Path) -> bool {
        self.look(path);
        path.is_file()
    }

    /// Whether there is anything.
    pub(super) fn exists(&mut self, path: &Path) -> bool {
        self.look(path);
        path.exists()
    }

    /// Reads a file that lies in one of the folders.
    pub(super) fn read(
        &mut self,
        folders: &[PathBuf],
        path: &Path,
        limit: u64,
    ) -> Result<Text, Trouble> {
        // Looked at before it is read: what changes afterwards shows.
        self.look(path);
        within::read(folders, path, limit)
    }

    /// The Markdown files of a folder and those below it, in order, within reason.
    pub(super) fn markdown_below(&mut self, folder: &Path) -> Vec<PathBuf> {
        const DEEPEST: usize = 8;
        const MOST: usize = 500;
        let mut found = Vec::new();
        let mut open = vec![(folder.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            self.look(&folder);
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths.into_iter().rev() {
                if path.is_dir() && depth < DEEPEST && !path.is_symlink() {
                    open.push((path, depth + 1));
                } else if path.extension().is_some_and(|end| end == "md") && found.len() < MOST {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// Whether everything that was looked at still looks the same.
    pub(super) fn holds(&self) -> bool {
        self.record.iter().all(|(path, stamp)| stamp.settled && Stamp::of(path) == *stamp)
    }

    fn look(&mut self, path: &Path) {
        self.record.entry(path.to_owned()).or_insert_with(|| Stamp::of(path));
    }
}
