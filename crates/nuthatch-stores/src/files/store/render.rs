//! The memory files that a change set alters, as they shall be.
//!
//! Ids of entries without one of their own follow from the lines around them. Where taking a
//! line out would give its id to another line, that one gets its own id written down: who
//! was told an id can go on using it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use rusqlite::Connection;

use super::changes::is_blank;
use super::keys::Written;
use super::ledger::{copied, copies_in, ids_in, known_stamps, placed};
use super::read::Canonical;
use super::{Shared, stamp};
use crate::files::layout::{Edit, Source};
use crate::recorder::Touched;
use crate::sqlite;

/// Files as they shall be.
pub struct Rendered {
    /// Their contents; none for those that go.
    pub files: BTreeMap<Canonical, Option<Vec<u8>>>,
    /// Where memories are afterwards.
    pub places: BTreeMap<MemoryId, Option<String>>,
}

/// Renders the files of one change set.
pub struct Rendering<'a> {
    shared: &'a Shared,
    connection: &'a Connection,
    places: BTreeMap<MemoryId, Option<String>>,
}

impl<'a> Rendering<'a> {
    /// `connection` is the index after the change set, not yet committed.
    pub fn new(shared: &'a Shared, connection: &'a Connection) -> Self {
        Rendering { shared, connection, places: BTreeMap::new() }
    }

    /// The files of the memories that were touched; none if somebody else has just changed
    /// one of them.
    pub fn memories(mut self, touched: &Touched) -> Result<Option<Rendered>> {
        let ids: Vec<MemoryId> = touched.memories.keys().copied().collect();
        let now: BTreeMap<MemoryId, Memory> =
            self.written(&ids)?.into_iter().map(|memory| (memory.id, memory)).collect();
        let mut edits: BTreeMap<String, Vec<Edit<'_>>> = BTreeMap::new();
        for (id, before) in &touched.memories {
            let old_path = placed(self.connection, *id)?;
            let new_path =
                now.get(id).map(|memory| self.path_of(memory, before.as_ref(), &old_path));
            if old_path != new_path
                && let Some(path) = &old_path
            {
                edits.entry(path.clone()).or_default().push(Edit::Remove(*id));
            }
            if let (Some(path), Some(memory)) = (&new_path, now.get(id)) {
                edits.entry(path.clone()).or_default().push(Edit::Put(memory));
            }
            self.places.insert(*id, new_path);
        }
        // A copy of what goes is told from it only as long as it is there.
        for (_, paths) in copied(self.connection)?.into_iter().filter(|(id, _)| self.goes(*id)) {
            for path in paths {
                edits.entry(path).or_default();
            }
        }
        let known = known_stamps(self.connection)?;
        let mut files = BTreeMap::new();
        for (path, edits) in edits {
            let file = Canonical::memories(self.shared, &path);
            let old = stamp::read(&file.path)?;
            if old.as_ref().map(|old| &old.stamp.hash) != known.get(&file.name).map(|k| &k.hash) {
                return Ok(None);
            }
            let old = old.map(|snapshot| snapshot.bytes);
            self.refuse_blank(&file, &path, old.as_deref())?;
            files.insert(file, self.file(&path, old, edits)?);
        }
        Ok(Some(Rendered { files, places: self.places }))
    }

    fn goes(&self, id: MemoryId) -> bool {
        self.places.get(&id).is_some_and(Option::is_none)
    }

    /// Memories as their files say them.
    fn written(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let written = Written::load(self.connection)?;
        let memories = sqlite::memories(self.connection, ids)?;
        Ok(memories.into_iter().map(|memory| written.form(memory)).collect())
    }

    /// An entry that a person put somewhere else stays there, unless it becomes another kind
    /// of memory.
    fn path_of(&self, now: &Memory, before: Option<&Memory>, at: &Option<String>) -> String {
        let layout = &self.shared.layout;
        let wanted = layout.file_of(now);
        match (before.map(|before| layout.file_of(before)), at) {
            (Some(before), Some(at)) if before == wanted && layout.accepts(at, now) => at.clone(),
            _ => wanted,
        }
    }

