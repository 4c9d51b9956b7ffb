//! A change set as one replacement of files.
//!
//! The index carries out the set inside a transaction and says what it touched; the files
//! that hold it are rendered anew and replaced; only then is the transaction kept. If a
//! person changed a file in between, everything is taken back and begun again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::{Error, Result};
use nuthatch::filter::Page;
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::memory::Memory;
use rusqlite::Connection;

use super::journal::{Committed, Replacement};
use super::read::{Canonical, index_error};
use super::refresh::{known_stamps, note_place, note_stamp, placed};
use super::stamp::{self, Stamp};
use super::{Shared, codec};
use crate::files::layout::Edit;
use crate::recorder::{Recorder, Touched};
use crate::semantics;
use crate::sqlite::{self, SqliteTx, write_transaction};

/// How often a write begins again because a person was faster: nobody types that fast.
const TRIES: usize = 50;

/// Applies a set whole or not at all.
pub fn apply(shared: &Shared, set: &ChangeSet) -> Result<Applied> {
    let _guard = shared.lock()?;
    for _ in 0..TRIES {
        shared.refresh()?;
        let done =
            shared.index.shared().with_writer(|connection| try_apply(shared, connection, set))?;
        if let Some(applied) = done {
            if sqlite::forgets(set) {
                shared.index.shared().with_writer(sqlite::wipe)?;
            }
            return Ok(applied);
        }
    }
    Err(Error::conflict("the memory files keep changing while they are being written")
        .with_hint("close whatever else writes to them, then try again"))
}

/// What [`apply`] would answer.
pub fn rehearse(shared: &Shared, set: &ChangeSet) -> Result<Applied> {
    let _guard = shared.lock()?;
    shared.refresh()?;
    shared.index.shared().with_writer(|connection| {
        let transaction = write_transaction(connection)?;
        let mut tx = SqliteTx { connection: &transaction };
        let applied = pollster::block_on(semantics::apply(&mut tx, set))?;
        transaction.rollback().map_err(|error| index_error(shared, error))?;
        Ok(applied)
    })
}

/// None if a file was overtaken: nothing was changed then.
fn try_apply(shared: &Shared, connection: &Connection, set: &ChangeSet) -> Result<Option<Applied>> {
    let transaction = write_transaction(connection)?;
    let mut tx = Recorder::new(SqliteTx { connection: &transaction });
    let applied = pollster::block_on(semantics::apply(&mut tx, set))?;
    let touched = tx.touched;
    let mut files =
        Files { shared, connection: &transaction, after: BTreeMap::new(), moved: Vec::new() };
    files.render_memories(&touched)?;
    files.render_state(&touched)?;
    let Files { after, moved, .. } = files;
    if !replace(shared, &transaction, after)? {
        return Ok(None);
    }
    for (id, path) in moved {
        note_place(&transaction, id, path.as_deref())?;
    }
    transaction.commit().map_err(|error| index_error(shared, error))?;
    Ok(Some(applied))
}

/// Replaces the files; false if one of them was overtaken.
fn replace(
    shared: &Shared,
    connection: &Connection,
    after: BTreeMap<Canonical, Option<Vec<u8>>>,
) -> Result<bool> {
    let known = known_stamps(connection)?;
    let mut replacements = Vec::new();
    let mut stamps = Vec::new();
    for (file, bytes) in after {
        let before = known.get(&file.name).map(|stamp| stamp.hash.clone());
        let hash = bytes.as_deref().map(stamp::hash);
        if before == hash {
            continue;
        }
        replacements.push(Replacement { file: file.clone(), before, after: bytes });
        stamps.push((file, hash));
    }
    if replacements.is_empty() {
        return Ok(true);
    }
    if shared.commit(replacements)? == Committed::Overtaken {
        return Ok(false);
    }
    for (file, hash) in stamps {
        let look = stamp::look(&file.path).unwrap_or_default();
        let stamp = hash.map(|hash| Stamp { look, young: true, hash });
        note_stamp(connection, &file.name, stamp.as_ref())?;
    }
    Ok(true)
}

/// The files a set changes, as they shall be.
struct Files<'a> {
    shared: &'a Shared,
    connection: &'a Connection,
    after: BTreeMap<Canonical, Option<Vec<u8>>>,
    /// Where memories are afterwards.
    moved: Vec<(MemoryId, Option<String>)>,
}

impl Files<'_> {
    fn render_memories(&mut self, touched: &Touched) -> Result<()> {
        let ids: Vec<MemoryId> = touched.memories.keys().copied().collect();
        let now = sqlite::memories(self.connection, &ids)?;
        let now: BTreeMap<MemoryId, Memory> = now.into_iter().map(|m| (m.id, m)).collect();
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
            self.moved.push((*id, new_path));
        }
        for (path, edits) in edits {
            let file = Canonical::memories(self.shared, &path);
            let old = stamp::read(&file.path)?.map(|snapshot| snapshot.bytes);
            let new = self.shared.layout.render(&path, old.as_deref(), &edits)?;
            self.after.insert(file, new);
        }
        Ok(())
    }

    /// An entry that a person put somewhere else stays there, unless it becomes another kind
    /// of memory.
    fn path_of(&self, now: &Memory, before: Option<&Memory>, at: &Option<String>) -> String {
        let wanted = self.shared.layout.file_of(now);
        match (before.map(|before| self.shared.layout.file_of(before)), at) {
            (Some(before), Some(at)) if before == wanted => at.clone(),
            _ => wanted,
        }
    }

    fn render_state(&mut self, touched: &Touched) -> Result<()> {
        if touched.versions {
            let lines = codec::write_lines(&sqlite::all_versions(self.connection)?)?;
            self.after.insert(Canonical::state(self.shared, Path::new(codec::VERSIONS)), lines);
        }
        if !touched.sessions.is_empty() {
            let all = Page { offset: 0, limit: i64::MAX as u64 };
            let lines = codec::write_lines(&sqlite::sessions(self.connection, all)?)?;
            self.after.insert(Canonical::state(self.shared, Path::new(codec::SESSIONS)), lines);
        }
        let talked: BTreeSet<&SessionId> = touched.turns.iter().collect();
        for session in talked {
            let all = Page { offset: 0, limit: i64::MAX as u64 };
            let lines = codec::write_lines(&sqlite::turns(self.connection, session, all)?)?;
            self.after.insert(Canonical::state(self.shared, &codec::turns_file(session)), lines);
        }
        Ok(())
    }
}
