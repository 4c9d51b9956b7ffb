//! Whether a text says only what the memories it names say.
//!
//! A model may word anew, not add: most words must come from the sources, and all that a
//! reader would act on by the letter, such as numbers, names of files and code. What forbids
//! must not come out as permission, nor the other way round.

use std::collections::BTreeSet;

use crate::guard::{Verdict, examine};
use crate::memory::Memory;
use crate::text::query_terms;

/// Of ten words that say something, how many the sources must have: the rest is grammar and
/// synonyms.
const SHARED_OF_TEN: usize = 6;

/// Whether the text may stand for the sources.
pub fn is_grounded(text: &str, sources: &[&Memory]) -> bool {
    let said: String = sources.iter().map(|memory| format!("{}\n", memory.content)).collect();
    let terms: BTreeSet<String> = query_terms(text).into_iter().collect();
    let known: BTreeSet<String> = query_terms(&said).into_iter().collect();
    let shared = terms.intersection(&known).count();
    !terms.is_empty()
        && shared * 10 >= terms.len() * SHARED_OF_TEN
        && literal(text).all(|word| said.contains(word))
        && forbids(text) == forbids(&said)
        && examine(text).verdict == Verdict::Accept
}

/// Words that are meant by the letter: with a digit, a slash, an underscore or a backtick.
fn literal(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '-' | '_' | '~' | '$');
    let words = text.split_whitespace().map(move |word| word.trim_matches(edge));
    words.filter(|word| {
        word.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '_' | '\\' | '@' | '='))
            || word.contains("--")
    })
}

/// Whether a text says no to something.
fn forbids(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| {
        matches!(word, "never" | "not" | "no" | "avoid" | "without" | "cannot" | "nothing" | "dont")
            || word.ends_with("n't")
    })
}
