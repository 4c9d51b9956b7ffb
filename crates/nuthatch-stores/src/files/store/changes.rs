//! What is different in the files from what the index knows, read and sorted out.
//!
//! Nothing is written here. An id that stands in two files belongs to the one that had it, or
//! else to the first; everywhere else it is a copy, a memory of its own. A file that has just
//! been saved and lost something is looked at twice: an editor may be in the middle of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::id::MemoryId;
use rusqlite::Connection;

use super::Shared;
use super::ledger::{copied, ids_in, known_stamps, placed};
use super::read::Canonical;
use super::stamp::{self, Snapshot, Stamp};
use crate::files::layout::{Edit, Entry, Parsed, Source};
use crate::files::text::BOM;
use crate::sqlite::SqliteTx;
use crate::tx::Tx;

/// Longer than it takes from emptying a file to filling it again, shorter than a person
/// notices.
const PAUSE: Duration = Duration::from_millis(200);

/// What is different from what the index knows.
#[derive(Default)]
pub struct Changes {
    /// Files of ours that changed.
    pub state: Vec<(Canonical, Snapshot)>,
    /// Files of memories that changed.
    pub memories: Vec<Changed>,
    /// Files whose content is known, but whose stamp is not.
    pub restamped: Vec<(Canonical, Stamp)>,
    /// Files that are not there.
    pub gone: Vec<String>,
}

/// A file of memories that changed.
pub struct Changed {
    pub path: String,
    pub file: Canonical,
    pub snapshot: Snapshot,
    /// When it was changed.
    pub at: Timestamp,
    pub entries: Vec<Entry>,
    /// Ids that stand in it though another file has them.
    pub copies: HashSet<MemoryId>,
    /// What the index has of it.
    pub held: Vec<MemoryId>,
}

impl Changed {
    /// Whether nothing is in it, though something was. Nobody empties a file like that on
    /// purpose, and editors and crashes do it all the time.
    pub fn is_blank(&self) -> bool {
        !self.held.is_empty() && is_blank(&self.snapshot.bytes)
    }
}

/// Whether there is nothing to be seen in a file.
pub fn is_blank(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BOM.as_bytes()).unwrap_or(bytes);
    bytes.iter().all(u8::is_ascii_whitespace)
}

