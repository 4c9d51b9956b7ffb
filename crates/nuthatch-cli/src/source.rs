//! Lines of a file or of standard input, read one at a time, with bounds.
//!
//! A line that is too long or not UTF-8 is an error of that line alone: the next one can be
//! read all the same.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use nuthatch::error::{Error, Result};

use crate::input::STDIN;

/// Longer than the longest turn that is kept, written in escapes.
const MOST_BYTES: usize = 64 << 20;

/// Where lines come from.
pub struct Source {
    name: String,
    reader: BufReader<Box<dyn Read>>,
    size: Option<u64>,
    read: u64,
    number: u64,
    line: Vec<u8>,
}

impl Source {
    /// A file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Source> {
        if path.as_os_str() == STDIN {
            return Ok(Source::of("standard input".to_owned(), Box::new(io::stdin()), None));
        }
        let name = path.display().to_string();
        let failed = |error: io::Error| unreadable(&name, &error);
        let file = File::open(path).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        if found.is_dir() {
            return Err(Error::unavailable(format!("cannot read {name}: it is a folder"))
                .with_hint("name a file with a turn on each line"));
        }
        let size = Some(found.len()).filter(|size| found.is_file() && *size > 0);
        Ok(Source::of(name, Box::new(file), size))
    }

    fn of(name: String, reader: Box<dyn Read>, size: Option<u64>) -> Source {
        let reader = BufReader::with_capacity(1 << 20, reader);
        Source { name, reader, size, read: 0, number: 0, line: Vec::new() }
    }

    /// The next line that holds anything, or why it cannot be had; nothing at the end.
    pub fn line(&mut self) -> Result<Option<Result<&str>>> {
        loop {
            self.line.clear();
            self.number += 1;
            let most = MOST_BYTES as u64 + 1;
            let failed = |error: io::Error| unreadable(&self.name, &error);
            let mut part = self.reader.by_ref().take(most);
            let count = part.read_until(b'\n', &mut self.line).map_err(failed)?;
            self.read += count as u64;
            if count == 0 {
                return Ok(None);
            }
            if count > MOST_BYTES && self.line.last() != Some(&b'\n') {
                self.read += self.reader.skip_until(b'\n').map_err(failed)? as u64;
                return Ok(Some(Err(Error::invalid("the line is too long"))));
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let text = std::str::from_utf8(&self.line);
        Ok(Some(text.map(str::trim).map_err(|_| Error::invalid("the line is not UTF-8 text"))))
    }

    /// How much of it is read, where its size is known.
    pub fn share(&self) -> Option<f64> {
        self.size.map(|size| (self.read as f64 / size as f64).clamp(f64::MIN_POSITIVE, 1.0))
    }

    /// An error of the line that was read last, with its place.
    pub fn located(&self, error: &Error) -> Error {
        let (name, number) = (&self.name, self.number);
        let located = Error::new(error.kind(), format!("{name}, line {number}: {error}"));
        match error.hint() {
            Some(hint) => located.with_hint(hint.to_owned()),
            None => located,
        }
    }
}

fn unreadable(name: &str, error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => nuthatch::error::Kind::NotFound,
        _ => nuthatch::error::Kind::Unavailable,
    };
    Error::new(kind, format!("cannot read {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &'static [u8]) -> Source {
        Source::of("f".into(), Box::new(bytes), Some(bytes.len() as u64))
    }

    #[test]
    fn lines_come_one_by_one_and_empty_ones_only_count() {
        let mut source = source(b"one\r\n\n  \ntwo");
        assert_eq!(source.line().unwrap().unwrap().unwrap(), "one");
        assert!(source.share().unwrap() < 0.6);
        assert_eq!(source.line().unwrap().unwrap().unwrap(), "two");
        assert!(source.located(&Error::invalid("x")).to_string().starts_with("f, line 4: x"));
        assert!(source.line().unwrap().is_none());
        assert_eq!(source.share(), Some(1.0));
    }

    #[test]
    fn a_line_that_is_no_text_spoils_no_other() {
        let mut source = source(b"\xff\xfe\nfine\n");
        assert!(source.line().unwrap().unwrap().is_err());
        assert_eq!(source.line().unwrap().unwrap().unwrap(), "fine");
    }

    #[test]
    fn a_line_without_end_is_refused_within_bounds() {
        let endless = io::repeat(b'x').take(MOST_BYTES as u64 * 2).chain(&b"\nfine\n"[..]);
        let mut source = Source::of("f".into(), Box::new(endless), None);
        assert!(source.line().unwrap().unwrap().is_err());
        assert_eq!(source.line().unwrap().unwrap().unwrap(), "fine");
    }
}
