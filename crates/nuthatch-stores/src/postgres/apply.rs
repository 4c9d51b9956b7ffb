//! A change set as one transaction.
//!
//! What changes mean is in `semantics.rs`; here each small step is a statement, but for the words of
//! memories, which are indexed together at the end. Writers of one tenant come one after another
//! (`Conn::queue`), those of different tenants do not wait.

use std::sync::Arc;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::error::Result;
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use tokio_postgres::Row;

use super::codec::{self, Param, column, count, hash, number, written};
use super::connect::{Conn, params};
use super::index::{self, Document};
use super::turns;
use crate::semantics::trust_level;
use crate::tx::{Tx, Usage};

/// Memories that are indexed together at most.
const AT_ONCE: usize = 1000;

/// An open transaction of a PostgreSQL store.
pub struct PostgresTx {
    conn: Arc<Conn>,
    /// Memories that are stored and not yet indexed: those that are new, and those that say
    /// something else. Nothing in a set looks for words, so all of it is indexed at its end.
    new: Vec<Document>,
    changed: Vec<Document>,
}

impl PostgresTx {
    pub fn new(conn: Arc<Conn>) -> Self {
        PostgresTx { conn, new: Vec::new(), changed: Vec::new() }
    }

    /// Indexes what waits for it.
    pub async fn finish(&mut self) -> Result<()> {
        let (new, changed) = (std::mem::take(&mut self.new), std::mem::take(&mut self.changed));
        index::add_new(&self.conn, &new).await?;
        index::replace(&self.conn, &changed).await
    }

    /// Indexes what waits for it, if a memory is among it.
    async fn finish_with(&mut self, id: MemoryId) -> Result<()> {
        let mut waiting = self.new.iter().chain(&self.changed);
        if waiting.any(|document| document.doc == id.0) { self.finish().await } else { Ok(()) }
    }

    async fn ids(&self, sql: &str, values: &[Param]) -> Result<Vec<MemoryId>> {
        let rows = self.conn.rows(sql, values).await?;
        rows.iter().map(|row| column(row, 0).map(MemoryId)).collect()
    }

    async fn found(&self, condition: &str, values: &[Param]) -> Result<Option<Memory>> {
        let sql = format!(
            "SELECT {} FROM nuthatch.memories AS m WHERE m.tenant = $1 AND {condition} \
             ORDER BY m.created_at, m.id LIMIT 1",
            codec::MEMORY
        );
        self.conn.one(&sql, values).await?.as_ref().map(codec::memory).transpose()
    }

    /// Adds to what a scope holds, or takes from it.
    async fn recount(&self, scope: &Scope, entries: i64, chars: i64) -> Result<()> {
        let sql = "INSERT INTO nuthatch.scopes AS s (tenant, scope, entries, chars) \
                   VALUES ($1, $2, $3, $4) ON CONFLICT (tenant, scope) DO UPDATE \
                   SET entries = s.entries + $3, chars = s.chars + $4";
        self.conn.execute(sql, &params![scope, entries, chars]).await?;
        if entries < 0 {
            let sql =
                "DELETE FROM nuthatch.scopes WHERE tenant = $1 AND scope = $2 AND entries <= 0";
            self.conn.execute(sql, &params![scope]).await?;
        }
        Ok(())
    }
}

/// The columns of [`values`], after the tenant.
const COLUMNS: [&str; 22] = [
    "id",
    "scope",
    "key",
    "key_hash",
    "content",
    "content_hash",
    "chars",
    "category",
    "session_id",
    "created_at",
    "updated_at",
    "origin",
    "source",
    "source_session",
    "source_place",
    "trust",
    "pinned",
    "importance",
    "metadata",
    "superseded_by",
    "used",
    "last_used_at",
];

