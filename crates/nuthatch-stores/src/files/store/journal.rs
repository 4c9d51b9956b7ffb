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

use super::stamp;
use super::{Shared, codec};
use crate::disk;

/// A file as it shall be.
pub struct Replacement {
    /// Where.
    pub path: PathBuf,
    /// The hash of what it holds now; none if it does not exist.
    pub before: Option<String>,
    /// What it shall hold; none removes it.
    pub after: Option<Vec<u8>>,
}

/// A staged replacement, as the journal names it.
#[derive(Serialize, Deserialize)]
struct Step {
    path: PathBuf,
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
        if steps.iter().any(overtaken) {
            return Ok(Committed::Overtaken);
        }
        if steps.len() > 1 {
            let line = serde_json::to_vec(&steps).map_err(codec::unwritable)?;
            let draft = self.stage().join("journal");
            disk::write_new(&draft, &line)?;
            rename(&draft, &self.journal())?;
            disk::sync_dir(&self.state)?;
        }
        self.finish(&steps)?;
        Ok(Committed::Yes)
    }

    fn stage_one(&self, number: usize, replacement: Replacement) -> Result<Step> {
        let Replacement { path, before, after } = replacement;
        let Some(bytes) = after else { return Ok(Step { path, before, staged: None }) };
        let name = format!("{number}");
        let staged = self.stage().join(&name);
        disk::write_new(&staged, &bytes)?;
        if let Ok(found) = fs::metadata(&path) {
            // Whoever could read the file before still can.
            let kept = fs::set_permissions(&staged, found.permissions());
            kept.map_err(|error| disk::io_error("set permissions of", &staged, error))?;
        }
        Ok(Step { path, before, staged: Some(name) })
    }

    /// Carries out the steps; those already done are passed over.
    fn finish(&self, steps: &[Step]) -> Result<()> {
        for step in steps {
            match &step.staged {
                Some(name) => {
                    let staged = self.stage().join(name);
                    if staged.exists() {
                        if let Some(folder) = step.path.parent() {
                            disk::create_private_dir(folder)?;
                        }
                        rename(&staged, &step.path)?;
                    }
                }
                None => remove(&step.path)?,
            }
            if let Some(folder) = step.path.parent() {
                disk::sync_dir(folder)?;
            }
        }
        remove(&self.journal())
    }

    /// Finishes what a process that died had begun, and clears what it only staged. The
    /// caller holds the lock.
    pub fn recover(&self) -> Result<()> {
        if let Some(line) = disk::read_regular(&self.journal())? {
            let steps: Vec<Step> = serde_json::from_slice(&line).map_err(|error| {
                Error::unavailable(format!("{} cannot be read", self.journal().display()))
                    .with_hint("move that file away; the store is as it was before the last write")
                    .with_source(error)
            })?;
            self.set_overtaken_aside(&steps)?;
            // A file that was to go, and that a person wrote to since, stays.
            let theirs = |step: &Step| step.staged.is_none() && overtaken(step);
            let steps: Vec<Step> = steps.into_iter().filter(|step| !theirs(step)).collect();
            self.finish(&steps)?;
        }
        for left in fs::read_dir(self.stage()).into_iter().flatten().flatten() {
            remove(&left.path())?;
        }
        Ok(())
    }

    /// A file that a person changed after the crash stays theirs; what would have replaced
    /// it is kept aside and reported by the check.
    fn set_overtaken_aside(&self, steps: &[Step]) -> Result<()> {
        for step in steps {
            let Some(name) = &step.staged else { continue };
            let staged = self.stage().join(name);
            if staged.exists() && overtaken(step) {
                let folder = self.conflicts();
                disk::create_private_dir(&folder)?;
                let mark: String = stamp::hash(step.path.as_os_str().as_encoded_bytes())
                    .chars()
                    .take(12)
                    .collect();
                rename(&staged, &folder.join(mark))?;
            }
        }
        Ok(())
    }

    /// Contents that could not be put in place because a person was faster.
    pub fn conflicts(&self) -> PathBuf {
        self.state.join("conflicts")
    }
}

fn overtaken(step: &Step) -> bool {
    let now = fs::read(&step.path).ok().map(|bytes| stamp::hash(&bytes));
    now != step.before
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
