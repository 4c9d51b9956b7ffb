//! Makes a text harmless to the eye and to Markdown, without changing what it says.
//!
//! Control and invisible characters go (see `hidden`) and what is left is composed (NFC);
//! whitespace becomes single spaces in facts and is kept in notes; leading dashes go from
//! facts, so that none can forge a list entry.

use super::hidden::reveal;
use crate::error::{Error, Result};

/// Largest text accepted in one memory, in bytes: a book, not a disk image.
const CONTENT_BYTES: usize = 16 * 1024 * 1024;
/// Longest key, category label or metadata value, in characters.
pub(super) const LABEL_CHARS: usize = 1024;

/// How a text is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// One line.
    #[default]
    Fact,
    /// Keeps its lines.
    Note,
}

/// Sanitises the content of a memory.
///
/// # Errors
/// Of kind `invalid`, when nothing is left, or far too much is given.
pub fn sanitise(text: &str, form: Form) -> Result<String> {
    check_size(text)?;
    let clean = settled(text, |visible| match form {
        Form::Fact => strip_dashes(&one_line(visible)),
        Form::Note => trim_lines(visible),
    });
    if clean.is_empty() {
        return Err(Error::invalid("there is nothing to remember: the text is empty")
            .with_hint("spaces, dashes and invisible characters do not count"));
    }
    Ok(clean)
}

/// Refuses what is far too large to be kept, before anybody looks through it.
pub(super) fn check_size(text: &str) -> Result<()> {
    if text.len() <= CONTENT_BYTES {
        return Ok(());
    }
    let message =
        format!("a text of {} bytes is too large; at most {CONTENT_BYTES} are kept", text.len());
    Err(Error::invalid(message).with_hint("store a summary, and where the whole can be found"))
}

/// Sanitises a short text such as a key or a metadata value: always one line.
///
/// # Errors
/// Of kind `invalid`, naming `what`, when nothing is left or it is too long.
pub fn sanitise_label(what: &str, text: &str) -> Result<String> {
    let clean = settled(text, one_line);
    let chars = clean.chars().count();
    if chars == 0 || chars > LABEL_CHARS {
        return Err(Error::invalid(format!(
            "a {what} must have 1 to {LABEL_CHARS} characters, this one has {chars}"
        )));
    }
    Ok(clean)
}

/// What can be seen, put into form, until neither changes it: the dash or the blank that is
/// taken away may have been what an unseen character was allowed beside.
fn settled(text: &str, form: impl Fn(&str) -> String) -> String {
    let mut visible = reveal(text);
    loop {
        let formed = form(&visible);
        if formed == visible {
            return formed;
        }
        visible = reveal(&formed);
    }
}

pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn strip_dashes(line: &str) -> String {
    line.trim_start_matches(|c: char| c == '-' || c.is_whitespace()).to_owned()
}

/// Keeps lines and indentation; what trails on a line or stands around the whole goes.
fn trim_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

#[cfg(test)]
mod tests;
