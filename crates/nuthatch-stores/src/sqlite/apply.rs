//! A change set as one SQLite transaction.
//!
//! Text columns hold whatever a string can hold; sizes and hashes are computed here, because
//! SQLite's own functions stop at a NUL.

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Applied, Change, ChangeSet};
use nuthatch::error::{Error, Result};
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use nuthatch::text::index_terms;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};
use serde::Serialize;

use super::codec::{self, count, sql_error, trust_level};
use super::open::{patiently, place, write_transaction};
use crate::semantics;
use crate::tx::{Tx, Usage};

/// Receipts kept: a repeated set comes within seconds, not after thousands of others.
const RECEIPTS: i64 = 1000;

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
    let applied = pollster::block_on(semantics::apply(&mut tx, set))?;
    let ended = match end {
        End::Commit => transaction.commit(),
        End::RollBack => transaction.rollback(),
    };
    ended.map_err(|error| sql_error(&place(connection), error))?;
    if matches!(end, End::Commit) && forgets(set) {
        wipe(connection)?;
    }
    Ok(applied)
}

/// Whether somebody wants something gone for good.
pub(crate) fn forgets(set: &ChangeSet) -> bool {
    let forgets =
        |change: &Change| matches!(change, Change::Forget { .. } | Change::ForgetSession { .. });
    set.changes().iter().any(forgets)
}

/// Takes forgotten words out of the places where a database leaves them: the segments of
/// its text index and its write-ahead log. A reader that is still at work keeps the log from
/// being emptied; the next one to forget, or to close, does it.
pub(crate) fn wipe(connection: &Connection) -> Result<()> {
    let run = || -> rusqlite::Result<()> {
        connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')", [])?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    patiently(run).map_err(|error| sql_error(&place(connection), error))
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

    /// The terms of a memory, in the index under its row.
    fn index(&self, memory: &Memory) -> Result<()> {
        let terms = index_terms(memory.key.as_deref(), &memory.content);
        self.execute(
            "INSERT OR REPLACE INTO memories_fts (rowid, terms) \
             SELECT row, ?2 FROM memories WHERE id = ?1",
            params![memory.id.0.as_bytes(), terms],
        )?;
        Ok(())
    }
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
fn json<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
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
        let sql = "INSERT INTO memories (id, scope, key, content, content_hash, chars, category, \
             session_id, created_at, updated_at, origin, source, trust, pinned, importance, \
             metadata, superseded_by, used, last_used_at) \
             VALUES (:id, :scope, :key, :content, :content_hash, :chars, :category, :session_id, \
             :created_at, :updated_at, :origin, :source, :trust, :pinned, :importance, :metadata, \
             :superseded_by, :used, :last_used_at) \
             ON CONFLICT (id) DO UPDATE SET scope = :scope, key = :key, content = :content, \
             content_hash = :content_hash, chars = :chars, category = :category, \
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
        self.index(memory)
    }

    async fn remove_memory(&mut self, id: MemoryId) -> Result<()> {
        let bytes = id.0.as_bytes();
        let of_row = "DELETE FROM memories_fts \
                      WHERE rowid = (SELECT row FROM memories WHERE id = ?1)";
        self.execute(of_row, [bytes])?;
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

    async fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        let sql = format!("SELECT {} FROM sessions WHERE id = ?1", codec::SESSION);
        self.one(&sql, [id.as_str()], codec::session)
    }

    async fn session_of(&mut self, channel: &str, user: &str) -> Result<Option<Session>> {
        let sql = format!(
            "SELECT {} FROM sessions WHERE channel = ?1 AND user = ?2 \
             ORDER BY last_active_at DESC, id LIMIT 1",
            codec::SESSION
        );
        self.one(&sql, [channel, user], codec::session)
    }

    async fn put_session(&mut self, session: &Session) -> Result<()> {
        let sql = format!(
            "INSERT OR REPLACE INTO sessions ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            codec::SESSION
        );
        let metadata = Some(&session.metadata).filter(|metadata| !metadata.is_empty());
        self.execute(
            &sql,
            params![
                session.id.as_str(),
                session.channel,
                session.user,
                session.agent,
                session.project.as_ref().map(nuthatch::id::ProjectId::as_str),
                session.title,
                session.started_at.as_microsecond(),
                session.last_active_at.as_microsecond(),
                json(metadata)?,
            ],
        )?;
        Ok(())
    }

    async fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        self.execute("DELETE FROM turns WHERE session = ?1", [id.as_str()])?;
        self.execute("DELETE FROM sessions WHERE id = ?1", [id.as_str()])?;
        Ok(())
    }

    async fn idle_sessions(&mut self, since: Timestamp) -> Result<Vec<SessionId>> {
        let sql = "SELECT id FROM sessions WHERE channel IS NOT NULL AND last_active_at < ?1 \
                   ORDER BY id";
        let found = self.all(sql, [since.as_microsecond()], |row| row.get::<_, String>(0))?;
        found.into_iter().map(SessionId::new).collect()
    }

    async fn put_turn(&mut self, turn: &Turn) -> Result<()> {
        let columns = codec::TURN;
        let sql =
            format!("INSERT OR REPLACE INTO turns ({columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
        self.execute(
            &sql,
            params![
                turn.session.as_str(),
                count(turn.seq),
                turn.at.as_microsecond(),
                turn.role.name(),
                turn.text,
                turn.asked,
            ],
        )?;
        Ok(())
    }
}
