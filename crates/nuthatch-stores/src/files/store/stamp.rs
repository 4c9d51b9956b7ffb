//! Whether a file is still as it was.
//!
//! Size, time and inode tell it without reading, but a file changed twice within one tick of
//! the clock can look unchanged. So a stamp taken soon after the file's own time is marked
//! young, and a young stamp is only believed together with a hash of the content.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

use nuthatch::error::Result;

use crate::disk;

/// Coarser than the clock of any file system in use.
const TICK: Duration = Duration::from_millis(2100);

/// How a file looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Size, time and inode, as one line.
    pub look: String,
    /// Whether the file may have changed since without looking different.
    pub young: bool,
    /// Hash of its content.
    pub hash: String,
}

/// How a file looks without reading it; none if there is none.
pub fn look(path: &Path) -> Option<String> {
    std::fs::symlink_metadata(path).ok().map(|found| describe(&found))
}

fn describe(found: &Metadata) -> String {
    let modified = found.modified().ok();
    let since = modified.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    let inode = 0;
    format!("{}:{}:{inode}", found.len(), since.unwrap_or_default().as_nanos())
}

/// When a file was last changed, as far as the system says.
pub fn modified(path: &Path) -> jiff::Timestamp {
    let found = std::fs::metadata(path).and_then(|found| found.modified()).ok();
    let at = found.and_then(|at| jiff::Timestamp::try_from(at).ok());
    nuthatch::time::to_micros(at.unwrap_or(jiff::Timestamp::UNIX_EPOCH))
}

/// Hash of a content.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// A file as it is now: its content and its stamp, which belong together.
pub struct Snapshot {
    pub bytes: Vec<u8>,
    pub stamp: Stamp,
}

/// Reads a file; none if there is none.
pub fn read(path: &Path) -> Result<Option<Snapshot>> {
    // Looked at before reading: if it changes in between, the old look is recorded with the
    // new content, and the next comparison reads again.
    let look = look(path).unwrap_or_default();
    let Some(bytes) = disk::read_regular(path)? else { return Ok(None) };
    let stamp = Stamp { look, young: is_young(path), hash: hash(&bytes) };
    Ok(Some(Snapshot { bytes, stamp }))
}

fn is_young(path: &Path) -> bool {
    let modified = std::fs::metadata(path).and_then(|found| found.modified());
    let age = modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_none_or(|age| age < TICK)
}
