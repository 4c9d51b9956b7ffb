//! Several files replaced as if they were one.
//!
//! New contents are staged and synced first. A single file is then renamed into place,
//! which is atomic by itself. For several, a journal that names them all is renamed into
//! place first: from then on the change has happened, and whoever finds the journal after a
//! crash finishes the renames.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};

use super::read::Canonical;
use super::{Shared, codec, stamp};
use crate::disk;

/// A file as it shall be.
pub struct Replacement {
    /// Which.
    pub file: Canonical,
    /// The hash of what it holds now; none if it does not exist.
    pub before: Option<String>,
    /// What it shall hold; none removes it.
    pub after: Option<Vec<u8>>,
}

/// A staged replacement, as the journal names it. Names, not paths: a journal may come with
/// somebody else's repository, and must not reach out of the store it lies in.
#[derive(Serialize, Deserialize)]
struct Step {
    name: String,
    before: Option<String>,
    staged: Option<String>,
}

/// What became of a change.
#[derive(Debug, PartialEq, Eq)]
pub enum Committed {
    /// Every file is as it shall be.
    Yes,
    /// A file was changed by somebody else in the meantime; nothing was replaced.
    Overtaken,
}

impl Shared {
    fn stage(&self) -> PathBuf {
        self.state.join("stage")
    }

    fn journal(&self) -> PathBuf {
        self.state.join("journal")
    }

    /// Whether a change was begun that may not be finished.
    pub fn has_journal(&self) -> bool {
        self.journal().exists()
    }

    /// Replaces files, all or none. The caller holds the lock.
    pub fn commit(&self, replacements: Vec<Replacement>) -> Result<Committed> {
        let mut steps = Vec::new();
        for (number, replacement) in replacements.into_iter().enumerate() {
            steps.push(self.stage_one(number, replacement)?);
        }
        // What can be refused is refused while nothing has happened yet.
        for step in &steps {
            self.make_way(&self.place_of(step)?)?;
        }
        for step in &steps {
            if self.is_overtaken(step)? {
                return Ok(Committed::Overtaken);
            }
        }
        if steps.len() > 1 {
            let line = serde_json::to_vec(&steps).map_err(codec::unwritable)?;
            let draft = self.stage().join("journal");
            disk::write_new(&draft, &line)?;
            // A journal that survives a power cut must not name contents that did not.
            disk::sync_dir(&self.stage())?;
            rename(&draft, &self.journal())?;
            disk::sync_dir(&self.state)?;
        }
        self.finish(&steps)?;
        Ok(Committed::Yes)
    }

    /// The file a step is about: one of this store's own, or an error.
    fn place_of(&self, step: &Step) -> Result<PathBuf> {
        let staged_here = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
        match self.canonical_named(&step.name) {
            Some(file) if step.staged.as_ref().is_none_or(staged_here) => Ok(file.path),
            _ => Err(self.unreadable_journal()),
        }
    }

    fn unreadable_journal(&self) -> Error {
        Error::unavailable(format!("{} cannot be read", self.journal().display()))
            .with_hint("move that file away; the store is as it was before the last write")
    }

    /// Makes the folder of a file, and makes sure that it can be renamed into: real folders
    /// all the way, on the disk where contents are staged.
    fn make_way(&self, path: &Path) -> Result<()> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let base = if path.starts_with(&self.state) { &self.state } else { &self.root };
        disk::refuse_links(base, folder)?;
        disk::create_private_dir(folder)?;
        disk::check_same_device(&self.stage(), folder)
    }

    fn is_overtaken(&self, step: &Step) -> Result<bool> {
        let now = fs::read(self.place_of(step)?).ok().map(|bytes| stamp::hash(&bytes));
        Ok(now != step.before)
    }

    fn stage_one(&self, number: usize, replacement: Replacement) -> Result<Step> {
        let Replacement { file, before, after } = replacement;
        let Some(bytes) = after else {
            return Ok(Step { name: file.name, before, staged: None });
        };
        let number = number.to_string();
        let staged = self.stage().join(&number);
        disk::write_new(&staged, &bytes)?;
        if let Ok(found) = fs::metadata(&file.path) {
            // Whoever could read the file before still can.
            let kept = fs::set_permissions(&staged, found.permissions());
            kept.map_err(|error| disk::io_error("set permissions of", &staged, error))?;
        }
        Ok(Step { name: file.name, before, staged: Some(number) })
    }

    /// Carries out the steps; those already done are passed over.
    fn finish(&self, steps: &[Step]) -> Result<()> {
        for step in steps {
            let path = self.place_of(step)?;
            match &step.staged {
                Some(number) => {
                    let staged = self.stage().join(number);
                    if staged.exists() {
                        self.make_way(&path)?;
                        rename(&staged, &path)?;
                    }
                }
                None => remove(&path)?,
            }
            if let Some(folder) = path.parent() {
                disk::sync_dir(folder)?;
            }
        }
        remove(&self.journal())?;
        // A journal that came back after a power cut would be carried out twice.
        if steps.len() > 1 { disk::sync_dir(&self.state) } else { Ok(()) }
    }

    /// Finishes what a process that died had begun, and clears what it only staged. The
    /// caller holds the lock.
    pub fn recover(&self) -> Result<()> {
        if let Some(line) = disk::read_regular(&self.journal())? {
            let steps: Vec<Step> = serde_json::from_slice(&line)
                .map_err(|error| self.unreadable_journal().with_source(error))?;
            let steps = self.without_overtaken(steps)?;
            self.finish(&steps)?;
        }
        for left in fs::read_dir(self.stage()).into_iter().flatten().flatten() {
            remove(&left.path())?;
        }
        Ok(())
    }

    /// A file that a person changed after the crash stays theirs; what would have replaced
    /// it is kept aside and reported by the check.
    fn without_overtaken(&self, steps: Vec<Step>) -> Result<Vec<Step>> {
        let mut left = Vec::new();
        for step in steps {
            let staged = step.staged.as_ref().map(|number| self.stage().join(number));
            let done = staged.as_ref().is_some_and(|staged| !staged.exists());
            if done || !self.is_overtaken(&step)? {
                left.push(step);
            } else if let Some(staged) = staged {
                disk::create_private_dir(&self.conflicts())?;
                rename(&staged, &self.free_conflict(&step.name))?;
            }
        }
        Ok(left)
    }

    /// A name in the conflicts folder that nothing has yet.
    fn free_conflict(&self, name: &str) -> PathBuf {
        let mark: String = stamp::hash(name.as_bytes()).chars().take(12).collect();
        let named = |count: u32| self.conflicts().join(format!("{mark}-{count}"));
        (1..u32::MAX).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(0))
    }

    /// Contents that could not be put in place because a person was faster.
    pub fn conflicts(&self) -> PathBuf {
        self.state.join("conflicts")
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| disk::io_error("replace", to, error))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(disk::io_error("remove", path, error))
        }
        _ => Ok(()),
    }
}
