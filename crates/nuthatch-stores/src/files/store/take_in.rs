//! Taking the memories of changed files into the index.
//!
//! A person's edit of an entry keeps what it said before as a version, like any other edit;
//! so does moving it to a file of another category. An entry a person deleted is forgotten
//! with its versions, and leaves a tombstone; one whose file is missing or blank only leaves the
//! index. An entry that a person puts back is there again: what a file says, holds.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use nuthatch::error::Result;
use nuthatch::guard::{Form, Verdict, admit_memory};
use nuthatch::id::MemoryId;
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::trust::Trust;
use rusqlite::Connection;

use super::changes::{Changed, Changes};
use super::keys::{self, Written};
use super::ledger::{execute, ids_in, note_copies, note_place};
use crate::files::layout::Entry;
use crate::sqlite::{self, SqliteTx};
use crate::tx::Tx;

/// Which files of ours must be rewritten, because something in them came or went.
#[derive(Clone, Copy, Debug, Default)]
pub struct News {
    pub versions: bool,
    pub tombstones: bool,
}

/// Takes in what changed.
pub fn take_in(connection: &Connection, changes: &Changes) -> Result<News> {
    let ids: Vec<MemoryId> = changes.ids().into_iter().collect();
    let written = Written::load(connection)?;
    let known: HashMap<MemoryId, Memory> = sqlite::memories(connection, &ids)?
        .into_iter()
        .map(|memory| (memory.id, written.form(memory)))
        .collect();
    let mut news = take_out(connection, changes)?;
    let entries = changes.memories.iter().flat_map(|file| &file.entries);
    keys::release(connection, known.keys().copied(), entries.map(|entry| &entry.memory))?;
    for file in &changes.memories {
        for entry in &file.entries {
            let known = known.get(&entry.memory.id);
            news.versions |= take_in_entry(connection, file, entry, known)?;
            news.tombstones |= lift(connection, entry.memory.id)?;
        }
        note_copies(connection, &file.path, &file.copies)?;
    }
    keys::give_back(connection)?;
    Ok(news)
}

/// Takes away what keeps an entry out that a person put back; returns whether there was such.
fn lift(connection: &Connection, id: MemoryId) -> Result<bool> {
    if pollster::block_on(SqliteTx { connection }.tombstone(id))?.is_none() {
        return Ok(false);
    }
    let bytes = id.0.as_bytes();
    execute(connection, "DELETE FROM tombstones WHERE id = ?1", [bytes]).map(|()| true)
}

/// Why a memory is no longer in the files.
#[derive(Clone, Copy)]
enum Fate {
    /// Its entry was taken out of a file that is still there.
    Deleted,
    /// Its file is not there.
    FileGone,
    /// Its file is there with nothing in it.
    FileBlank,
}

/// Removes what is in no file any more.
fn take_out(connection: &Connection, changes: &Changes) -> Result<News> {
    let mut leaving: HashMap<MemoryId, (Fate, Timestamp)> = HashMap::new();
    let unknown = Timestamp::UNIX_EPOCH;
    for path in changes.gone.iter().filter_map(|name| name.strip_prefix("memories:")) {
        let gone = ids_in(connection, path)?.into_iter();
        leaving.extend(gone.map(|id| (id, (Fate::FileGone, unknown))));
        note_copies(connection, path, &Default::default())?;
    }
    for file in &changes.memories {
        let fate = if file.is_blank() { Fate::FileBlank } else { Fate::Deleted };
        leaving.extend(file.held.iter().map(|id| (*id, (fate, file.at))));
    }
    for id in changes.ids() {
        leaving.remove(&id);
    }
    let mut tx = SqliteTx { connection };
    let mut news = News::default();
    for (id, (fate, at)) in leaving {
        let memory = pollster::block_on(tx.memory(id))?;
        let kept = pollster::block_on(tx.versions(id))?;
        pollster::block_on(tx.remove_memory(id))?;
        if !matches!(fate, Fate::FileBlank) {
            note_place(connection, id, None)?;
        }
        if matches!(fate, Fate::Deleted) {
            news.versions |= !kept.is_empty();
            if let Some(Memory { updated_at, scope, .. }) = memory {
                let at = at.max(after(updated_at));
                pollster::block_on(tx.put_tombstone(&Tombstone { id, scope, at }))?;
                news.tombstones = true;
            }
            continue;
        }
        for version in &kept {
            pollster::block_on(tx.put_version(version))?;
        }
    }
    Ok(news)
}

/// The moment after a time.
fn after(at: Timestamp) -> Timestamp {
    at.checked_add(SignedDuration::from_micros(1)).unwrap_or(at)
}

/// Takes in one entry; returns whether a version was kept of what it said before.
fn take_in_entry(
    connection: &Connection,
    file: &Changed,
    entry: &Entry,
    known: Option<&Memory>,
) -> Result<bool> {
    let mut tx = SqliteTx { connection };
    let Entry { mut memory, by_hand, .. } = entry.clone();
    let mut kept = false;
    if let Some(known) = known {
        let same = known.content == memory.content
            && known.key == memory.key
            && known.category == memory.category;
        // What the index saw first stays: the file says nothing about it, or less.
        if by_hand {
            memory = Memory {
                content: memory.content,
                key: memory.key,
                category: memory.category,
                ..known.clone()
            };
        }
        let edited_by_hand = !same && (by_hand || memory.updated_at <= known.updated_at);
        if edited_by_hand {
            memory.updated_at = file.at.max(after(known.updated_at));
            kept = keep_version(&mut tx, known, memory.updated_at)?;
        } else {
            memory.updated_at = memory.updated_at.max(known.updated_at);
        }
    }
    // What a person or a checkout put into the file never passed the gate. The file stays as
    // it is, and what is suspicious in it is kept out of prompts.
    let is_news = known.is_none_or(|known| known.content != memory.content);
    if is_news && (by_hand || known.is_some()) && !passes(&memory) {
        memory.trust = Trust::Quarantined;
    }
    let memory = keys::give_way(connection, memory)?;
    pollster::block_on(tx.put_memory(&memory))?;
    note_place(connection, memory.id, Some(&file.path))?;
    Ok(kept)
}

fn passes(memory: &Memory) -> bool {
    let passed = admit_memory(memory.clone(), Form::Note);
    passed.is_ok_and(|(_, passed)| passed.verdict == Verdict::Accept)
}

/// Keeps what an entry said before a person changed it, unless that is known already.
fn keep_version(tx: &mut SqliteTx<'_>, old: &Memory, replaced_at: Timestamp) -> Result<bool> {
    let versions = pollster::block_on(tx.versions(old.id))?;
    let last = versions.last();
    let says_the_same = |last: &Version| {
        last.content == old.content && last.key == old.key && last.category == old.category
    };
    if last.is_some_and(says_the_same) {
        return Ok(false);
    }
    let version = Version {
        memory_id: old.id,
        number: last.map_or(0, |last| last.number) + 1,
        key: old.key.clone(),
        content: old.content.clone(),
        category: old.category.clone(),
        written_at: old.updated_at,
        replaced_at,
    };
    pollster::block_on(tx.put_version(&version))?;
    Ok(true)
}
