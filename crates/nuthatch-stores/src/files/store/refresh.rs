//! Bringing the index up to what the files say.
//!
//! Only files that changed are read. A person's edit of an entry keeps what it said before
//! as a version, like any other edit; an entry a person deleted is forgotten with its
//! versions. A whole file that is missing only leaves the index: a folder that is not
//! mounted for a moment must not cost anybody their history.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use nuthatch::error::Result;
use nuthatch::id::MemoryId;
use nuthatch::memory::{Memory, Version};
use nuthatch::session::{Session, Turn};
use rusqlite::{Connection, OptionalExtension, params};

use super::journal::{Committed, Replacement};
use super::read::{Canonical, index_error};
use super::stamp::{self, Snapshot, Stamp};
use super::{Shared, codec};
use crate::files::layout::Entry;
use crate::sqlite::{SqliteTx, all_versions, place, sql_error, write_transaction};
use crate::tx::Tx;

/// What the index knows of each file.
pub fn known_stamps(connection: &Connection) -> Result<BTreeMap<String, Stamp>> {
    let run = || -> rusqlite::Result<BTreeMap<String, Stamp>> {
        let mut statement =
            connection.prepare_cached("SELECT path, look, young, hash FROM files")?;
        let rows = statement.query_map([], |row| {
            let stamp = Stamp { look: row.get(1)?, young: row.get(2)?, hash: row.get(3)? };
            Ok((row.get(0)?, stamp))
        })?;
        rows.collect()
    };
    run().map_err(|error| sql_error(&place(connection), error))
}

/// Notes how a file looks now.
pub fn note_stamp(connection: &Connection, name: &str, stamp: Option<&Stamp>) -> Result<()> {
    let run = || match stamp {
        Some(stamp) => connection.execute(
            "INSERT OR REPLACE INTO files (path, look, young, hash) VALUES (?1, ?2, ?3, ?4)",
            params![name, stamp.look, stamp.young, stamp.hash],
        ),
        None => connection.execute("DELETE FROM files WHERE path = ?1", [name]),
    };
    run().map(|_| ()).map_err(|error| sql_error(&place(connection), error))
}

/// Notes which file holds a memory.
pub fn note_place(connection: &Connection, id: MemoryId, path: Option<&str>) -> Result<()> {
    let bytes = id.0.as_bytes();
    let run = || match path {
        Some(path) => connection.execute(
            "INSERT OR REPLACE INTO placed (id, path) VALUES (?1, ?2)",
            params![bytes, path],
        ),
        None => connection.execute("DELETE FROM placed WHERE id = ?1", [bytes]),
    };
    run().map(|_| ()).map_err(|error| sql_error(&place(connection), error))
}

/// The file that holds a memory.
pub fn placed(connection: &Connection, id: MemoryId) -> Result<Option<String>> {
    let sql = "SELECT path FROM placed WHERE id = ?1";
    let found = connection.query_row(sql, [id.0.as_bytes()], |row| row.get(0)).optional();
    found.map_err(|error| sql_error(&place(connection), error))
}

/// What is different from what the index knows.
#[derive(Default)]
struct Difference {
    changed: Vec<(Canonical, Snapshot)>,
    /// Files whose content is known, but whose stamp is not.
    restamped: Vec<(Canonical, Stamp)>,
    gone: Vec<String>,
}

impl Shared {
    /// Makes the index agree with the files. The caller holds the lock.
    pub fn refresh(&self) -> Result<()> {
        self.recover()?;
        self.index.shared().with_writer(|connection| {
            let difference = self.difference(&known_stamps(connection)?)?;
            let Difference { changed, restamped, gone } = &difference;
            if changed.is_empty() && restamped.is_empty() && gone.is_empty() {
                return Ok(());
            }
            let transaction = write_transaction(connection)?;
            for (file, stamp) in restamped {
                note_stamp(&transaction, &file.name, Some(stamp))?;
            }
            self.take_in(&transaction, &difference)?;
            transaction.commit().map_err(|error| index_error(self, error))
        })
    }

