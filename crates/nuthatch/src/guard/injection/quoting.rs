//! The benefit of the doubt: words that are quoted or reported are not said.
//!
//! "We write 'ignore all previous instructions' in our tests" mentions an order. The
//! discount needs both the quotation marks and a word that says why something is quoted.

use super::Feature;
use super::concept::{
    AMBIENT, Concepts, PAST, QUOTING, REPORTING, REVIEWED_TALK, SECOND, STANDING,
};
use super::words::Sentence;
use crate::guard::finding::Category;

/// What is left of the weight of a quoted order.
const QUOTED: f64 = 0.3;
/// What is left of the weight of a decision that is told.
const REPORTED: f64 = 0.6;

/// What is left of the weight of what is told of attackers, and of what happened.
const TOLD: (f64, f64) = (0.5, 0.7);
/// Who speaks to the reader, or of all times to come, does not only tell.
const ADDRESSED: Concepts = SECOND | STANDING | AMBIENT;

/// Lowers the weights of what a sentence only mentions.
pub(super) fn discount(text: &str, sentence: &Sentence, features: &mut [Feature]) {
    let quoting = sentence.concepts & QUOTING != 0;
    let reporting = sentence.concepts & REPORTING != 0;
    if !quoting && !reporting {
        return;
    }
    let (Some(first), Some(last)) = (sentence.words.first(), sentence.words.last()) else {
        return;
    };
    let quotes = quotations(text, first.start, last.end);
    for feature in features {
        let inside = |(start, end): &(usize, usize)| *start <= feature.start && feature.end <= *end;
        if quoting && quotes.iter().any(inside) {
            feature.weight *= QUOTED;
        } else if reporting && is_decision(feature.category) {
            feature.weight *= REPORTED;
        }
    }
}

/// Lowers the weights of what a sentence tells of other times or of attackers.
pub(super) fn told(sentence: &Sentence, features: &mut [Feature]) {
    let has = |concepts: Concepts| sentence.concepts & concepts != 0;
    let left = match (has(REVIEWED_TALK), has(PAST)) {
        _ if has(ADDRESSED) => return,
        (true, _) => TOLD.0,
        (false, true) => TOLD.1,
        (false, false) => return,
    };
    features.iter_mut().for_each(|feature| feature.weight *= left);
}

/// What may have been decided rather than ordered. Sending secrets is no decision to report.
fn is_decision(category: Category) -> bool {
    matches!(category, Category::Injection | Category::DestructiveCommand)
}

/// Spans between quotation marks in and just around `start..end`.
fn quotations(text: &str, start: usize, end: usize) -> Vec<(usize, usize)> {
    let from = text[..start].char_indices().next_back().map_or(start, |(at, _)| at);
    let to = text[end..].chars().next().map_or(end, |c| end + c.len_utf8());
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, c) in text[from..to].char_indices().map(|(at, c)| (at + from, c)) {
        match open {
            Some((close, begun)) if c == close => {
                found.push((begun, at));
                open = None;
            }
            None => open = closing(c).map(|close| (close, at + c.len_utf8())),
            Some(_) => {}
        }
    }
    found
}

fn closing(c: char) -> Option<char> {
    Some(match c {
        '"' | '\'' | '`' => c,
        '\u{2018}' => '\u{2019}',
        '\u{201C}' => '\u{201D}',
        '\u{201E}' => '\u{201C}',
        '«' => '»',
        '「' => '」',
        _ => return None,
    })
}