fn values(memory: &Memory) -> Result<[Param; 22]> {
    let metadata = Some(&memory.metadata).filter(|metadata| !metadata.is_empty());
    let source = memory.source.as_ref();
    Ok(params![
        memory.id,
        &memory.scope,
        &memory.key,
        memory.key.as_deref().map(hash),
        &memory.content,
        hash(&memory.content),
        memory.chars(),
        memory.category.as_str(),
        memory.session_id.as_ref().map(SessionId::as_str),
        memory.created_at,
        memory.updated_at,
        memory.origin.name(),
        written(source)?,
        source.and_then(|source| source.session.as_ref()).map(SessionId::as_str),
        source.and_then(|source| source.place.as_deref()),
        trust_level(memory.trust),
        memory.pinned,
        memory.importance.value(),
        written(metadata)?,
        memory.superseded_by.map(|id| id.0),
        memory.used,
        memory.last_used_at.map(Timestamp::as_microsecond),
    ])
}

fn upsert() -> String {
    let places: Vec<String> = (2..COLUMNS.len() + 2).map(|n| format!("${n}")).collect();
    let sets: Vec<String> =
        COLUMNS[1..].iter().map(|name| format!("{name} = excluded.{name}")).collect();
    format!(
        "INSERT INTO nuthatch.memories (tenant, {}) VALUES ($1, {}) \
         ON CONFLICT (tenant, id) DO UPDATE SET {}",
        COLUMNS.join(", "),
        places.join(", "),
        sets.join(", ")
    )
}

impl Tx for PostgresTx {
    async fn seen(&mut self, id: ChangeSetId) -> Result<Option<String>> {
        let sql = "SELECT receipt FROM nuthatch.applied WHERE tenant = $1 AND id = $2";
        self.conn.one(sql, &params![id.0]).await?.map(|row| codec::text(&row, 0)).transpose()
    }