    fn difference(&self, known: &BTreeMap<String, Stamp>) -> Result<Difference> {
        let mut difference = Difference::default();
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
                        difference.restamped.push((file.clone(), snapshot.stamp));
                    }
                }
                _ => difference.changed.push((file.clone(), snapshot)),
            }
        }
        let names: HashSet<&str> = present.iter().map(|file| file.name.as_str()).collect();
        let gone = known.keys().filter(|name| !names.contains(name.as_str()));
        difference.gone = gone.cloned().collect();
        Ok(difference)
    }

    fn take_in(&self, connection: &Connection, difference: &Difference) -> Result<()> {
        self.take_in_state(connection, difference)?;
        let rewritten = self.take_in_memories(connection, difference)?;
        for name in &difference.gone {
            note_stamp(connection, name, None)?;
        }
        for (file, snapshot) in &difference.changed {
            note_stamp(connection, &file.name, Some(&snapshot.stamp))?;
        }
        if rewritten { self.rewrite_versions(connection) } else { Ok(()) }
    }

    /// Versions, conversations and turns: each changed file replaces what is known of it.
    fn take_in_state(&self, connection: &Connection, difference: &Difference) -> Result<()> {
        let mut tx = SqliteTx { connection };
        let run = |sql: &str| connection.execute_batch(sql).map_err(|e| index_error(self, e));
        let versions = Canonical::state(self, Path::new(codec::VERSIONS)).name;
        let sessions = Canonical::state(self, Path::new(codec::SESSIONS)).name;
        for name in &difference.gone {
            match name {
                name if *name == versions => run("DELETE FROM versions")?,
                name if *name == sessions => run("DELETE FROM sessions")?,
                name => self.drop_turns(connection, name)?,
            }
        }
        for (file, snapshot) in &difference.changed {
            let bytes = &snapshot.bytes;
            if file.name == versions {
                run("DELETE FROM versions")?;
                for version in codec::read_lines::<Version>(&file.path, bytes)? {
                    pollster::block_on(tx.put_version(&version))?;
                }
            } else if file.name == sessions {
                run("DELETE FROM sessions")?;
                for session in codec::read_lines::<Session>(&file.path, bytes)? {
                    pollster::block_on(tx.put_session(&session))?;
                }
            } else if file.relative().is_none() {
                self.drop_turns(connection, &file.name)?;
                for turn in codec::read_lines::<Turn>(&file.path, bytes)? {
                    pollster::block_on(tx.put_turn(&turn))?;
                }
            }
        }
        Ok(())
    }

    /// Removes the turns of the conversation whose file this is; for any other file, nothing.
    fn drop_turns(&self, connection: &Connection, name: &str) -> Result<()> {
        let run = || -> rusqlite::Result<()> {
            let mut statement = connection.prepare_cached("SELECT DISTINCT session FROM turns")?;
            let known: Vec<String> =
                statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            for session in known {
                let Ok(id) = session.parse() else { continue };
                if Canonical::state(self, &codec::turns_file(&id)).name == name {
                    connection.execute("DELETE FROM turns WHERE session = ?1", [&session])?;
                }
            }
            Ok(())
        };
        run().map_err(|error| index_error(self, error))
    }

    /// Returns whether versions were added or dropped, so that their file must be rewritten.
    fn take_in_memories(&self, connection: &Connection, difference: &Difference) -> Result<bool> {
        let mut tx = SqliteTx { connection };
        let mut entries: Vec<(&str, Entry, Timestamp)> = Vec::new();
        let mut leaving: HashMap<MemoryId, Fate> = HashMap::new();
        for name in &difference.gone {
            let Some(path) = name.strip_prefix("memories:") else { continue };
            leaving.extend(ids_in(connection, path)?.into_iter().map(|id| (id, Fate::Unseen)));
        }
        for (file, snapshot) in &difference.changed {
            let Some(path) = file.relative() else { continue };
            leaving.extend(ids_in(connection, path)?.into_iter().map(|id| (id, Fate::Deleted)));
            let at = stamp::modified(&file.path);
            let parsed = self.layout.parse(path, &snapshot.bytes, at)?;
            entries.extend(parsed.entries.into_iter().map(|entry| (path, entry, at)));
        }
        for (_, entry, _) in &entries {
            leaving.remove(&entry.memory.id);
        }
        let mut rewritten = false;
        for (id, fate) in leaving {
            let kept = pollster::block_on(tx.versions(id))?;
            pollster::block_on(tx.remove_memory(id))?;
            note_place(connection, id, None)?;
            match fate {
                Fate::Deleted => rewritten |= !kept.is_empty(),
                Fate::Unseen => {
                    for version in &kept {
                        pollster::block_on(tx.put_version(version))?;
                    }
                }
            }
        }
        for (path, entry, at) in entries {
            rewritten |= take_in_entry(connection, path, entry, at)?;
        }
        Ok(rewritten)
    }

    fn rewrite_versions(&self, connection: &Connection) -> Result<()> {
        let file = Canonical::state(self, Path::new(codec::VERSIONS));
        let after = codec::write_lines(&all_versions(connection)?)?;
        let before = stamp::read(&file.path)?.map(|snapshot| snapshot.stamp.hash);
        let replacement = Replacement { file: file.clone(), before, after };
        match self.commit(vec![replacement])? {
            Committed::Yes => {}
            // The file is ours alone and we hold the lock: the next refresh sorts it out.
            Committed::Overtaken => return Ok(()),
        }
        let stamp = stamp::read(&file.path)?.map(|snapshot| snapshot.stamp);
        note_stamp(connection, &file.name, stamp.as_ref())
    }
}

