//! Headings and lists, as people and agents keep them in `MEMORY.md` and its kin.
//!
//! An entry is an item of a list with the lines indented below it, or a paragraph; `[category]`
//! and `**key**:` at its beginning say what it is. A heading that is a scope says whose the
//! entries below it are. A file with front matter is one note.

use std::io::BufRead;

use super::lines::Lines;
use super::{Fact, Item, Telling};
use crate::Memory;
use crate::category::Category;
use crate::error::Result;
use crate::scope::Scope;

/// Front matter longer than this is none.
const FRONT_LINES: usize = 200;

/// Reads a file of it.
///
/// # Errors
/// Whatever the stream or the listener says: every text is Markdown.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let mut lines = Lines::of(input);
    let mut reading = Reading::default();
    let mut number = 0;
    while let Some(line) = lines.advance()? {
        number += 1;
        match line {
            Ok("---") if number == 1 => reading.front = Some(Vec::new()),
            Ok(line) => reading.line(line, telling)?,
            Err(_) => telling.skip("lines that are not UTF-8 text"),
        }
    }
    reading.finish(telling)
}

#[derive(Default)]
struct Reading {
    scope: Option<Scope>,
    entry: Option<Entry>,
    /// Lines of front matter, while it lasts.
    front: Option<Vec<String>>,
    /// A file with front matter is one note: its head, and what stands below.
    note: Option<(Fact, String)>,
    is_code: bool,
}

struct Entry {
    text: String,
    is_item: bool,
}

impl Reading {
    fn line(&mut self, line: &str, telling: &mut Telling<'_>) -> Result<()> {
        if let Some(front) = &mut self.front {
            if line.trim_end() == "---" {
                self.note = Some((head(front), String::new()));
                self.front = None;
            } else if front.len() < FRONT_LINES {
                front.push(line.to_owned());
            } else {
                self.front = None;
            }
            return Ok(());
        }
        if let Some((_, text)) = &mut self.note {
            text.push_str(line);
            text.push('\n');
            return Ok(());
        }
        let bare = line.trim_start();
        if bare.starts_with("```") {
            self.is_code = !self.is_code;
        }
        let is_indented = line.starts_with("  ") || line.starts_with('\t');
        if bare.is_empty() && !self.is_code {
            // A blank line ends a paragraph; an item may go on below it.
            if self.entry.as_ref().is_some_and(|entry| !entry.is_item) {
                self.end(telling)?;
            } else if let Some(entry) = &mut self.entry {
                entry.text.push('\n');
            }
            return Ok(());
        }
        if self.is_code || (is_indented && self.entry.is_some()) {
            self.go_on(line);
            return Ok(());
        }
        if let Some(heading) = bare.strip_prefix('#') {
            self.end(telling)?;
            let heading = heading.trim_start_matches('#').trim();
            self.scope = heading.parse().ok();
            return Ok(());
        }
        if bare.starts_with("<!--") && bare.ends_with("-->") {
            return Ok(());
        }
        let item = ["- ", "* ", "+ "].iter().find_map(|mark| bare.strip_prefix(mark));
        match (item, &self.entry) {
            (Some(text), _) => {
                self.end(telling)?;
                self.entry = Some(Entry { text: text.to_owned(), is_item: true });
            }
            (None, Some(entry)) if !entry.is_item => self.go_on(line),
            (None, _) => {
                self.end(telling)?;
                self.entry = Some(Entry { text: line.to_owned(), is_item: false });
            }
        }
        Ok(())
    }

    fn go_on(&mut self, line: &str) {
        let entry = self.entry.get_or_insert_with(|| Entry { text: String::new(), is_item: false });
        if !entry.text.is_empty() {
            entry.text.push('\n');
        }
        let line = if entry.is_item { line.strip_prefix("  ").unwrap_or(line) } else { line };
        entry.text.push_str(line);
    }

