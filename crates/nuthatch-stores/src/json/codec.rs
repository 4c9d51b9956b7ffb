//! The array: bytes to memories, and edits to bytes.
//!
//! Elements are found without being understood, so that whatever is not touched goes back
//! byte for byte: objects of other tools, numbers of any size, nesting of any depth. A file
//! that is not a whole array is refused and never written over.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use jiff::Timestamp;
use nuthatch::id::MemoryId;
use nuthatch::{Error, Result};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::element::{self, Element};
use crate::files::layout::{Edit, Entry, Parsed, Pending, Source};
use crate::files::naming::Namer;
use crate::files::text::{decode, line_ending, split_bom};

/// Reads a file. One with nothing in it is an empty array.
///
/// # Errors
/// When it is not UTF-8 or not a whole JSON array; says where.
pub fn parse(file: Source<'_>, elsewhere: &HashSet<MemoryId>) -> Result<Parsed> {
    let (_, text) = split_bom(decode(file.path, file.bytes)?);
    let reader = Reader { path: file.path, fallback: file.fallback, elsewhere };
    let mut parsed = Parsed::default();
    for item in reader.read(text, &mut parsed.notes)? {
        if let Some(Element { memory, by_hand, .. }) = item.element {
            parsed.entries.push(Entry { memory, line: item.line, by_hand });
        }
    }
    Ok(parsed)
}

/// One element of the array.
struct Item {
    range: Range<usize>,
    line: u64,
    /// `None` for what is no memory.
    element: Option<Element>,
}

/// How a file is read.
struct Reader<'a> {
    path: &'a str,
    fallback: Timestamp,
    elsewhere: &'a HashSet<MemoryId>,
}

impl Reader<'_> {
    fn read(&self, text: &str, notes: &mut Vec<String>) -> Result<Vec<Item>> {
        let mut namer = Namer::beside(self.elsewhere);
        let (mut line, mut counted) = (1, 0);
        let mut items = Vec::new();
        for range in elements(self.path, text)? {
            line += text[counted..range.start].matches('\n').count() as u64;
            counted = range.start;
            let mut element = Element::read(&text[range.clone()], self.fallback);
            match &mut element {
                None => notes.push(format!("line {line}: not a memory; kept as it is")),
                Some(element) => {
                    let odd = element.odd.iter();
                    notes.extend(
                        odd.map(|odd| format!("line {line}: {} cannot be read", odd.name())),
                    );
                    if !element.claim_id(&mut namer) {
                        notes.push(format!("line {line}: its id is taken above; it gets another"));
                    }
                }
            }
            items.push(Item { range, line, element });
        }
        for element in items.iter_mut().filter_map(|item| item.element.as_mut()) {
            element.settle_id(&mut namer);
        }
        Ok(items)
    }
}

/// Where the elements of the array are.
fn elements(path: &str, text: &str) -> Result<Vec<Range<usize>>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let found: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| broken(path, &error))?;
    let range = |raw: &RawValue| {
        // Borrowed from `text`, so the distance is where it stands there.
        let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
        start..start + raw.get().len()
    };
    Ok(found.into_iter().map(range).collect())
}

fn broken(path: &str, error: &serde_json::Error) -> Error {
    let place = format!("line {}, column {}", error.line(), error.column());
    let (what, hint) = match error.classify() {
        Category::Eof => (
            "breaks off",
            "it looks half-written: restore it from a copy; until then it is left as it is",
        ),
        Category::Data => (
            "does not hold a JSON array",
            "a JSON store is an array of objects with a \"fact\"; name another file",
        ),
        Category::Syntax | Category::Io => (
            "is not JSON",
            "mend it there or restore it from a copy; until then it is left as it is",
        ),
    };
    Error::unavailable(format!("{path} {what}: {place}")).with_hint(hint)
}

/// The file after some edits.
///
/// # Errors
/// When the old file cannot be read.
pub fn render(
    path: &str,
    old: Option<&[u8]>,
    edits: &[Edit<'_>],
    elsewhere: &HashSet<MemoryId>,
) -> Result<Vec<u8>> {
    let (bom, text) = split_bom(decode(path, old.unwrap_or(b"[]\n"))?);
    // No time is read from here: what the file does not say, the memories put do.
    let reader = Reader { path, fallback: Timestamp::UNIX_EPOCH, elsewhere };
    let items = reader.read(text, &mut Vec::new())?;
    let ending = line_ending(text);
    let mut edits = Pending::new(edits);
    let mut bodies = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        // A comma goes with the element behind it.
        let lead = if at == 0 { "" } else { &text[items[at - 1].range.end..item.range.start] };
        let body = body(text, item, &mut edits, ending);
        bodies.extend(body.map(|body| (Cow::Borrowed(lead), body)));
    }
    let new = edits.into_new();
    let grown = !new.is_empty();
    for memory in new {
        let body = element::write(memory, None, ending);
        bodies.push((Cow::Owned(format!(",{ending}  ")), Cow::Owned(body)));
    }
    let array = Array { text, items: &items, ending };
    Ok(format!("{bom}{}", array.with(&bodies, grown)).into_bytes())
}

/// What stands in an element's place; `None` when it goes.
fn body<'t>(
    text: &'t str,
    item: &Item,
    edits: &mut Pending<'_>,
    ending: &str,
) -> Option<Cow<'t, str>> {
    let old = &text[item.range.clone()];
    let edit = item.element.as_ref().and_then(|element| edits.take(element.memory.id));
    match (edit, &item.element) {
        (Some(Edit::Put(memory)), Some(element)) => {
            Some(Cow::Owned(element::write(memory, Some((old, element)), ending)))
        }
        (Some(Edit::Remove(_)), _) => None,
        _ => Some(Cow::Borrowed(old)),
    }
}

/// The file as it was, to be filled anew.
struct Array<'a> {
    text: &'a str,
    items: &'a [Item],
    ending: &'a str,
}

impl Array<'_> {
    /// The file with other elements, each with what stands before it. Brackets and the
    /// space around the elements stay; what has `grown` ends on a line of its own.
    fn with(&self, bodies: &[(Cow<'_, str>, Cow<'_, str>)], grown: bool) -> String {
        let Array { text, items, ending } = *self;
        if bodies.is_empty() && items.is_empty() {
            return text.to_owned();
        }
        let open = text.find('[').map_or("[", |at| &text[..=at]);
        let close = text.rfind(']').map_or("]\n", |at| &text[at..]);
        if bodies.is_empty() {
            return format!("{open}{close}");
        }
        let first = format!("{ending}  ");
        let first =
            items.first().map_or(first.as_str(), |item| &text[open.len()..item.range.start]);
        let last = items.last().map(|item| &text[item.range.end..text.len() - close.len()]);
        let last = last.filter(|last| !grown || last.contains('\n')).unwrap_or(ending);
        let mut out = format!("{open}{first}");
        for (at, (lead, body)) in bodies.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { lead });
            out.push_str(body);
        }
        out.push_str(last);
        out.push_str(close);
        out
    }
}
