//! Text that is not seen: found, decoded and removed.
//!
//! A model reads characters that a person is never shown. They are removed from everything
//! stored; what they spelled is decoded here so that callers can refuse or quarantine a text
//! that carried hidden words. What writing needs stays (see `place`).

mod kind;
mod payload;
mod place;
mod script;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use self::kind::Kind;
use super::finding::{Category, Finding};

/// The rule of a finding whose hidden characters spell readable text.
pub const HIDDEN_WORDS: &str = "hidden-words";

/// Enough for every text seen; the bound keeps a hostile one from going round for ever.
const ROUNDS: usize = 8;

/// A run of hidden characters of one kind.
struct Run {
    kind: Kind,
    start: usize,
    end: usize,
}

/// What hides in a text, in order, with spans of the text as given. One finding is made of
/// each run of one kind; its rule is [`HIDDEN_WORDS`] where the run spells text, else the
/// kind of the characters.
#[must_use]
pub fn inspect(text: &str) -> Vec<Finding> {
    let runs = runs(text);
    let spelled = payload::spelled(text, &runs);
    let found = runs.iter().zip(&spelled).map(|(run, words)| {
        let rule = if words.is_some() { HIDDEN_WORDS } else { run.kind.rule() };
        let category = Category::HiddenText;
        Finding { category, rule: rule.into(), start: run.start, end: run.end }
    });
    found.collect()
}

/// The words that hidden characters spell, with where each run of them stands.
pub(super) fn words(text: &str) -> Vec<(String, usize, usize)> {
    let runs = runs(text);
    let spelled = payload::spelled(text, &runs);
    let found = runs.iter().zip(spelled);
    found.filter_map(|(run, words)| words.map(|words| (words, run.start, run.end))).collect()
}

/// The byte ranges of a text that are not seen.
pub(super) fn ranges(text: &str) -> Vec<(usize, usize)> {
    runs(text).iter().map(|run| (run.start, run.end)).collect()
}

/// The text without what is hidden, in composed form (NFC), every line end a `\n`.
///
/// Repeated until nothing changes: a removed character can bring two others together that
/// compose, and what they compose to can be the wrong company for a joiner.
pub(super) fn reveal(text: &str) -> String {
    let mut shown = line_ends(text);
    for _ in 0..ROUNDS {
        let hidden = ranges(&shown);
        if hidden.is_empty() && is_nfc(&shown) {
            return shown;
        }
        shown = without(&shown, &hidden).nfc().collect();
    }
    // Nothing that could be doubted is kept in a text that still changes.
    shown.chars().filter(|c| Kind::of(*c).is_none()).collect()
}

fn without(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for &(start, end) in ranges {
        kept.push_str(&text[from..start]);
        from = end;
    }
    kept.push_str(&text[from..]);
    kept
}

fn line_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace(['\r', '\u{0B}', '\u{0C}', '\u{85}', '\u{2028}', '\u{2029}'], "\n")
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\u{0B}' | '\u{0C}' | '\u{85}')
}

fn runs(text: &str) -> Vec<Run> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t')) {
        return Vec::new();
    }
    let chars: Vec<char> = text.chars().collect();
    let mut runs: Vec<Run> = Vec::new();
    for (at, (start, c)) in text.char_indices().enumerate() {
        let Some(kind) = Kind::of(c).filter(|_| !is_line_end(c)) else { continue };
        if place::belongs(&chars, at, kind) {
            continue;
        }
        let end = start + c.len_utf8();
        match runs.last_mut() {
            Some(last) if last.end == start && last.kind == kind => last.end = end,
            _ => runs.push(Run { kind, start, end }),
        }
    }
    runs
}

#[cfg(test)]
mod tests;