    fn end(&mut self, telling: &mut Telling<'_>) -> Result<()> {
        let Some(Entry { text, .. }) = self.entry.take() else { return Ok(()) };
        if text.trim().is_empty() {
            return Ok(());
        }
        let mut fact = marked(text.trim());
        fact.scope = self.scope.clone();
        telling.item(Item::Fact(Box::new(fact)))
    }

    fn finish(mut self, telling: &mut Telling<'_>) -> Result<()> {
        for line in self.front.take().into_iter().flatten() {
            self.line(&line, telling)?;
        }
        if let Some((mut fact, text)) = self.note.take() {
            fact.content = text.trim().to_owned();
            return match fact.content.is_empty() {
                true => Ok(()),
                false => telling.item(Item::Fact(Box::new(fact))),
            };
        }
        self.end(telling)
    }
}

/// What front matter says of the note below it.
fn head(lines: &[String]) -> Fact {
    let mut fact = Fact::default();
    let mut list: Option<(String, Vec<String>)> = None;
    for line in lines {
        if let (Some((_, items)), Some(item)) = (&mut list, line.trim_start().strip_prefix("- ")) {
            items.push(bare(item).trim_start_matches('#').to_owned());
            continue;
        }
        end_list(list.take(), &mut fact);
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = bare(value);
        if line.starts_with([' ', '\t', '-']) {
            continue;
        }
        if value.is_empty() {
            list = Some((name.trim().to_owned(), Vec::new()));
            continue;
        }
        match name.trim() {
            // Two notes of one title have different addresses.
            "permalink" => {
                let title = fact.key.replace(value.to_owned());
                fact.metadata.extend(title.map(|title| ("title".to_owned(), title)));
            }
            "name" | "key" | "title" => fact.key = Some(value.to_owned()),
            "category" | "type" => fact.category = Some(Category::nearest(value)),
            "created_at" | "created" | "date" => {
                fact.created_at = super::json::when(&serde_json::json!(value));
            }
            name if value.chars().count() <= 500 => {
                fact.metadata.push((name.to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    end_list(list, &mut fact);
    fact
}

/// A value without what stands around it.
fn bare(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}

/// A list of front matter as one label.
fn end_list(list: Option<(String, Vec<String>)>, fact: &mut Fact) {
    let Some((name, items)) = list else { return };
    let text = items.join(", ");
    if !text.trim().is_empty() && text.chars().count() <= 500 {
        fact.metadata.push((name, text));
    }
}

/// An entry without the marks that say what it is.
fn marked(text: &str) -> Fact {
    let mut fact = Fact::default();
    let mut rest = text;
    if let Some((name, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "_ -".contains(c));
        if is_name && name.trim().len() > 1 && after.starts_with(' ') {
            fact.category = Some(Category::nearest(name));
            rest = after.trim_start();
        }
    }
    if let Some((key, after)) = rest.strip_prefix("**").and_then(|rest| rest.split_once("**:"))
        && !key.is_empty()
        && !key.contains('\n')
        && !after.trim().is_empty()
    {
        fact.key = Some(key.to_owned());
        rest = after.trim_start();
    }
    fact.content = rest.to_owned();
    fact
}

/// What stands before everything.
pub(crate) fn begin(exported_at: jiff::Timestamp, into: &mut Vec<u8>) {
    into.extend_from_slice(format!("# Memory\n\n<!-- exported {exported_at} -->\n").as_bytes());
}

/// A memory, below the heading of its scope where that is another than before.
pub(crate) fn write(memory: &Memory, before: Option<&Scope>, into: &mut Vec<u8>) {
    if before != Some(&memory.scope) {
        into.extend_from_slice(format!("\n## {}\n\n", memory.scope).as_bytes());
    }
    let key = memory.key.as_ref().map(|key| format!("**{key}**: ")).unwrap_or_default();
    let content = memory.content.replace('\n', "\n  ");
    into.extend_from_slice(format!("- [{}] {key}{content}\n", memory.category).as_bytes());
}
