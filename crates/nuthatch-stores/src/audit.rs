//! The audit log as a file of JSON lines, for the owner alone.
//!
//! Any number of processes append under one lock. A file that is full becomes the first of a
//! few older ones, and the oldest goes. A line that was cut short by a crash is passed over.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use nuthatch::audit::{Audit, Event};
use nuthatch::error::{Error, Result};

use crate::disk::{self, io_error};

/// Bytes of one file: some ten thousand records.
const FULL: u64 = 2 * 1024 * 1024;
/// Older files that are kept.
const OLDER: usize = 3;

/// An audit log at a place.
#[derive(Clone, Debug)]
pub struct AuditLog {
    path: PathBuf,
    full: u64,
}

impl AuditLog {
    /// The log at `path`. Nothing is made before something is recorded.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        AuditLog { path, full: FULL }
    }

    /// The same, with files of at most so many bytes.
    #[must_use]
    pub fn with_files_of(self, bytes: u64) -> Self {
        AuditLog { full: bytes, ..self }
    }

    /// Every record that is kept, oldest first.
    ///
    /// # Errors
    /// `unavailable`, when a file is there and cannot be read.
    pub fn read(&self) -> Result<Vec<Event>> {
        // While it is held, no file changes its name.
        let _lock = match self.path.parent().is_some_and(Path::exists) {
            true => Some(self.lock()?),
            false => None,
        };
        let mut events = Vec::new();
        for number in (0..=OLDER).rev() {
            let bytes = disk::read_regular(&self.file(number))?.unwrap_or_default();
            let lines = bytes.split(|byte| *byte == b'\n');
            events.extend(lines.filter_map(|line| serde_json::from_slice::<Event>(line).ok()));
        }
        Ok(events)
    }

    /// The file that is written, and the older ones by age.
    fn file(&self, number: usize) -> PathBuf {
        if number == 0 { self.path.clone() } else { self.beside(&format!(".{number}")) }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(self.path.clone());
        name.push(ending);
        PathBuf::from(name)
    }

    fn lock(&self) -> Result<File> {
        let path = self.beside(".lock");
        refuse_link(&path)?;
        let file = disk::private_options().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| io_error("open", &path, error))?;
        file.lock().map_err(|error| io_error("lock", &path, error))?;
        Ok(file)
    }

    /// Makes room when the file is full. The caller holds the lock.
    fn rotate(&self) -> Result<()> {
        let size = fs::metadata(&self.path).map_or(0, |found| found.len());
        if size < self.full {
            return Ok(());
        }
        for number in (0..OLDER).rev() {
            let (from, to) = (self.file(number), self.file(number + 1));
            match fs::rename(&from, &to) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(io_error("rename", &from, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Audit for AuditLog {
    fn keep(&self, event: &Event) -> Result<()> {
        let mut line = serde_json::to_vec(event)
            .map_err(|error| Error::internal("a record cannot be written").with_source(error))?;
        line.push(b'\n');
        if let Some(folder) = self.path.parent() {
            disk::create_private_dir(folder)?;
        }
        let _lock = self.lock()?;
        self.rotate()?;
        refuse_link(&self.path)?;
        let path = &self.path;
        let failed = |error| io_error("write", path, error);
        let opened = disk::private_options().append(true).create(true).read(true).open(path);
        let mut file = opened.map_err(|error| io_error("open", path, error))?;
        // What a crash cut short must not swallow the next line.
        if !ends_with_newline(&mut file).map_err(failed)? {
            line.insert(0, b'\n');
        }
        file.write_all(&line).map_err(failed)
    }
}

fn ends_with_newline(file: &mut File) -> std::io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// A link in place of the log would write into somebody else's file.
fn refuse_link(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => {
            Err(Error::unavailable(format!("{} is not a regular file", path.display()))
                .with_hint("move it away; what was asked for was done, but not recorded"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
