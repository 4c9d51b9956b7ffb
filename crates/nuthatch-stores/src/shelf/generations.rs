//! Published sets as folders with numbers, and which of them the visible files show.
//!
//! The caller holds the project's lock; what the visible files look like is in `files.rs`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::shelf::{Documents, Generation, Present, is_document, skill_of};
use serde::{Deserialize, Serialize};

use super::files;
use crate::disk;

/// Sets that are kept: some months of daily runs would be too many, a week's is wanted.
const KEPT: usize = 20;
/// The file of a set that says what it is.
const MANIFEST: &str = "manifest.json";
/// The file that says which set the visible files show.
const PUBLISHED: &str = "published";

/// What a set is, beside its documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// When it was made.
    pub at: Timestamp,
    /// What it comes from.
    pub why: String,
}

/// The folder of sets.
pub struct Generations {
    pub folder: PathBuf,
}

impl Generations {
    fn at(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:06}"))
    }

    /// Whether a set is kept.
    pub fn has(&self, number: u64) -> bool {
        self.at(number).is_dir()
    }

    /// The numbers of all that are kept, oldest first.
    pub fn numbers(&self) -> Result<Vec<u64>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(|error| disk::io_error("list", &self.folder, error))?,
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut numbers: Vec<u64> = names.filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The newest set.
    pub fn newest(&self) -> Result<Option<u64>> {
        Ok(self.numbers()?.pop())
    }

    /// The set that the visible files show.
    pub fn published(&self) -> Result<Option<u64>> {
        let bytes = disk::read_regular(&self.folder.join(PUBLISHED))?;
        Ok(bytes.and_then(|bytes| String::from_utf8_lossy(&bytes).trim().parse().ok()))
    }

    /// Notes that the visible files show a set.
    pub fn note_published(&self, number: u64) -> Result<()> {
        let path = self.folder.join(PUBLISHED);
        let fresh = self.folder.join("published.new");
        disk::write_new(&fresh, number.to_string().as_bytes())?;
        fs::rename(&fresh, &path).map_err(|error| disk::io_error("replace", &path, error))?;
        disk::sync_dir(&self.folder)
    }

    /// The documents of a set, and what it is.
    pub fn read(&self, number: u64) -> Result<(Documents, Manifest)> {
        let folder = self.at(number);
        let path = folder.join(MANIFEST);
        let bytes = disk::read_regular(&path)?.unwrap_or_default();
        let manifest = serde_json::from_slice(&bytes).map_err(|error| {
            Error::unavailable(format!("{} cannot be read", path.display()))
                .with_hint("move the folder away, and run `nuthatch memory rebuild`")
                .with_source(error)
        })?;
        Ok((files::read_all(&folder)?, manifest))
    }

    /// Every set, newest first.
    pub fn log(&self) -> Result<Vec<Generation>> {
        let mut log = Vec::new();
        for number in self.numbers()?.into_iter().rev() {
            let (documents, Manifest { at, why }) = self.read(number)?;
            let chars = documents.values().map(|text| text.chars().count() as u64).sum();
            log.push(Generation { number, at, why, documents: documents.len() as u64, chars });
        }
        Ok(log)
    }

    /// Writes a set out into a folder without a number.
    pub fn stage(&self, documents: &Documents, manifest: &Manifest) -> Result<PathBuf> {
        self.remove_leftovers();
        let folder = self.folder.join(format!("stage-{}", uuid::Uuid::now_v7()));
        disk::create_private_dir(&folder)?;
        for (name, text) in documents {
            if !is_document(name) {
                return Err(Error::invalid(format!("{name:?} is no name of a document")));
            }
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(&folder);
            disk::create_private_dir(parent)?;
            disk::write_new(&path, text.as_bytes())?;
            disk::sync_dir(parent)?;
        }
        let bytes = serde_json::to_vec(manifest)
            .map_err(|error| Error::internal("a manifest cannot be written").with_source(error))?;
        disk::write_new(&folder.join(MANIFEST), &bytes)?;
        disk::sync_dir(&folder)?;
        Ok(folder)
    }

    /// Gives a set its number: from here on it holds.
    pub fn commit(&self, staged: &Path) -> Result<u64> {
        let number = self.newest()?.unwrap_or(0) + 1;
        let path = self.at(number);
        fs::rename(staged, &path).map_err(|error| disk::io_error("make", &path, error))?;
        disk::sync_dir(&self.folder)?;
        Ok(number)
    }

    /// Keeps what people changed in generated documents as a set of its own.
    pub fn keep_by_hand(&self, present: &Present, seen: Option<u64>, at: Timestamp) -> Result<()> {
        let Some(seen) = seen else { return Ok(()) };
        let (ours, _) = self.read(seen)?;
        // A changed skill stays where it is; the documents are about to be written over.
        let changed = |name: &String| ours.contains_key(name) && skill_of(name).is_none();
        if !present.by_hand.iter().any(changed) {
            return Ok(());
        }
        let manifest = Manifest { at, why: "changed by hand".to_owned() };
        // Skills as we know them: one that was changed must not be taken for ours later.
        let skills = ours.into_iter().filter(|(name, _)| skill_of(name).is_some());
        let changed = present.documents.iter().filter(|(name, _)| skill_of(name).is_none());
        let changed = changed.map(|(name, text)| (name.clone(), text.clone()));
        let documents = skills.chain(changed).collect();
        let staged = self.stage_beside(&documents, &manifest)?;
        let number = self.commit(&staged)?;
        self.note_published(number)
    }

    /// As [`stage`](Self::stage), leaving other staged sets alone.
    fn stage_beside(&self, documents: &Documents, manifest: &Manifest) -> Result<PathBuf> {
        let folder = self.folder.join("by-hand");
        let _ = fs::remove_dir_all(&folder);
        let beside = Generations { folder };
        disk::create_private_dir(&beside.folder)?;
        beside.stage(documents, manifest)
    }

    /// Sets of processes that were killed while they staged. The caller holds the lock, but
    /// others may be between staging and publishing: only old ones go.
    fn remove_leftovers(&self) {
        const OLD: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let staged = entry.file_name().to_string_lossy().starts_with("stage-");
            let age = entry.metadata().and_then(|found| found.modified()).ok();
            let age = age.and_then(|at| at.elapsed().ok());
            if staged && age.is_some_and(|age| age > OLD) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Lets the oldest sets go, beyond those that are kept.
    pub fn drop_oldest(&self) -> Result<()> {
        self.keep(KEPT)
    }

    /// Lets every set go but the newest, and what lies beside them.
    pub fn drop_all_but_newest(&self) -> Result<()> {
        let _ = fs::remove_dir_all(self.folder.join("by-hand"));
        self.keep(1)
    }

    fn keep(&self, newest: usize) -> Result<()> {
        let numbers = self.numbers()?;
        for number in numbers.iter().take(numbers.len().saturating_sub(newest)) {
            let path = self.at(*number);
            fs::remove_dir_all(&path).map_err(|error| disk::io_error("remove", &path, error))?;
        }
        Ok(())
    }

    /// Removes every set, and what was staged.
    pub fn remove_all(&self) -> Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(disk::io_error("remove", &self.folder, error))
            }
            _ => Ok(()),
        }
    }
}
