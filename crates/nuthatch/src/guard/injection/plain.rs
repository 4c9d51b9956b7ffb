//! A text as it is meant to be read: disguises undone, every byte traceable.
//!
//! Hidden characters, accents, case, look-alike letters and emphasis inside words are gone.
//! Encodings stay: `encodings` decodes them into texts of their own.

use crate::guard::{hidden, homoglyph};

/// A folded text that remembers where each of its bytes came from.
pub(super) struct Plain {
    pub(super) text: String,
    /// For each byte of `text`, where its character starts in the original.
    origins: Vec<usize>,
    original_len: usize,
    /// Words of look-alike letters that were brought back to Latin, as spans of `text`.
    pub(super) disguised: Vec<(usize, usize)>,
}

impl Plain {
    pub(super) fn of(original: &str) -> Self {
        let hidden = hidden::ranges(original);
        let plain = Builder::new(original, &hidden, Company::Mixed).build();
        if plain.disguised.is_empty() {
            return plain;
        }
        // Where one word is disguised, a word made of look-alikes only is, too.
        Builder::new(original, &hidden, Company::Alone).build()
    }

    /// The span of the original text that became `start..end`.
    pub(super) fn origin(&self, start: usize, end: usize) -> (usize, usize) {
        let place = |at: usize| self.origins.get(at).copied().unwrap_or(self.original_len);
        (place(start), place(end))
    }
}

/// Which words of look-alikes count as Latin.
#[derive(Clone, Copy, PartialEq)]
enum Company {
    /// Only those that have a Latin letter among them.
    Mixed,
    /// Those without, too.
    Alone,
}

struct Builder<'a> {
    original: &'a str,
    hidden: &'a [(usize, usize)],
    company: Company,
    plain: Plain,
    /// The word being read: folded characters and where they came from.
    word: Vec<(char, usize)>,
}

impl<'a> Builder<'a> {
    fn new(original: &'a str, hidden: &'a [(usize, usize)], company: Company) -> Self {
        let plain = Plain {
            text: String::with_capacity(original.len()),
            origins: Vec::with_capacity(original.len()),
            original_len: original.len(),
            disguised: Vec::new(),
        };
        Self { original, hidden, company, plain, word: Vec::new() }
    }

    fn build(mut self) -> Plain {
        let mut hidden = self.hidden.iter().peekable();
        let mut skip_to = 0;
        for (at, c) in self.original.char_indices() {
            while hidden.next_if(|(_, end)| *end <= at).is_some() {}
            let unseen = hidden.peek().is_some_and(|(start, _)| *start <= at);
            if unseen || at < skip_to || is_quote_mark(c) && self.inside_word(at, c) {
                continue;
            }
            if is_emphasis(c)
                && let Some(end) = self.emphasis_inside(at, c)
            {
                skip_to = end;
                continue;
            }
            let word = &mut self.word;
            let mut parts = Vec::new();
            homoglyph::fold(c, |folded| parts.push(folded));
            if c.is_alphanumeric() && parts.iter().all(|folded| folded.is_alphanumeric()) {
                word.extend(parts.into_iter().map(|folded| (folded, at)));
            } else {
                self.end_word();
                parts.into_iter().for_each(|folded| self.push(folded, at));
            }
        }
        self.end_word();
        self.plain
    }

    fn inside_word(&self, at: usize, c: char) -> bool {
        let after = self.original[at + c.len_utf8()..].chars().next();
        !self.word.is_empty() && after.is_some_and(char::is_alphabetic)
    }

    /// Where a run of emphasis marks between two letters ends.
    fn emphasis_inside(&self, at: usize, mark: char) -> Option<usize> {
        let rest = self.original[at..].trim_start_matches(mark);
        let marks = self.original.len() - at - rest.len();
        // One underscore joins the words of an identifier; two are emphasis.
        let emphasis = mark != '_' || marks >= 2;
        let letter = rest.chars().next().is_some_and(char::is_alphabetic);
        (emphasis && !self.word.is_empty() && letter).then_some(at + marks)
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let foreign = word.iter().filter(|(c, _)| !c.is_ascii());
        let disguise = foreign.clone().next().is_some()
            && foreign.clone().all(|(c, _)| homoglyph::latin(*c).is_some())
            && (self.company == Company::Alone
                || word.iter().any(|(c, _)| c.is_ascii_alphabetic()));
        let start = self.plain.text.len();
        for (c, at) in word {
            let shown = if disguise { homoglyph::latin(c).unwrap_or(c) } else { c };
            self.push(shown, at);
        }
        if disguise {
            self.plain.disguised.push((start, self.plain.text.len()));
        }
    }

    fn push(&mut self, c: char, at: usize) {
        self.plain.text.push(c);
        self.plain.origins.resize(self.plain.text.len(), at);
    }
}

fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '~')
}

fn is_quote_mark(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}
