//! Which parts of a Markdown text are code, and which are comments.
//!
//! Nothing is imported from either: an `@` there is talked about, not meant. Two readings
//! exist, because agents differ: that of CommonMark, and one that only pairs runs of
//! backticks.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Parts of a text in which nothing is looked for, in order and apart.
#[derive(Debug, Default)]
pub(super) struct Shielded(Vec<Range<usize>>);

impl Shielded {
    /// Code spans, fenced and indented code, and blocks of HTML, as CommonMark has them.
    pub(super) fn commonmark(text: &str) -> Self {
        let mut found = Vec::new();
        for (event, range) in Parser::new(text).into_offset_iter() {
            match event {
                Event::Code(_) | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                    found.push(range);
                }
                Event::InlineHtml(html) if html.starts_with("<!--") => found.push(range),
                _ => {}
            }
        }
        found.sort_by_key(|range| (range.start, range.end));
        Shielded(found)
    }

    /// From a run of backticks to the next run of the same length.
    pub(super) fn backticks(text: &str) -> Self {
        let runs = runs_of_backticks(text);
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(open) = runs.get(at) {
            let close = runs[at + 1..].iter().position(|run| run.len() == open.len());
            match close {
                Some(offset) => {
                    found.push(open.start..runs[at + 1 + offset].end);
                    at += offset + 2;
                }
                None => at += 1,
            }
        }
        Shielded(found)
    }

    /// Whether a position lies in one of them.
    pub(super) fn holds(&self, at: usize) -> bool {
        let after = self.0.partition_point(|range| range.start <= at);
        // Blocks may hold others, so the nearest start alone does not decide.
        self.0[..after].iter().rev().take(LOOK_BACK).any(|range| range.contains(&at))
    }
}

/// Code inside a block of HTML is the deepest that ranges lie in each other.
const LOOK_BACK: usize = 4;

fn runs_of_backticks(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The text without the comments that stand as blocks of their own.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut from, mut inside) = (0, None);
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) => inside = Some(range),
            Event::End(TagEnd::HtmlBlock) => {
                let block = inside.take().unwrap_or(range);
                let body = text[block.clone()].trim();
                if body.starts_with("<!--") && body.ends_with("-->") && from <= block.start {
                    kept.push_str(&text[from..block.start]);
                    from = block.end;
                }
            }
            _ => {}
        }
    }
    kept.push_str(&text[from..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shielded(text: &str, shield: fn(&str) -> Shielded) -> Vec<bool> {
        let parts = shield(text);
        text.match_indices('@').map(|(at, _)| parts.holds(at)).collect()
    }

    #[test]
    fn spans_fences_indented_code_and_comments_are_shielded() {
        let text = "@a `@b` ``@c ` @d`` @e\n\n```\n@f\n```\n\n~~~ md\n@g\n~~~\n\n    @h\n\n\
                    <!-- @i -->\n\ntext <!-- @j --> @k\n";
        let expected = [false, true, true, true, false, true, true, true, true, true, false];
        assert_eq!(shielded(text, Shielded::commonmark), expected);
    }

    #[test]
    fn runs_of_backticks_pair_by_their_length() {
        let text = "`@a` @b ``@c ` @d`` @e ``` @f\n~~~\n@g\n~~~";
        let expected = [true, false, true, true, false, false, false];
        assert_eq!(shielded(text, Shielded::backticks), expected);
    }

    #[test]
    fn an_unclosed_fence_shields_the_rest() {
        assert_eq!(shielded("a\n```\n@b\n\n@c", Shielded::commonmark), [true, true]);
    }

    #[test]
    fn comments_as_blocks_go_and_those_in_code_stay() {
        let text = "one\n\n<!-- secret\n\nmore -->\n\ntwo\n\n```\n<!-- shown -->\n```\n";
        let kept = without_comments(text);
        assert!(!kept.contains("secret") && !kept.contains("more"), "{kept}");
        assert!(kept.contains("one\n\n") && kept.contains("two\n\n```\n<!-- shown -->"), "{kept}");
    }
}
