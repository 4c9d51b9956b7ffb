//! The port between a store of files and the format of those files.
//!
//! A layout is pure: it says which file holds a memory, reads a file's bytes, and computes
//! the bytes after some edits. It never opens a file; locking, atomic replacement and the
//! index are the store's. What a layout does not understand it keeps byte for byte.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use nuthatch::Result;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;

/// A path inside a store, with `/` between parts, never absolute, never with `..`.
pub type RelPath = String;

/// A file to be read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it is.
    pub path: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
    /// The time of what does not say its own.
    pub fallback: Timestamp,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The memories, in the order of the file; no two have the same id.
    pub entries: Vec<Entry>,
    /// Oddities worth a line in a check-up. They name places, never content.
    pub notes: Vec<String>,
}

/// One memory in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it says.
    pub memory: Memory,
    /// The line it begins on, counted from 1.
    pub line: u64,
    /// Whether the file holds no id of ours for it: the id is derived, stable for as long as
    /// its place and its key (or, without one, its text) stay. Times the file does not say
    /// are the day of the file's name or else the fallback.
    pub by_hand: bool,
}

/// What is to happen to one memory of a file.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'a> {
    /// It is in the file as given: replaced where it stands, or added after the last one.
    Put(&'a Memory),
    /// It is not in the file. An id that is not there is passed over.
    Remove(MemoryId),
}

impl Edit<'_> {
    /// Which memory it is about.
    #[must_use]
    pub fn id(&self) -> MemoryId {
        match self {
            Edit::Put(memory) => memory.id,
            Edit::Remove(id) => *id,
        }
    }
}

/// A file format for memories.
pub trait Layout: Send + Sync {
    /// The name of the backend: `markdown` or `json`.
    fn backend(&self) -> &'static str;

    /// The one file of this layout, if it never has more: then nothing else is looked at.
    fn only(&self) -> Option<&str> {
        None
    }

    /// Which file a new memory belongs into.
    fn file_of(&self, memory: &Memory) -> RelPath;

    /// Whether a file found in the store's folder is one of this layout's memory files.
    /// All others are left alone.
    fn owns(&self, path: &str) -> bool;

    /// Whether a memory may stand in this file, wherever a new one would go.
    fn accepts(&self, path: &str, memory: &Memory) -> bool;

    /// Reads a file beside others. An entry that spells out an id of `elsewhere` is a copy of
    /// what another file holds: it is by hand, and gets an id of its own. Linear in its size.
    ///
    /// # Errors
    /// When the bytes cannot be read without loss; says where and what to do, and never
    /// quotes content.
    fn parse_beside(&self, file: Source<'_>, elsewhere: &HashSet<MemoryId>) -> Result<Parsed>;

    /// The file after `edits`, everything else byte for byte as it was. Of several edits of
    /// one memory the last counts; ids are those that [`parse_beside`](Layout::parse_beside)
    /// gives. `None` means that nothing of anybody's would be left, so that the file should
    /// go.
    ///
    /// # Errors
    /// As there, and when a memory does not belong into this file.
    fn render_beside(
        &self,
        path: &str,
        old: Option<&[u8]>,
        edits: &[Edit<'_>],
        elsewhere: &HashSet<MemoryId>,
    ) -> Result<Option<Vec<u8>>>;

    /// Reads a file for itself: see [`parse_beside`](Layout::parse_beside).
    ///
    /// # Errors
    /// As there.
    #[cfg(test)]
    fn parse(&self, path: &str, bytes: &[u8], fallback: Timestamp) -> Result<Parsed> {
        self.parse_beside(Source { path, bytes, fallback }, &HashSet::new())
    }

    /// The file after `edits`, for itself: see [`render_beside`](Layout::render_beside).
    ///
    /// # Errors
    /// As there.
    #[cfg(test)]
    fn render(
        &self,
        path: &str,
        old: Option<&[u8]>,
        edits: &[Edit<'_>],
    ) -> Result<Option<Vec<u8>>> {
        self.render_beside(path, old, edits, &HashSet::new())
    }
}

/// Edits by the memory they are about, the last word on each.
pub(crate) struct Pending<'a> {
    by_id: HashMap<MemoryId, (usize, Edit<'a>)>,
}

impl<'a> Pending<'a> {
    pub(crate) fn new(edits: &[Edit<'a>]) -> Self {
        let numbered = edits.iter().enumerate().map(|(place, edit)| (edit.id(), (place, *edit)));
        Pending { by_id: numbered.collect() }
    }

    /// Takes what is to happen to a memory that the file holds.
    pub(crate) fn take(&mut self, id: MemoryId) -> Option<Edit<'a>> {
        self.by_id.remove(&id).map(|(_, edit)| edit)
    }

    /// The memories that no entry of the file took, in the order of the edits.
    pub(crate) fn into_new(self) -> Vec<&'a Memory> {
        let mut left: Vec<_> = self.by_id.into_values().collect();
        left.sort_unstable_by_key(|(place, _)| *place);
        left.into_iter()
            .filter_map(|(_, edit)| match edit {
                Edit::Put(memory) => Some(memory),
                Edit::Remove(_) => None,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::hostile;
    use crate::json::JsonLayout;
    use crate::markdown::MarkdownLayout;
    use nuthatch::scope::Scope;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Memories that live in one file of every layout.
    fn neighbours() -> impl Strategy<Value = Vec<Memory>> {
        vec(hostile::memory(), 1..8).prop_map(|batch| {
            let one = |(at, memory): (usize, Memory)| Memory {
                id: MemoryId::derived(&[&at.to_string()]),
                category: Default::default(),
                scope: Scope::Global,
                ..memory
            };
            batch.into_iter().enumerate().map(one).collect()
        })
    }

    fn read(layout: &dyn Layout, path: &str, file: Option<&[u8]>) -> Vec<Memory> {
        let entries = file
            .map(|file| layout.parse(path, file, Timestamp::UNIX_EPOCH).unwrap().entries)
            .unwrap_or_default();
        entries.into_iter().map(|entry| entry.memory).collect()
    }

    proptest! {
        #[test]
        fn many_edits_at_once_are_the_edits_one_by_one(
            memories in neighbours(),
            others in neighbours(),
            removed in vec(0..8_usize, 0..6),
        ) {
            for layout in [&MarkdownLayout as &dyn Layout, &JsonLayout::new("memory.json")] {
                let path = layout.file_of(&memories[0]);
                let puts: Vec<_> = memories.iter().map(Edit::Put).collect();
                let old = layout.render(&path, None, &puts).unwrap();
                let id = |at: &usize| MemoryId::derived(&[&at.to_string()]);
                let gone = removed.iter().map(|at| Edit::Remove(id(at)));
                let edits: Vec<_> = others.iter().map(Edit::Put).chain(gone).collect();
                let at_once = layout.render(&path, old.as_deref(), &edits).unwrap();
                let mut one_by_one = old.clone();
                for edit in &edits {
                    one_by_one = layout.render(&path, one_by_one.as_deref(), &[*edit]).unwrap();
                }
                prop_assert_eq!(&at_once, &one_by_one);
                let expected: Vec<_> = (0..8)
                    .filter(|at| !removed.contains(at))
                    .filter_map(|at| others.get(at).or(memories.get(at)).cloned())
                    .collect();
                prop_assert_eq!(read(layout, &path, at_once.as_deref()), expected);
            }
        }
    }
}
