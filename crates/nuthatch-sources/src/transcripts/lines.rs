//! Lines of a file that somebody else may still be writing, within a bound.
//!
//! The last line of such a file may be half there: it is told apart, and the place before it
//! is where the next reading goes on. A line beyond the bound is passed over unread.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// Longest line that is read: pictures in a conversation take a few megabytes, and a reader
/// is to stay far below a hundred.
pub(crate) const LONGEST: usize = 16 << 20;

/// What is read from the disk at a time.
const BUFFER: usize = 256 << 10;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// It ends with a newline.
    Whole(Cow<'a, str>),
    /// The file ends within it, or right behind it.
    Last(Cow<'a, str>),
    /// It is longer than what is read.
    TooLong,
}

/// The lines of something.
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    buffer: Vec<u8>,
    longest: usize,
    /// Where the next line begins.
    pub(crate) place: u64,
    /// Whether blank lines stood before the last one.
    pub(crate) after_blank: bool,
}

impl<R: Read> Lines<R> {
    /// The lines from here, which is `place` bytes into the whole.
    pub(crate) fn new(from: R, place: u64) -> Self {
        Lines::within(from, place, LONGEST)
    }

    pub(crate) fn within(from: R, place: u64, longest: usize) -> Self {
        let from = BufReader::with_capacity(BUFFER, from);
        Lines { from, buffer: Vec::new(), longest, place, after_blank: false }
    }

    /// The next line that is not blank. [`place`](Self::place) is behind it then.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.after_blank = false;
        loop {
            self.buffer.clear();
            let is_first = self.place == 0;
            let most = self.longest as u64 + 1;
            let read = (&mut self.from).take(most).read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            self.place += read as u64;
            let is_whole = self.buffer.last() == Some(&b'\n');
            if !is_whole && read as u64 == most {
                self.place += self.from.skip_until(b'\n')? as u64;
                return Ok(Some(Line::TooLong));
            }
            let bare = is_first.then(|| self.buffer.strip_prefix(b"\xef\xbb\xbf")).flatten();
            let start = self.buffer.len() - bare.map_or(self.buffer.len(), <[u8]>::len);
            if self.buffer[start..].iter().all(u8::is_ascii_whitespace) {
                self.after_blank = true;
                continue;
            }
            let mut end = self.buffer.len();
            while end > start && matches!(self.buffer[end - 1], b'\n' | b'\r') {
                end -= 1;
            }
            let text = String::from_utf8_lossy(&self.buffer[start..end]);
            return Ok(Some(if is_whole { Line::Whole(text) } else { Line::Last(text) }));
        }
    }
}