impl Changes {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        let Changes { state, memories, restamped, gone } = self;
        state.is_empty() && memories.is_empty() && restamped.is_empty() && gone.is_empty()
    }

    /// Every id that the changed files hold now.
    pub fn ids(&self) -> HashSet<MemoryId> {
        self.memories.iter().flat_map(|file| &file.entries).map(|entry| entry.memory.id).collect()
    }

    /// Whether a file that was saved a moment ago lacks something that would be missed.
    fn lacks_something(&self, connection: &Connection) -> Result<bool> {
        let ids = self.ids();
        let mut tx = SqliteTx { connection };
        for file in self.memories.iter().filter(|file| file.snapshot.stamp.young) {
            for id in file.held.iter().filter(|id| !ids.contains(id)) {
                let fewer = file.entries.len() < file.held.len();
                if fewer || !pollster::block_on(tx.versions(*id))?.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Shared {
    /// What is different now.
    pub fn changes(&self, connection: &Connection) -> Result<Changes> {
        let changes = self.changes_at_once(connection)?;
        if changes.lacks_something(connection)? {
            std::thread::sleep(PAUSE);
            return self.changes_at_once(connection);
        }
        Ok(changes)
    }

    fn changes_at_once(&self, connection: &Connection) -> Result<Changes> {
        let mut changes = self.look(connection, &known_stamps(connection)?)?;
        self.look_at_copies(connection, &mut changes)?;
        self.settle_owners(connection, &mut changes)?;
        Ok(changes)
    }

    fn look(&self, connection: &Connection, known: &BTreeMap<String, Stamp>) -> Result<Changes> {
        let mut changes = Changes::default();
        let present = self.canonical();
        for file in &present {
            let before = known.get(&file.name);
            let looks_same = before.is_some_and(|before| {
                !before.young && stamp::look(&file.path).as_ref() == Some(&before.look)
            });
            if looks_same {
                continue;
            }
            let Some(snapshot) = stamp::read(&file.path)? else { continue };
            match before {
                Some(before) if before.hash == snapshot.stamp.hash => {
                    if *before != snapshot.stamp {
                        changes.restamped.push((file.clone(), snapshot.stamp));
                    }
                }
                _ if file.relative().is_none() => changes.state.push((file.clone(), snapshot)),
                _ => changes.memories.extend(self.read_changed(connection, file, snapshot)?),
            }
        }
        let names: HashSet<&str> = present.iter().map(|file| file.name.as_str()).collect();
        let gone = known.keys().filter(|name| !names.contains(name.as_str()));
        changes.gone = gone.cloned().collect();
        Ok(changes)
    }

    fn read_changed(
        &self,
        connection: &Connection,
        file: &Canonical,
        snapshot: Snapshot,
    ) -> Result<Option<Changed>> {
        let Some(path) = file.relative().map(str::to_owned) else { return Ok(None) };
        let at = stamp::modified(&file.path);
        let source = Source { path: &path, bytes: &snapshot.bytes, fallback: at };
        let entries = self.parse(source, &HashSet::new())?.entries;
        let held = ids_in(connection, &path)?;
        let copies = HashSet::new();
        Ok(Some(Changed { path, file: file.clone(), snapshot, at, entries, copies, held }))
    }

    /// Where an entry is no longer in its file, a copy of it in another one is the entry:
    /// that file counts as changed.
    fn look_at_copies(&self, connection: &Connection, changes: &mut Changes) -> Result<()> {
        let copied = copied(connection)?;
        if copied.is_empty() {
            return Ok(());
        }
        let ids = changes.ids();
        let mut leaving: Vec<MemoryId> =
            changes.memories.iter().flat_map(|file| file.held.iter().copied()).collect();
        for path in changes.gone.iter().filter_map(|name| name.strip_prefix("memories:")) {
            leaving.extend(ids_in(connection, path)?);
        }
        leaving.retain(|id| !ids.contains(id));
        for path in leaving.iter().filter_map(|id| copied.get(id)).flatten() {
            if changes.memories.iter().any(|file| file.path == *path) {
                continue;
            }
            let file = Canonical::memories(self, path);
            if let Some(snapshot) = stamp::read(&file.path)? {
                changes.memories.extend(self.read_changed(connection, &file, snapshot)?);
            }
        }
        Ok(())
    }

    /// Finds out which file has each id, and reads files with copies again beside it.
    fn settle_owners(&self, connection: &Connection, changes: &mut Changes) -> Result<()> {
        let mut claims: HashMap<MemoryId, Vec<(usize, bool)>> = HashMap::new();
        for (number, file) in changes.memories.iter().enumerate() {
            for Entry { memory, by_hand, .. } in &file.entries {
                claims.entry(memory.id).or_default().push((number, *by_hand));
            }
        }
        for (id, claims) in claims {
            let owner = self.owner(connection, changes, id, &claims)?;
            for (number, _) in claims.iter().filter(|(number, _)| Some(*number) != owner) {
                changes.memories[*number].copies.insert(id);
            }
        }
        for file in changes.memories.iter_mut().filter(|file| !file.copies.is_empty()) {
            let source =
                Source { path: &file.path, bytes: &file.snapshot.bytes, fallback: file.at };
            file.entries = self.parse(source, &file.copies)?.entries;
        }
        Ok(())
    }

    /// Which of the changed files has an id; none if it is one that did not change. An id
    /// that is spelled out counts more than one that only follows from the text.
    fn owner(
        &self,
        connection: &Connection,
        changes: &Changes,
        id: MemoryId,
        claims: &[(usize, bool)],
    ) -> Result<Option<usize>> {
        let before = placed(connection, id)?;
        let number = |path: &str| changes.memories.iter().position(|file| file.path == path);
        if let Some(path) = &before
            && claims.iter().all(|(claim, _)| changes.memories[*claim].path != *path)
            && number(path).is_none()
            && !changes.gone.contains(&format!("memories:{path}"))
            && pollster::block_on(SqliteTx { connection }.memory(id))?.is_some()
        {
            return Ok(None);
        }
        let best = claims.iter().min_by_key(|(number, by_hand)| {
            (*by_hand, before.as_ref() != Some(&changes.memories[*number].path), *number)
        });
        Ok(best.map(|(number, _)| *number))
    }

    /// Reads a file of memories; errors name it in full.
    pub fn parse(&self, source: Source<'_>, elsewhere: &HashSet<MemoryId>) -> Result<Parsed> {
        let parsed = self.layout.parse_beside(source, elsewhere);
        parsed.map_err(|error| self.in_full(source.path, &error))
    }

    /// Renders a file of memories; errors name it in full.
    pub fn render(
        &self,
        path: &str,
        old: Option<&[u8]>,
        edits: &[Edit<'_>],
        elsewhere: &HashSet<MemoryId>,
    ) -> Result<Option<Vec<u8>>> {
        let rendered = self.layout.render_beside(path, old, edits, elsewhere);
        rendered.map_err(|error| self.in_full(path, &error))
    }

    /// Whoever has several stores cannot tell from `MEMORY.md` which one is meant.
    fn in_full(&self, path: &str, error: &Error) -> Error {
        let full = self.root.join(path).display().to_string();
        let message = error.to_string();
        let message = if message.contains(path) {
            message.replacen(path, &full, 1)
        } else {
            format!("{full}: {message}")
        };
        let named = Error::new(error.kind(), message);
        match error.hint() {
            Some(hint) => named.with_hint(hint),
            None => named,
        }
    }
}
