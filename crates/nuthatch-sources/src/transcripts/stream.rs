//! A session that is a file of lines: opened, gone on with, read to its end.
//!
//! Readers say what a line tells ([`Teller`]); whether the file still begins as it did, where
//! a half-written line stands and where the next reading goes on is decided here, once.

use std::fs::File;
use std::io::{self, Read as _, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use nuthatch::error::Result;
use nuthatch::transcript::Event;
use ruzstd::decoding::StreamingDecoder;

use super::folder;
use super::json::Object;
use super::lines::{Line, Lines};
use super::telling::Telling;
use super::watermark::{self, Stamp};
use super::{Located, Read, Watermark};

/// Longest window of a packed file: what its makers use, and no bomb.
const LONGEST_WINDOW: u64 = 32 << 20;

/// The first lines of a packed file, as text; nothing where it cannot be read.
pub(crate) fn beginning(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok((file, _)) = folder::open(path)
        && let Ok(unpacked) = unpacked(file)
    {
        // One that was cut short says what it says before that.
        let _ = unpacked.take(folder::PEEKED).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn unpacked<R: io::Read>(packed: R) -> io::Result<impl io::Read> {
    let packed = io::BufReader::new(packed);
    StreamingDecoder::new_with_max_window_size(packed, LONGEST_WINDOW)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// Says what the lines of a file tell.
pub(crate) trait Teller {
    /// Tells what a line says, or why it says nothing. `at` counts lines from where this
    /// reading began.
    fn line(
        &mut self,
        at: usize,
        line: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str>;

    /// Says what only shows at the end.
    fn done(&mut self, telling: &mut Telling<'_>) {
        let _ = telling;
    }
}

/// A file of lines.
pub(crate) struct Stream<'a> {
    session: &'a Located,
    file: File,
    is_packed: bool,
    stamp: Stamp,
    start: u64,
    seq: u64,
    restarted: bool,
}

impl<'a> Stream<'a> {
    /// Opens a session's file where an earlier reading stopped, or at its beginning.
    pub(crate) fn open(session: &'a Located, from: &Watermark) -> Result<Stream<'a>> {
        let (mut file, metadata) = folder::open(&session.path)?;
        let is_packed = session.path.extension().is_some_and(|end| end == "zst");
        // What is packed cannot be entered in the middle.
        let goes_on = !from.is_start()
            && !is_packed
            && from.fits(&mut file).map_err(|error| folder::refusal(&session.path, &error))?;
        let (start, seq) = if goes_on { (from.place, from.seq) } else { (0, 0) };
        let restarted = !from.is_start() && !goes_on;
        let stamp = Stamp::of(&metadata);
        Ok(Stream { session, file, is_packed, stamp, start, seq, restarted })
    }

    /// Whether this reading begins at the beginning.
    pub(crate) fn is_at_start(&self) -> bool {
        self.start == 0
    }

    /// The lines from where this reading begins.
    pub(crate) fn lines(&mut self) -> io::Result<Lines<Box<dyn io::Read + '_>>> {
        self.file.seek(SeekFrom::Start(self.start))?;
        if !self.is_packed {
            return Ok(Lines::new(Box::new(&mut self.file), self.start));
        }
        Ok(Lines::new(Box::new(Tolerant(unpacked(&mut self.file)?)), 0))
    }

    /// Goes through the lines before they are told; where the file ended then.
    pub(crate) fn look(&mut self, mut each: impl FnMut(usize, Option<&Object<'_>>)) -> Result<u64> {
        let path = &self.session.path;
        let refusal = |error: io::Error| folder::refusal(path, &error);
        let mut lines = self.lines().map_err(refusal)?;
        for at in 0.. {
            match lines.next().map_err(refusal)? {
                None => break,
                Some(Line::TooLong) => each(at, None),
                Some(Line::Whole(line) | Line::Last(line)) => {
                    each(at, Object::parse(&line).ok().as_ref());
                }
            }
        }
        Ok(lines.place)
    }

    /// Tells everything up to `end`, or to the end of the file.
    pub(crate) fn read(
        mut self,
        end: Option<u64>,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
        teller: &mut dyn Teller,
    ) -> Result<Read> {
        let session = self.session;
        let mut telling = Telling::new(session.head.clone(), self.seq, each);
        telling.head.updated_at = None;
        let told = self.tell(end, &mut telling, teller);
        let place = told.map_err(|error| folder::refusal(&session.path, &error))?;
        teller.done(&mut telling);
        let seq = telling.finish();
        let (mut head, skipped) = (telling.head, telling.skipped);
        head.updated_at = head.updated_at.or(session.stamp.at());
        let check = if self.is_packed { Ok(0) } else { watermark::check(&mut self.file, place) };
        let check = check.map_err(|error| folder::refusal(&session.path, &error))?;
        let watermark = Watermark { stamp: self.stamp, place, seq, check };
        Ok(Read { head, watermark, skipped, restarted: self.restarted })
    }

    /// Tells lines; the place behind the last one that is done with.
    fn tell(
        &mut self,
        end: Option<u64>,
        telling: &mut Telling<'_>,
        teller: &mut dyn Teller,
    ) -> io::Result<u64> {
        let mut done = self.start;
        let mut lines = self.lines()?;
        for at in 0.. {
            if telling.is_over() || end.is_some_and(|end| lines.place >= end) {
                break;
            }
            let told = match lines.next()? {
                None => break,
                Some(Line::TooLong) => Err("line too long"),
                Some(Line::Whole(line)) => {
                    Object::parse(&line).and_then(|line| teller.line(at, &line, telling))
                }
                Some(Line::Last(line)) => match Object::parse(&line) {
                    Ok(line) => teller.line(at, &line, telling),
                    // Somebody is writing it: the next reading begins with it.
                    Err(_) => {
                        telling.skip("unfinished line");
                        break;
                    }
                },
            };
            if let Err(kind) = told {
                telling.skip(kind);
            }
            done = lines.place;
        }
        Ok(done)
    }
}

/// Ends where what is packed is damaged: what came before is read.
struct Tolerant<R>(R);

impl<R: io::Read> io::Read for Tolerant<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(self.0.read(buffer).unwrap_or(0))
    }
}
