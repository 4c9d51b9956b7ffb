//! Keys that two entries of one scope claim.
//!
//! People write a key twice, swap keys, and rename them in a row. The first entry has the
//! key; for the other it is the beginning of its text until the key is free. That is a matter
//! of the index alone: the file goes on saying what the person wrote.

use std::collections::HashMap;

use nuthatch::error::Result;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use rusqlite::{Connection, params};

use super::ledger::{execute, id_at, rows};
use crate::sqlite::SqliteTx;
use crate::tx::Tx;

/// The keys of entries that had to do without, in the order they were met.
fn demoted(connection: &Connection) -> Result<Vec<(MemoryId, String)>> {
    let sql = "SELECT id, key FROM demoted ORDER BY row";
    rows(connection, sql, [], |row| Ok((id_at(row, 0)?, row.get(1)?)))
}

/// Turns memories of the index into what their files say.
pub struct Written(HashMap<MemoryId, String>);

impl Written {
    /// What files say otherwise than the index.
    pub fn load(connection: &Connection) -> Result<Self> {
        Ok(Written(demoted(connection)?.into_iter().collect()))
    }

    /// A memory as its file says it.
    pub fn form(&self, memory: Memory) -> Memory {
        match self.0.get(&memory.id) {
            Some(key) => with_key(&memory, key).unwrap_or(memory),
            None => memory,
        }
    }
}

/// A memory with the key that its text begins with; none if it no longer does.
fn with_key(memory: &Memory, key: &str) -> Option<Memory> {
    let content = memory.content.strip_prefix(key)?.strip_prefix(": ")?.to_owned();
    let bare = memory.key.is_none();
    bare.then(|| Memory { key: Some(key.to_owned()), content, ..memory.clone() })
}

/// Takes the keys from entries that are about to be read again, so that none of them stands
/// in another's way with a key it no longer has. One that goes on alone with its key keeps
/// it, and with it its words and vectors.
pub fn release<'a>(
    connection: &Connection,
    known: impl Iterator<Item = MemoryId>,
    entries: impl Iterator<Item = &'a Memory>,
) -> Result<()> {
    let mut claims: HashMap<(&Scope, &str), Vec<MemoryId>> = HashMap::new();
    for memory in entries {
        if let Some(key) = &memory.key {
            claims.entry((&memory.scope, key)).or_default().push(memory.id);
        }
    }
    let mut tx = SqliteTx { connection };
    for id in known {
        execute(connection, "DELETE FROM demoted WHERE id = ?1", [id.0.as_bytes()])?;
        let Some(memory) = pollster::block_on(tx.memory(id))? else { continue };
        let Some(key) = memory.key.as_deref() else { continue };
        if claims.get(&(&memory.scope, key)).is_none_or(|claimants| *claimants != [id]) {
            pollster::block_on(tx.put_memory(&Memory { key: None, ..memory }))?;
        }
    }
    Ok(())
}

/// The memory as the index can hold it: without its key, if another one has that.
pub fn give_way(connection: &Connection, mut memory: Memory) -> Result<Memory> {
    let Some(key) = memory.key.clone() else { return Ok(memory) };
    let mut tx = SqliteTx { connection };
    let owner = pollster::block_on(tx.memory_of_key(&memory.scope, &key))?;
    if owner.is_some_and(|owner| owner.id != memory.id) {
        memory.content = format!("{key}: {}", memory.content);
        memory.key = None;
        let sql = "INSERT OR REPLACE INTO demoted (id, key) VALUES (?1, ?2)";
        execute(connection, sql, params![memory.id.0.as_bytes(), key])?;
    }
    Ok(memory)
}

/// Gives every key that has become free to the entry that waits for it.
pub fn give_back(connection: &Connection) -> Result<()> {
    let mut tx = SqliteTx { connection };
    for (id, key) in demoted(connection)? {
        let memory = pollster::block_on(tx.memory(id))?;
        let waiting = memory.and_then(|memory| with_key(&memory, &key));
        if let Some(memory) = &waiting {
            if pollster::block_on(tx.memory_of_key(&memory.scope, &key))?.is_some() {
                continue;
            }
            pollster::block_on(tx.put_memory(memory))?;
        }
        execute(connection, "DELETE FROM demoted WHERE id = ?1", [id.0.as_bytes()])?;
    }
    Ok(())
}
