//! Which words stand for which concepts.
//!
//! Entries are words; `*` at the end matches any ending, `_` stands for a space inside a
//! phrase. Phrases win over words and swallow theirs, so that "never forget" is no negation.
//! Scripts without spaces are looked up character by character, the longest entry first.

mod asian;
mod conduct;
mod dealings;
mod english;
mod european;
mod harm;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::concept::Concepts;
use crate::guard::homoglyph;

/// One line of a table: what it means, and the words that mean it.
type Line = (Concepts, &'static str);

/// Prefixes shorter than this would match half of a language.
const SHORTEST_PREFIX: usize = 3;

static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| read(&[english::TABLE, harm::TABLE, european::TABLE, asian::TABLE]));
static BESIDE: LazyLock<Lexicon> = LazyLock::new(|| read(&[conduct::TABLE, dealings::TABLE]));

fn read(tables: &[&[Line]]) -> Lexicon {
    let mut lexicon = Lexicon::default();
    for (concepts, words) in tables.iter().copied().flatten() {
        for entry in words.split_whitespace() {
            lexicon.add(&folded(entry), *concepts);
        }
    }
    for phrases in lexicon.phrases.values_mut() {
        phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    }
    lexicon
}

/// The words of all languages together.
#[derive(Default)]
pub(super) struct Lexicon {
    words: HashMap<String, Concepts>,
    prefixes: HashMap<String, Concepts>,
    longest_prefix: usize,
    /// How prefixes begin: most words begin otherwise, and need no further look.
    prefix_heads: HashSet<[u8; SHORTEST_PREFIX]>,
    longest_word: usize,
    /// First word → the words after it, and what they mean together.
    phrases: HashMap<String, Vec<(Vec<String>, Concepts)>>,
    /// The most characters in an entry of a script without spaces.
    longest_unspaced: usize,
}

impl Lexicon {
    pub(super) fn shared() -> &'static Self {
        &LEXICON
    }

    /// Words whose meaning is added to whatever else they mean; phrases swallow nothing.
    pub(super) fn beside() -> &'static Self {
        &BESIDE
    }

    fn add(&mut self, entry: &str, concepts: Concepts) {
        if let Some((first, rest)) = entry.split_once('_') {
            let rest: Vec<String> = rest.split('_').map(str::to_owned).collect();
            let phrases = self.phrases.entry(first.to_owned()).or_default();
            match phrases.iter_mut().find(|(known, _)| *known == rest) {
                Some((_, known)) => *known |= concepts,
                None => phrases.push((rest, concepts)),
            }
        } else if let Some(prefix) = entry.strip_suffix('*') {
            self.longest_prefix = self.longest_prefix.max(prefix.len());
            self.prefix_heads.extend(prefix.as_bytes().first_chunk::<SHORTEST_PREFIX>());
            *self.prefixes.entry(prefix.to_owned()).or_default() |= concepts;
        } else {
            if entry.chars().all(is_unspaced) {
                self.longest_unspaced = self.longest_unspaced.max(entry.chars().count());
            }
            self.longest_word = self.longest_word.max(entry.len());
            *self.words.entry(entry.to_owned()).or_default() |= concepts;
        }
    }

    /// What one word means by itself, or without its ending.
    pub(super) fn word(&self, word: &str) -> Concepts {
        let mut found = match self.words.get(word) {
            Some(known) => *known,
            None => self.base(word).unwrap_or_default(),
        };
        let Some(head) = word.as_bytes().first_chunk::<SHORTEST_PREFIX>() else { return found };
        if self.prefix_heads.contains(head) {
            for end in SHORTEST_PREFIX..=word.len().min(self.longest_prefix) {
                if let Some(prefix) = word.get(..end) {
                    found |= self.prefixes.get(prefix).copied().unwrap_or_default();
                }
            }
        }
        found
    }

    /// What the English word means that `word` is a form of: "trusts", "printed", "copies".
    fn base(&self, word: &str) -> Option<Concepts> {
        /// Shorter words have no endings worth taking off.
        const SHORTEST: usize = 5;
        if word.len() < SHORTEST || word.len() > self.longest_word + LONGEST_ENDING {
            return None;
        }
        let mut spelled = String::new();
        ENDINGS.iter().filter(|_| word.is_ascii()).find_map(|(ending, instead)| {
            let stem = word.strip_suffix(ending)?;
            if instead.is_empty() {
                return self.words.get(stem).copied();
            }
            spelled.clear();
            spelled.push_str(stem);
            spelled.push_str(instead);
            self.words.get(&spelled).copied()
        })
    }

    /// The longest phrase that starts with `first`: its number of words, and its meaning.
    /// `after` gives the words that follow.
    pub(super) fn phrase<'a>(
        &self,
        first: &str,
        after: impl Fn(usize) -> Option<&'a str>,
    ) -> Option<(usize, Concepts)> {
        self.fitting(first, after).next()
    }

    /// What all phrases that start with `first` mean together.
    pub(super) fn phrases<'a>(
        &self,
        first: &str,
        after: impl Fn(usize) -> Option<&'a str>,
    ) -> Concepts {
        self.fitting(first, after).fold(0, |all, (_, concepts)| all | concepts)
    }

    fn fitting<'a>(
        &self,
        first: &str,
        after: impl Fn(usize) -> Option<&'a str>,
    ) -> impl Iterator<Item = (usize, Concepts)> {
        let fits = move |(at, want): (usize, &String)| {
            after(at).is_some_and(|word| match want.strip_suffix('*') {
                Some(prefix) => word.starts_with(prefix),
                None => word == want,
            })
        };
        let candidates = self.phrases.get(first).into_iter().flatten();
        candidates
            .filter(move |(rest, _)| rest.iter().enumerate().all(&fits))
            .map(|(rest, concepts)| (rest.len() + 1, *concepts))
    }

    /// The longest entry at the start of unspaced text: its length in bytes, its meaning.
    pub(super) fn unspaced(&self, text: &str) -> Option<(usize, Concepts)> {
        let mut ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let mut best = None;
        for end in ends.by_ref().take(self.longest_unspaced) {
            if let Some(concepts) = self.words.get(&text[..end]) {
                best = Some((end, *concepts));
            }
        }
        best
    }
}

/// Endings of English words, and what stood there before.
const ENDINGS: &[(&str, &str)] = &[
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ied", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
];
const LONGEST_ENDING: usize = 3;

/// Scripts written without spaces.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{FF66}'..='\u{FF9F}')
}

fn folded(entry: &str) -> String {
    let mut folded = String::with_capacity(entry.len());
    entry.chars().for_each(|c| homoglyph::fold(c, |c| folded.push(c)));
    folded
}