    async fn mark_seen(&mut self, id: ChangeSetId, receipt: &str) -> Result<()> {
        let sql = "INSERT INTO nuthatch.applied (tenant, id, receipt) VALUES ($1, $2, $3)";
        self.conn.execute(sql, &params![id.0, receipt]).await?;
        // Now and then: a repeated set comes within minutes, not after days.
        if id.0.as_bytes()[15].is_multiple_of(32) {
            let sql =
                "DELETE FROM nuthatch.applied WHERE tenant = $1 AND at < now() - interval '2 days'";
            self.conn.execute(sql, &[]).await?;
        }
        Ok(())
    }

    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        self.found("m.id = $2", &params![id]).await
    }

    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>> {
        self.found(
            "m.scope = $2 AND m.key_hash = $3 AND m.key = $4",
            &params![scope, hash(key), key],
        )
        .await
    }

    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>> {
        let condition =
            "m.scope = $2 AND m.content_hash = $3 AND m.content = $4 AND m.superseded_by IS NULL";
        self.found(condition, &params![scope, hash(content), content]).await
    }

    async fn put_memory(&mut self, memory: &Memory) -> Result<()> {
        let old = Tx::memory(self, memory.id).await?;
        self.conn.execute(&upsert(), &values(memory)?).await?;
        let chars = count(memory.chars());
        match &old {
            Some(old) if old.scope == memory.scope => {
                let more = chars - count(old.chars());
                if more != 0 {
                    self.recount(&memory.scope, 0, more).await?;
                }
            }
            Some(old) => {
                self.recount(&old.scope, -1, -count(old.chars())).await?;
                self.recount(&memory.scope, 1, chars).await?;
            }
            None => self.recount(&memory.scope, 1, chars).await?,
        }
        let is_new = old.is_none();
        let unchanged = old.is_some_and(|old| {
            old.scope == memory.scope && old.key == memory.key && old.content == memory.content
        });
        if unchanged {
            return Ok(());
        }
        self.finish_with(memory.id).await?;
        let waiting = if is_new { &mut self.new } else { &mut self.changed };
        waiting.push(Document::memory(memory));
        if waiting.len() >= AT_ONCE { self.finish().await } else { Ok(()) }
    }

    async fn remove_memory(&mut self, id: MemoryId) -> Result<()> {
        let Some(old) = Tx::memory(self, id).await? else { return Ok(()) };
        self.finish_with(id).await?;
        index::remove(&self.conn, &[id.0]).await?;
        index::drop_vectors(&self.conn, &[id.0]).await?;
        let sql = "WITH versions AS (DELETE FROM nuthatch.versions \
                   WHERE tenant = $1 AND memory_id = $2) \
                   DELETE FROM nuthatch.memories WHERE tenant = $1 AND id = $2";
        self.conn.execute(sql, &params![id]).await?;
        self.recount(&old.scope, -1, -count(old.chars())).await
    }

    async fn evictable(&mut self, scope: &Scope) -> Result<Vec<(MemoryId, u64)>> {
        let sql = "SELECT id, chars FROM nuthatch.memories WHERE tenant = $1 AND scope = $2 \
                   AND NOT pinned AND category <> $3 ORDER BY created_at, id";
        let rows = self.conn.rows(sql, &params![scope, Category::restriction().as_str()]).await?;
        rows.iter().map(|row| Ok((MemoryId(column(row, 0)?), number(row, 1)?))).collect()
    }

    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM nuthatch.memories WHERE tenant = $1 AND category = $2 \
                   AND created_at < $3 AND NOT pinned ORDER BY created_at, id";
        self.ids(sql, &params![category.as_str(), before]).await
    }

    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM nuthatch.memories WHERE tenant = $1 AND scope = $2 \
                   ORDER BY created_at, id";
        self.ids(sql, &params![scope]).await
    }

    async fn usage(&mut self, scope: &Scope) -> Result<Usage> {
        let sql = "SELECT entries, chars FROM nuthatch.scopes WHERE tenant = $1 AND scope = $2";
        let read = |row: Row| Ok(Usage { entries: number(&row, 0)?, chars: number(&row, 1)? });
        self.conn.one(sql, &params![scope]).await?.map_or(Ok(Usage::default()), read)
    }

    async fn versions(&mut self, id: MemoryId) -> Result<Vec<Version>> {
        super::read::versions(&self.conn, id).await
    }

    async fn put_version(&mut self, version: &Version) -> Result<()> {
        let sql = "INSERT INTO nuthatch.versions (tenant, memory_id, number, key, content, \
                   category, written_at, replaced_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
                   ON CONFLICT (tenant, memory_id, number) DO UPDATE SET key = excluded.key, \
                   content = excluded.content, category = excluded.category, \
                   written_at = excluded.written_at, replaced_at = excluded.replaced_at";
        let values = params![
            version.memory_id,
            i64::from(version.number),
            &version.key,
            &version.content,
            version.category.as_str(),
            version.written_at,
            version.replaced_at,
        ];
        self.conn.execute(sql, &values).await.map(|_| ())
    }

    async fn tombstone(&mut self, id: MemoryId) -> Result<Option<Tombstone>> {
        let sql = format!(
            "SELECT {} FROM nuthatch.tombstones WHERE tenant = $1 AND id = $2",
            codec::TOMBSTONE
        );
        self.conn.one(&sql, &params![id]).await?.as_ref().map(codec::tombstone).transpose()
    }

    async fn put_tombstone(&mut self, tombstone: &Tombstone) -> Result<()> {
        let sql = "INSERT INTO nuthatch.tombstones (tenant, id, scope, at) \
                   VALUES ($1, $2, $3, $4) ON CONFLICT (tenant, id) DO UPDATE \
                   SET scope = excluded.scope, at = excluded.at";
        let Tombstone { id, scope, at } = tombstone;
        self.conn.execute(sql, &params![*id, scope, *at]).await.map(|_| ())
    }

    async fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        turns::session(&self.conn, id).await
    }

    async fn session_of(&mut self, channel: &str, user: &str) -> Result<Option<Session>> {
        turns::session_of(&self.conn, channel, user).await
    }

    async fn put_session(&mut self, session: &Session) -> Result<()> {
        turns::put_session(&self.conn, session).await
    }

    async fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        turns::remove_session(&self.conn, id).await
    }

    async fn idle_sessions(&mut self, since: Timestamp) -> Result<Vec<SessionId>> {
        let sql = "SELECT id FROM nuthatch.sessions WHERE tenant = $1 AND channel IS NOT NULL \
                   AND last_active_at < $2 ORDER BY id";
        let rows = self.conn.rows(sql, &params![since]).await?;
        rows.iter().map(|row| codec::parsed(row, 0)).collect()
    }

    async fn put_turns(&mut self, turns: &[Turn]) -> Result<()> {
        turns::put_turns(&self.conn, turns).await
    }
}
