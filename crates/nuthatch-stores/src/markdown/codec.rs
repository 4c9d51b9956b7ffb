//! Whole Markdown files: bytes to memories, and edits to bytes.
//!
//! Rendering copies everything between the entries it changes. It adds no more than line
//! ends, a heading to a new file, and an empty line or comment where a line of somebody
//! else's would otherwise become part of an entry. Reading is in [`super::read`].

use std::collections::HashSet;
use std::ops::Range;

use jiff::Timestamp;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::{Error, Result};

use super::comment;
use super::entry::{self, Seen};
use super::lazy::may_continue;
use super::place::Place;
use super::read::{File, Item, Reader};
use super::scan::{indented_text, is_blank};
use crate::files::field::Field;
use crate::files::layout::{Edit, Entry, Parsed, Pending, Source};
use crate::files::object::{Before, Fields};
use crate::files::text::{BOM, decode, line_ending, split_bom};

/// Reads a file.
///
/// # Errors
/// When it is not UTF-8, or not a file of this layout.
pub fn parse(source: Source<'_>, elsewhere: &HashSet<MemoryId>) -> Result<Parsed> {
    let (_, text) = split_bom(decode(source.path, source.bytes)?);
    let file = Reader::new(source.path, source.fallback, elsewhere)?.read(text);
    let entry =
        |item: Item| Entry { memory: item.memory, line: item.span.line, by_hand: item.by_hand };
    Ok(Parsed { entries: file.items.into_iter().map(entry).collect(), notes: file.notes })
}

/// The file after some edits; `None` when nothing but our own heading is left.
///
/// # Errors
/// When the old file cannot be read, or a memory does not belong into it.
pub fn render(
    path: &str,
    old: Option<&[u8]>,
    edits: &[Edit<'_>],
    elsewhere: &HashSet<MemoryId>,
) -> Result<Option<Vec<u8>>> {
    let (bom, text) = split_bom(decode(path, old.unwrap_or_default())?);
    // No time is read from here: what the file does not say, the memories put do.
    let reader = Reader::new(path, Timestamp::UNIX_EPOCH, elsewhere)?;
    let (place, known) = (reader.place.clone(), reader.known());
    for edit in edits {
        if let Edit::Put(memory) = edit
            && !place.accepts(memory)
        {
            return Err(Error::internal(format!("memory {memory} does not belong into {path}")));
        }
    }
    let file = reader.read(text);
    let mut writer = Writer { text, out: String::new(), place, known, ending: line_ending(text) };
    let changed = writer.write(&file, Pending::new(edits));
    let gone = changed || old.is_none();
    if gone && [writer.place.heading().as_str(), ""].contains(&writer.out.trim()) {
        return Ok(None);
    }
    writer.guard_first_line();
    Ok(Some(format!("{bom}{}", writer.out).into_bytes()))
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    place: Place,
    known: &'static [Field],
    ending: &'static str,
}

impl Writer<'_> {
    /// Writes the file and answers whether anything changed.
    fn write(&mut self, file: &File, mut edits: Pending<'_>) -> bool {
        let mut changed = false;
        let mut at = 0;
        for item in &file.items {
            let Some(edit) = edits.take(item.memory.id) else { continue };
            changed = true;
            self.copy(at..item.span.range.start);
            at = item.span.range.end;
            if let Edit::Put(memory) = edit {
                self.replace(item, memory);
            }
            self.end_paragraph(&self.text[at..]);
        }
        let new = edits.into_new();
        if !new.is_empty() {
            changed = true;
            self.copy(at..file.end);
            at = file.end;
            self.begin_list(file.items.is_empty());
            for memory in new {
                let entry = self.entry(memory, None);
                self.push_lines(&entry);
                self.out.push_str(self.ending);
            }
            self.end_list(&self.text[at..]);
            self.end_paragraph(&self.text[at..]);
        }
        self.copy(at..self.text.len());
        changed
    }

    fn copy(&mut self, range: Range<usize>) {
        self.out.push_str(&self.text[range]);
    }

    fn push_lines(&mut self, lines: &str) {
        self.out.push_str(&lines.replace('\n', self.ending));
    }

    /// Puts an entry in the place of another; the last line ends as it did.
    fn replace(&mut self, item: &Item, memory: &Memory) {
        let old = &self.text[item.span.range.clone()];
        let joined = entry::join(old);
        // A copy's comment speaks of the entry it was copied from.
        let object = if item.by_hand { None } else { comment::cut(&joined).1 };
        let fields = object.and_then(Fields::parse);
        let before =
            fields.as_ref().map(|fields| Before { fields, memory: &item.memory, odd: &item.odd });
        let entry = self.entry(memory, before.as_ref());
        self.push_lines(&entry);
        let end = old.trim_end_matches(['\n', '\r']).len();
        self.out.push_str(&old[end..]);
    }

    /// The lines of an entry, with `\n` between them.
    fn entry(&self, memory: &Memory, before: Option<&Before<'_>>) -> String {
        let dated = self.place.is_dated();
        let seen = Seen {
            conversation: dated && memory.category == self.place.category(true),
            key: memory.key.clone(),
            content: memory.content.clone(),
        };
        let shown = entry::show(&seen);
        let exact = entry::understand(&entry::join(&shown), dated) != seen;
        let comment = comment::write(before, self.known, memory, exact.then_some(&seen));
        entry::attach(&shown, &comment)
    }

    /// Makes room for new entries: a heading in a new file, else a line of their own, set
    /// apart from what is not a list.
    fn begin_list(&mut self, first: bool) {
        if self.out.is_empty() && self.text.is_empty() {
            self.out = format!("{}{}", self.place.heading(), self.ending);
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push_str(self.ending);
        }
        let blank = self.out.lines().next_back().is_none_or(is_blank);
        if first && !blank {
            self.out.push_str(self.ending);
        }
    }

    /// An indented line below would become part of the last entry; an empty comment is
    /// Markdown's way to say that a list has ended.
    fn end_list(&mut self, below: &str) {
        let next = below.split('\n').find(|line| !is_blank(line));
        if next.is_some_and(|line| indented_text(line).is_some()) {
            self.out.push_str("<!-- -->");
            self.out.push_str(self.ending);
        }
    }

    /// A line that was not part of an entry does not become one by what now stands above it.
    fn end_paragraph(&mut self, below: &str) {
        let above = self.out.lines().next_back().is_some_and(|line| !is_blank(line));
        if above && self.out.ends_with('\n') && below.split('\n').next().is_some_and(may_continue) {
            self.out.push_str(self.ending);
        }
    }

    /// A rule that moved up to the first line would turn what follows into front matter,
    /// and a byte order mark would no longer be text.
    fn guard_first_line(&mut self) {
        let special = |text: &str| {
            let rule = text.lines().next().is_some_and(|line| line.trim_end() == "---");
            rule || text.starts_with(BOM)
        };
        if special(&self.out) && !special(self.text) {
            self.out.insert_str(0, self.ending);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_ours_is_refused() {
        let fallback = Timestamp::UNIX_EPOCH;
        let source = Source { path: "README.md", bytes: b"", fallback };
        assert!(parse(source, &HashSet::new()).is_err());
        assert!(render("README.md", None, &[], &HashSet::new()).is_err());
    }
}
