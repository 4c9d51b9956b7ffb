//! Values to columns and back.
//!
//! A row that cannot be read is an error that names the file, never a guess.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use nuthatch::error::{Error, Kind};
use nuthatch::id::MemoryId;
use nuthatch::memory::{Importance, Memory, Tombstone, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::trust::{Origin, Trust};
use rusqlite::types::Type;
use rusqlite::{ErrorCode, Row};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::open::busy;
use crate::semantics::trust_level;

/// The columns of [`memory`], in order.
pub const MEMORY: &str = "id, scope, key, content, category, session_id, created_at, updated_at, \
    origin, source, trust, pinned, importance, metadata, superseded_by, used, last_used_at";

/// Reads a memory out of the columns of [`MEMORY`].
pub fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        id: MemoryId(row.get(0).map(Uuid::from_bytes)?),
        scope: parsed(row, 1)?,
        key: row.get(2)?,
        content: row.get(3)?,
        category: parsed(row, 4)?,
        session_id: optional(row, 5)?,
        created_at: time(row, 6)?,
        updated_at: time(row, 7)?,
        origin: parsed::<Origin>(row, 8)?,
        source: json(row, 9)?,
        trust: trust(row, 10)?,
        pinned: row.get(11)?,
        importance: Importance::new(row.get(12)?).map_err(|e| unreadable(12, e))?,
        metadata: json::<BTreeMap<String, String>>(row, 13)?.unwrap_or_default(),
        superseded_by: row.get::<_, Option<[u8; 16]>>(14)?.map(|id| MemoryId(Uuid::from_bytes(id))),
        used: number(row, 15)?,
        last_used_at: row.get::<_, Option<i64>>(16)?.map(|_| time(row, 16)).transpose()?,
    })
}

/// The columns of [`version`], in order.
pub const VERSION: &str = "memory_id, number, key, content, category, written_at, replaced_at";

/// Reads a version out of the columns of [`VERSION`].
pub fn version(row: &Row<'_>) -> rusqlite::Result<Version> {
    Ok(Version {
        memory_id: MemoryId(row.get(0).map(Uuid::from_bytes)?),
        number: row.get(1)?,
        key: row.get(2)?,
        content: row.get(3)?,
        category: parsed(row, 4)?,
        written_at: time(row, 5)?,
        replaced_at: time(row, 6)?,
    })
}

/// The columns of [`tombstone`], in order.
pub const TOMBSTONE: &str = "id, scope, at";

/// Reads what is left of a memory out of the columns of [`TOMBSTONE`].
pub fn tombstone(row: &Row<'_>) -> rusqlite::Result<Tombstone> {
    let id = MemoryId(row.get(0).map(Uuid::from_bytes)?);
    Ok(Tombstone { id, scope: parsed(row, 1)?, at: time(row, 2)? })
}

/// The columns of [`session`], in order.
pub const SESSION: &str =
    "id, channel, user, agent, project, title, started_at, last_active_at, metadata";

/// Reads a conversation out of the columns of [`SESSION`].
pub fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: parsed(row, 0)?,
        channel: row.get(1)?,
        user: row.get(2)?,
        agent: row.get(3)?,
        project: optional(row, 4)?,
        title: row.get(5)?,
        started_at: time(row, 6)?,
        last_active_at: time(row, 7)?,
        metadata: json::<BTreeMap<String, String>>(row, 8)?.unwrap_or_default(),
    })
}

/// The columns of [`turn`], in order, of `turns AS t` and `sessions AS s`.
pub const TURN: &str = "s.id, t.seq, t.at, t.role, t.text, t.asked";

/// Reads a turn out of the columns of [`TURN`].
pub fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        session: parsed(row, 0)?,
        seq: number(row, 1)?,
        at: time(row, 2)?,
        role: parsed(row, 3)?,
        text: row.get(4)?,
        asked: row.get(5)?,
    })
}

fn trust(row: &Row<'_>, column: usize) -> rusqlite::Result<Trust> {
    let level: i64 = row.get(column)?;
    let known = Trust::ALL.into_iter().find(|trust| trust_level(*trust) == level);
    known.ok_or_else(|| unreadable(column, Error::internal("unknown trust")))
}

/// A number no store can hold is cut to the largest it can: nobody counts that far.
pub fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A count out of a column; what cannot be one is none.
pub fn whole(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// Reads a number that is never negative.
pub fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|e| unreadable(column, Error::internal(e.to_string())))
}

/// Reads a time.
pub fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(row.get(column)?)
        .map_err(|e| unreadable(column, Error::internal(e.to_string())))
}

/// Reads a value out of its text.
pub fn parsed<T: std::str::FromStr<Err = Error>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|error| unreadable(column, error))
}

fn optional<T: std::str::FromStr<Err = Error>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| text.parse().map_err(|error| unreadable(column, error))).transpose()
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(column)?;
    text.map(|text| {
        serde_json::from_str(&text).map_err(|e| unreadable(column, Error::internal(e.to_string())))
    })
    .transpose()
}

fn unreadable(column: usize, error: Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

/// A failure of SQLite, with the file it was about.
pub fn sql_error(path: &Path, error: rusqlite::Error) -> Error {
    let place = path.display();
    let (kind, message, hint) = match error.sqlite_error_code() {
        _ if busy(&error) => (
            Kind::Unavailable,
            format!("{place} is held by another process for too long"),
            "look for a nuthatch process that hangs",
        ),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (
            Kind::Unavailable,
            format!("{place} is damaged or not a SQLite database"),
            "nothing was changed; copy the file away before anything else, then try nuthatch doctor",
        ),
        Some(ErrorCode::DiskFull) => {
            (Kind::Unavailable, format!("no space is left for {place}"), "free some space")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => (
            Kind::Unavailable,
            format!("{place} cannot be opened for writing"),
            "check the permissions of the file and its folder",
        ),
        _ => (Kind::Internal, format!("{place}: {error}"), "run nuthatch doctor"),
    };
    Error::new(kind, message).with_hint(hint).with_source(error)
}
