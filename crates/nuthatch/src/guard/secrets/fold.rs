//! A copy of a text without characters nobody sees, and the way back.
//!
//! One zero-width character inside a token hides it from every pattern, so patterns look
//! at the folded copy and spans are translated to the text as it was given.

use std::borrow::Cow;

/// A text without invisible characters.
pub(super) struct Folded<'a> {
    text: Cow<'a, str>,
    /// Position in the folded text, and how many bytes had been dropped by then.
    dropped: Vec<(usize, usize)>,
}

impl Folded<'_> {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The span of the original text that `start..end` of the folded one came from.
    ///
    /// Characters dropped inside belong to it, those around it do not.
    pub(super) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        (self.shift(start + 1, start), self.shift(end, end))
    }

    fn shift(&self, before: usize, at: usize) -> usize {
        let known = self.dropped.partition_point(|(position, _)| *position < before);
        at + known.checked_sub(1).map_or(0, |last| self.dropped[last].1)
    }
}

/// Folds `text`; borrows it when there is nothing to drop.
pub(super) fn fold(text: &str) -> Folded<'_> {
    if text.is_ascii() || !text.chars().any(invisible) {
        return Folded { text: Cow::Borrowed(text), dropped: Vec::new() };
    }
    let mut kept = String::with_capacity(text.len());
    let mut dropped: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        if !invisible(c) {
            kept.push(c);
            continue;
        }
        let total = at + c.len_utf8() - kept.len();
        match dropped.last_mut() {
            Some(last) if last.0 == kept.len() => last.1 = total,
            _ => dropped.push((kept.len(), total)),
        }
    }
    Folded { text: Cow::Owned(kept), dropped }
}

fn invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lead_back_to_the_text_as_given() {
        let given = "\u{200b}a\u{200b}b\u{feff}c\u{200b}";
        let folded = fold(given);
        assert_eq!(folded.text(), "abc");
        let (start, end) = folded.original(0, 2);
        assert_eq!(&given[start..end], "a\u{200b}b");
        let (start, end) = folded.original(2, 3);
        assert_eq!(&given[start..end], "c");
    }

    #[test]
    fn visible_text_is_not_copied() {
        assert!(matches!(fold("naïve 漢字").text, Cow::Borrowed(_)));
    }
}
