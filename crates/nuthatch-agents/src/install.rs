//! Plans what changes in which files, shows it, and carries it out.
//!
//! Everything is planned before anything is written: one broken file, and none is touched.
//! When a write fails, those before it are taken back. Taking out gives back the bytes of
//! before where the file is as we left it; otherwise our entries alone are removed.

use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use serde::Serialize;

use crate::diff::diff;
use crate::disk::Held;
use crate::document::{self, Format, Presence};
use crate::ledger::{Ledger, Record, hash};
use crate::recipe::{Content, MARK, Target};

/// Puts Nuthatch into files and takes it out.
#[derive(Clone, Debug)]
pub struct Installer {
    ledger: Ledger,
}

/// What is to become of one file.
#[derive(Clone, Debug)]
pub struct Change {
    /// The file as its product knows it.
    pub file: PathBuf,
    held: Held,
    after: Option<Vec<u8>>,
    /// What it says without us; kept as the backup.
    clean: Option<Vec<u8>>,
    made: Vec<PathBuf>,
}

/// How it stands with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Everything is there.
    Installed,
    /// Something is there, but not as it would be written now.
    Outdated,
    /// Nothing is there.
    Missing,
    /// The file cannot be read.
    Broken,
}

/// One file, looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The file.
    pub file: PathBuf,
    /// How it stands.
    pub state: Verdict,
    /// What is missing, different or wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

impl Change {
    /// Whether the file stays as it is.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.held.bytes == self.after
    }

    /// Whether the file is made, changed or removed.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match (&self.held.bytes, &self.after) {
            _ if self.is_nothing() => "unchanged",
            (None, _) => "made",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    /// The lines that go and come.
    #[must_use]
    pub fn diff(&self) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        diff(&self.file.display().to_string(), &text(&self.held.bytes), &text(&self.after))
    }
}

impl Installer {
    /// Keeps what it must know in a folder of the user's data.
    #[must_use]
    pub fn at(folder: PathBuf) -> Installer {
        Installer { ledger: Ledger::at(folder) }
    }

    /// What putting Nuthatch into these files would change.
    ///
    /// # Errors
    /// `invalid` where a file is broken, `conflict` where somebody else has our place.
    pub fn install(&self, targets: &[Target]) -> Result<Vec<Change>> {
        targets
            .iter()
            .map(|target| self.put(target).map_err(|error| about(target, &error)))
            .collect()
    }

    /// What taking it out again would change.
    ///
    /// # Errors
    /// `invalid` where a file is broken.
    pub fn uninstall(&self, targets: &[Target]) -> Result<Vec<Change>> {
        targets
            .iter()
            .map(|target| self.take(target).map_err(|error| about(target, &error)))
            .collect()
    }

    /// How it stands with these files.
    #[must_use]
    pub fn check(&self, targets: &[Target]) -> Vec<Checked> {
        targets.iter().map(look).collect()
    }

    /// Where the bytes of a changed file from before are kept.
    #[must_use]
    pub fn backup(&self, change: &Change) -> PathBuf {
        self.ledger.backup(&change.held.real)
    }

    /// Writes every change, or none.
    ///
    /// # Errors
    /// `conflict` when a file was changed since it was planned, `unavailable` when one cannot
    /// be written.
    pub fn commit(&self, changes: &[Change]) -> Result<()> {
        let wanted: Vec<&Change> = changes.iter().filter(|change| !change.is_nothing()).collect();
        for (done, change) in wanted.iter().enumerate() {
            if let Err(error) = self.carry_out(change) {
                for earlier in wanted[..done].iter().rev() {
                    let held = Held { bytes: earlier.after.clone(), ..earlier.held.clone() };
                    // Whoever changed it in between wins.
                    let _ = held.replace(earlier.held.bytes.as_deref());
                }
                return Err(error);
            }
        }
        let removed = wanted.iter().filter(|change| change.after.is_none());
        let mut folders: Vec<&PathBuf> = removed.flat_map(|change| &change.made).collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            // Only an empty folder goes; what others put there keeps it.
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }

    fn carry_out(&self, change: &Change) -> Result<()> {
        let path = &change.held.real;
        let installs = change.after != change.clean;
        let mut record = Record {
            path: path.clone(),
            existed: change.clean.is_some(),
            after: change.after.as_deref().map(hash).unwrap_or_default(),
            made: change.made.clone(),
        };
        if installs {
            self.ledger.keep(&record, change.clean.as_deref())?;
        }
        let made = change.held.replace(change.after.as_deref())?;
        if installs && !made.is_empty() {
            record.made.extend(made);
            self.ledger.keep(&record, change.clean.as_deref())?;
        }
        if !installs {
            self.ledger.drop(path);
        }
        Ok(())
    }

