//! The pieces a model knows, and the greedy cover of a word by them.
//!
//! Built once, from text with one piece a line: a table of line numbers found by the hash of
//! the piece. The hash grows letter by letter, so that all beginnings of a word are hashed
//! in one pass. Pieces that continue a word are written with `##` before them.

use nuthatch::error::{Error, Result};

use crate::bytes::Bytes;

/// More pieces than any WordPiece vocabulary has; bounds what a hostile file can ask for.
pub(crate) const MOST_PIECES: usize = 1 << 20;

const CONTINUATION: &[u8] = b"##";

/// At half load a run of taken slots is never a tenth of this, unless somebody made it so.
const LONGEST_RUN: usize = 1024;

/// The pieces of one model.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    text: Bytes,
    /// Where each line begins, and one past the last line's end.
    starts: Vec<u32>,
    /// Piece numbers plus one, at their hash or behind it; zero where there is none.
    slots: Vec<u32>,
    unknown: u32,
    begin: u32,
    end: u32,
}

/// Whether a piece begins a word or goes on with it.
#[derive(Clone, Copy)]
enum Place {
    Start,
    Inside,
}

impl Vocabulary {
    /// Reads one piece a line; the number of the line is the number of the piece.
    pub(crate) fn parse(text: Bytes) -> Result<Self> {
        let bytes = text.as_slice();
        std::str::from_utf8(bytes).map_err(|_| wrong("is not UTF-8"))?;
        let mut starts = vec![0];
        starts.extend(bytes.iter().zip(1..).filter(|(b, _)| **b == b'\n').map(|(_, at)| at));
        if bytes.last() != Some(&b'\n') {
            starts.push(u32::try_from(bytes.len() + 1).map_err(|_| wrong("is too long"))?);
        }
        let count = starts.len() - 1;
        if count > MOST_PIECES {
            return Err(wrong("has too many pieces"));
        }
        let slots = vec![0; (count * 2).next_power_of_two()];
        let mut made = Vocabulary { text, starts, slots, unknown: 0, begin: 0, end: 0 };
        for id in 0..count {
            made.insert(id)?;
        }
        made.unknown = made.special("[UNK]")?;
        made.begin = made.special("[CLS]")?;
        made.end = made.special("[SEP]")?;
        Ok(made)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn unknown(&self) -> u32 {
        self.unknown
    }

    pub(crate) fn begin(&self) -> u32 {
        self.begin
    }

    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Adds the pieces that cover `word`, or the unknown one where they cannot.
    pub(crate) fn pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut rest = word;
        while !rest.is_empty() {
            let place = if rest.len() == word.len() { Place::Start } else { Place::Inside };
            let Some((id, length)) = self.longest(place, rest) else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[length..];
        }
    }

    /// The longest piece that `rest` begins with, and its length in bytes.
    fn longest(&self, place: Place, rest: &str) -> Option<(u32, usize)> {
        let mut hash = place.seed();
        let mut best = None;
        for (at, c) in rest.char_indices() {
            let end = at + c.len_utf8();
            hash = grow(hash, &rest.as_bytes()[at..end]);
            if let Some(id) = self.find(place, hash, &rest.as_bytes()[..end]) {
                best = Some((id, end));
            }
        }
        best
    }

    fn find(&self, place: Place, hash: u64, piece: &[u8]) -> Option<u32> {
        let mut slot = self.slot(hash);
        while self.slots[slot] != 0 {
            let id = self.slots[slot] - 1;
            if place.strip(self.line(id as usize)) == Some(piece) {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    fn insert(&mut self, id: usize) -> Result<()> {
        let line = self.line(id);
        if line.is_empty() {
            return Err(wrong("has an empty line"));
        }
        let mut slot = self.slot(grow(SEED, line));
        let mut run = 0;
        while self.slots[slot] != 0 {
            run += 1;
            if run > LONGEST_RUN {
                return Err(wrong("is made to be slow"));
            }
            if self.line(self.slots[slot] as usize - 1) == self.line(id) {
                return Err(wrong("has the same piece twice"));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = u32::try_from(id + 1).expect("there are at most 2^20 pieces");
        Ok(())
    }

    fn line(&self, id: usize) -> &[u8] {
        &self.text.as_slice()[self.starts[id] as usize..self.starts[id + 1] as usize - 1]
    }

    /// The upper bits of the product: the lower ones of this hash are its weakest.
    fn slot(&self, hash: u64) -> usize {
        let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize & (self.slots.len() - 1)
    }

    fn special(&self, name: &str) -> Result<u32> {
        self.find(Place::Start, grow(SEED, name.as_bytes()), name.as_bytes())
            .ok_or_else(|| wrong(&format!("lacks the piece {name}")))
    }
}

impl Place {
    fn seed(self) -> u64 {
        match self {
            Place::Start => SEED,
            Place::Inside => grow(SEED, CONTINUATION),
        }
    }

    fn strip(self, line: &[u8]) -> Option<&[u8]> {
        match self {
            Place::Start => Some(line),
            Place::Inside => line.strip_prefix(CONTINUATION),
        }
    }
}

/// FNV-1a: begins here, and one byte after the other goes in.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

fn grow(hash: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("the model's vocabulary {what}"))
}
