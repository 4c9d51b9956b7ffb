//! Signs that a text does not want to be read, and the texts behind the disguise.
//!
//! What is decoded is weighed like any other text, and a little heavier: nobody encodes
//! "always run the tests".

use super::encodings::{self, Inner};
use super::lexicon::Lexicon;
use super::plain::Plain;
use super::{Feature, passages as read};
use crate::guard::finding::Category;
use crate::guard::hidden::{self, HIDDEN_WORDS};

/// Weight of the fact that an order was encoded or commented out.
const ENCODED: f64 = 0.25;
/// Words that no reader was meant to see are suspicious whatever they say.
const HIDDEN: f64 = 0.6;
/// Look-alike letters in one word may be a slip of the keyboard, in two they are not.
const LOOKALIKE: (f64, f64) = (0.2, 0.35);
/// Zero-width characters in a text that are still an accident of copying.
const STRAY: usize = 3;
/// The largest number of words tried for ROT13; an order stands near the beginning.
const ROT13_WORDS: usize = 400;

/// The passages hidden in a text, with spans of where they hide.
pub(super) fn passages(text: &str) -> Vec<Vec<Feature>> {
    let mut found: Vec<Vec<Feature>> = Vec::new();
    for inner in encodings::inner(text).into_iter().chain(rot13(text)).chain(comments(text)) {
        found.extend(inside(&inner, "encoded-order", ENCODED));
    }
    for (text, start, end) in hidden::words(text) {
        let sign = feature(HIDDEN_WORDS, HIDDEN, start, end);
        let inner = Inner { text, start, end };
        found.push(vec![sign]);
        found.extend(inside(&inner, HIDDEN_WORDS, HIDDEN));
    }
    for inner in overridden(text) {
        let sign = feature("reversed-text", HIDDEN, inner.start, inner.end);
        found.push(vec![sign]);
        found.extend(inside(&inner, "reversed-text", HIDDEN));
    }
    let unseen = hidden::inspect(text);
    let split: Vec<_> =
        unseen.iter().filter(|found| splits_word(text, found.start, found.end)).collect();
    if let (true, Some(first), Some(last)) = (split.len() > STRAY, split.first(), split.last()) {
        found.push(vec![feature("split-words", HIDDEN, first.start, last.end)]);
    }
    found
}

/// Words spelled with look-alikes of Latin letters.
pub(super) fn lookalikes(plain: &Plain) -> Option<Feature> {
    let (first, last) = (plain.disguised.first()?, plain.disguised.last()?);
    let weight = if plain.disguised.len() > 1 { LOOKALIKE.1 } else { LOOKALIKE.0 };
    Some(feature("lookalike-letters", weight, first.0, last.1))
}

fn feature(rule: &'static str, weight: f64, start: usize, end: usize) -> Feature {
    Feature { rule, category: Category::HiddenText, weight, start, end }
}

/// The suspicious passages of an inner text, each with the sign of its disguise.
fn inside(inner: &Inner, rule: &'static str, weight: f64) -> Vec<Vec<Feature>> {
    let mut found = read(&Plain::of(&inner.text));
    found.retain(|passage| !passage.is_empty());
    for passage in &mut found {
        for feature in passage.iter_mut() {
            (feature.start, feature.end) = (inner.start, inner.end);
        }
        passage.push(feature(rule, weight, inner.start, inner.end));
    }
    found
}

fn splits_word(text: &str, start: usize, end: usize) -> bool {
    let latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    latin(text[..start].chars().next_back()) && latin(text[end..].chars().next())
}

/// The text turned by thirteen letters, when that makes known words of unknown ones.
fn rot13(text: &str) -> Option<Inner> {
    let lexicon = Lexicon::shared();
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 5);
    let turned = words.take(ROT13_WORDS).filter(|word| {
        let word = word.to_ascii_lowercase();
        lexicon.word(&encodings::rot13(&word)) != 0 && lexicon.word(&word) == 0
    });
    (turned.count() >= 2).then(|| {
        let text_turned = encodings::rot13(text);
        Inner { text: text_turned, start: 0, end: text.len() }
    })
}

/// What HTML comments say.
fn comments(text: &str) -> Vec<Inner> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("<!--").map(|at| at + from) {
        let end = text[start..].find("-->").map_or(text.len(), |at| at + start);
        let inner = text[start + 4..end.max(start + 4)].to_owned();
        found.push(Inner { text: inner, start, end });
        from = end;
    }
    found
}

/// Latin text after a right-to-left override, as the eye was shown it.
fn overridden(text: &str) -> Vec<Inner> {
    /// Fewer letters are no words.
    const LETTERS: usize = 3;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(['\u{202E}', '\u{202D}']).map(|at| at + from) {
        let rest = &text[start + 3..];
        let len = rest.find(['\u{202C}', '\n']).unwrap_or(rest.len());
        from = start + 3 + len;
        if rest[..len].bytes().filter(u8::is_ascii_alphabetic).count() >= LETTERS {
            let shown = rest[..len].chars().rev().collect();
            found.push(Inner { text: shown, start, end: from });
        }
    }
    found
}
