//! Lines of a stream, one at a time and within bounds.
//!
//! A line that is too long or not UTF-8 is an error of that line alone: the next one can be
//! read all the same.

use std::io::{BufRead, Read as _};

use crate::error::{Error, Kind, Result};

/// Longer than the longest text that is kept, written in escapes.
const MOST_BYTES: usize = 64 << 20;

/// Lines of a stream.
pub struct Lines<'a> {
    input: &'a mut dyn BufRead,
    line: Vec<u8>,
    /// How many lines were read.
    pub number: u64,
}

impl<'a> Lines<'a> {
    /// The lines of `input`.
    pub fn of(input: &'a mut dyn BufRead) -> Self {
        Lines { input, line: Vec::new(), number: 0 }
    }

    /// The next line without its end, or why it cannot be had; nothing at the end.
    ///
    /// # Errors
    /// When the stream itself fails.
    pub fn advance(&mut self) -> Result<Option<Result<&str>>> {
        self.line.clear();
        let failed = |error: std::io::Error| {
            // Whatever unpacks a broken archive says so.
            let is_broken = error.kind() == std::io::ErrorKind::InvalidData;
            let kind = if is_broken { Kind::Invalid } else { Kind::Unavailable };
            Error::new(kind, format!("cannot read on: {error}")).with_source(error)
        };
        let mut part = (&mut *self.input).take(MOST_BYTES as u64 + 1);
        let count = part.read_until(b'\n', &mut self.line).map_err(failed)?;
        if count == 0 {
            return Ok(None);
        }
        self.number += 1;
        if count > MOST_BYTES && self.line.last() != Some(&b'\n') {
            self.input.skip_until(b'\n').map_err(failed)?;
            return Ok(Some(Err(Error::invalid("the line is too long"))));
        }
        if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        while self.line.last().is_some_and(|end| matches!(end, b'\n' | b'\r')) {
            self.line.pop();
        }
        let text = std::str::from_utf8(&self.line);
        Ok(Some(text.map_err(|_| Error::invalid("the line is not UTF-8 text"))))
    }
}
