//! How alike two words are spelled.
//!
//! Words are compared by the runs of three letters that they share, their beginnings and ends
//! among them: a letter too many, too few or wrong spoils three of them, and leaves the rest.

use std::collections::BTreeSet;

/// Shorter words are too easily alike.
const LEAST_LETTERS: usize = 4;
/// How alike a word must be to be taken for another.
const ALIKE: f64 = 0.5;

/// From 0, nothing in common, to 1, the same.
fn likeness(a: &str, b: &str) -> f64 {
    let (a, b) = (runs(a), runs(b));
    let shared = a.intersection(&b).count() as f64;
    shared / (a.len() + b.len()) as f64 * 2.0
}

fn runs(word: &str) -> BTreeSet<[char; 3]> {
    let letters: Vec<char> = "  ".chars().chain(word.chars()).chain([' ']).collect();
    letters.windows(3).map(|run| [run[0], run[1], run[2]]).collect()
}

/// Whether a word may be a misspelling: of letters alone, because another number is another thing.
#[must_use]
pub fn may_be_misspelt(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().count() >= LEAST_LETTERS
}

/// The word that is spelled most like `word`, if one is alike enough; of equal ones the first.
#[must_use]
pub fn most_alike<'a>(word: &str, words: &'a [String]) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for known in words.iter().filter(|known| may_be_misspelt(known)) {
        let likeness = likeness(word, known);
        if likeness >= ALIKE && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, known));
        }
    }
    best.map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(word: &str, words: &[&str]) -> Option<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        most_alike(word, &words).map(str::to_owned)
    }

    #[test]
    fn a_letter_wrong_too_many_or_too_few_is_still_the_word() {
        let words = ["grafana", "kubernetes", "postgres", "prometheus"];
        for (written, meant) in [
            ("kubernets", "kubernetes"),
            ("kuberenetes", "kubernetes"),
            ("postgras", "postgres"),
            ("promethius", "prometheus"),
            ("grafanna", "grafana"),
        ] {
            assert_eq!(among(written, &words).as_deref(), Some(meant), "{written}");
        }
        assert_eq!(among("postman", &words), None);
        assert_eq!(among("gradient", &words), None);
    }

    #[test]
    fn numbers_and_short_words_are_what_they_are() {
        assert!(!may_be_misspelt("5433") && !may_be_misspelt("v2beta") && !may_be_misspelt("abc"));
        assert_eq!(among("port", &["port5", "por"]), None);
        assert_eq!(likeness("same", "same"), 1.0);
        assert_eq!(likeness("abcd", "wxyz"), 0.0);
    }
}
