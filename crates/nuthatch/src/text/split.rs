//! Long texts cut into passages, each short enough to have one meaning.
//!
//! Cuts fall between sentences or lines, as evenly as those allow; a sentence longer than a
//! passage is cut between words. Positions are bytes at character boundaries, and nothing
//! but blanks lies between two passages.

use std::ops::Range;

use super::tokens::estimate_tokens;

/// About how many tokens a passage has: as many as a small model reads well at once.
const PASSAGE_TOKENS: usize = 200;
/// Up to here a text is left whole: two halves would say less than the whole does.
const WHOLE_TOKENS: usize = 250;

/// The passages of a text, in order. A short text is one; one of blanks alone has none.
#[must_use]
pub fn passages(text: &str) -> Vec<Range<usize>> {
    let total = estimate_tokens(text.trim());
    if total <= WHOLE_TOKENS {
        return trimmed(text, 0..text.len()).into_iter().collect();
    }
    // Even shares, so that no passage is left with a mere rest.
    let share = total.div_ceil(total.div_ceil(PASSAGE_TOKENS));
    let mut found = Vec::new();
    let (mut start, mut held) = (0, 0);
    for piece in pieces(text) {
        let tokens = estimate_tokens(&text[piece.clone()]);
        // Closer to the share without this piece than with it.
        if held > 0 && held + tokens / 2 >= share {
            found.extend(trimmed(text, start..piece.start));
            (start, held) = (piece.start, 0);
        }
        held += tokens;
    }
    found.extend(trimmed(text, start..text.len()));
    found
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let inner = part.trim();
    (!inner.is_empty()).then(|| start..start + inner.len())
}

/// Sentences and lines, with the blanks behind them; overlong ones in parts.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let followed_by_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends = match c {
            '\n' | '。' | '！' | '？' | '．' => true,
            '.' | '!' | '?' | '…' => followed_by_blank,
            _ => false,
        };
        if ends {
            found.extend(bounded(text, start..end));
            start = end;
        }
    }
    found.extend(bounded(text, start..text.len()));
    found
}

/// A piece in parts of at most a passage, cut between words where there are any.
fn bounded(text: &str, piece: Range<usize>) -> Vec<Range<usize>> {
    /// A token is at least a byte and hardly ever more than four.
    const MOST_BYTES: usize = PASSAGE_TOKENS * 4;
    let mut parts = Vec::new();
    let mut start = piece.start;
    while piece.end - start > MOST_BYTES {
        let limit = text.floor_char_boundary(start + MOST_BYTES);
        let word = text[start..limit].rfind(char::is_whitespace).filter(|at| *at > MOST_BYTES / 2);
        let cut = word.map_or(limit, |at| text.ceil_char_boundary(start + at + 1));
        parts.push(start..cut);
        start = cut;
    }
    if start < piece.end {
        parts.push(start..piece.end);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<Range<usize>> {
        let found = passages(text);
        let mut end = 0;
        for range in &found {
            assert!(text[end..range.start].trim().is_empty(), "something was left out");
            let part = &text[range.clone()];
            assert_eq!(part, part.trim());
            assert!(estimate_tokens(part) <= 2 * PASSAGE_TOKENS, "{}", estimate_tokens(part));
            end = range.end;
        }
        assert!(text[end..].trim().is_empty());
        found
    }

    #[test]
    fn a_short_text_is_one_passage_without_the_blanks_around_it() {
        assert_eq!(check("  uses tabs.\nAlways. "), vec![2..20; 1]);
        assert!(check("").is_empty());
        assert!(check(" \n\t ").is_empty());
    }

    #[test]
    fn a_long_text_is_cut_between_sentences_into_even_parts() {
        let sentence = "The staging database listens on another port than the live one does. ";
        let text = sentence.repeat(40);
        let found = check(&text);
        assert_eq!(found.len(), 4);
        for range in found {
            assert!(text[range.clone()].ends_with("does."));
            assert!(estimate_tokens(&text[range]) > 150);
        }
    }

    #[test]
    fn text_without_sentences_or_words_is_cut_all_the_same() {
        check(&"x".repeat(10_000));
        check(&"word ".repeat(3000));
        check(&"東京タワー".repeat(500));
        check(&"東京タワーは高い。".repeat(200));
        check(&format!("{}\n{}", "é".repeat(4001), "a b".repeat(900)));
        assert!(check(&"line\n".repeat(5000)).len() > 20);
    }

    #[test]
    fn a_megabyte_is_cut_in_no_time() {
        assert!(check(&"some words, and more. ".repeat(50_000)).len() > 1000);
    }
}
