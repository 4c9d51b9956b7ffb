//! Cuts a plain text into words that carry concepts, grouped into sentences.
//!
//! Letters written apart ("i g n o r e") and digits in place of letters ("1gn0re") are read
//! as the words they spell. Addresses, file names and flags become concepts of their own.

use super::chunk;
use super::concept::{Concepts, EMAIL, GUARD_FLAG, HOST, URL};
use super::lexicon::{Lexicon, is_unspaced};

/// One word of a plain text.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) concepts: Concepts,
}

/// Words up to the end of a sentence, and everything they mean together.
pub(super) struct Sentence {
    pub(super) words: Vec<Word>,
    pub(super) concepts: Concepts,
    /// Written without spaces: the order of words is another one.
    pub(super) unspaced: bool,
}

/// Longer stretches without a full stop are cut, so that words far apart stay apart.
const LONGEST_SENTENCE: usize = 60;
/// Fewer letters in a row are initials or a list.
const FEWEST_LETTERS: usize = 5;

/// The sentences of a plain text.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let lexicon = Lexicon::shared();
    let mut found = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    for raw in spans(text) {
        match raw {
            Span::Word(start, end) => words.push(Word { start, end, concepts: 0 }),
            Span::Stop => finish(text, &mut words, lexicon, &mut found),
        }
        if words.len() >= LONGEST_SENTENCE {
            finish(text, &mut words, lexicon, &mut found);
        }
    }
    finish(text, &mut words, lexicon, &mut found);
    found
}

enum Span {
    Word(usize, usize),
    Stop,
}

fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_alphanumeric() {
            start = start.or(Some(at));
            continue;
        }
        if let Some(start) = start.take() {
            found.push(Span::Word(start, at));
        }
        let last = chars.peek().is_none_or(|(_, next)| !next.is_alphanumeric());
        let stop = matches!(c, '\n' | '。' | '!' | '?' | ';') || c == '.' && last;
        if stop {
            found.push(Span::Stop);
        }
    }
    if let Some(start) = start {
        found.push(Span::Word(start, text.len()));
    }
    found
}

fn finish(text: &str, words: &mut Vec<Word>, lexicon: &Lexicon, found: &mut Vec<Sentence>) {
    if words.is_empty() {
        return;
    }
    let words = split_unspaced(text, &join_letters(text, words, lexicon), lexicon);
    let words = with_phrases(text, words, lexicon);
    let concepts = words.iter().fold(0, |all, word| all | word.concepts);
    let start = words.first().map_or(0, |word| word.start);
    let end = words.last().map_or(0, |word| word.end);
    let unspaced = text[start..end].chars().any(is_unspaced);
    found.push(Sentence { words, concepts, unspaced });
}

/// Joins single letters written apart; drains `words`.
fn join_letters(text: &str, words: &mut Vec<Word>, lexicon: &Lexicon) -> Vec<Word> {
    let single = |word: &Word| text[word.start..word.end].chars().nth(1).is_none();
    let mut joined = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let run = words[at..].iter().take_while(|word| single(word)).count();
        if run < FEWEST_LETTERS {
            joined.extend_from_slice(&words[at..at + run.max(1)]);
            at += run.max(1);
            continue;
        }
        for letters in words[at..at + run].chunk_by(|a, b| b.start - a.end <= 1) {
            joined.extend(segment(text, letters, lexicon));
        }
        at += run;
    }
    words.clear();
    joined
}

/// Known words in a row of letters, longest first; what is between them is passed over.
fn segment(text: &str, letters: &[Word], lexicon: &Lexicon) -> Vec<Word> {
    /// No word of the lexicon that anybody would spell out is longer.
    const LONGEST: usize = 14;
    let spelled: Vec<&str> = letters.iter().map(|w| &text[w.start..w.end]).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < spelled.len() {
        let longest = LONGEST.min(spelled.len() - at);
        let known = (2..=longest).rev().find_map(|len| {
            let concepts = lexicon.word(&spelled[at..at + len].concat());
            (concepts != 0).then_some((len, concepts))
        });
        let (len, concepts) = known.unwrap_or((1, 0));
        let (start, end) = (letters[at].start, letters[at + len - 1].end);
        found.push(Word { start, end, concepts });
        at += len;
    }
    found
}

/// Cuts runs of Chinese and Japanese into the entries of the lexicon.
fn split_unspaced(text: &str, words: &[Word], lexicon: &Lexicon) -> Vec<Word> {
    let mut split = Vec::with_capacity(words.len());
    for word in words {
        let mut start = word.start;
        if !text[word.start..word.end].contains(is_unspaced) {
            split.push(*word);
            continue;
        }
        while let Some(c) = text[start..word.end].chars().next() {
            let known = is_unspaced(c).then(|| lexicon.unspaced(&text[start..word.end])).flatten();
            let (len, concepts) = known.unwrap_or((c.len_utf8(), 0));
            split.push(Word { start, end: start + len, concepts });
            start += len;
        }
    }
    split
}

/// Gives every word its meaning: that of the phrase it begins, or its own.
fn with_phrases(text: &str, mut words: Vec<Word>, lexicon: &Lexicon) -> Vec<Word> {
    let mut beside = meanings_beside(text, &words);
    let mut at = 0;
    let mut address_end = 0;
    while at < words.len() {
        // The parts of an address or a flag say nothing by themselves.
        if words[at].start < address_end {
            words.remove(at);
            beside.remove(at);
            continue;
        }
        let spelled = |place: usize| words.get(place).map(|w| &text[w.start..w.end]);
        let first = spelled(at).unwrap_or_default();
        let phrase = lexicon.phrase(first, |after| spelled(at + 1 + after));
        let (own, chunk_end) = chunk::concepts(text, words[at].start, words[at].end);
        if own & (URL | EMAIL | HOST | GUARD_FLAG) != 0 {
            words[at].concepts = own;
            address_end = chunk_end;
            at += 1;
            continue;
        }
        match phrase {
            Some((len, concepts)) => {
                words[at].concepts = concepts | own;
                words[at].end = words[at + len - 1].end;
                words.drain(at + 1..at + len);
                let swallowed = beside.drain(at + 1..at + len).fold(0, |all, one| all | one);
                beside[at] |= swallowed;
            }
            None if words[at].concepts == 0 => {
                words[at].concepts = own | lexicon.word(first) | unleet(first, lexicon);
            }
            None => words[at].concepts |= own,
        }
        words[at].concepts |= beside[at];
        at += 1;
    }
    words
}

/// What each word means besides: phrases that swallow nothing.
fn meanings_beside(text: &str, words: &[Word]) -> Vec<Concepts> {
    let beside = Lexicon::beside();
    let spelled = |place: usize| words.get(place).map(|w: &Word| &text[w.start..w.end]);
    let meanings = words.iter().enumerate().map(|(at, word)| {
        let first = &text[word.start..word.end];
        beside.word(first) | beside.phrases(first, |after| spelled(at + 1 + after))
    });
    meanings.collect()
}

/// What a word means when its digits are read as the letters they resemble.
fn unleet(word: &str, lexicon: &Lexicon) -> Concepts {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = word.len() - letters;
    if digits == 0 || letters < 2 || !word.is_ascii() {
        return 0;
    }
    let read = |one: char| -> String {
        let letter = |c: char| match c {
            '0' => 'o',
            '1' => one,
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '7' => 't',
            '8' => 'b',
            '9' => 'g',
            c => c,
        };
        word.chars().map(letter).collect()
    };
    lexicon.word(&read('i')) | lexicon.word(&read('l'))
}
