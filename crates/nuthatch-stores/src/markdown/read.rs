//! The memories of a Markdown file's text.
//!
//! Entry by entry first; then what only the file as a whole can say: the session where the
//! path has only its hash, and ids that neither clash nor move when other lines change.

use std::collections::HashSet;

use jiff::Timestamp;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::{Error, Result};
use uuid::Uuid;

use super::comment::{self, EXACT};
use super::entry::{self, Seen};
use super::place::Place;
use super::scan::{Scan, Span, scan};
use crate::files::field::Field;
use crate::files::naming::Namer;
use crate::files::object::Fields;

/// One entry as read.
pub struct Item {
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub memory: Memory,
    /// Whether it has no id of ours, or one that is taken.
    pub by_hand: bool,
    /// Fields of the comment that could not be read.
    pub odd: Vec<Field>,
}

/// A file as read.
pub struct File {
    /// Its entries, in order.
    pub items: Vec<Item>,
    /// Where new entries go.
    pub end: usize,
    /// What was odd about it.
    pub notes: Vec<String>,
}

/// Reads the text of one file.
pub struct Reader<'a> {
    path: &'a str,
    /// What the path says.
    pub place: Place,
    /// When something was written that does not say when.
    when: Timestamp,
    /// Ids that other files hold.
    elsewhere: &'a HashSet<MemoryId>,
    notes: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader for a path; `fallback` is the time of what does not say its own.
    ///
    /// # Errors
    /// When the path is not one of this layout.
    pub fn new(
        path: &'a str,
        fallback: Timestamp,
        elsewhere: &'a HashSet<MemoryId>,
    ) -> Result<Self> {
        let place = Place::of(path)
            .ok_or_else(|| Error::invalid(format!("{path} is not a file of a Markdown store")))?;
        let when = place.day().unwrap_or(fallback);
        Ok(Reader { path, place, when, elsewhere, notes: Vec::new() })
    }

    /// The fields that comments of this file say.
    #[must_use]
    pub fn known(&self) -> &'static [Field] {
        match self.place.scope() {
            Some(_) => &comment::KNOWN,
            None => &comment::KNOWN_WITH_SCOPE,
        }
    }

    /// Reads the text, without a byte order mark.
    #[must_use]
    pub fn read(mut self, text: &str) -> File {
        let Scan { entries, open } = scan(text);
        if let Some(open) = &open {
            self.note(open.line, "a code block or comment is never closed; nothing below is read");
        }
        let mut items: Vec<Item> =
            entries.into_iter().filter_map(|span| self.item(text, span)).collect();
        self.settle_scopes(&mut items);
        self.settle_ids(&mut items);
        let last = items.last().map(|item| item.span.range.end);
        let end = last.or(open.map(|open| open.range.start)).unwrap_or(text.len());
        File { items, end, notes: self.notes }
    }

    fn note(&mut self, line: u64, what: &str) {
        self.notes.push(format!("line {line}: {what}"));
    }

    /// Reads one entry; `by_hand` still only says whether it has no comment.
    fn item(&mut self, text: &str, span: Span) -> Option<Item> {
        let joined = entry::join(&text[span.range.clone()]);
        let (visible, object) = comment::cut(&joined);
        let mut seen = entry::understand(&visible, self.place.is_dated());
        let fields = object.and_then(Fields::parse);
        let mut memory =
            Memory::new(MemoryId(Uuid::nil()), String::new(), Scope::Global, self.when);
        let mut odd = Vec::new();
        match &fields {
            Some(fields) => {
                odd = fields.read(self.known(), &mut memory);
                seen = self.settle_text(fields, seen, span.line);
            }
            None if seen.content.is_empty() => {
                if seen.key.is_some() {
                    self.note(span.line, "a key without a text is not a memory");
                }
                return None;
            }
            None if comment::is_damaged(&visible) => {
                self.note(span.line, "the comment cannot be read and is taken for text");
            }
            None => {}
        }
        for field in &odd {
            self.note(span.line, &format!("{} cannot be read", field.name()));
        }
        memory.category = self.place.category(seen.conversation);
        (memory.key, memory.content) = (seen.key, seen.content);
        Some(Item { span, memory, by_hand: fields.is_none(), odd })
    }

    /// The exact strings, unless a person has changed what we showed for them.
    fn settle_text(&mut self, fields: &Fields<'_>, seen: Seen, line: u64) -> Seen {
        let Some(raw) = fields.find(EXACT) else { return seen };
        let Ok(exact) = serde_json::from_str::<Seen>(raw.get()) else {
            self.note(line, "exact cannot be read; the visible text counts");
            return seen;
        };
        if entry::understand(&entry::join(&entry::show(&exact)), self.place.is_dated()) == seen {
            return exact;
        }
        self.note(line, "edited by hand; its comment still holds the text before");
        seen
    }

    /// Where the path does not say the session, any entry that does speaks for the others.
    fn settle_scopes(&mut self, items: &mut Vec<Item>) {
        let place = &self.place;
        let said = items.iter().map(|item| &item.memory.scope).find(|scope| place.fits(scope));
        let Some(scope) = place.scope().or(said).cloned() else {
            for item in items.drain(..) {
                self.note(item.span.line, "nothing in this file says which session it is of");
            }
            return;
        };
        for item in items {
            item.memory.scope = scope.clone();
        }
    }

    /// Ids for entries without one, and for copies of an entry further up or elsewhere.
    fn settle_ids(&mut self, items: &mut [Item]) {
        let mut namer = Namer::beside(self.elsewhere);
        for item in &mut *items {
            if !item.by_hand && !namer.claim(item.memory.id) {
                item.by_hand = true;
                self.note(item.span.line, "a copy of another entry; taken as one of its own");
            }
        }
        for Item { memory, .. } in items.iter_mut().filter(|item| item.by_hand) {
            let named = match &memory.key {
                Some(key) => ["markdown", self.path, "key", key],
                None => ["markdown", self.path, "text", &memory.content],
            };
            memory.id = namer.name(&named);
            (memory.created_at, memory.updated_at) = (self.when, self.when);
        }
    }
}
