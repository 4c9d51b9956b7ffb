//! Configuration files of others: read with a limit, replaced whole, links kept.
//!
//! A file that is a link, as managers of dotfiles make them, is written where it leads. Before
//! a file is replaced it is read again: what somebody else wrote in between is never lost.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};

/// A hundred times the largest that products are known to keep.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// More links than any system follows.
const MOST_LINKS: usize = 40;

/// The line ends of a text: those of its first line.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((line, _)) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A file as it was when it was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// Where it really lies.
    pub(crate) real: PathBuf,
    /// What it said; nothing where there was no file.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Held {
    /// Looks at a file.
    ///
    /// # Errors
    /// `invalid` for what is no regular file or too large, `unavailable` for failing disks.
    pub(crate) fn of(path: &Path) -> Result<Held> {
        let real = resolved(path)?;
        let bytes = read(&real)?;
        Ok(Held { real, bytes })
    }

    /// Its text; empty where there is none.
    ///
    /// # Errors
    /// `invalid` where it is not UTF-8.
    pub(crate) fn text(&self) -> Result<&str> {
        std::str::from_utf8(self.bytes.as_deref().unwrap_or_default()).map_err(|error| {
            Error::invalid(format!("it is not UTF-8 text (byte {})", error.valid_up_to()))
                .with_hint("save it as UTF-8; nothing was changed")
        })
    }

    /// Puts other bytes in its place, or removes it. Folders that had to be made are named.
    ///
    /// # Errors
    /// `conflict` when it was changed since, `unavailable` when it cannot be written; in both
    /// cases it is as it was.
    pub(crate) fn replace(&self, after: Option<&[u8]>) -> Result<Vec<PathBuf>> {
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        let made: Vec<PathBuf> =
            folder.ancestors().take_while(|part| !part.exists()).map(Path::to_owned).collect();
        match after {
            Some(bytes) => {
                fs::create_dir_all(folder)
                    .map_err(|error| trouble("make the folder", folder, error))?;
                self.write(bytes)?;
            }
            None => {
                self.check()?;
                fs::remove_file(&self.real)
                    .map_err(|error| trouble("remove", &self.real, error))?;
            }
        }
        // Not every system lets a folder be opened; where it cannot, there is nothing to sync.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(made)
    }

    fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut name = std::ffi::OsString::from(".");
        name.push(self.real.file_name().unwrap_or_default());
        name.push(format!(".nuthatch-{}", std::process::id()));
        let draft = self.real.with_file_name(name);
        let written = (|| {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&draft)?;
            if let Ok(old) = fs::metadata(&self.real) {
                file.set_permissions(old.permissions())?;
            }
            file.write_all(bytes)?;
            file.sync_all()
        })();
        let done = written
            .map_err(|error| trouble("write beside", &self.real, error))
            .and_then(|()| self.check())
            .and_then(|()| {
                fs::rename(&draft, &self.real)
                    .map_err(|error| trouble("replace", &self.real, error))
            });
        if done.is_err() {
            // Nothing of it may stay behind; a failure to remove it changes nothing.
            let _ = fs::remove_file(&draft);
        }
        done
    }

    /// Whether it is still as it was.
    fn check(&self) -> Result<()> {
        if read(&self.real)? == self.bytes {
            return Ok(());
        }
        Err(Error::conflict(format!(
            "{} was changed by somebody else just now",
            self.real.display()
        ))
        .with_hint("try again; nothing of that change was lost"))
    }
}

/// The bytes of a regular file, or none if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(trouble("look at", path, error)),
        Ok(found) if !found.is_file() => {
            return Err(Error::invalid(format!("{} is not a file", path.display()))
                .with_hint("move it away; nothing was changed"));
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| trouble("read", path, error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Error::invalid(format!("{} is larger than 64 MiB", path.display())));
    }
    Ok(Some(bytes))
}

/// Where a path really leads, whether or not there is a file at the end.
fn resolved(path: &Path) -> Result<PathBuf> {
    let mut path = std::path::absolute(path).map_err(|error| trouble("find", path, error))?;
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(path.canonicalize().unwrap_or(path)),
        }
    }
    Err(Error::invalid(format!("{} is a link that leads in circles", path.display())))
}

/// A failure of the operating system, with the file it was about.
pub(crate) fn trouble(what: &str, path: &Path, error: std::io::Error) -> Error {
    Error::unavailable(format!("cannot {what} {}: {error}", path.display()))
        .with_hint("check that it is yours and can be written; nothing was changed")
        .with_source(error)
}
