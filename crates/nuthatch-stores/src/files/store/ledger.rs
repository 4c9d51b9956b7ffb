//! What the index knows of the files it was made from.
//!
//! How each file looked, which file holds which memory, and where copies of an entry stand.
//! A file that is blank keeps the places of what it held: that is how a later write knows
//! that something is missing there.

use std::collections::{BTreeMap, HashMap, HashSet};

use nuthatch::error::Result;
use nuthatch::id::MemoryId;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::stamp::Stamp;
use crate::sqlite::{place, sql_error};

/// `copies`: files in which an id stands that another file owns. `demoted`: entries whose key
/// another entry has, with the key as the file says it.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS copies (
        path TEXT NOT NULL,
        id   BLOB NOT NULL,
        PRIMARY KEY (path, id)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS demoted (
        row INTEGER PRIMARY KEY,
        id  BLOB NOT NULL UNIQUE,
        key TEXT NOT NULL
    );
";

/// Makes sure that there is room for what is noted here.
pub fn prepare(connection: &Connection) -> Result<()> {
    connection.execute_batch(TABLES).map_err(|error| sql_error(&place(connection), error))
}

/// Runs a statement.
pub fn execute(connection: &Connection, sql: &str, params: impl Params) -> Result<()> {
    let run = || connection.prepare_cached(sql)?.execute(params);
    run().map(|_| ()).map_err(|error| sql_error(&place(connection), error))
}

/// Runs a query.
pub fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let run = || -> rusqlite::Result<Vec<T>> {
        connection.prepare_cached(sql)?.query_map(params, read)?.collect()
    };
    run().map_err(|error| sql_error(&place(connection), error))
}

/// Reads the id in a column.
pub fn id_at(row: &Row<'_>, column: usize) -> rusqlite::Result<MemoryId> {
    row.get(column).map(|bytes| MemoryId(uuid::Uuid::from_bytes(bytes)))
}

/// What the index knows of each file.
pub fn known_stamps(connection: &Connection) -> Result<BTreeMap<String, Stamp>> {
    let stamps = rows(connection, "SELECT path, look, young, hash FROM files", [], |row| {
        let stamp = Stamp { look: row.get(1)?, young: row.get(2)?, hash: row.get(3)? };
        Ok((row.get(0)?, stamp))
    })?;
    Ok(stamps.into_iter().collect())
}

/// Notes how a file looks now.
pub fn note_stamp(connection: &Connection, name: &str, stamp: Option<&Stamp>) -> Result<()> {
    match stamp {
        Some(stamp) => execute(
            connection,
            "INSERT OR REPLACE INTO files (path, look, young, hash) VALUES (?1, ?2, ?3, ?4)",
            params![name, stamp.look, stamp.young, stamp.hash],
        ),
        None => execute(connection, "DELETE FROM files WHERE path = ?1", [name]),
    }
}

/// Notes which file holds a memory.
pub fn note_place(connection: &Connection, id: MemoryId, path: Option<&str>) -> Result<()> {
    let bytes = id.0.as_bytes();
    match path {
        Some(path) => execute(
            connection,
            "INSERT OR REPLACE INTO placed (id, path) VALUES (?1, ?2)",
            params![bytes, path],
        ),
        None => execute(connection, "DELETE FROM placed WHERE id = ?1", [bytes]),
    }
}

/// The file that holds a memory.
pub fn placed(connection: &Connection, id: MemoryId) -> Result<Option<String>> {
    let sql = "SELECT path FROM placed WHERE id = ?1";
    let found = connection.query_row(sql, [id.0.as_bytes()], |row| row.get(0)).optional();
    found.map_err(|error| sql_error(&place(connection), error))
}

/// The memories that a file holds, or held before it was blank.
pub fn ids_in(connection: &Connection, path: &str) -> Result<Vec<MemoryId>> {
    rows(connection, "SELECT id FROM placed WHERE path = ?1", [path], |row| id_at(row, 0))
}

/// The ids that stand in a file though another one owns them.
pub fn copies_in(connection: &Connection, path: &str) -> Result<HashSet<MemoryId>> {
    let found =
        rows(connection, "SELECT id FROM copies WHERE path = ?1", [path], |row| id_at(row, 0))?;
    Ok(found.into_iter().collect())
}

/// Every id that is copied, with the files where copies stand.
pub fn copied(connection: &Connection) -> Result<HashMap<MemoryId, Vec<String>>> {
    let mut copied: HashMap<MemoryId, Vec<String>> = HashMap::new();
    let sql = "SELECT id, path FROM copies ORDER BY path";
    for (id, path) in rows(connection, sql, [], |row| Ok((id_at(row, 0)?, row.get(1)?)))? {
        copied.entry(id).or_default().push(path);
    }
    Ok(copied)
}

/// Notes the copies in a file.
pub fn note_copies(connection: &Connection, path: &str, ids: &HashSet<MemoryId>) -> Result<()> {
    execute(connection, "DELETE FROM copies WHERE path = ?1", [path])?;
    for id in ids {
        let sql = "INSERT INTO copies (path, id) VALUES (?1, ?2)";
        execute(connection, sql, params![path, id.0.as_bytes()])?;
    }
    Ok(())
}

/// An id that is nowhere any more has no copies, and where it is now it is none.
pub fn drop_copies(connection: &Connection, id: MemoryId, path: Option<&str>) -> Result<()> {
    let sql = "DELETE FROM copies WHERE id = ?1 AND path = coalesce(?2, path)";
    execute(connection, sql, params![id.0.as_bytes(), path])
}
