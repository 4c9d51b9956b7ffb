//! Text that comes in: words of the command line, or standard input.
//!
//! Standard input is read only where it was asked for with `-`, or where a text is needed,
//! none was typed and something is piped in.

use std::io::{self, IsTerminal as _, Read as _};

use nuthatch::error::{Error, Result};

/// The word that stands for standard input.
pub const STDIN: &str = "-";

/// More than the largest memory, so that the library still sees that it is too large.
const MOST_BYTES: u64 = 17 * 1024 * 1024;

/// The text of `words`: joined by spaces, or standard input for a lone `-`. `None` where
/// there are no words.
pub fn text(words: &[String]) -> Result<Option<String>> {
    match words {
        [] => Ok(None),
        [only] if only == STDIN => stdin().map(Some),
        words => Ok(Some(words.join(" "))),
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
