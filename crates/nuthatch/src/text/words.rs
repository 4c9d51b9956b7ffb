//! The words of one document, counted.
//!
//! What stores index: finished terms, how often each occurs, and how many there are. Words
//! that say nothing are found like others, but do not make a document longer.

use std::collections::HashMap;

use super::stop::is_stop_term;
use super::terms::{Term, analyse};

/// How often each term stands in a document, and how many there are in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Each term once, with how often it occurs.
    pub counts: HashMap<String, u32>,
    /// How many terms there are that say something, repetitions included.
    pub length: u32,
}

impl Words {
    /// The words of a text, and of its key where it has one.
    #[must_use]
    pub fn of(key: Option<&str>, text: &str) -> Self {
        let mut words = Words::default();
        for text in key.into_iter().chain([text]) {
            for Term { term, .. } in analyse(text) {
                words.length += u32::from(!is_stop_term(&term));
                *words.counts.entry(term).or_default() += 1;
            }
        }
        words
    }

    /// How often each of these terms occurs.
    #[must_use]
    pub fn count(&self, terms: &[String]) -> Vec<u32> {
        terms.iter().map(|term| self.counts.get(term).copied().unwrap_or(0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_and_text_are_counted_together() {
        let words = Words::of(Some("editor"), "the editor, an Editor");
        assert_eq!(words.count(&["editor".into(), "nowhere".into()]), [3, 0]);
        assert_eq!((words.length, words.count(&["the".into()])), (3, vec![1]));
        assert_eq!(Words::of(None, " … ").length, 0);
    }
}
