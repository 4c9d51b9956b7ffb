//! A change set as one replacement of files.
//!
//! The index carries out the set inside a transaction and says what it touched; the files
//! that hold it are rendered anew and replaced; only then is the transaction kept. If a
//! person changed a file in between, everything is taken back and begun again.

use std::collections::BTreeMap;
use std::path::Path;

use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::{Error, Result};
use nuthatch::filter::Page;
use rusqlite::Connection;

use super::journal::{Committed, Replacement};
use super::ledger::{drop_copies, known_stamps, note_place, note_stamp};
use super::read::{Canonical, index_error};
use super::render::Rendering;
use super::stamp::{self, Stamp};
use super::{Shared, codec, keys};
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
        if let Some(mut applied) = done {
            if sqlite::forgets(set, &applied) {
                applied.lingers = shared.index.shared().with_writer(sqlite::wipe)?;
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
    let Some(mut rendered) = Rendering::new(shared, &transaction).memories(&touched)? else {
        return Ok(None);
    };
    render_state(shared, &transaction, &touched, &mut rendered.files)?;
    if !replace(shared, &transaction, rendered.files)? {
        return Ok(None);
    }
    for (id, path) in rendered.places {
        note_place(&transaction, id, path.as_deref())?;
        drop_copies(&transaction, id, path.as_deref())?;
    }
    keys::give_back(&transaction)?;
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

/// Versions, tombstones, conversations and turns as they shall be.
fn render_state(
    shared: &Shared,
    connection: &Connection,
    touched: &Touched,
    files: &mut BTreeMap<Canonical, Option<Vec<u8>>>,
) -> Result<()> {
    let all = Page { offset: 0, limit: i64::MAX as u64 };
    if touched.versions {
        let lines = codec::write_lines(&sqlite::all_versions(connection)?)?;
        files.insert(Canonical::state(shared, Path::new(codec::VERSIONS)), lines);
    }
    if touched.tombstones {
        let lines = codec::write_lines(&sqlite::tombstones(connection, None, usize::MAX)?)?;
        files.insert(Canonical::state(shared, Path::new(codec::TOMBSTONES)), lines);
    }
    if !touched.sessions.is_empty() {
        let lines = codec::write_lines(&sqlite::sessions(connection, all)?)?;
        files.insert(Canonical::state(shared, Path::new(codec::SESSIONS)), lines);
    }
    for session in &touched.turns {
        let lines = codec::write_lines(&sqlite::turns_of(connection, session, all)?)?;
        files.insert(Canonical::state(shared, &codec::turns_file(session)), lines);
    }
    Ok(())
}
