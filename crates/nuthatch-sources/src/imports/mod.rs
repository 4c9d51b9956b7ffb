//! What other tools wrote out: files, folders, archives and databases, as things to take in.
//!
//! Here it is decided what a file is and which files of a folder or an archive mean anything;
//! formats themselves are read by `nuthatch::interchange`. Everything is only read, and one
//! thing at a time, whatever its size.

mod archive;
mod database;
mod folder;
mod meaning;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use nuthatch::error::{Error, Kind, Result};
use nuthatch::interchange::{self, Format, HEAD_BYTES, Telling, sniff};

/// How an archive begins.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// Told how many of how many bytes are read.
pub type Watch<'a> = dyn FnMut(u64, u64) + 'a;

/// Reads a file, a folder or an archive, and says what it was read as.
///
/// # Errors
/// `not_found`, `unavailable`, or `invalid` where something breaks off or is nothing known;
/// what could be read was told before.
pub fn read(
    path: &Path,
    format: Option<Format>,
    telling: &mut Telling<'_>,
    watch: &mut Watch<'_>,
) -> Result<&'static str> {
    let found = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if found.is_dir() {
        folder::read(path, format, telling, watch)?;
        return Ok("folder");
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let total = if found.is_file() { found.len() } else { 0 };
    let head = if found.is_file() { head_of(path)? } else { Vec::new() };
    if head.starts_with(ARCHIVE) {
        archive::read(file, total, format, telling, watch)?;
        return Ok("zip");
    }
    if format == Some(Format::Sqlite) || sniff(&head) == Some(Format::Sqlite) {
        if format.is_some_and(|format| format != Format::Sqlite) {
            return Err(Error::invalid("it is a database").with_hint("leave --format out"));
        }
        database::read(path, telling)?;
        return Ok(Format::Sqlite.name());
    }
    let counted = Counted { input: file, read: 0, told: 0, total, watch };
    stream(counted, format, telling).map(Format::name)
}

/// Reads a stream, and says what it was read as.
///
/// # Errors
/// As [`read`].
pub fn stream(
    input: impl Read,
    format: Option<Format>,
    telling: &mut Telling<'_>,
) -> Result<Format> {
    let mut input = BufReader::with_capacity(HEAD_BYTES, input);
    let format = match format {
        Some(format) => format,
        None => {
            let head = input.fill_buf().map_err(|error| broken(&error))?;
            sniff(head).ok_or_else(unknown)?
        }
    };
    interchange::read(format, &mut input, telling)?;
    Ok(format)
}

fn unknown() -> Error {
    let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    Error::invalid("it is of no format that is known")
        .with_hint(format!("name one with --format: {}", known.join(", ")))
}

fn head_of(path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    file.take(HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(|error| unreadable(path, &error))?;
    Ok(head)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => Kind::NotFound,
        _ => Kind::Unavailable,
    };
    Error::new(kind, format!("cannot read {}: {error}", path.display()))
}

fn broken(error: &io::Error) -> Error {
    Error::unavailable(format!("cannot read on: {error}"))
}

/// Counts what is read, and tells it now and then.
struct Counted<'w, 'f, R> {
    input: R,
    read: u64,
    told: u64,
    total: u64,
    watch: &'w mut Watch<'f>,
}

/// Bytes between two tellings: often enough for an eye.
const STEP: u64 = 1 << 20;

impl<R: Read> Read for Counted<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.read += count as u64;
        if self.read - self.told >= STEP {
            self.told = self.read;
            (self.watch)(self.read, self.total.max(self.read));
        }
        Ok(count)
    }
}
