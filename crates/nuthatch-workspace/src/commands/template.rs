//! Takes a template apart.
//!
//! Four markers mean something: `{{args}}`, `{{arg1}}` and so on, `!{shell command}` and
//! `@{file}`; a backslash before one makes it plain text. Inside a shell command only the
//! arguments mean something, and braces belong to the shell as long as they are in pairs.

use std::collections::BTreeSet;

use nuthatch::error::{Error, Result};

use super::shell::{Around, Lexer, Step};

/// More arguments than this are no command any more.
const MOST_ARGUMENTS: usize = 99;

/// A template, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(super) parts: Vec<Part>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Slot(Slot),
    Shell(Vec<ShellPart>),
    File(Vec<PathPart>),
}

/// A place for arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    All,
    Nth(usize),
}

/// A part of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellPart {
    Text(String),
    Slot(Slot, Around),
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathPart {
    Text(String),
    Slot(Slot),
}

impl Template {
    /// Takes a template apart.
    ///
    /// # Errors
    /// `invalid`, naming the line and the column of what is wrong.
    pub fn parse(text: &str) -> Result<Template> {
        Parser { text, at: 0, parts: Vec::new(), plain: String::new() }.run()
    }

    /// The places for arguments.
    pub(super) fn slots(&self) -> BTreeSet<Slot> {
        let mut slots = BTreeSet::new();
        for part in &self.parts {
            match part {
                Part::Text(_) => {}
                Part::Slot(slot) => {
                    slots.insert(*slot);
                }
                Part::Shell(parts) => slots.extend(parts.iter().filter_map(|part| match part {
                    ShellPart::Slot(slot, _) => Some(*slot),
                    ShellPart::Text(_) => None,
                })),
                Part::File(parts) => slots.extend(parts.iter().filter_map(|part| match part {
                    PathPart::Slot(slot) => Some(*slot),
                    PathPart::Text(_) => None,
                })),
            }
        }
        slots
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    parts: Vec<Part>,
    plain: String,
}

impl Parser<'_> {
    fn run(mut self) -> Result<Template> {
        while let Some(c) = self.rest().chars().next() {
            let rest = self.rest();
            if let Some(marker) = rest.strip_prefix('\\').and_then(marker) {
                self.plain.push_str(marker);
                self.at += 1 + marker.len();
            } else if rest.starts_with("{{") {
                let part = self.slot_alone()?;
                self.push(part);
            } else if rest.starts_with("!{") {
                let part = self.shell()?;
                self.push(part);
            } else if rest.starts_with("@{") {
                let part = self.file()?;
                self.push(part);
            } else {
                self.plain.push(c);
                self.at += c.len_utf8();
            }
        }
        self.flush();
        Ok(Template { parts: self.parts })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.parts.push(Part::Text(std::mem::take(&mut self.plain)));
        }
    }

    fn push(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    fn slot_alone(&mut self) -> Result<Part> {
        if let Some((slot, length)) = slot(self.rest()) {
            self.at += length;
            return Ok(Part::Slot(slot));
        }
        let shown: String = self.rest().chars().take(20).collect();
        let shown = shown.split("}}").next().unwrap_or_default().to_owned();
        Err(self
            .wrong(self.at, &format!("`{shown}` is no place for arguments"))
            .with_hint("there are {{args}} and {{arg1}} to {{arg99}}; \\{{ is plain text"))
    }

    fn shell(&mut self) -> Result<Part> {
        let begin = self.at;
        self.at += 2;
        let mut parts = Vec::new();
        let mut line = String::new();
        let mut lexer = Lexer::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(self
                    .wrong(begin, "this shell command is not closed")
                    .with_hint("a `}` ends it; braces and quotes inside it must be in pairs"));
            };
            if let Some((slot, length)) = slot(self.rest()) {
                let around = lexer.here().map_err(|why| {
                    let what = format!("no argument may stand here: it is {why}");
                    self.wrong(self.at, &what).with_hint("put it in a place of its own")
                })?;
                parts.push(ShellPart::Text(std::mem::take(&mut line)));
                parts.push(ShellPart::Slot(slot, around));
                self.at += length;
                continue;
            }
            if let Some(length) = lexer.skip_parameter(self.rest()) {
                line.push_str(&self.text[self.at..self.at + length]);
                self.at += length;
                continue;
            }
            self.at += c.len_utf8();
            if lexer.step(c, self.rest().chars().next()) == Step::End {
                break;
            }
            line.push(c);
        }
        parts.push(ShellPart::Text(line));
        parts.retain(|part| *part != ShellPart::Text(String::new()));
        let empty = parts
            .iter()
            .all(|part| matches!(part, ShellPart::Text(text) if text.trim().is_empty()));
        match empty {
            true => Err(self.wrong(begin, "this shell command is empty")),
            false => Ok(Part::Shell(parts)),
        }
    }

    fn file(&mut self) -> Result<Part> {
        let begin = self.at;
        self.at += 2;
        let mut parts = Vec::new();
        let mut path = String::new();
        loop {
            let Some(c) = self.rest().chars().next().filter(|c| *c != '\n') else {
                return Err(self
                    .wrong(begin, "this file is not closed")
                    .with_hint("a `}` ends it"));
            };
            if let Some((slot, length)) = slot(self.rest()) {
                parts.push(PathPart::Text(std::mem::take(&mut path)));
                parts.push(PathPart::Slot(slot));
                self.at += length;
                continue;
            }
            self.at += c.len_utf8();
            match c {
                '}' => break,
                _ => path.push(c),
            }
        }
        parts.push(PathPart::Text(path));
        parts.retain(|part| *part != PathPart::Text(String::new()));
        let blank =
            parts.iter().all(|part| matches!(part, PathPart::Text(text) if text.trim().is_empty()));
        match blank {
            true => Err(self.wrong(begin, "this file has no name")),
            false => Ok(Part::File(parts)),
        }
    }

    fn wrong(&self, at: usize, what: &str) -> Error {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::invalid(format!("template, line {line}, column {column}: {what}"))
    }
}

fn marker(text: &str) -> Option<&'static str> {
    ["{{", "!{", "@{"].into_iter().find(|marker| text.starts_with(marker))
}

/// The place for arguments that a text begins with, and its length.
fn slot(text: &str) -> Option<(Slot, usize)> {
    let inner = text.strip_prefix("{{")?;
    // Longer than any name there is.
    let end =
        inner.bytes().take(24).zip(inner.bytes().skip(1)).position(|two| two == (b'}', b'}'))?;
    let name = inner[..end].trim_matches(' ');
    let length = end + 4;
    if name == "args" {
        return Some((Slot::All, length));
    }
    let digits = name.strip_prefix("arg")?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: usize = digits.parse().ok().filter(|_| plain && !digits.starts_with('0'))?;
    (number <= MOST_ARGUMENTS).then_some((Slot::Nth(number), length))
}
