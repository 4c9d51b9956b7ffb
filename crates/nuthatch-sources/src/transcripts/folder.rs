//! What lies in a folder, as far as it can be looked at.
//!
//! Links to folders are not followed: a loop would never end. Links to files are, because
//! people move large files elsewhere. Everything that fails is counted.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use nuthatch::transcript::SessionHead;

use super::watermark::Stamp;
use super::{Found, Located};

/// Files looked at in one product's places.
const MOST_FILES: usize = 200_000;
/// Bytes of a file that a look at its beginning reads.
pub(crate) const PEEKED: u64 = 128 << 10;

/// Every file below a folder, down to a depth, with what it looks like.
pub(crate) fn files(root: &Path, depth: usize, found: &mut Found) -> Vec<(PathBuf, Metadata)> {
    let mut files = Vec::new();
    if let Ok(metadata) = fs::metadata(root)
        && metadata.is_file()
    {
        return vec![(root.to_owned(), metadata)];
    }
    let mut open = vec![(root.to_owned(), depth)];
    while let Some((folder, depth)) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                found.skip(format!("folder not read: {}", error.kind()));
                continue;
            }
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let is_link = path.is_symlink();
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() && is_link => found.skip("link to a folder"),
                Ok(metadata) if metadata.is_dir() && depth > 0 => open.push((path, depth - 1)),
                Ok(metadata) if metadata.is_file() && files.len() < MOST_FILES => {
                    files.push((path, metadata));
                }
                Ok(metadata) if metadata.is_file() => found.skip("too many files"),
                Ok(_) => {}
                Err(error) => found.skip(format!("file not read: {}", error.kind())),
            }
        }
    }
    files
}

/// Every file below a folder whose name ends so, by the part after its last dot.
pub(crate) fn ending(
    root: &Path,
    depth: usize,
    end: &str,
    found: &mut Found,
) -> Vec<(PathBuf, Metadata)> {
    let mut files = files(root, depth, found);
    files.retain(|(path, _)| path.extension().is_some_and(|own| own == end));
    files
}

/// A session that is a file, with nothing known of it but its id.
pub(crate) fn located(agent: &str, id: String, path: PathBuf, metadata: &Metadata) -> Located {
    let stamp = Stamp::of(metadata);
    let agent = agent.to_owned();
    let head = SessionHead { id, agent, updated_at: stamp.at(), ..SessionHead::default() };
    Located { path, head, stamp, span: None }
}

/// The first lines of a file, as text; nothing where it cannot be read.
pub(crate) fn beginning(path: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(PEEKED).read_to_end(&mut bytes));
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
}

/// Opens a session's file, never waiting for what is no file.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata)> {
    let trouble = |error: io::Error| refusal(path, &error);
    let metadata = fs::metadata(path).map_err(trouble)?;
    if !metadata.is_file() {
        return Err(Error::invalid(format!("{} is no file", path.display())));
    }
    let file = File::open(path).map_err(trouble)?;
    let metadata = file.metadata().map_err(trouble)?;
    Ok((file, metadata))
}

/// Why a session's file is not read.
pub(crate) fn refusal(path: &Path, error: &io::Error) -> Error {
    let message = format!("cannot read {}: {}", path.display(), error.kind());
    match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(message),
        _ => Error::unavailable(message),
    }
}

/// Reads a whole file that is one document.
pub(crate) fn whole(path: &Path, limit: u64) -> Result<(String, Metadata)> {
    let (file, metadata) = open(path)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| refusal(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::invalid(format!(
            "{} is longer than {limit} bytes, the longest session in one document",
            path.display()
        )));
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok((text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text), metadata))
}

/// Whether a name is a UUID as products write it.
pub(crate) fn is_uuid(name: &str) -> bool {
    name.len() == 36
        && name.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
