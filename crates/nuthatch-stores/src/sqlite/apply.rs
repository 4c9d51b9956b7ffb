//! A change set as one SQLite transaction.
//!
//! Text columns hold whatever a string can hold; sizes and hashes are computed here, because
//! SQLite's own functions stop at a NUL.

use std::time::Duration;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Applied, Change, ChangeSet, Outcome};
use nuthatch::error::{Error, Result};
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use nuthatch::text::Words;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};
use serde::Serialize;

use super::codec::{self, count, sql_error};
use super::embedded;
use super::open::{PATIENCE, busy, place, write_transaction};
use super::piles;
use super::turns;
use super::words::{self, Additions, Kind, Removals};
use crate::semantics;
use crate::semantics::trust_level;
use crate::tx::{Tx, Usage};

/// Receipts kept: a repeated set comes within seconds, not after thousands of others.
const RECEIPTS: i64 = 1000;

/// How long a forget waits for readers to end: longer than any answer takes to be read, and
/// short enough for somebody who waits. What is left then is named.
const WIPE_PATIENCE: Duration = Duration::from_secs(1);

/// Applies a set whole or not at all.
pub fn apply(connection: &Connection, set: &ChangeSet) -> Result<Applied> {
    in_transaction(connection, set, End::Commit)
}

/// What [`apply`] would answer.
pub fn rehearse(connection: &Connection, set: &ChangeSet) -> Result<Applied> {
    in_transaction(connection, set, End::RollBack)
}

#[derive(Clone, Copy)]
enum End {
    Commit,
    RollBack,
}

fn in_transaction(connection: &Connection, set: &ChangeSet, end: End) -> Result<Applied> {
    let transaction = write_transaction(connection)?;
    let mut tx = SqliteTx { connection: &transaction };
    let mut applied = pollster::block_on(semantics::apply(&mut tx, set))?;
    let ended = match end {
        End::Commit => transaction.commit(),
        End::RollBack => transaction.rollback(),
    };
    ended.map_err(|error| sql_error(&place(connection), error))?;
    if matches!(end, End::Commit) && forgets(set, &applied) {
        applied.lingers = wipe(connection)?;
    }
    Ok(applied)
}

/// Whether somebody wanted something gone for good, or it was time.
pub(crate) fn forgets(set: &ChangeSet, applied: &Applied) -> bool {
    let mut pairs = set.changes().iter().zip(&applied.outcomes);
    pairs.any(|(change, outcome)| match (change, outcome) {
        (Change::Forget { .. } | Change::Release { .. } | Change::ForgetSession { .. }, _) => true,
        (Change::Expire { .. } | Change::Bury { .. }, Outcome::Touched { ids }) => !ids.is_empty(),
        (Change::ExpireSessions { .. }, Outcome::SessionsGone { ids }) => !ids.is_empty(),
        _ => false,
    })
}

/// Takes what is forgotten out of the place where a database leaves it: its write-ahead log.
/// A reader that is still at work keeps the log from being emptied: it is named, and the next
/// one to forget, to look for damage or to close does it.
pub(crate) fn wipe(connection: &Connection) -> Result<Vec<String>> {
    piles::sweep(connection)?;
    let failed = |error| sql_error(&place(connection), error);
    connection.busy_timeout(WIPE_PATIENCE).map_err(failed)?;
    let emptied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    match emptied {
        Ok(0) => Ok(Vec::new()),
        Ok::<i64, _>(_) => Ok(vec![log_of(connection)]),
        Err(error) if busy(&error) => Ok(vec![log_of(connection)]),
        Err(error) => Err(failed(error)),
    }
}

/// The write-ahead log beside a database.
fn log_of(connection: &Connection) -> String {
    format!("{}-wal", place(connection).display())
}

/// An open transaction of a SQLite store.
pub(crate) struct SqliteTx<'a> {
    pub connection: &'a Connection,
}

impl SqliteTx<'_> {
    fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| self.error(e))?;
        statement.execute(params).map_err(|e| self.error(e))
    }

    fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| self.error(e))?;
        statement.query_row(params, read).optional().map_err(|e| self.error(e))
    }

    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|e| self.error(e))?;
        let rows = statement.query_map(params, read).map_err(|e| self.error(e))?;
        rows.collect::<rusqlite::Result<_>>().map_err(|e| self.error(e))
    }

    fn error(&self, error: rusqlite::Error) -> Error {
        sql_error(&place(self.connection), error)
    }

    /// What of a memory is indexed, as it is stored.
    fn stored(&self, id: MemoryId) -> Result<Option<Indexed>> {
        let sql = "SELECT row, scope, key, content FROM memories WHERE id = ?1";
        self.one(sql, [id.0.as_bytes()], |row| {
            let (scope, key) = (codec::parsed(row, 1)?, row.get(2)?);
            Ok(Indexed { row: row.get(0)?, scope, key, content: row.get(3)? })
        })
    }

    /// Takes a memory out of the index of words and vectors.
    fn unindex(&self, old: &Indexed) -> Result<()> {
        let shelf = words::shelf_of(self.connection, Kind::Memory, &old.scope)?;
        embedded::leave(self.connection, Kind::Memory, shelf, &[old.row])?;
        let mut removals = Removals::default();
        removals.push(old.row, Words::of(old.key.as_deref(), &old.content));
        words::remove(self.connection, shelf, removals)
    }

    /// Puts a memory into the index of words; its vectors follow.
    fn index(&self, row: i64, memory: &Memory, words: Words) -> Result<()> {
        let shelf = words::shelf_of(self.connection, Kind::Memory, &memory.scope)?;
        let mut additions = Additions::default();
        additions.push(row, words);
        words::add(self.connection, shelf, &additions)?;
        embedded::await_vectors(self.connection, shelf, &[row])
    }
}

