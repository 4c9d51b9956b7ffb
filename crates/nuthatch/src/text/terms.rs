//! Text to terms: folding, stemming, identifiers, and scripts without spaces.
//!
//! Terms hold letters, digits and `_` only, in lower case: whatever a user types, no term
//! can be query syntax of any store. Words of Latin script lose their accents and get an
//! English stem; an identifier gives its parts and itself; a run of Han, kana or Hangul
//! gives single characters and pairs, so that any substring of it can be found.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::stop::is_stop_word;

/// Longest term kept: beyond it is encoded data, which nobody searches for by heart.
const TERM_CHARS: usize = 64;

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
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms = Vec::new();
    for (start, end) in words(text) {
        let word = &text[start..end];
        if word.chars().any(is_unspaced) {
            split_unspaced(word, start, &stemmer, &mut terms);
        } else {
            push_word(word, start, &stemmer, &mut terms);
        }
    }
    terms
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
/// the single characters of an unspaced script where there are pairs, which say more.
#[must_use]
pub fn query_terms(query: &str) -> Vec<String> {
    let all = analyse(query);
    let has_pairs = all.iter().any(|t| is_unspaced_pair(&t.term));
    let mut telling: Vec<String> = Vec::new();
    let mut every: Vec<String> = Vec::new();
    for term in all {
        let single = term.term.chars().count() == 1 && term.term.chars().all(is_unspaced);
        if has_pairs && single {
            continue;
        }
        if !every.contains(&term.term) {
            if !is_stop_word(&term.word) {
                telling.push(term.term.clone());
            }
            every.push(term.term);
        }
    }
    let mut terms = if telling.is_empty() { every } else { telling };
    terms.truncate(QUERY_TERMS);
    terms
}

fn is_unspaced_pair(term: &str) -> bool {
    term.chars().count() == 2 && term.chars().all(is_unspaced)
}

/// Runs of letters, digits, marks and `_`.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|(_, c)| !is_word(*c)).is_some() {}
        let (start, first) = chars.next()?;
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| is_word(*c)) {
            end = at + c.len_utf8();
        }
        Some((start, end))
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Scripts written without spaces between words. Hangul has spaces, but its endings hide
/// the word just as well.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}'       // Thai, Lao
        | '\u{1000}'..='\u{109F}'     // Myanmar
        | '\u{1100}'..='\u{11FF}'     // Hangul jamo
        | '\u{1780}'..='\u{17FF}'     // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30FF}'     // kana
        | '\u{3130}'..='\u{318F}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'     // Han
        | '\u{AC00}'..='\u{D7AF}'     // Hangul
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9D}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// A word that mixes scripts, such as `東京tower`, is cut where the script changes.
fn split_unspaced(word: &str, offset: usize, stemmer: &Stemmer, terms: &mut Vec<Term>) {
    let mut run = 0;
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    while run < chars.len() {
        let unspaced = is_unspaced(chars[run].1);
        let length = chars[run..].iter().take_while(|(_, c)| is_unspaced(*c) == unspaced).count();
        let start = chars[run].0;
        let end = chars.get(run + length).map_or(word.len(), |(at, _)| *at);
        if unspaced {
            push_grams(&word[start..end], offset + start, terms);
        } else {
            push_word(&word[start..end], offset + start, stemmer, terms);
        }
        run += length;
    }
}

fn push_grams(run: &str, offset: usize, terms: &mut Vec<Term>) {
    let chars: Vec<(usize, char)> = run.char_indices().collect();
    for (place, &(at, c)) in chars.iter().enumerate() {
        let single = fold(&c.to_string());
        let end = at + c.len_utf8();
        terms.push(Term {
            term: single.clone(),
            word: single,
            start: offset + at,
            end: offset + end,
        });
        if let Some(&(next, d)) = chars.get(place + 1) {
            let pair = fold(&format!("{c}{d}"));
            let end = next + d.len_utf8();
            terms.push(Term {
                term: pair.clone(),
                word: pair,
                start: offset + at,
                end: offset + end,
            });
        }
    }
}

