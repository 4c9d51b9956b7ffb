//! Opens the user's editor on a text and gives back what became of it.
//!
//! The text lies in a file only the user can read, which is gone afterwards.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use nuthatch::error::{Error, Result};

/// Used where neither variable is set: the one editor POSIX promises.
const FALLBACK: &str = "vi";

/// Lets the user edit `text`.
pub fn edit(text: &str) -> Result<String> {
    let mut file = tempfile::Builder::new()
        .prefix("nuthatch-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| failed("cannot make a file for the editor", error))?;
    writeln!(file, "{text}").map_err(|error| failed("cannot write for the editor", error))?;
    let editor = chosen();
    // By the shell, because the variables may hold options: `code --wait`.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(file.path())
        .status()
        .map_err(|error| failed("cannot start the editor", error))?;
    if !status.success() {
        return Err(Error::unavailable("the editor failed, so nothing was changed")
            .with_hint("set VISUAL or EDITOR, or give the new text as an argument"));
    }
    fs::read_to_string(file.path())
        .map_err(|error| failed("cannot read what the editor wrote", error))
}

fn chosen() -> String {
    ["VISUAL", "EDITOR"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.trim().is_empty())
        .unwrap_or_else(|| FALLBACK.to_owned())
}

fn failed(what: &str, error: std::io::Error) -> Error {
    Error::unavailable(format!("{what}: {error}")).with_source(error)
}
