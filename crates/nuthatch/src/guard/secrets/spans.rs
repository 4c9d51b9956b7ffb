//! Where a rule matched, before findings are made of it.
//!
//! Rules overlap on purpose (a token in an assignment is found by both); the most telling
//! one gives its name, and the span is the union, so that a redaction leaves no rest.

use super::catalogue::Rule;

/// A rule that matched some bytes.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) rule: &'static Rule,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    /// The same span, widened to whole characters of `text`.
    pub(super) fn within(&self, text: &str) -> Self {
        let mut end = self.end.min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Self { start: floor(text, self.start), end, ..*self }
    }
}

/// The nearest character boundary at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Joins what overlaps, in the order of the text.
pub(super) fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, span.rule.kind));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                if span.rule.kind < last.rule.kind {
                    last.rule = span.rule;
                }
                last.end = last.end.max(span.end);
            }
            _ => merged.push(span),
        }
    }
    merged
}