/// What of a memory is indexed.
struct Indexed {
    row: i64,
    scope: Scope,
    key: Option<String>,
    content: String,
}

/// What equal contents have in common.
pub(crate) fn content_hash(content: &str) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(content.as_bytes()).as_bytes()[..16]);
    hash
}

fn id(row: &Row<'_>) -> rusqlite::Result<MemoryId> {
    row.get(0).map(|bytes| MemoryId(uuid::Uuid::from_bytes(bytes)))
}

/// JSON of a value, or nothing where there is nothing to keep.
pub(super) fn json<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
    value
        .map(serde_json::to_string)
        .transpose()
        .map_err(|error| Error::internal("a value cannot be written as JSON").with_source(error))
}

impl Tx for SqliteTx<'_> {
    async fn seen(&mut self, id: ChangeSetId) -> Result<Option<String>> {
        let sql = "SELECT receipt FROM applied WHERE id = ?1";
        self.one(sql, [id.0.as_bytes()], |row| row.get(0))
    }

    async fn mark_seen(&mut self, id: ChangeSetId, receipt: &str) -> Result<()> {
        let sql = "INSERT INTO applied (id, receipt) VALUES (?1, ?2)";
        self.execute(sql, params![id.0.as_bytes(), receipt])?;
        let newest = self.connection.last_insert_rowid();
        self.execute("DELETE FROM applied WHERE row <= ?1", [newest - RECEIPTS])?;
        Ok(())
    }

    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        let sql = format!("SELECT {} FROM memories WHERE id = ?1", codec::MEMORY);
        self.one(&sql, [id.0.as_bytes()], codec::memory)
    }

    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>> {
        let sql = format!("SELECT {} FROM memories WHERE scope = ?1 AND key = ?2", codec::MEMORY);
        self.one(&sql, params![scope.to_string(), key], codec::memory)
    }

    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>> {
        // The plus keeps SQLite from walking a whole scope by age to save itself a sort of two.
        let sql = format!(
            "SELECT {} FROM memories WHERE scope = ?1 AND content_hash = ?2 AND content = ?3 \
             AND superseded_by IS NULL ORDER BY +created_at, +id LIMIT 1",
            codec::MEMORY
        );
        let params = params![scope.to_string(), content_hash(content), content];
        self.one(&sql, params, codec::memory)
    }

    async fn put_memory(&mut self, memory: &Memory) -> Result<()> {
        let old = self.stored(memory.id)?;
        let unchanged = old.as_ref().is_some_and(|old| {
            old.scope == memory.scope && old.key == memory.key && old.content == memory.content
        });
        if let Some(old) = old.filter(|_| !unchanged) {
            self.unindex(&old)?;
        }
        let words = Words::of(memory.key.as_deref(), &memory.content);
        let sql = "INSERT INTO memories (id, scope, key, content, content_hash, chars, terms, category, \
             session_id, created_at, updated_at, origin, source, trust, pinned, importance, \
             metadata, superseded_by, used, last_used_at) \
             VALUES (:id, :scope, :key, :content, :content_hash, :chars, :terms, :category, :session_id, \
             :created_at, :updated_at, :origin, :source, :trust, :pinned, :importance, :metadata, \
             :superseded_by, :used, :last_used_at) \
             ON CONFLICT (id) DO UPDATE SET scope = :scope, key = :key, content = :content, \
             content_hash = :content_hash, chars = :chars, terms = :terms, category = :category, \
             session_id = :session_id, created_at = :created_at, updated_at = :updated_at, \
             origin = :origin, source = :source, trust = :trust, pinned = :pinned, \
             importance = :importance, metadata = :metadata, superseded_by = :superseded_by, \
             used = :used, last_used_at = :last_used_at";
        let metadata = Some(&memory.metadata).filter(|metadata| !metadata.is_empty());
        self.execute(
            sql,
            named_params! {
                ":id": memory.id.0.as_bytes(),
                ":scope": memory.scope.to_string(),
                ":key": memory.key,
                ":content": memory.content,
                ":content_hash": content_hash(&memory.content),
                ":chars": count(memory.chars()),
                ":terms": words.length,
                ":category": memory.category.as_str(),
                ":session_id": memory.session_id.as_ref().map(SessionId::as_str),
                ":created_at": memory.created_at.as_microsecond(),
                ":updated_at": memory.updated_at.as_microsecond(),
                ":origin": memory.origin.name(),
                ":source": json(memory.source.as_ref())?,
                ":trust": trust_level(memory.trust),
                ":pinned": memory.pinned,
                ":importance": memory.importance.value(),
                ":metadata": json(metadata)?,
                ":superseded_by": memory.superseded_by.map(|id| *id.0.as_bytes()),
                ":used": count(memory.used),
                ":last_used_at": memory.last_used_at.map(Timestamp::as_microsecond),
            },
        )?;
        match self.stored(memory.id)? {
            Some(new) if !unchanged => self.index(new.row, memory, words),
            _ => Ok(()),
        }
    }

    async fn remove_memory(&mut self, id: MemoryId) -> Result<()> {
        let bytes = id.0.as_bytes();
        if let Some(old) = self.stored(id)? {
            self.unindex(&old)?;
        }
        self.execute("DELETE FROM memories WHERE id = ?1", [bytes])?;
        self.execute("DELETE FROM versions WHERE memory_id = ?1", [bytes])?;
        Ok(())
    }

    async fn evictable(&mut self, scope: &Scope) -> Result<Vec<(MemoryId, u64)>> {
        let sql = "SELECT id, chars FROM memories WHERE scope = ?1 AND NOT pinned \
                   AND category <> ?2 ORDER BY created_at, id";
        let kept = Category::restriction();
        self.all(sql, params![scope.to_string(), kept.as_str()], |row| {
            Ok((id(row)?, u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default()))
        })
    }

    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM memories WHERE category = ?1 AND created_at < ?2 \
                   AND NOT pinned ORDER BY created_at, id";
        self.all(sql, params![category.as_str(), before.as_microsecond()], id)
    }

    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM memories WHERE scope = ?1 ORDER BY created_at, id";
        self.all(sql, [scope.to_string()], id)
    }

    async fn usage(&mut self, scope: &Scope) -> Result<Usage> {
        let sql = "SELECT entries, chars FROM scopes WHERE scope = ?1";
        let read = |row: &Row<'_>| -> rusqlite::Result<Usage> {
            let column = |place| row.get::<_, i64>(place).map(|n| u64::try_from(n).unwrap_or(0));
            Ok(Usage { entries: column(0)?, chars: column(1)? })
        };
        Ok(self.one(sql, [scope.to_string()], read)?.unwrap_or_default())
    }

    async fn versions(&mut self, id: MemoryId) -> Result<Vec<Version>> {
        let sql =
            format!("SELECT {} FROM versions WHERE memory_id = ?1 ORDER BY number", codec::VERSION);
        self.all(&sql, [id.0.as_bytes()], codec::version)
    }

    async fn put_version(&mut self, version: &Version) -> Result<()> {
        let sql = format!(
            "INSERT OR REPLACE INTO versions ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            codec::VERSION
        );
        self.execute(
            &sql,
            params![
                version.memory_id.0.as_bytes(),
                version.number,
                version.key,
                version.content,
                version.category.as_str(),
                version.written_at.as_microsecond(),
                version.replaced_at.as_microsecond(),
            ],
        )?;
        Ok(())
    }

    async fn tombstone(&mut self, id: MemoryId) -> Result<Option<Tombstone>> {
        let sql = format!("SELECT {} FROM tombstones WHERE id = ?1", codec::TOMBSTONE);
        self.one(&sql, [id.0.as_bytes()], codec::tombstone)
    }

    async fn put_tombstone(&mut self, tombstone: &Tombstone) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO tombstones (id, scope, at) VALUES (?1, ?2, ?3)";
        let Tombstone { id, scope, at } = tombstone;
        let params = params![id.0.as_bytes(), scope.to_string(), at.as_microsecond()];
        self.execute(sql, params).map(|_| ())
    }

    async fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        let sql = format!("SELECT {} FROM sessions WHERE id = ?1 AND listed", codec::SESSION);
        self.one(&sql, [id.as_str()], codec::session)
    }

    async fn session_of(&mut self, channel: &str, user: &str) -> Result<Option<Session>> {
        let sql = format!(
            "SELECT {} FROM sessions WHERE channel = ?1 AND user = ?2 AND listed \
             ORDER BY last_active_at DESC, id LIMIT 1",
            codec::SESSION
        );
        self.one(&sql, [channel, user], codec::session)
    }

    async fn put_session(&mut self, session: &Session) -> Result<()> {
        turns::put_session(self.connection, session)
    }

    async fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        turns::remove_session(self.connection, id)
    }

    async fn idle_sessions(&mut self, since: Timestamp) -> Result<Vec<SessionId>> {
        let sql = "SELECT id FROM sessions WHERE channel IS NOT NULL AND last_active_at < ?1 \
                   AND listed ORDER BY id";
        let found = self.all(sql, [since.as_microsecond()], |row| row.get::<_, String>(0))?;
        found.into_iter().map(SessionId::new).collect()
    }

    async fn put_turns(&mut self, turns: &[Turn]) -> Result<()> {
        turns::put_turns(self.connection, turns)
    }
}
