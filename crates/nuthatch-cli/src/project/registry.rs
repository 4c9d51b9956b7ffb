//! Remembers the ids of repositories seen on this machine, in one small JSON file.
//!
//! It saves running git at every start, and it is why a repository keeps its id when its
//! remote changes. It holds nothing that cannot be worked out again, so a damaged file
//! is ignored and replaced, and a busy one is simply not written this time.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::layout::Stamp;
use crate::private;

/// Of the file's format; another number makes the file unknown, and so replaced.
const VERSION: u32 = 1;

/// Beyond this many, repositories that are gone from the disk are dropped.
const MANY: usize = 512;

/// Enough for every worktree and the branches switched between.
const MOST_HEADS: usize = 32;

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    version: u32,
    /// By the folder that all worktrees share.
    repositories: BTreeMap<String, Known>,
    /// Ids that stand for another id.
    aliases: BTreeMap<String, String>,
    /// Ids of repositories that have no commit yet, by the same folder.
    #[serde(default)]
    beginnings: BTreeMap<String, String>,
}

/// One repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its id, which it keeps.
    pub id: String,
    /// Its identity as found last.
    #[serde(flatten)]
    pub identity: Identity,
    /// The settings this was read from.
    pub stamp: Stamp,
    /// Commits known to belong to it, the latest first.
    pub heads: Vec<String>,
}

/// What makes a repository the same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its first commit; `None` where the history does not reach back to it.
    pub root: Option<String>,
    /// Where it comes from.
    pub remote: Option<String>,
}

/// A repository as it was just found.
#[derive(Clone, Debug)]
pub struct Sighting {
    pub identity: Identity,
    /// The id it would have if nothing were known.
    pub computed: String,
    /// The state of its settings.
    pub stamp: Stamp,
    /// The commit that is checked out, where plain files tell.
    pub head: Option<String>,
}

impl Identity {
    /// Whether both are one repository; without the first commits, the remote decides.
    pub fn matches(&self, other: &Identity) -> bool {
        match (&self.root, &other.root) {
            (Some(one), Some(two)) => one == two,
            _ => self.remote == other.remote,
        }
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry {
            version: VERSION,
            repositories: BTreeMap::new(),
            aliases: BTreeMap::new(),
            beginnings: BTreeMap::new(),
        }
    }
}

impl Registry {
    /// What the file says; nothing where it is missing or damaged.
    pub fn read(path: &Path) -> Registry {
        let bytes = fs::read(path).unwrap_or_default();
        let read: Option<Registry> = serde_json::from_slice(&bytes).ok();
        read.filter(|registry| registry.version == VERSION).unwrap_or_default()
    }

    /// The repository at that folder.
    pub fn known(&self, place: &str) -> Option<&Known> {
        self.repositories.get(place)
    }

    /// The id of the repository at that folder before its first commit.
    pub fn beginning(&self, place: &str) -> Option<&str> {
        self.beginnings.get(place).map(String::as_str)
    }

    /// Remembers the id of a repository that has no commit yet.
    pub fn begin(&mut self, place: &str, id: &str) {
        self.beginnings.insert(place.to_owned(), id.to_owned());
    }

    /// Settles and remembers the id of the repository at `place`.
    pub fn settle(&mut self, place: &str, seen: Sighting) -> String {
        let Sighting { identity, computed, stamp, head } = seen;
        let before = self.repositories.remove(place).filter(|known| {
            known.identity.matches(&identity)
                || head.as_ref().is_some_and(|head| known.heads.contains(head))
        });
        // What was remembered before the first commit stays with the repository. One that
        // has a remote may be a clone put in the place of what began there.
        let begun = self.beginnings.remove(place).filter(|_| identity.remote.is_none());
        let (kept, mut heads) = before.map_or((begun, Vec::new()), |k| (Some(k.id), k.heads));
        let id = kept.unwrap_or_else(|| self.adopted(&computed, &identity));
        // An id in use stays what it is: its memories are already filed under it.
        if id != computed && !self.repositories.values().any(|known| known.id == computed) {
            self.aliases.insert(computed, id.clone());
        }
        if let Some(head) = head {
            heads.retain(|old| *old != head);
            heads.insert(0, head);
            heads.truncate(MOST_HEADS);
        }
        let known = Known { id: id.clone(), identity, stamp, heads };
        self.repositories.insert(place.to_owned(), known);
        id
    }

    /// The id under which a repository new to this place is known here, if it is.
    fn adopted(&self, computed: &str, identity: &Identity) -> String {
        if let Some(id) = self.aliases.get(computed) {
            return id.clone();
        }
        // A clone without its first commits is recognised by where it comes from.
        let is_clone = |known: &&Known| {
            (known.identity.root.is_none() || identity.root.is_none())
                && identity.remote.is_some()
                && known.identity.remote == identity.remote
        };
        let is_same = |known: &&Known| known.id == computed;
        let repositories = || self.repositories.values();
        let known = repositories().find(is_same).or_else(|| repositories().find(is_clone));
        known.map_or_else(|| computed.to_owned(), |known| known.id.clone())
    }

    /// Reads, changes and writes the file while no other process does.
    ///
    /// The change is made in any case; the error says only that it was not kept.
    pub fn update<T>(path: &Path, change: impl FnOnce(&mut Registry) -> T) -> (T, io::Result<()>) {
        let lock = lock(path);
        let before = Registry::read(path);
        let mut registry = before.clone();
        let result = change(&mut registry);
        let written = match lock {
            Ok(Lock::Held(_file)) if registry != before => registry.write(path),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        (result, written)
    }

    fn write(&mut self, path: &Path) -> io::Result<()> {
        if self.repositories.len() > MANY {
            self.repositories.retain(|place, _| Path::new(place).exists());
            self.beginnings.retain(|place, _| Path::new(place).exists());
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        // Made readable by its owner alone. Not synced: a torn file costs one git call.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.persist(path)?;
        Ok(())
    }
}

enum Lock {
    /// Until the file is dropped.
    Held(File),
    /// Somebody else is writing.
    Busy,
}

fn lock(path: &Path) -> io::Result<Lock> {
    if let Some(folder) = path.parent() {
        private::folder(folder)?;
    }
    let lock = path.with_extension("lock");
    let file = private::options().create(true).truncate(false).open(lock)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(Lock::Busy),
        // Where locks do not exist, renaming still keeps the file whole.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Lock::Held(file)),
    }
}
