//! Where a Markdown store keeps things.
//!
//! The folder may be named through a link; links inside it are refused.

use std::path::Path;

use nuthatch::error::Result;

use super::MarkdownLayout;
use crate::disk;
use crate::files::store::{FileStore, Place};

/// Opens the store in a folder. What is not for people lies in `.nuthatch` inside it.
///
/// # Errors
/// `unavailable`, naming the file and what to do, when what is there cannot be used.
pub async fn open(folder: &Path) -> Result<FileStore> {
    let root = disk::resolved(folder)?;
    let url = format!("markdown:{}", root.display());
    let state = root.join(".nuthatch");
    FileStore::open(Place { url, root, state }, Box::new(MarkdownLayout)).await
}