/// A word, and, when it is an identifier, each of its parts.
fn push_word(word: &str, start: usize, stemmer: &Stemmer, terms: &mut Vec<Term>) {
    let end = start + word.len();
    let parts = identifier_parts(word);
    if parts.len() > 1 {
        push_term(&fold(word), (start, end), stemmer, terms);
        for (from, to) in parts {
            push_term(&fold(&word[from..to]), (start + from, start + to), stemmer, terms);
        }
    } else if let Some(&(from, to)) = parts.first() {
        push_term(&fold(&word[from..to]), (start + from, start + to), stemmer, terms);
    }
}

fn push_term(word: &str, (start, end): (usize, usize), stemmer: &Stemmer, terms: &mut Vec<Term>) {
    let chars = word.chars().count();
    if chars == 0 || chars > TERM_CHARS {
        return;
    }
    let term = if word.bytes().all(|b| b.is_ascii_lowercase()) {
        stemmer.stem(word).into_owned()
    } else {
        word.to_owned()
    };
    terms.push(Term { term, word: word.to_owned(), start, end });
}

/// Where `snake_case` and `camelCase` words begin and end; digits stay with their letters.
fn identifier_parts(word: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut start = None;
    let mut before = '_';
    for (at, c) in word.char_indices() {
        let hump = before.is_lowercase() && c.is_uppercase();
        if (c == '_' || hump)
            && let Some(from) = start.take()
        {
            parts.push((from, at));
        }
        if c != '_' && start.is_none() {
            start = Some(at);
        }
        before = c;
    }
    if let Some(from) = start {
        parts.push((from, word.len()));
    }
    parts
}

/// Lower case, compatibility forms unified, accents of alphabetic scripts removed.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfkd()
        .filter(|c| !('\u{0300}'..='\u{036F}').contains(c))
        .nfc()
        .flat_map(char::to_lowercase)
        .filter(|c| is_word(*c))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        analyse(text).into_iter().map(|t| t.term).collect()
    }

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(terms("Running CAFÉS naïvely"), ["run", "cafe", "naiv"]);
        assert_eq!(terms("ﬁle ＡＢＣ１２"), ["file", "abc12"]);
    }

    #[test]
    fn an_identifier_gives_itself_and_its_parts() {
        assert_eq!(terms("parseHttpRequest"), ["parsehttprequest", "pars", "http", "request"]);
        assert_eq!(terms("max_retry_count"), ["max_retry_count", "max", "retri", "count"]);
        assert_eq!(terms("src/main.rs"), ["src", "main", "rs"]);
    }

    #[test]
    fn unspaced_scripts_give_characters_and_pairs() {
        assert_eq!(terms("東京都"), ["東", "東京", "京", "京都", "都"]);
        assert_eq!(query_terms("京都"), ["京都"]);
        assert_eq!(query_terms("都"), ["都"]);
        assert_eq!(terms("東京tower"), ["東", "東京", "京", "tower"]);
        assert_eq!(query_terms("서울에서"), ["서울", "울에", "에서"]);
    }

    #[test]
    fn queries_lose_words_that_say_nothing_unless_nothing_is_left() {
        assert_eq!(query_terms("what is the database of the project"), ["databas", "project"]);
        assert_eq!(query_terms("to be or not to be"), ["to", "be", "or", "not"]);
        assert!(query_terms("?! -- \"*\"").is_empty());
    }

    #[test]
    fn no_term_holds_anything_but_letters_digits_and_underscores() {
        let hostile = "a\"b' OR 1=1 -- NEAR(x,y) col:z ^w* {a} (b) \u{0}\u{7f} é\u{301}\u{200d}x";
        for term in terms(hostile) {
            assert!(term.chars().all(is_word), "{term:?}");
        }
    }
}
