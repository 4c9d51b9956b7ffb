//! Text to terms: folding, stemming, identifiers, and scripts without spaces.
//!
//! Terms hold letters, digits, `_` and emoji only, in lower case: whatever a user types, no
//! term can be query syntax of any store. Words of Latin script lose their accents and get
//! an English stem; an identifier gives its parts and itself; a run of Han, kana or Hangul
//! gives single characters and pairs, so that any substring of it can be found. What is a
//! character is said in `glyphs.rs`, what is a name of several words in `compound.rs`.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::compound;
use super::glyphs::{Class, Glyph, is_word, pieces};
use super::stop::is_stop_word;

/// Longest term kept: beyond it is encoded data, which nobody searches for by heart.
const TERM_CHARS: usize = 64;

/// Words whose stems a thread remembers: as many as conversations of one kind use, in a few
/// megabytes. Stemming a word takes ten times as long as looking it up.
const STEMS: usize = 30_000;

/// Most terms of a query: a pasted page asks nothing more after its first hundred words.
const QUERY_TERMS: usize = 128;

/// One term, with where in the text it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is indexed and compared.
    pub term: String,
    /// The lower-case word before stemming.
    pub word: String,
    /// Byte range of the word in the text.
    pub start: usize,
    /// End of that range.
    pub end: usize,
}

/// Every term of a text, in order, with positions.
#[must_use]
pub fn analyse(text: &str) -> Vec<Term> {
    let mut analyser = Analyser::new(Purpose::Index);
    pieces(text, |piece| {
        analyser.piece(piece);
        ControlFlow::Continue(())
    });
    analyser.terms
}

/// The terms of a text as one line, the way stores index them.
#[must_use]
pub fn index_terms(key: Option<&str>, content: &str) -> String {
    let mut line = String::with_capacity(content.len());
    for text in key.into_iter().chain([content]) {
        for term in analyse(text) {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&term.term);
        }
    }
    line
}

/// The terms of a query: each once, in order, without words that say nothing; and without
/// the single characters of an unspaced script where they are part of pairs, which say more.
#[must_use]
pub fn query_terms(query: &str) -> Vec<String> {
    let mut analyser = Analyser::new(Purpose::Query);
    let mut seen = HashSet::new();
    let (mut telling, mut every) = (Vec::new(), Vec::new());
    pieces(query, |piece| {
        analyser.piece(piece);
        for Term { term, word, .. } in analyser.terms.drain(..) {
            if telling.len() == QUERY_TERMS {
                return ControlFlow::Break(());
            }
            let says_something = !is_stop_word(&word);
            // What says nothing is only needed where nothing else is said.
            if (says_something || every.len() < QUERY_TERMS) && seen.insert(term.clone()) {
                if says_something {
                    telling.push(term.clone());
                }
                if every.len() < QUERY_TERMS {
                    every.push(term);
                }
            }
        }
        ControlFlow::Continue(())
    });
    if telling.is_empty() { every } else { telling }
}

/// What the terms are for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Index,
    Query,
}

/// Gathers the terms of one piece of text after another.
struct Analyser {
    stemmer: Stemmer,
    purpose: Purpose,
    terms: Vec<Term>,
}

impl Analyser {
    fn new(purpose: Purpose) -> Self {
        Analyser { stemmer: Stemmer::create(Algorithm::English), purpose, terms: Vec::new() }
    }

    /// A word that mixes scripts, such as `東京tower`, is cut where the script changes.
    fn piece(&mut self, glyphs: &[Glyph]) {
        let mut at = 0;
        while let Some(first) = glyphs.get(at) {
            match first.class() {
                Class::Between => at += 1,
                Class::Emoji => {
                    self.push(first.c.to_string(), &glyphs[at..=at]);
                    at += 1;
                }
                class @ Class::Unspaced => {
                    let run = run_of(class, &glyphs[at..]);
                    self.grams(&glyphs[at..at + run]);
                    at += run;
                }
                class @ Class::Spaced => {
                    let end = compound::end(glyphs, at);
                    for (name, place) in compound::names(glyphs, at..end) {
                        self.push(fold(&name), &glyphs[place]);
                    }
                    while at < end {
                        let run = run_of(class, &glyphs[at..end]);
                        self.word(&glyphs[at..at + run]);
                        // One more for the sign that joins it to the next.
                        at += run + 1;
                    }
                    at = end;
                }
            }
        }
    }

