//! Text as it lies in a file: its encoding, its line ends, its line numbers.
//!
//! Nothing is repaired here. Bytes that are not UTF-8 are an error, because reading them
//! with replacement characters would write the damage back.

use nuthatch::{Error, Result};

/// Some editors begin a file with this; it is kept and means nothing.
pub const BOM: &str = "\u{feff}";

/// The bytes of a file as text.
///
/// # Errors
/// Of kind `unavailable`, naming the first byte that is not UTF-8.
pub fn decode<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let line = 1 + bytes[..offset].iter().filter(|byte| **byte == b'\n').count();
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let hint = if utf16 {
            "it looks like UTF-16: save it as UTF-8; until then it is left as it is"
        } else {
            "save it as UTF-8 or restore it from a copy; until then it is left as it is"
        };
        Error::unavailable(format!("{path} is not UTF-8: byte {offset}, line {line}"))
            .with_hint(hint)
    })
}

/// Splits off a byte order mark; the first part is empty where there is none.
#[must_use]
pub fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 })
}

/// How most lines of a text end; `\n` for a text without lines.
#[must_use]
pub fn line_ending(text: &str) -> &'static str {
    let ends = text.matches('\n').count();
    let long = text.matches("\r\n").count();
    if long * 2 > ends { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        let error = decode("memory/core.md", b"a\nb\xff").unwrap_err();
        assert_eq!(error.to_string(), "memory/core.md is not UTF-8: byte 3, line 2");
        assert!(error.hint().is_some());
        let error = decode("x", b"\xff\xfea\0").unwrap_err();
        assert!(error.hint().unwrap().contains("UTF-16"));
    }

    #[test]
    fn the_line_ending_of_most_lines_counts() {
        assert_eq!(line_ending(""), "\n");
        assert_eq!(line_ending("a\r\nb\nc\r\n"), "\r\n");
        assert_eq!(line_ending("a\r\nb\n"), "\n");
    }
}
