//! Lines that go on with a bullet's paragraph without being indented.
//!
//! Markdown calls them lazy: `- the staging database` with `listens on 5433` right below is
//! one item, and is shown as one. Only a paragraph goes on like that, and only with a line
//! that begins nothing of its own; in doubt the line is not part of the entry.

use super::scan::{Fence, bullet_text, is_blank, is_rule, unindented};

/// Whether the lines of an item, read so far, end in a paragraph.
pub struct Paragraph {
    open: bool,
    /// The code block that is not closed yet.
    fence: Option<Fence>,
}

impl Paragraph {
    /// An item whose bullet is followed by this text.
    pub fn begun_by(text: &str) -> Self {
        let mut paragraph = Paragraph { open: false, fence: None };
        paragraph.read(text);
        paragraph
    }

    /// Whether the last line was one of a paragraph.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Reads the next line, without the indentation of the item.
    pub fn read(&mut self, line: &str) {
        if let Some(fence) = &self.fence {
            if fence.is_closed_by(line) {
                self.fence = None;
            }
            return;
        }
        let nested = content(line);
        self.fence = Fence::opened_by(nested);
        // Four spaces more are code, unless they only hang below a paragraph.
        let code = unindented(line).is_none() && !self.open;
        self.open = self.fence.is_none() && !code && is_text(nested);
    }
}

/// What stands in the innermost of nested lists.
fn content(line: &str) -> &str {
    let mut text = line.trim_start_matches([' ', '\t']);
    while let Some(nested) = bullet_text(text).or_else(|| number_text(text)) {
        text = nested;
    }
    text
}

/// Whether a line at the top level can go on with a paragraph.
#[must_use]
pub fn may_continue(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let list = bullet_text(line).is_some() || bullet_text(text).is_some();
    !list && number_text(text).is_none() && Fence::opened_by(line).is_none() && is_text(text)
}

/// The text behind the number of an ordered list.
fn number_text(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())?;
    let separate = text.is_empty() || text.starts_with([' ', '\t', '\r']);
    separate.then(|| text.trim_start_matches([' ', '\t']))
}

/// Whether a line is no heading, rule, quote, table or HTML, and not blank.
fn is_text(line: &str) -> bool {
    !is_blank(line) && !is_rule(line) && !line.starts_with(['#', '>', '|', '<'])
}

#[cfg(test)]
mod tests {
    use crate::markdown::scan::scan;

    fn first(text: &str) -> &str {
        scan(text).entries.into_iter().next().map_or("", |span| &text[span.range])
    }

    #[test]
    fn a_line_below_a_bullet_that_begins_nothing_is_part_of_it() {
        for text in [
            "- a\nb\n",
            "- a\nb\nc\r\n",
            "- a\n b\n  c\nd",
            "- a\n  - b\nc\n",
            "- a\n\n  b\nc\n",
            "- a\n      hangs\nb\n",
            "- a <!-- x -->\nb\n",
            "- a\n-b\n",
        ] {
            assert_eq!(first(text), text);
        }
    }

    #[test]
    fn what_begins_something_of_its_own_is_not() {
        for below in ["\nb", "# b", "- b", "1. b", "> b", "| b", "<p>b", "```b", "---", "***"] {
            assert_eq!(first(&format!("- a\n{below}\n")), "- a\n", "{below}");
        }
    }

    #[test]
    fn only_a_paragraph_goes_on() {
        for item in [
            "- # a\n",
            "-\n",
            "- a\n  # b\n",
            "- a\n  ```\n  b\n  ```\n",
            "- a\n  ```\n  b\n",
            "- ```\n  b\n  ```\n",
            "- a\n\n      code\n",
        ] {
            assert_eq!(first(&format!("{item}b\n")), item, "{item}");
        }
    }
}
