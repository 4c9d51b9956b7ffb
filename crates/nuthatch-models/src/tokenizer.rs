//! Text to piece numbers: the lower-cased WordPiece of BERT, for any vocabulary of that kind.
//!
//! A text is cleaned, freed of accents, lower-cased and split at blanks, punctuation and
//! ideographs (`letters`); each word is then covered greedily by the longest known pieces
//! (`vocabulary`). It stops as soon as the limit is reached, so a huge text costs no more
//! than a long one. Names of special pieces in a text are ordinary words.

mod letters;
mod vocabulary;

#[cfg(test)]
mod tests;

use unicode_normalization::UnicodeNormalization;

use letters::Kind;
pub(crate) use vocabulary::{MOST_PIECES, Vocabulary};

/// A longer word is one unknown piece, as in the training of every BERT.
const LONGEST_WORD: usize = 100;

/// The piece numbers of `text`, with the marks of beginning and end, at most `limit` of them.
pub(crate) fn tokenize(vocabulary: &Vocabulary, text: &str, limit: usize) -> Vec<u32> {
    let room = limit.saturating_sub(2);
    let mut ids = vec![vocabulary.begin()];
    let mut word = Word::default();
    let plain = text.chars().filter_map(letters::clean).nfd();
    for c in plain.filter(|c| !letters::is_accent(*c)).flat_map(char::to_lowercase) {
        match letters::kind(c) {
            Kind::Letter => word.push(c),
            Kind::Blank => word.flush(vocabulary, &mut ids),
            Kind::Alone => {
                word.flush(vocabulary, &mut ids);
                word.push(c);
                word.flush(vocabulary, &mut ids);
            }
        }
        if ids.len() > room {
            break;
        }
    }
    word.flush(vocabulary, &mut ids);
    ids.truncate(room + 1);
    ids.push(vocabulary.end());
    ids
}

/// The word being collected. Letters beyond the longest are counted, not kept.
#[derive(Default)]
struct Word {
    text: String,
    letters: usize,
}

impl Word {
    fn push(&mut self, c: char) {
        self.letters += 1;
        if self.letters <= LONGEST_WORD {
            self.text.push(c);
        }
    }

    fn flush(&mut self, vocabulary: &Vocabulary, ids: &mut Vec<u32>) {
        match self.letters {
            0 => return,
            1..=LONGEST_WORD => vocabulary.pieces(&self.text, ids),
            _ => ids.push(vocabulary.unknown()),
        }
        self.text.clear();
        self.letters = 0;
    }
}
