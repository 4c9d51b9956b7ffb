//! Whether the folders that data and stores lie in can be written to.
//!
//! The system is asked by trying: permissions say nothing of a file system that is mounted
//! read only, or full. What is made is removed at once.

use std::path::Path;

use nuthatch::store::Finding;

/// The data folder: the user's alone, and writable.
pub fn data_folder(folder: &Path) -> Finding {
    let shown = folder.display();
    if let Some(failure) = unwritable("data folder", folder) {
        return failure;
    }
    let Ok(_found) = folder.metadata() else {
        return Finding::ok("data folder", format!("{shown} is not there yet"));
    };
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&_found.permissions()) & 0o077 != 0 {
        let hint = format!("chmod 700 {shown}");
        return Finding::warning("data folder", format!("others can look into {shown}"), hint);
    }
    Finding::ok("data folder", format!("{shown} is yours alone"))
}

/// What keeps `path` from being written: the folder it is, lies in, or would be made in.
pub fn unwritable(name: &str, path: &Path) -> Option<Finding> {
    let folder = path.ancestors().find(|folder| folder.is_dir())?;
    let tried = tempfile::Builder::new().prefix(".nuthatch-doctor-").tempfile_in(folder);
    let error = tried.and_then(tempfile::NamedTempFile::close).err()?;
    Some(Finding::failure(
        name,
        format!("cannot write in {}: {error}", folder.display()),
        "make it writable, or name another place with --store or NUTHATCH_HOME",
    ))
}
