//! Asks the user, and only where there is one.
//!
//! A question is asked when both its text can be seen and its answer typed; whether that is
//! so, commands ask with [`can_ask`], and decide themselves what holds otherwise. The
//! terminal is left as it is, so whatever interrupts a question leaves nothing to mend.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use nuthatch::error::{Error, Result};

/// What the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    Yes,
    No,
}

/// Whether somebody is there to be asked.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question of yes or no; anything but a clear yes is a no.
pub fn confirm(question: &str) -> Result<Reply> {
    // Bytes, because an answer that is no text is a no like any other.
    let mut answer = Vec::new();
    let mut err = anstream::stderr();
    write!(err, "{question} [y/N] ")
        .and_then(|()| err.flush())
        .and_then(|()| io::stdin().lock().read_until(b'\n', &mut answer))
        .map_err(|error| {
            Error::unavailable("cannot ask on this terminal")
                .with_hint("--yes answers in advance")
                .with_source(error)
        })?;
    if answer.is_empty() {
        // The end of input leaves the cursor behind the question.
        let _ = writeln!(err);
    }
    Ok(reply(&answer))
}

fn reply(answer: &[u8]) -> Reply {
    match answer.trim_ascii().to_ascii_lowercase().as_slice() {
        b"y" | b"yes" => Reply::Yes,
        _ => Reply::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        for yes in ["y\n", "yes\r\n", " Y \n", "YES"] {
            assert_eq!(reply(yes.as_bytes()), Reply::Yes, "{yes:?}");
        }
        for no in ["", "\n", "n\n", "no\n", "yep\n", "yy\n", "sure\n"] {
            assert_eq!(reply(no.as_bytes()), Reply::No, "{no:?}");
        }
        assert_eq!(reply(b"\xFFy\n"), Reply::No);
    }
}
