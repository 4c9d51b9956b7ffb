//! Reads files that lie within a folder, and no others.
//!
//! Links are followed first and the folder is compared afterwards; the file is then opened
//! below that folder without following anything, so that a link swapped in between leads
//! nowhere. Pipes and devices are not waited for, and nothing longer than asked is read.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Kind};

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Where it really lies, links followed.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
    /// How many bytes were no UTF-8 and stand as replacement characters.
    pub replaced: usize,
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is none.
    Missing,
    /// It lies elsewhere.
    Outside,
    /// It is a folder, a pipe or a device.
    NoFile,
    /// It is longer than this many bytes.
    TooLong(u64),
    /// The system says why.
    Unreadable(String),
}

impl Trouble {
    /// The kind of error it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Trouble::Missing => Kind::NotFound,
            Trouble::Outside => Kind::Denied,
            Trouble::NoFile | Trouble::TooLong(_) => Kind::Invalid,
            Trouble::Unreadable(_) => Kind::Unavailable,
        }
    }

    /// As an error about `path`, as it was written.
    #[must_use]
    pub fn about(&self, path: &str) -> Error {
        Error::new(self.kind(), format!("cannot read `{path}`: {self}"))
    }

    fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Trouble::Missing,
            io::ErrorKind::IsADirectory => Trouble::NoFile,
            // A file name that no system takes names no file.
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => Trouble::Missing,
            _ => Trouble::Unreadable(error.kind().to_string()),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing => f.write_str("there is no such file"),
            Trouble::Outside => f.write_str("it lies outside the project"),
            Trouble::NoFile => f.write_str("it is no file"),
            Trouble::TooLong(limit) => write!(f, "it is longer than {limit} bytes"),
            Trouble::Unreadable(why) => f.write_str(why),
        }
    }
}

/// Where a path really leads, if that lies in one of the folders.
///
/// # Errors
/// When it leads nowhere or elsewhere.
pub fn resolve(folders: &[PathBuf], path: &Path) -> Result<(PathBuf, PathBuf), Trouble> {
    let real = fs::canonicalize(path).map_err(|error| Trouble::of(&error))?;
    for folder in folders {
        let Ok(folder) = fs::canonicalize(folder) else { continue };
        if real.starts_with(&folder) {
            return Ok((folder, real));
        }
    }
    Err(Trouble::Outside)
}

/// Reads a file that lies in one of the folders, up to `limit` bytes long.
///
/// # Errors
/// When it cannot be had from there.
pub fn read(folders: &[PathBuf], path: &Path, limit: u64) -> Result<Text, Trouble> {
    let (folder, real) = resolve(folders, path)?;
    if real == folder {
        return Err(Trouble::NoFile);
    }
    let file = open(&folder, &real).map_err(|error| Trouble::of(&error))?;
    let metadata = file.metadata().map_err(|error| Trouble::of(&error))?;
    if !metadata.is_file() {
        return Err(Trouble::NoFile);
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| Trouble::of(&error))?;
    if bytes.len() as u64 > limit {
        return Err(Trouble::TooLong(limit));
    }
    let (text, replaced) = decode(bytes);
    Ok(Text { path: real, text, replaced })
}

/// Bytes as text, without a mark of byte order, and how many of them were none.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, usize) {
    let (text, replaced) = match String::from_utf8(bytes) {
        Ok(text) => (text, 0),
        Err(error) => {
            let bytes = error.as_bytes();
            let wrong = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
            (String::from_utf8_lossy(bytes).into_owned(), wrong)
        }
    };
    match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest.to_owned(), replaced),
        None => (text, replaced),
    }
}

/// Opens what lies below a folder, following no link on the way.
#[cfg(target_os = "linux")]
fn open(folder: &Path, real: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, ResolveFlags};

    let below = real.strip_prefix(folder).unwrap_or(real);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let base = File::open(folder)?;
    match rustix::fs::openat2(&base, below, flags, Mode::empty(), resolve) {
        Ok(file) => Ok(file.into()),
        // Old kernels and some containers know no such call.
        Err(rustix::io::Errno::NOSYS) => plain(real),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open(_: &Path, real: &Path) -> io::Result<File> {
    plain(real)
}

/// Opens a file that was looked at before, so that no pipe is waited for.
fn plain(real: &Path) -> io::Result<File> {
    if !fs::metadata(real)?.is_file() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    File::open(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 1000;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(dir.path().join("secret"), "s").unwrap();
        fs::write(root.join("a"), "\u{feff}text").unwrap();
        (dir, root)
    }

    #[test]
    fn a_file_inside_is_read_without_its_mark() {
        let (_dir, root) = place();
        let text = read(std::slice::from_ref(&root), &root.join("a"), LIMIT).unwrap();
        assert_eq!(text.text, "text");
        assert!(text.path.ends_with("root/a"));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_outside_is_read_whichever_way_it_is_reached() {
        use std::os::unix::fs::symlink;
        let (dir, root) = place();
        symlink("../secret", root.join("link")).unwrap();
        symlink(dir.path(), root.join("folder")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        fs::create_dir(dir.path().join("root-evil")).unwrap();
        fs::write(dir.path().join("root-evil/a"), "e").unwrap();
        let roots = [root.clone()];
        for path in ["../secret", "link", "folder/secret", "../root-evil/a"] {
            assert_eq!(read(&roots, &root.join(path), LIMIT), Err(Trouble::Outside), "{path}");
        }
        assert_eq!(read(&roots, &root.join("none"), LIMIT), Err(Trouble::Missing));
        assert!(matches!(read(&roots, &root.join("loop"), LIMIT), Err(Trouble::Unreadable(_))));
        assert_eq!(read(&roots, &root, LIMIT), Err(Trouble::NoFile));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let (_dir, root) = place();
        let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
        assert!(made.success());
        assert_eq!(
            read(std::slice::from_ref(&root), &root.join("pipe"), LIMIT),
            Err(Trouble::NoFile)
        );
    }

    #[test]
    fn long_files_are_refused_and_broken_text_is_counted() {
        let (_dir, root) = place();
        fs::write(root.join("long"), vec![b'a'; 1001]).unwrap();
        fs::write(root.join("broken"), b"a\xff\xfeb").unwrap();
        let roots = [root.clone()];
        assert_eq!(read(&roots, &root.join("long"), LIMIT), Err(Trouble::TooLong(LIMIT)));
        assert_eq!(read(&roots, &root.join("broken"), LIMIT).unwrap().replaced, 2);
    }
}
