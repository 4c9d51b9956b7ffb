//! Text that comes in: words of the command line, or standard input.
//!
//! Standard input is read only where it was asked for with `-`, or where a text is needed,
//! none was typed and something is piped in. Words that begin with a dash come marked, so
//! that the parser of options leaves them alone; here the mark goes.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _};

use nuthatch::error::{Error, Result};

/// The word that stands for standard input.
pub const STDIN: &str = "-";

/// Stands before text that would look like an option. No argument can hold it: it ends them.
const MARK: char = '\0';

/// More than the largest memory, so that the library still sees that it is too large.
const MOST_BYTES: u64 = 17 * 1024 * 1024;

/// A text as the parser of options may see it.
pub fn mark(text: &str) -> String {
    format!("{MARK}{text}")
}

/// A word as it was typed; a parser of values, which never fails.
pub fn word(text: &str) -> Result<String> {
    Ok(text.strip_prefix(MARK).unwrap_or(text).to_owned())
}

/// The same for a word that need not be text.
pub fn typed(word: &OsString) -> OsString {
    let text = word.to_str().and_then(|text| text.strip_prefix(MARK));
    text.map_or_else(|| word.clone(), OsString::from)
}

/// Words as they were typed, joined by spaces.
pub fn joined(words: &[String]) -> String {
    let typed: Vec<&str> =
        words.iter().map(|word| word.strip_prefix(MARK).unwrap_or(word)).collect();
    typed.join(" ")
}

/// The text of `words`: joined by spaces, or standard input for a lone `-`. `None` where
/// there are no words.
pub fn text(words: &[String]) -> Result<Option<String>> {
    match words {
        [] => Ok(None),
        [only] if only == STDIN => stdin().map(Some),
        words => Ok(Some(joined(words))),
    }
}

/// As [`text`], but something piped in stands for words that are missing.
pub fn text_or_pipe(words: &[String]) -> Result<Option<String>> {
    match text(words)? {
        None if !io::stdin().is_terminal() => stdin().map(Some),
        text => Ok(text),
    }
}

fn stdin() -> Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| {
        Error::unavailable(format!("cannot read standard input: {error}")).with_source(error)
    })?;
    // A limit that falls into a character would look like bad UTF-8, so it is told apart.
    if bytes.len() as u64 == MOST_BYTES {
        return Err(Error::invalid("standard input is too large for a memory")
            .with_hint("store a summary, and where the whole can be found"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("standard input is not UTF-8 text: see byte {at}"))
            .with_hint("convert it first, for example with iconv")
    })
}
