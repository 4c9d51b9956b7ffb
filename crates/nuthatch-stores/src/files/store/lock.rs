//! One writer at a time, over all processes.
//!
//! The lock is the operating system's: it ends with the process, however that ends.

use std::fs::File;
use std::path::Path;

use nuthatch::error::Result;

use super::Shared;
use crate::disk;

/// Holds the lock until dropped.
pub struct Guard {
    _file: File,
}

/// Waits for its turn, then holds the store of a state folder.
pub fn lock(state: &Path) -> Result<Guard> {
    let path = state.join("lock");
    let file = disk::private_options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| disk::io_error("open", &path, error))?;
    file.lock().map_err(|error| disk::io_error("lock", &path, error))?;
    Ok(Guard { _file: file })
}

impl Shared {
    /// Waits for its turn, then holds the store.
    pub fn lock(&self) -> Result<Guard> {
        lock(&self.state)
    }
}
