//! English words that say nothing about what a text is about.
//!
//! Dropped from queries only, and only while something else is left: `to be or not to be`
//! must still find itself.

/// Function words and the pronouns and auxiliaries of questions, sorted for binary search.
const STOP_WORDS: [&str; 96] = [
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "for",
    "from", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i",
    "if", "in", "into", "is", "it", "its", "just", "me", "my", "no", "nor", "not", "of", "on",
    "or", "our", "ours", "s", "she", "should", "so", "some", "such", "t", "than", "that", "the",
    "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "up", "us", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "whom", "why", "will", "with", "would", "you", "your", "yours",
];

/// Bytes of the longest of them: most words need not be looked for.
const LONGEST: usize = 6;

/// Whether a lower-case word is one of them.
pub fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST && STOP_WORDS.binary_search(&word).is_ok()
}

/// What the stemmer makes of those it changes, sorted for binary search.
const STOP_STEMS: [&str; 5] = ["ani", "befor", "doe", "veri", "whi"];

/// Whether a finished term comes of such a word. It is found all the same, but a text is not
/// longer for it.
#[must_use]
pub fn is_stop_term(term: &str) -> bool {
    term.len() <= LONGEST && (is_stop_word(term) || STOP_STEMS.binary_search(&term).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyse;

    #[test]
    fn every_stop_word_is_known_by_its_stem() {
        for word in STOP_WORDS {
            for term in analyse(word) {
                assert!(is_stop_term(&term.term), "{word} becomes {}", term.term);
            }
        }
        assert!(STOP_STEMS.is_sorted() && !is_stop_term("editor"));
    }

    #[test]
    fn the_list_is_sorted_so_that_every_word_is_found() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(
            STOP_WORDS.iter().chain(&STOP_STEMS).map(|word| word.len()).max(),
            Some(LONGEST)
        );
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
    }
}
