//! The part of a text that answers a query.
//!
//! Slides a window over the text and keeps the one that holds the most different query
//! terms, then widens it to whole words. Positions are bytes at character boundaries.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::terms::{Term, analyse};

/// A text up to this long is its own passage: cutting it would save nothing.
const WHOLE_CHARS: usize = 600;
/// How much of a longer text is shown: about a paragraph.
const WINDOW_BYTES: usize = 400;
/// Words shown before the first match, so that it does not stand without a beginning.
const LEAD_BYTES: usize = 60;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The part itself.
    pub text: String,
    /// Byte where it begins.
    pub start: usize,
    /// Byte where it ends.
    pub end: usize,
    /// Whether something was left out.
    pub cut: bool,
    /// The query's words that stand in it.
    pub terms: Vec<String>,
}

/// The part of `text` that says most about `query` (terms as of [`super::query_terms`]).
#[must_use]
pub fn passage(text: &str, query: &[String]) -> Passage {
    let wanted: HashSet<&str> = query.iter().map(String::as_str).collect();
    let mut hits = if wanted.is_empty() { Vec::new() } else { analyse(text) };
    hits.retain(|hit| wanted.contains(hit.term.as_str()));
    let (start, end) = if text.chars().count() <= WHOLE_CHARS {
        (0, text.len())
    } else {
        best_window(text, &hits)
    };
    let shown = hits.iter().filter(|hit| hit.start >= start && hit.end <= end);
    let terms = shown.map(|hit| hit.term.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    Passage { text: text[start..end].to_owned(), start, end, cut: end - start < text.len(), terms }
}

/// Moves both ends of a window over the hits, counting what stands between them.
fn best_window(text: &str, hits: &[Term]) -> (usize, usize) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut best, mut begin, mut last) = (0, 0, 0);
    let mut next = 0;
    for (place, first) in hits.iter().enumerate() {
        // A single hit can be longer than the window; it must not hold the end back.
        next = next.max(place);
        while let Some(hit) = hits.get(next).filter(|hit| hit.end <= first.start + WINDOW_BYTES) {
            *counts.entry(&hit.term).or_default() += 1;
            next += 1;
        }
        if counts.len() > best {
            best = counts.len();
            begin = first.start;
            last = hits[place..next].iter().map(|hit| hit.end).max().unwrap_or_default();
        }
        if let Some(count) = counts.get_mut(first.term.as_str()) {
            *count -= 1;
            if *count == 0 {
                counts.remove(first.term.as_str());
            }
        }
    }
    let start = word_start(text, begin.saturating_sub(LEAD_BYTES));
    // The lead must not cost the last hit its place.
    let end = word_end(text, (start + WINDOW_BYTES).max(last).min(text.len()));
    (start, end)
}

/// The nearest place at or before `at` where a word begins.
fn word_start(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    // A text without spaces would carry the window away with it.
    let floor = text.floor_char_boundary(at.saturating_sub(LEAD_BYTES));
    text[floor..at].rfind(char::is_whitespace).map_or(at, |space| {
        let from = floor + space;
        from + text[from..].chars().next().map_or(0, char::len_utf8)
    })
}

/// The nearest place at or after `at` where a word ends.
fn word_end(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    let ceiling = text.ceil_char_boundary((at + LEAD_BYTES).min(text.len()));
    text[at..ceiling].find(char::is_whitespace).map_or(at, |space| at + space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::query_terms;

    #[test]
    fn a_short_text_is_its_own_passage() {
        let found = passage("uses tabs", &query_terms("tabs"));
        assert_eq!((found.text.as_str(), found.cut), ("uses tabs", false));
        assert_eq!(found.terms, ["tab"]);
    }

    #[test]
    fn the_part_that_matches_is_shown_not_the_beginning() {
        let text = format!(
            "{}the staging database is on port 5433 {}",
            "x ".repeat(900),
            "y ".repeat(900)
        );
        let found = passage(&text, &query_terms("staging database port"));
        assert!(found.text.contains("staging database is on port 5433"), "{}", found.text);
        assert!(found.cut && found.text.len() < 700);
        assert_eq!(found.text, text[found.start..found.end]);
    }

    #[test]
    fn text_without_spaces_is_cut_at_characters() {
        let text = format!("{}東京タワー{}", "あ".repeat(2000), "い".repeat(2000));
        let found = passage(&text, &query_terms("東京タワー"));
        assert!(found.text.contains("東京タワー"));
    }

    #[test]
    fn the_last_word_of_the_best_window_is_shown_although_the_first_has_a_lead() {
        let text =
            format!("{}lantern {}granite {}", "x ".repeat(900), "y ".repeat(190), "z ".repeat(900));
        let found = passage(&text, &query_terms("lantern granite"));
        assert_eq!(found.terms, ["granit", "lantern"]);
        assert!(found.text.contains("lantern") && found.text.contains("granite"));
    }

    #[test]
    fn a_megabyte_of_hits_is_cut_in_no_time() {
        let text = "あ".repeat(350_000);
        let found = passage(&text, &query_terms("あ"));
        assert!(found.cut && found.text.len() < 700);
    }
}
