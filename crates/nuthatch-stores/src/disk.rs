//! Files and folders that only their owner can read, and files that are replaced whole.
//!
//! Nothing here follows a symbolic link in place of a memory file.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};

/// Creates a folder and its missing parents, each for the owner alone. Folders that exist
/// are left as they are.
pub fn create_private_dir(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    let first_old = path.ancestors().find(|folder| folder.exists());
    builder.create(path).map_err(|error| io_error("create the folder", path, error))?;
    // A folder that was just made is only there for good once its parent is synced.
    let is_new = |folder: &&Path| Some(*folder) != first_old;
    let new = path.ancestors().take_while(is_new).filter_map(Path::parent);
    new.filter(|parent| !parent.as_os_str().is_empty()).try_for_each(sync_dir)
}

/// Refuses a symbolic link anywhere between `base` and `path`: following it would put our
/// files into somebody else's folder, or theirs into ours.
pub fn refuse_links(base: &Path, path: &Path) -> Result<()> {
    let below = path.ancestors().take_while(|part| *part != base);
    for part in below {
        if fs::symlink_metadata(part).is_ok_and(|found| found.file_type().is_symlink()) {
            return Err(Error::unavailable(format!("{} is a symbolic link", part.display()))
                .with_hint("put the folder or file itself there; nothing was changed"));
        }
    }
    Ok(())
}

/// Makes sure that files can be renamed from one folder into the other.
pub fn check_same_device(from: &Path, to: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let device = |path: &Path| fs::metadata(path).map(|found| found.dev());
        let (here, there) = (device(from), device(to));
        if let (Ok(here), Ok(there)) = (here, there)
            && here != there
        {
            return Err(Error::unavailable(format!("{} is on another disk", to.display()))
                .with_hint("keep a store on one file system; nothing was changed"));
        }
    }
    Ok(())
}

/// Options that create files for the owner alone, whatever the umask.
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Writes a new file beside where it will go, durably: content first, name later.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = private_options().write(true).create(true).truncate(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| io_error("write", path, error))
}

/// Makes renames inside a folder durable.
pub fn sync_dir(path: &Path) -> Result<()> {
    // Not every system lets a folder be opened; where it cannot, there is nothing to sync.
    match File::open(path) {
        Ok(folder) => folder.sync_all().map_err(|error| io_error("sync the folder", path, error)),
        Err(_) => Ok(()),
    }
}

/// The bytes of a regular file, or none if there is no such file. A symbolic link, a folder
/// or anything else in its place is refused.
pub fn read_regular(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("look at", path, error)),
        Ok(found) if found.file_type().is_symlink() => Err(Error::unavailable(format!(
            "{} is a symbolic link; memory files are not followed out of their folder",
            path.display()
        ))
        .with_hint("put the file itself there, or point the store at the folder it lives in")),
        Ok(found) if !found.is_file() => {
            Err(Error::unavailable(format!("{} is not a regular file", path.display()))
                .with_hint("move it away; nothing was changed"))
        }
        Ok(_) => fs::read(path).map(Some).map_err(|error| io_error("read", path, error)),
    }
}

/// The path with every link in it resolved, whether or not the last part exists yet.
pub fn resolved(path: &Path) -> Result<PathBuf> {
    if let Ok(found) = fs::canonicalize(path) {
        return Ok(found);
    }
    let absolute = std::path::absolute(path).map_err(|error| io_error("resolve", path, error))?;
    match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => Ok(resolved(parent)?.join(name)),
        _ => Ok(absolute),
    }
}

/// A failure of the operating system, with the file it was about.
pub fn io_error(what: &str, path: &Path, error: std::io::Error) -> Error {
    let reason = error.to_string();
    Error::unavailable(format!("cannot {what} {}: {reason}", path.display()))
        .with_hint(
            "check that the file is yours, readable and on a disk with space; nothing was changed",
        )
        .with_source(error)
}
