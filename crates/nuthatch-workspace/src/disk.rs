//! Files that are read with a limit and replaced whole, for their owner alone.
//!
//! A file is written beside its place, synced and renamed over it, so that whoever reads
//! sees the old one or the new one. A symbolic link below the project's own folder is never
//! followed: a repository could point it anywhere.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use nuthatch::error::{Error, Result};

/// Tells apart the drafts that threads of one process write at once.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// The bytes of a regular file, or none if there is no such file.
///
/// # Errors
/// `invalid` beyond `limit` bytes; `unavailable` for links, folders and failing disks.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Err(error) if absent(&error) => return Ok(None),
        Err(error) => return Err(trouble("look at", path, error)),
        Ok(found) if found.file_type().is_symlink() => return Err(linked(path)),
        Ok(found) if !found.is_file() => {
            return Err(no_file(path));
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // What was looked at may have been exchanged since, so the open file is looked at again.
    let file = match careful(&mut OpenOptions::new()).read(true).open(path) {
        Err(error) if absent(&error) => return Ok(None),
        opened => opened.map_err(|error| trouble("open", path, error))?,
    };
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return Err(no_file(path));
    }
    let read = file.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| trouble("read", path, error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::invalid(format!("{} is longer than {limit} bytes", path.display()))
            .with_hint("make it shorter; nothing of it was read"));
    }
    Ok(Some(bytes))
}

/// The text of a regular file, or none if there is no such file.
///
/// # Errors
/// As [`read`], and `invalid` where it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<Option<String>> {
    let Some(bytes) = read(path, limit)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("{} is not UTF-8 text (byte {at})", path.display()))
            .with_hint("save it as UTF-8; it was not changed")
    })
}

/// The names in a folder, sorted; none where there is no such folder. Names that are no
/// text are passed over.
///
/// # Errors
/// `unavailable`, when the folder cannot be read.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if absent(&error) => return Ok(Vec::new()),
        opened => opened.map_err(|error| trouble("read the folder", folder, error))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| trouble("read the folder", folder, error))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Replaces a file whole and durably, making its missing folders below `base`.
///
/// # Errors
/// `unavailable`, when a part of the way is a link or the disk fails; the old file stays.
pub fn replace(base: &Path, path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(base);
    private_folder(base, folder)?;
    refuse_links(base, path)?;
    let draft = draft_beside(path);
    let write = || -> io::Result<()> {
        let mut file = private_options().write(true).create_new(true).open(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    if let Err(error) = write() {
        // What is left of it must not stay behind; a failure to remove it changes nothing.
        let _ = fs::remove_file(&draft);
        return Err(trouble("write", path, error));
    }
    sync_folder(folder)
}

/// Makes a folder and its missing parents below `base`, each for the owner alone.
///
/// # Errors
/// `unavailable`, when a part of the way is a link or the disk fails.
pub fn private_folder(base: &Path, folder: &Path) -> Result<()> {
    refuse_links(base, folder)?;
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| trouble("create the folder", folder, error))?;
    folder.ancestors().skip(1).take_while(|part| part.starts_with(base)).try_for_each(sync_folder)
}

/// Refuses a symbolic link anywhere between `base` and `path`.
///
/// # Errors
/// `unavailable`, naming the link.
pub fn refuse_links(base: &Path, path: &Path) -> Result<()> {
    for part in path.ancestors().take_while(|part| *part != base) {
        if fs::symlink_metadata(part).is_ok_and(|found| found.file_type().is_symlink()) {
            return Err(linked(part));
        }
    }
    Ok(())
}

/// Options that make files for the owner alone.
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    careful(&mut options);
    options
}

/// Neither follows a link nor waits for whoever is at the other end of a pipe.
fn careful(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.cast_signed());
    }
    options
}

/// A failure of the operating system, with the file it was about.
pub fn trouble(what: &str, path: &Path, error: io::Error) -> Error {
    Error::unavailable(format!("cannot {what} {}: {error}", path.display()))
        .with_hint("check that it is yours, readable and on a disk with space")
        .with_source(error)
}

fn linked(path: &Path) -> Error {
    Error::unavailable(format!("{} is a symbolic link", path.display()))
        .with_hint("put the folder or file itself there; nothing was changed")
}

fn no_file(path: &Path) -> Error {
    Error::unavailable(format!("{} is not a regular file", path.display()))
        .with_hint("move it away; nothing was changed")
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn draft_beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    let count = DRAFTS.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{count}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn sync_folder(path: &Path) -> Result<()> {
    // Not every system lets a folder be opened; where it cannot, there is nothing to sync.
    match File::open(path) {
        Ok(folder) => folder.sync_all().map_err(|error| trouble("sync the folder", path, error)),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leaves_no_draft() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("a/b/c.json");
        replace(base.path(), &path, b"one").unwrap();
        replace(base.path(), &path, b"two").unwrap();
        assert_eq!(read_text(&path, 10).unwrap().as_deref(), Some("two"));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_too_long_absent_or_no_text_is_told_apart() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("x");
        assert_eq!(read(&path, 3).unwrap(), None);
        fs::write(&path, b"\xff\xfe").unwrap();
        assert!(read_text(&path, 3).unwrap_err().to_string().contains("not UTF-8"));
        fs::write(&path, b"four").unwrap();
        assert!(read(&path, 3).unwrap_err().to_string().contains("longer than 3"));
        assert!(read(base.path(), 3).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_files_are_private() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let (base, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(elsewhere.path(), base.path().join("out")).unwrap();
        assert!(replace(base.path(), &base.path().join("out/x"), b"x").is_err());
        assert!(fs::read_dir(elsewhere.path()).unwrap().next().is_none());
        let path = base.path().join("in/x");
        replace(base.path(), &path, b"x").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        symlink(&path, base.path().join("link")).unwrap();
        assert!(read(&base.path().join("link"), 9).is_err());
    }
}