    fn file(
        &self,
        path: &str,
        old: Option<Vec<u8>>,
        edits: Vec<Edit<'_>>,
    ) -> Result<Option<Vec<u8>>> {
        let elsewhere = copies_in(self.connection, path)?;
        let new = self.shared.render(path, old.as_deref(), &edits, &elsewhere)?;
        let only_puts = edits.iter().all(|edit| matches!(edit, Edit::Put(_)));
        if only_puts && !edits.is_empty() {
            return Ok(new);
        }
        let mut expected = self.found(path, old.as_deref(), &elsewhere)?;
        for edit in &edits {
            match edit {
                Edit::Put(memory) => expected.insert(memory.id),
                Edit::Remove(id) => expected.remove(id),
            };
        }
        KeepIds { rendering: self, path, old, edits, elsewhere, expected }.render(new)
    }

    /// The ids of the entries of a file.
    fn found(
        &self,
        path: &str,
        bytes: Option<&[u8]>,
        elsewhere: &HashSet<MemoryId>,
    ) -> Result<BTreeSet<MemoryId>> {
        let Some(bytes) = bytes else { return Ok(BTreeSet::new()) };
        let source = Source { path, bytes, fallback: Timestamp::UNIX_EPOCH };
        let parsed = self.shared.parse(source, elsewhere)?;
        Ok(parsed.entries.into_iter().map(|entry| entry.memory.id).collect())
    }

    /// A file that is blank and should not be is left alone: what is missing may be on its
    /// way into it, and would be lost in the file that we put in its place.
    fn refuse_blank(&self, file: &Canonical, path: &str, old: Option<&[u8]>) -> Result<()> {
        if !old.is_some_and(is_blank) || ids_in(self.connection, path)?.is_empty() {
            return Ok(());
        }
        Err(Error::unavailable(format!(
            "{} is empty, though memories were in it; nothing was written",
            file.path.display()
        ))
        .with_hint(
            "restore it from a copy, or say that it is meant to be empty: delete a Markdown \
             file, write [] into a JSON file",
        ))
    }
}

/// A file in which every memory is to keep its id.
struct KeepIds<'a, 'm> {
    rendering: &'a Rendering<'a>,
    path: &'a str,
    old: Option<Vec<u8>>,
    edits: Vec<Edit<'m>>,
    elsewhere: HashSet<MemoryId>,
    /// The memories that shall be in the file.
    expected: BTreeSet<MemoryId>,
}

impl KeepIds<'_, '_> {
    /// Renders with ids written down until each memory is found under its own.
    fn render(&self, first: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        let afterwards = self.elsewhere_afterwards();
        let mut new = first;
        let mut pinned: BTreeSet<MemoryId> = BTreeSet::new();
        loop {
            let found = self.rendering.found(self.path, new.as_deref(), &afterwards)?;
            let before = pinned.len();
            pinned.extend(self.expected.difference(&found));
            if pinned.len() == before {
                return Ok(new);
            }
            let ids: Vec<MemoryId> = pinned.iter().copied().collect();
            let memories = self.rendering.written(&ids)?;
            // What is meant to happen to a memory counts more than that it keeps its id.
            let mut edits: Vec<Edit<'_>> = memories.iter().map(Edit::Put).collect();
            edits.extend(&self.edits);
            let old = self.old.as_deref();
            new = self.rendering.shared.render(self.path, old, &edits, &self.elsewhere)?;
        }
    }

    /// The ids that other files will hold once the change has happened.
    fn elsewhere_afterwards(&self) -> HashSet<MemoryId> {
        let stays = |id: &&MemoryId| match self.rendering.places.get(*id) {
            Some(place) => place.as_deref().is_some_and(|place| place != self.path),
            None => true,
        };
        self.elsewhere.iter().filter(stays).copied().collect()
    }
}
