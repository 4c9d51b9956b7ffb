//! Reads JSON with comments and trailing commas, and says where everything stands.
//!
//! Nothing is made of the text but positions: what a value says is asked of the slice it
//! stands in. Comments are kept as spans, because an edit must not land inside one.

use std::ops::Range;

use nuthatch::error::{Error, Result};
use serde_json::Value;

/// Deeper than any configuration; what is deeper wants to exhaust the stack.
const MOST_DEPTH: usize = 128;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Scalar(Value),
}

/// A member or an element.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Of a member.
    pub(super) key: Option<String>,
    /// Where it begins: its key, or its value.
    pub(super) start: usize,
    pub(super) value: Node,
    /// Where its comma stands, if it has one.
    pub(super) comma: Option<usize>,
}

/// A whole document.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    pub(super) root: Node,
    /// Spans of comments; those of lines are without the end of the line.
    pub(super) comments: Vec<Range<usize>>,
}

impl Node {
    pub(super) fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::Array(items) => items,
            Kind::Scalar(_) => &[],
        }
    }

    /// The member of a key; of several, the last, as every reader has it.
    pub(super) fn member(&self, key: &str) -> Option<(usize, &Item)> {
        let Kind::Object(items) = &self.kind else { return None };
        items.iter().enumerate().rev().find(|(_, item)| item.key.as_deref() == Some(key))
    }

    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(items) => items.iter().map(|item| item.value.value()).collect(),
            Kind::Object(items) => items
                .iter()
                .map(|item| (item.key.clone().unwrap_or_default(), item.value.value()))
                .collect(),
        }
    }
}

/// Reads a document.
pub(super) fn scan(text: &str) -> Result<Scanned> {
    let mut reader = Reader { text, at: 0, comments: Vec::new() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    let root = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.wrong("something follows the end"));
    }
    Ok(Scanned { root, comments: reader.comments })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    comments: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: &str) -> Error {
        let before = &self.text[..self.text.floor_char_boundary(self.at)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::invalid(format!("not JSON at line {line}, column {column}: {what}"))
            .with_hint("mend the file in an editor; nothing was changed")
    }

    /// Passes blanks and comments.
    fn skip(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<()> {
        let rest = &self.text[self.at..];
        let len = if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or(rest);
            line.strip_suffix('\r').unwrap_or(line).len()
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/").ok_or_else(|| self.wrong("a comment does not end"))?;
            end + 4
        } else {
            return Err(self.wrong("a lone slash"));
        };
        self.comments.push(self.at..self.at + len);
        self.at += len;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        if depth > MOST_DEPTH {
            return Err(self.wrong("nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.items(b'}', depth)?),
            Some(b'[') => Kind::Array(self.items(b']', depth)?),
            Some(b'"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => Kind::Scalar(self.word()?),
            None => return Err(self.wrong("a value is missing")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Item>> {
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            if items.last().is_some_and(|item| item.comma.is_none()) {
                return Err(self.wrong("a comma or the end is missing"));
            }
            let start = self.at;
            let key = if close == b'}' { Some(self.key()?) } else { None };
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            items.push(Item { key, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a key in double quotes is missing"));
        }
        let key = self.string()?;
        self.skip()?;
        if self.peek() != Some(b':') {
            return Err(self.wrong("a colon is missing"));
        }
        self.at += 1;
        self.skip()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while bytes.get(end).is_some_and(|byte| *byte != b'"' && *byte != b'\n') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let slice = self.text.get(self.at..=end);
        let read = slice.and_then(|slice| serde_json::from_str(slice).ok());
        let read = read.ok_or_else(|| self.wrong("this text is not one"))?;
        self.at = end + 1;
        Ok(read)
    }

    fn word(&mut self) -> Result<Value> {
        let rest = &self.text[self.at..];
        let stops = |c: char| c.is_whitespace() || ",]}/:\"[{".contains(c);
        let len = rest.find(stops).unwrap_or(rest.len());
        let read = serde_json::from_str(&rest[..len]);
        let read = read.map_err(|_| self.wrong("this is no value"))?;
        self.at += len;
        Ok(read)
    }
}
