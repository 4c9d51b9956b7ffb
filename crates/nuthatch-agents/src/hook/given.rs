//! What a session has been given already, so that nothing is said twice.
//!
//! A small file per session, for the owner alone. It is a convenience, not a truth: one that
//! cannot be read or written means at worst that something is said again. Old ones go.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// More than a session can use; the earliest are given up first.
const MOST_IDS: usize = 500;
/// Sessions that rest longer begin anew.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Most sessions that are remembered.
const MOST_SESSIONS: usize = 1000;
/// More than the largest file that is ever written here.
const MOST_BYTES: u64 = 64 * 1024;

/// What one session has been given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// Ids of memories, in the order they were given.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Whether the context was made shorter since, so that what it began with may be gone.
    #[serde(default)]
    pub compacted: bool,
}

impl Given {
    /// Adds what was just given.
    pub fn add(&mut self, ids: impl IntoIterator<Item = String>) {
        let known: BTreeSet<String> = self.ids.iter().cloned().collect();
        self.ids.extend(ids.into_iter().filter(|id| !known.contains(id)));
        let surplus = self.ids.len().saturating_sub(MOST_IDS);
        self.ids.drain(..surplus);
    }
}

/// The sessions of every product.
#[derive(Clone, Debug)]
pub struct Sessions {
    folder: PathBuf,
}

impl Sessions {
    /// Keeps them in a folder.
    #[must_use]
    pub fn at(folder: PathBuf) -> Sessions {
        Sessions { folder }
    }

    /// What a session has been given; nothing where that is not known.
    #[must_use]
    pub fn find(&self, session: &str) -> Given {
        let path = self.path(session);
        let small = fs::metadata(&path).is_ok_and(|found| found.len() <= MOST_BYTES);
        let bytes = if small { fs::read(path).ok() } else { None };
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Keeps it.
    ///
    /// # Errors
    /// What the system says; nothing depends on it.
    pub fn keep(&self, session: &str, given: &Given) -> std::io::Result<()> {
        super::log::private_folder(&self.folder)?;
        let path = self.path(session);
        let draft = path.with_extension(format!("tmp-{}", std::process::id()));
        let json = serde_json::to_vec(given).unwrap_or_default();
        let kept = super::log::private_options()
            .create(true)
            .truncate(true)
            .open(&draft)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &json))
            .and_then(|()| fs::rename(&draft, &path));
        if kept.is_err() {
            let _ = fs::remove_file(&draft);
        }
        kept
    }

    /// Removes sessions that rest for long, and the longest resting beyond a number.
    pub fn sweep(&self, now: SystemTime) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .filter(|entry| is_state(&entry.path()))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        let surplus = files.len().saturating_sub(MOST_SESSIONS);
        for (at, (time, path)) in files.iter().enumerate() {
            let age = now.duration_since(*time).unwrap_or_default();
            if age > OLDEST || at < surplus {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn path(&self, session: &str) -> PathBuf {
        let hash = blake3::hash(session.as_bytes()).to_hex();
        self.folder.join(format!("{}.json", &hash[..24]))
    }
}

/// Whether a file is a session's, or the draft of one that was cut short.
fn is_state(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ending == "json" || ending.starts_with("tmp-")
}
