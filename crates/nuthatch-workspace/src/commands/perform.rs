//! Runs what an expanded template says and puts its text together, in order, once.
//!
//! Outputs and files go into the text as they are. The first command that fails ends it:
//! what comes after it may rely on it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
use nuthatch::error::Error;
use nuthatch::error::Result;
use nuthatch_sources::within;
use serde::Serialize;

use super::{Expanded, Piece};
use crate::sandbox::{Ended, Ran};

/// A file that a template names is not longer than this.
const LONGEST_FILE: u64 = 1 << 20;

/// What came of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Performed {
    /// Its text, outputs and files in their places.
    pub text: String,
    /// The commands that ran, in order.
    pub commands: Vec<Shelled>,
    /// Whether all of them ended well.
    pub ok: bool,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shelled {
    /// The command line.
    pub line: String,
    /// Its exit code, where it ended by itself.
    pub code: Option<i32>,
    /// Whether it took too long and was ended.
    pub timed_out: bool,
    /// Whether more came out of it than was kept.
    pub cut: bool,
    /// What it said on its standard error.
    pub stderr: String,
}

impl Shelled {
    fn new(line: &[u8], ran: &Ran) -> Self {
        Shelled {
            line: String::from_utf8_lossy(line).into_owned(),
            code: match ran.ended {
                Ended::Exited(code) => Some(code),
                Ended::Killed(_) | Ended::TimedOut => None,
            },
            timed_out: ran.ended == Ended::TimedOut,
            cut: ran.cut,
            stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
        }
    }

    /// Whether it ended well.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.code == Some(0)
    }
}

/// Runs the command lines of an expanded template with `shell` and reads its files from the
/// project at `root`.
///
/// # Errors
/// Where a file cannot be read, and whatever `shell` fails with.
pub fn perform(
    expanded: &Expanded,
    root: &Path,
    mut shell: impl FnMut(OsString) -> Result<Ran>,
) -> Result<Performed> {
    let mut text = Vec::new();
    let mut commands = Vec::new();
    let mut ok = true;
    for piece in &expanded.pieces {
        match piece {
            Piece::Text(bytes) => text.extend_from_slice(bytes),
            Piece::File(path) => text.extend_from_slice(file(root, path)?.as_bytes()),
            Piece::Shell(line) => {
                let ran = shell(os_string(line)?)?;
                let shelled = Shelled::new(line, &ran);
                // Blanks at the end may mean something, line ends never do.
                let last = ran.stdout.iter().rposition(|byte| !b"\r\n".contains(byte));
                text.extend_from_slice(&ran.stdout[..last.map_or(0, |last| last + 1)]);
                ok = shelled.is_ok();
                commands.push(shelled);
                if !ok {
                    break;
                }
            }
        }
    }
    Ok(Performed { text: String::from_utf8_lossy(&text).into_owned(), commands, ok })
}

fn file(root: &Path, path: &[u8]) -> Result<String> {
    let shown = String::from_utf8_lossy(path).trim().to_owned();
    let path = PathBuf::from(os_string(path.trim_ascii())?);
    let roots = [root.to_owned()];
    let file = within::read(&roots, &root.join(path), LONGEST_FILE)
        .map_err(|trouble| trouble.about(&shown))?;
    Ok(file.text)
}

/// Bytes as the system takes them.
#[cfg(unix)]
fn os_string(bytes: &[u8]) -> Result<OsString> {
    Ok(std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> Result<OsString> {
    let text = std::str::from_utf8(bytes);
    text.map(OsString::from).map_err(|_| Error::invalid("a command line is not UTF-8 text"))
}