    fn put(&self, target: &Target) -> Result<Change> {
        let held = Held::of(&target.file)?;
        let known = self.ledger.find(&held.real);
        let is_ours = known.as_ref().is_some_and(|(record, _)| is_as_left(record, &held));
        let made = known.as_ref().map(|(record, _)| record.made.clone()).unwrap_or_default();
        let (after, clean) = match &target.content {
            Content::Whole(text) => {
                if !(held.bytes.is_none() || is_marked(&held)) {
                    return Err(document::taken("a file of this name"));
                }
                (text.clone(), None)
            }
            Content::Entries(format, entries) => {
                let text = held.text()?;
                let after = document::with(*format, text, entries)?;
                let clean = match &known {
                    Some((_, before)) if is_ours => before.clone(),
                    known => without(*format, &held, entries, known.as_ref())?,
                };
                (after, clean)
            }
        };
        Ok(Change { file: target.file.clone(), held, after: Some(after.into_bytes()), clean, made })
    }

    fn take(&self, target: &Target) -> Result<Change> {
        let held = Held::of(&target.file)?;
        let known = self.ledger.find(&held.real);
        let made = known.as_ref().map(|(record, _)| record.made.clone()).unwrap_or_default();
        let after = match &known {
            _ if held.bytes.is_none() => None,
            Some((record, before)) if is_as_left(record, &held) => before.clone(),
            known => match &target.content {
                Content::Whole(_) => held.bytes.clone().filter(|_| !is_marked(&held)),
                Content::Entries(format, entries) => {
                    without(*format, &held, entries, known.as_ref())?
                }
            },
        };
        Ok(Change { file: target.file.clone(), held, clean: after.clone(), after, made })
    }
}

/// What a file says without our entries. One that we made and that says nothing any more is
/// none.
fn without(
    format: Format,
    held: &Held,
    entries: &[document::Entry],
    known: Option<&(Record, Option<Vec<u8>>)>,
) -> Result<Option<Vec<u8>>> {
    if held.bytes.is_none() {
        return Ok(None);
    }
    let before = known.and_then(|(_, before)| before.as_deref());
    let before = before.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    let before = document::read(format, before).unwrap_or_default();
    let keep =
        |path: &[String]| path.iter().try_fold(&before, |value, key| value.get(key)).is_some();
    let text = document::without(format, held.text()?, entries, &keep)?;
    let says_nothing = document::read(format, &text)?.as_object().is_some_and(|o| {
        let needed = |key: &String| entries.iter().any(|e| e.path.len() == 1 && e.path[0] == *key);
        o.keys().all(needed)
    });
    let is_ours = known.is_some_and(|(record, _)| !record.existed);
    Ok(if says_nothing && is_ours { None } else { Some(text.into_bytes()) })
}

fn is_as_left(record: &Record, held: &Held) -> bool {
    held.bytes.as_deref().map(hash).unwrap_or_default() == record.after
}

fn is_marked(held: &Held) -> bool {
    held.text().is_ok_and(|text| text.contains(MARK))
}

fn look(target: &Target) -> Checked {
    let (state, details) = match states(target) {
        Err(error) => (Verdict::Broken, vec![error.to_string()]),
        Ok(states) => {
            let count = |wanted| states.iter().filter(|(_, state)| *state == wanted).count();
            let wrong = states.iter().filter_map(|(name, state)| match state {
                Presence::Same => None,
                Presence::Different => Some(format!("{name} differs")),
                Presence::Absent => Some(format!("{name} is missing")),
            });
            let state = if count(Presence::Same) == states.len() {
                Verdict::Installed
            } else if count(Presence::Absent) == states.len() {
                Verdict::Missing
            } else {
                Verdict::Outdated
            };
            let details = if state == Verdict::Outdated { wrong.collect() } else { Vec::new() };
            (state, details)
        }
    };
    Checked { file: target.file.clone(), state, details }
}

fn states(target: &Target) -> Result<Vec<(String, Presence)>> {
    let held = Held::of(&target.file)?;
    match &target.content {
        Content::Whole(text) => {
            let state = match held.text()? {
                found if found == text => Presence::Same,
                found if found.contains(MARK) => Presence::Different,
                _ => Presence::Absent,
            };
            Ok(vec![("the file".to_owned(), state)])
        }
        Content::Entries(format, entries) => {
            let value = document::read(*format, held.text()?)?;
            let counted = entries.iter().filter(|e| !matches!(e.what, document::What::Needed(_)));
            Ok(counted.map(|e| (e.name(), document::presence(&value, e))).collect())
        }
    }
}

fn about(target: &Target, error: &Error) -> Error {
    let told = Error::new(error.kind(), format!("{}: {error}", shown(&target.file)));
    match error.hint() {
        Some(hint) => told.with_hint(hint),
        None => told,
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
