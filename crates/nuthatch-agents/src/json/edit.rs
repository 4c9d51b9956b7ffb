//! Edits of JSON by position: insert, replace and remove, everything else byte for byte.
//!
//! A new item looks like its neighbours: on a line of its own where they are, with their
//! indentation and line ends, with a trailing comma where the last has one. Removing it again
//! gives back what was there.

use std::ops::Range;

use super::scan::{Kind, Node, Scanned};
use crate::tree::{Tree, quoted};

/// What is put in place of a span.
type Edit = (Range<usize>, String);

/// A document that is being edited.
pub(super) struct Draft<'a> {
    pub(super) text: &'a str,
    pub(super) scanned: &'a Scanned,
}

impl Draft<'_> {
    /// The text with an item more at the end of a container.
    pub(super) fn insert(&self, container: &Node, key: Option<&str>, tree: &Tree) -> String {
        let edits = match container.items().last() {
            _ if self.is_inline(container) => self.insert_inline(container, key, tree),
            Some(_) => self.insert_below(container, key, tree),
            None => self.insert_first(container, key, tree),
        };
        self.applied(edits)
    }

    /// The text with another value in place of one.
    pub(super) fn replace(&self, old: &Node, tree: &Tree) -> String {
        let on_one_line = !self.text[old.span.clone()].contains('\n');
        let is_container = matches!(old.kind, Kind::Object(_) | Kind::Array(_));
        let new = if on_one_line && is_container {
            tree.inline()
        } else {
            tree.pretty(self.indent_at(old.span.start), &self.unit(), self.newline())
        };
        self.applied(vec![(old.span.clone(), new)])
    }

    /// The text without an item of a container.
    pub(super) fn remove(&self, container: &Node, index: usize) -> String {
        let items = container.items();
        let item = &items[index];
        let blank = self.text[..item.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
        if let (0, Some(next)) = (index, items.get(1))
            && let Some(comma) = item.comma
            && self.text[comma + 1..next.start].chars().all(|c| c == ' ')
        {
            return self.applied(vec![(item.start..next.start, String::new())]);
        }
        let mut edits: Vec<Edit> = Vec::new();
        let end = match item.comma {
            Some(comma) => comma + 1,
            None => {
                let before = index.checked_sub(1).and_then(|before| items[before].comma);
                edits.extend(before.map(|comma| (comma..comma + 1, String::new())));
                item.value.span.end
            }
        };
        // A comment of a line before it must not swallow what follows.
        let after_comment = self.scanned.comments.iter().any(|comment| comment.end == blank);
        let ends_line = self.text[end..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let start = if after_comment && !ends_line { item.start } else { blank };
        edits.push((start..end, String::new()));
        let inside = container.span.start + 1..container.span.end - 1;
        let left = [&self.text[inside.start..start], &self.text[end..inside.end]].concat();
        if items.len() == 1 && left.trim().is_empty() {
            edits = vec![(inside, String::new())];
        }
        self.applied(edits)
    }

    fn insert_inline(&self, container: &Node, key: Option<&str>, tree: &Tree) -> Vec<Edit> {
        let item = named(key, &tree.inline());
        match container.items().last() {
            Some(last) => match last.comma {
                Some(comma) => vec![(comma + 1..comma + 1, format!(" {item},"))],
                None => {
                    let end = last.value.span.end;
                    vec![(end..end, format!(", {item}"))]
                }
            },
            None => {
                let at = container.span.end - 1;
                vec![(at..at, item)]
            }
        }
    }

    fn insert_below(&self, container: &Node, key: Option<&str>, tree: &Tree) -> Vec<Edit> {
        let (items, newline) = (container.items(), self.newline());
        let last = &items[items.len() - 1];
        let own_line = items.iter().rev().find(|item| self.begins_line(item.start));
        let indent = match own_line {
            Some(item) => self.indent_at(item.start).to_owned(),
            None => format!("{}{}", self.indent_at(container.span.start), self.unit()),
        };
        let item = named(key, &tree.pretty(&indent, &self.unit(), newline));
        let (mut edits, anchor, comma) = match last.comma {
            Some(comma) => (Vec::new(), comma + 1, ","),
            None => {
                let end = last.value.span.end;
                (vec![(end..end, ",".to_owned())], end, "")
            }
        };
        let at = self.after_remarks(anchor);
        edits.push((at..at, format!("{newline}{indent}{item}{comma}")));
        edits
    }

    fn insert_first(&self, container: &Node, key: Option<&str>, tree: &Tree) -> Vec<Edit> {
        let newline = self.newline();
        let outer = self.indent_at(container.span.start).to_owned();
        let indent = format!("{outer}{}", self.unit());
        let item = named(key, &tree.pretty(&indent, &self.unit(), newline));
        let inside = container.span.start + 1..container.span.end - 1;
        let remarks = self.scanned.comments.iter().rfind(|comment| inside.contains(&comment.start));
        let start = remarks.map_or(inside.start, |comment| comment.end);
        let tail = &self.text[start..inside.end];
        let end = if remarks.is_some() && tail.contains('\n') {
            return vec![(start..start, format!("{newline}{indent}{item}"))];
        } else {
            inside.end
        };
        vec![(start..end, format!("{newline}{indent}{item}{newline}{outer}"))]
    }

    /// Behind a comment that stands on the same line and so belongs to what is before it.
    fn after_remarks(&self, anchor: usize) -> usize {
        let mut at = anchor;
        loop {
            let rest = &self.text[at..];
            let begin = at + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
            let comment = self.scanned.comments.iter().find(|comment| comment.start == begin);
            match comment {
                Some(comment) if !self.text[comment.clone()].contains('\n') => at = comment.end,
                _ => return at,
            }
        }
    }

    /// Whether a container holds its items on one line, as small and machine-made ones do.
    fn is_inline(&self, container: &Node) -> bool {
        let on_one_line = !self.text[container.span.clone()].contains('\n');
        match container.items() {
            // An empty one is opened up, unless the whole document is one line.
            [] => {
                let root = &self.scanned.root;
                on_one_line
                    && !root.items().is_empty()
                    && !self.text[root.span.clone()].contains('\n')
            }
            _ => on_one_line,
        }
    }

    fn begins_line(&self, at: usize) -> bool {
        let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
        line.chars().all(|c| c == ' ' || c == '\t')
    }

    /// The indentation of the line on which something stands.
    fn indent_at(&self, at: usize) -> &str {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// One step of indentation, as the document has it.
    fn unit(&self) -> String {
        let items = self.scanned.root.items();
        let first = items.iter().find(|item| self.begins_line(item.start));
        let unit = first.map_or("", |item| self.indent_at(item.start));
        if unit.is_empty() { "  ".to_owned() } else { unit.to_owned() }
    }

    fn newline(&self) -> &'static str {
        crate::disk::newline(self.text)
    }

    fn applied(&self, mut edits: Vec<Edit>) -> String {
        edits.sort_by_key(|(span, _)| span.start);
        let mut text = String::with_capacity(self.text.len() + 512);
        let mut from = 0;
        for (span, new) in edits {
            text.push_str(&self.text[from..span.start]);
            text.push_str(&new);
            from = span.end;
        }
        text.push_str(&self.text[from..]);
        text
    }
}

fn named(key: Option<&str>, value: &str) -> String {
    key.map_or_else(|| value.to_owned(), |key| format!("{}: {value}", quoted(key)))
}