/// Why a memory is no longer in the files.
#[derive(Clone, Copy)]
enum Fate {
    /// Its entry was taken out of a file that is still there.
    Deleted,
    /// Its file is not there.
    Unseen,
}

fn ids_in(connection: &Connection, path: &str) -> Result<Vec<MemoryId>> {
    let run = || -> rusqlite::Result<Vec<MemoryId>> {
        let mut statement = connection.prepare_cached("SELECT id FROM placed WHERE path = ?1")?;
        let rows = statement
            .query_map([path], |row| row.get(0).map(|b| MemoryId(uuid::Uuid::from_bytes(b))))?;
        rows.collect()
    };
    run().map_err(|error| sql_error(&place(connection), error))
}

/// Takes in one entry; returns whether a version was kept of what it said before.
fn take_in_entry(connection: &Connection, path: &str, entry: Entry, at: Timestamp) -> Result<bool> {
    let mut tx = SqliteTx { connection };
    let Entry { mut memory, by_hand, .. } = entry;
    let elsewhere = placed(connection, memory.id)?.filter(|known| known != path);
    if elsewhere.is_some() && pollster::block_on(tx.memory(memory.id))?.is_some() {
        // The same entry copied into a second file: the first one counts.
        return Ok(false);
    }
    give_way_to_key(&mut tx, &mut memory)?;
    let known = pollster::block_on(tx.memory(memory.id))?;
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
            let next = known.updated_at.checked_add(SignedDuration::from_micros(1));
            memory.updated_at = at.max(next.unwrap_or(known.updated_at));
            kept = keep_version(&mut tx, &known, memory.updated_at)?;
        } else {
            memory.updated_at = memory.updated_at.max(known.updated_at);
        }
    }
    pollster::block_on(tx.put_memory(&memory))?;
    note_place(connection, memory.id, Some(path))?;
    Ok(kept)
}

/// A key that two entries of one scope claim belongs to the first; for the other it is the
/// beginning of its text.
fn give_way_to_key(tx: &mut SqliteTx<'_>, memory: &mut Memory) -> Result<()> {
    let Some(key) = memory.key.clone() else { return Ok(()) };
    let owner = pollster::block_on(tx.memory_of_key(&memory.scope, &key))?;
    if owner.is_some_and(|owner| owner.id != memory.id) {
        memory.content = format!("{key}: {}", memory.content);
        memory.key = None;
    }
    Ok(())
}

/// Keeps what an entry said before a person changed it, unless that is known already.
fn keep_version(tx: &mut SqliteTx<'_>, old: &Memory, replaced_at: Timestamp) -> Result<bool> {
    let versions = pollster::block_on(tx.versions(old.id))?;
    let last = versions.last();
    if last.is_some_and(|last| last.content == old.content && last.key == old.key) {
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