    fn grams(&mut self, run: &[Glyph]) {
        for place in 0..run.len() {
            if self.purpose == Purpose::Index || run.len() == 1 {
                self.push(folded(&run[place..=place]), &run[place..=place]);
            }
            if let Some(pair) = run.get(place..place + 2) {
                self.push(folded(pair), pair);
            }
        }
    }

    /// A word, and, when it is an identifier, each of its parts.
    fn word(&mut self, word: &[Glyph]) {
        let parts = identifier_parts(word);
        if parts.len() > 1 {
            self.push(folded(word), word);
        }
        for part in parts {
            self.push(folded(part), part);
        }
    }

    fn push(&mut self, word: String, place: &[Glyph]) {
        let chars = word.chars().count();
        let (Some(first), Some(last)) = (place.first(), place.last()) else { return };
        if chars == 0 || chars > TERM_CHARS {
            return;
        }
        let term = if word.bytes().all(|b| b.is_ascii_lowercase()) {
            self.stem(&word)
        } else {
            word.clone()
        };
        self.terms.push(Term { term, word, start: first.start, end: last.end });
    }
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, String>> = RefCell::default();
}

impl Analyser {
    /// The stem of a word of small letters.
    fn stem(&self, word: &str) -> String {
        KNOWN.with_borrow_mut(|known| {
            if let Some(stem) = known.get(word) {
                return stem.clone();
            }
            let stem = self.stemmer.stem(word).into_owned();
            if known.len() >= STEMS {
                known.clear();
            }
            known.insert(word.to_owned(), stem.clone());
            stem
        })
    }
}

fn run_of(class: Class, glyphs: &[Glyph]) -> usize {
    glyphs.iter().take_while(|glyph| glyph.class() == class).count()
}

/// The words of `snake_case`, `camelCase` and `HTTPServer`; digits stay with their letters.
fn identifier_parts(word: &[Glyph]) -> Vec<&[Glyph]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 0..=word.len() {
        let underscore = word.get(at).is_none_or(|glyph| glyph.c == '_');
        if underscore || begins_part(word, at) {
            if start < at {
                parts.push(&word[start..at]);
            }
            start = if underscore { at + 1 } else { at };
        }
    }
    parts
}

/// Whether an identifier has a hump at `at`: a capital after a small letter, or the last
/// capital of several, or one after a number, where a small letter follows. The `s` of
/// `URLs` is an ending, no word.
fn begins_part(word: &[Glyph], at: usize) -> bool {
    let c = |place: usize| word.get(place).map(|glyph| glyph.c);
    let small = |place: usize| c(place).is_some_and(char::is_lowercase);
    let Some(before) = at.checked_sub(1).and_then(c) else { return false };
    let capital = c(at).is_some_and(char::is_uppercase);
    let starts_word = small(at + 1) && (c(at + 1) != Some('s') || small(at + 2));
    capital
        && (before.is_lowercase() || (before.is_uppercase() || before.is_numeric()) && starts_word)
}

fn folded(glyphs: &[Glyph]) -> String {
    // Nothing so long becomes a term, and folding it would only cost.
    if glyphs.len() > TERM_CHARS * 16 {
        return String::new();
    }
    fold(&glyphs.iter().map(|glyph| glyph.c).collect::<String>())
}

/// Lower case, compatibility forms unified, accents of alphabetic scripts removed; letters
/// that only look different at the end of a word, or in Switzerland, are one letter.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let plain = word
        .nfkd()
        .filter(|c| !('\u{0300}'..='\u{036F}').contains(c))
        .nfc()
        .flat_map(char::to_lowercase)
        .filter(|c| is_word(*c));
    let mut folded = String::with_capacity(word.len());
    for c in plain {
        match c {
            'ς' => folded.push('σ'),
            'ß' => folded.push_str("ss"),
            c => folded.push(c),
        }
    }
    folded
}

#[cfg(test)]
mod tests;
