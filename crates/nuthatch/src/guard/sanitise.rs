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
    let visible = reveal(text);
    let clean = match form {
        Form::Fact => strip_dashes(&one_line(&visible)),
        Form::Note => trim_lines(&visible),
    };
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
    let clean = one_line(&reveal(text));
    let chars = clean.chars().count();
    if chars == 0 || chars > LABEL_CHARS {
        return Err(Error::invalid(format!(
            "a {what} must have 1 to {LABEL_CHARS} characters, this one has {chars}"
        )));
    }
    Ok(clean)
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fact(text: &str) -> String {
        sanitise(text, Form::Fact).unwrap()
    }

    #[test]
    fn a_fact_is_one_line_without_leading_dashes() {
        assert_eq!(fact("  - -- uses\n\n tabs\t and  spaces \r\n"), "uses tabs and spaces");
        assert_eq!(fact("well-known --flag"), "well-known --flag");
    }

    #[test]
    fn a_note_keeps_its_lines_and_indentation() {
        assert_eq!(sanitise("\n# A\r\n\n  - b  \n", Form::Note).unwrap(), "# A\n\n  - b");
    }

    #[test]
    fn what_cannot_be_seen_is_removed() {
        assert_eq!(fact("pass\u{200B}word\u{0}\u{1B}[31m"), "password[31m");
        assert_eq!(fact("a\u{202E}b\u{2066}c\u{FEFF}"), "abc");
        assert_eq!(fact("x\u{E0041}\u{E0042}y"), "xy");
        assert_eq!(fact("to\u{200D}ken"), "token");
    }

    #[test]
    fn joiners_and_flags_stay_where_writing_needs_them() {
        for text in [
            "👩\u{200D}💻 codes",
            "می\u{200C}خواهم",
            "क\u{94D}\u{200D}ष",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} flag",
        ] {
            assert_eq!(fact(text), text);
        }
    }

    #[test]
    fn what_is_empty_afterwards_is_refused() {
        for text in ["", " \n\t", "---", "- - -", "\u{200B}\u{FEFF}"] {
            assert!(sanitise(text, Form::Fact).is_err(), "{text:?} was accepted");
        }
        assert!(sanitise(&"x".repeat(CONTENT_BYTES + 1), Form::Note).is_err());
    }

    proptest! {
        #[test]
        fn sanitising_twice_changes_nothing_more(text in any::<String>()) {
            for form in [Form::Fact, Form::Note] {
                if let Ok(once) = sanitise(&text, form) {
                    prop_assert_eq!(sanitise(&once, form).unwrap(), once);
                }
            }
        }

        #[test]
        fn words_and_single_spaces_are_kept(text in "[!,.0-9A-Za-z][!-~]{0,9}( [!-~]{1,9}){0,8}") {
            prop_assert_eq!(fact(&text), text);
        }
    }
}
