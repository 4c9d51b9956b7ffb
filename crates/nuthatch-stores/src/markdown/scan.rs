//! Finds the entries of a Markdown file between everything else.
//!
//! An entry is a bullet at the top level with the lines indented below it, and those that go
//! on with its paragraph without being indented (see [`super::lazy`]). Bullets in front
//! matter, fenced code and HTML comments are not entries; neither is anything indented. This
//! is CommonMark as far as it matters here, in one pass, and nothing is parsed deeper.

use std::ops::Range;

use super::lazy::{Paragraph, may_continue};

/// One entry's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where they are in the text, the end of the last line included.
    pub range: Range<usize>,
    /// The number of the first, from 1.
    pub line: u64,
}

/// What a text holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The entries, in order.
    pub entries: Vec<Span>,
    /// The code block or comment that is never closed, if there is one: nothing below its
    /// first line is an entry.
    pub open: Option<Span>,
}

/// Finds the entries of a text.
#[must_use]
pub fn scan(text: &str) -> Scan {
    let mut found = Scan::default();
    let mut lines = skip_front_matter(Lines { text, at: 0, number: 0 });
    while let Some(line) = lines.next() {
        let closed = if let Some(fence) = Fence::opened_by(line.text) {
            lines.any(|line| fence.is_closed_by(line.text))
        } else if opens_comment(line.text) {
            line.text.contains("-->") || lines.any(|line| line.text.contains("-->"))
        } else {
            if bullet_text(line.text).is_some() {
                let range = line.start..lines.skip_item(line.text);
                found.entries.push(Span { range, line: line.number });
            }
            continue;
        };
        if !closed {
            found.open = Some(Span { range: line.start..text.len(), line: line.number });
        }
    }
    found
}

/// The text behind a bullet at the top level. One space before it is a slip, two are a
/// nested list; three bullets in a row are a line across the page.
#[must_use]
pub fn bullet_text(line: &str) -> Option<&str> {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let text = line.strip_prefix(['-', '*', '+'])?;
    let separate = text.is_empty() || text.starts_with([' ', '\t', '\r']);
    (separate && !is_rule(line)).then(|| text.trim_start_matches([' ', '\t']))
}

/// Whether a line is a line across the page, such as `* * *`.
#[must_use]
pub fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !matches!(c, ' ' | '\t' | '\r'));
    let Some(first) = marks.next().filter(|c| matches!(c, '-' | '*' | '_')) else {
        return false;
    };
    let mut more = 0;
    marks.all(|c| {
        more += 1;
        c == first
    }) && more >= 2
}

/// The text of a line that is indented far enough to belong to a bullet above.
#[must_use]
pub fn indented_text(line: &str) -> Option<&str> {
    ["  ", "\t", " \t"].iter().find_map(|indent| line.strip_prefix(indent))
}

/// Whether nothing is to be seen on a line.
#[must_use]
pub fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

struct Line<'a> {
    /// Without its end.
    text: &'a str,
    start: usize,
    number: u64,
}

#[derive(Clone, Copy)]
struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: u64,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').unwrap_or(rest.len());
        let start = self.at;
        self.at = self.text.len().min(start + length + 1);
        self.number += 1;
        Some(Line { text: &rest[..length], start, number: self.number })
    }
}

impl Lines<'_> {
    /// Passes over the lines of an entry below its first: indented ones, blank ones that an
    /// indented one follows, and those that go on with a paragraph. Answers where they end.
    fn skip_item(&mut self, first: &str) -> usize {
        let mut paragraph = Paragraph::begun_by(bullet_text(first).unwrap_or_default());
        let mut ahead = *self;
        while let Some(line) = ahead.next() {
            let indented = indented_text(line.text);
            if !is_blank(line.text) {
                if indented.is_none() && !(paragraph.is_open() && may_continue(line.text)) {
                    break;
                }
                *self = ahead;
            }
            paragraph.read(indented.unwrap_or(line.text));
        }
        self.at
    }
}

/// Front matter begins on the very first line and counts only if it ends.
fn skip_front_matter(lines: Lines<'_>) -> Lines<'_> {
    let mut ahead = lines;
    let opens = ahead.next().is_some_and(|line| line.text.trim_end() == "---");
    let closed = opens && ahead.any(|line| matches!(line.text.trim_end(), "---" | "..."));
    if closed { ahead } else { lines }
}

fn opens_comment(line: &str) -> bool {
    unindented(line).is_some_and(|text| text.starts_with("<!--"))
}

/// A line without up to three spaces: more would make it code.
pub(super) fn unindented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= 3).then_some(text)
}

pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let text = unindented(line)?;
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        // ```x``` on one line is a code span.
        let opens = length >= 3 && !(mark == '`' && info.contains('`'));
        opens.then_some(Fence { mark, length })
    }

    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        unindented(line).is_some_and(|text| {
            let rest = text.trim_start_matches(self.mark);
            text.len() - rest.len() >= self.length && is_blank(rest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<&str> {
        scan(text).entries.into_iter().map(|span| &text[span.range]).collect()
    }

    #[test]
    fn bullets_of_any_kind_with_their_indented_lines_are_entries() {
        assert_eq!(
            entries("# T\n- a\n* b\n\n  more\n\n+ c\r\n\td\r\n\r\nprose\n  not of c\n -e"),
            ["- a\n", "* b\n\n  more\n", "+ c\r\n\td\r\n"]
        );
    }

    #[test]
    fn bullets_in_code_comments_and_front_matter_are_not_entries() {
        let matter = "---\n- x\n---\n";
        let code = "```md\n- x\n```\n~~~~\n- x\n~~~\n- x\n~~~~\n    - x\n";
        let comment = "<!--\n- x\n-->\n";
        assert_eq!(entries(&format!("{matter}{code}{comment}- y\n")), ["- y\n"]);
    }

    #[test]
    fn front_matter_that_never_ends_is_a_rule() {
        assert_eq!(entries("---\n- x\n"), ["- x\n"]);
    }

    #[test]
    fn rules_code_spans_and_emphasis_are_not_bullets() {
        assert_eq!(entries("* * *\n- - -\n---\n**bold**\n-x\n```a``` b\n- y"), ["- y"]);
    }

    #[test]
    fn a_block_that_never_closes_is_told() {
        let found = scan("- a\n```\n- b\n");
        assert_eq!((found.entries.len(), found.open.map(|open| open.line)), (1, Some(2)));
    }
}
