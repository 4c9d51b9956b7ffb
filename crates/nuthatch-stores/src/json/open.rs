//! Where a JSON store keeps things.
//!
//! The state folder is named after the file, so that several files can share a folder.

use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};

use super::JsonLayout;
use crate::disk;
use crate::files::store::{FileStore, Place};

/// Opens the store in a file. A link to the file is followed once, here. What is not for
/// people lies in a folder beside it that bears its name.
///
/// # Errors
/// `unavailable`, naming the file and what to do, when what is there cannot be used.
pub async fn open(file: &Path) -> Result<FileStore> {
    let file = disk::resolved(file)?;
    let (Some(root), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str()))
    else {
        return Err(Error::invalid(format!("{} cannot be a JSON file", file.display())));
    };
    let url = format!("json:{}", file.display());
    let mut state = file.clone().into_os_string();
    state.push(".nuthatch");
    let place = Place { url, root: root.to_path_buf(), state: PathBuf::from(state) };
    FileStore::open(place, Box::new(JsonLayout::new(name))).await
}
