//! A change set as one transaction.
//!
//! What changes mean is in `semantics.rs`; here each small step is a statement, but for the words of
//! memories, which are indexed together at the end. Writers of one tenant come one after another
//! (`Conn::queue`), those of different tenants do not wait.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::error::Result;
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use tokio_postgres::Row;
use uuid::Uuid;

use super::codec::{self, Param, column, count, hash, number, written};
use super::connect::{Conn, params};
use super::index::{self, Document};
use super::{read, turns};
use crate::semantics::trust_level;
use crate::tx::{Tx, Usage};

/// Memories that are indexed together at most.
const AT_ONCE: usize = 1000;
/// Memories of one statement, each of which has a parameter for every column.
const ROWS: usize = 200;

/// An open transaction of a PostgreSQL store.
///
/// What is new waits until something else is asked for, or until the end: a statement for many costs
/// little more than one for each. Nothing in a set looks for words, so they always wait.
pub struct PostgresTx {
    conn: Arc<Conn>,
    /// Memories and tombstones as they were when they were foreseen, and none where there is none.
    foreseen: HashMap<MemoryId, (Option<Memory>, Option<Tombstone>)>,
    /// New memories that are not stored yet.
    new: Vec<Memory>,
    /// Stored memories that are not indexed yet: new ones, and those that say something else.
    unindexed: Vec<Document>,
    changed: Vec<Document>,
}

impl PostgresTx {
    pub fn new(conn: Arc<Conn>) -> Self {
        let foreseen = HashMap::new();
        PostgresTx { conn, foreseen, new: Vec::new(), unindexed: Vec::new(), changed: Vec::new() }
    }

    /// Stores and indexes what waits for it.
    pub async fn finish(&mut self) -> Result<()> {
        self.settle().await?;
        let new = std::mem::take(&mut self.unindexed);
        let changed = std::mem::take(&mut self.changed);
        index::add_new(&self.conn, &new).await?;
        index::replace(&self.conn, &changed).await
    }

    /// Stores what is new, before anything is asked that it may be an answer to.
    async fn settle(&mut self) -> Result<()> {
        let new = std::mem::take(&mut self.new);
        let mut scopes: BTreeMap<String, (&Scope, i64, i64)> = BTreeMap::new();
        for memory in &new {
            let sum = scopes.entry(memory.scope.to_string()).or_insert((&memory.scope, 0, 0));
            sum.1 += 1;
            sum.2 += count(memory.chars());
        }
        for some in new.chunks(ROWS) {
            let mut binds = Vec::with_capacity(some.len() * COLUMNS.len());
            for memory in some {
                binds.extend(values(memory)?);
            }
            self.conn.execute(&insert(some.len()), &binds).await?;
        }
        for (scope, entries, chars) in scopes.into_values() {
            self.recount(scope, entries, chars).await?;
        }
        self.unindexed.extend(new.iter().map(Document::memory));
        Ok(())
    }

    /// Indexes what waits for it, if a memory is among it.
    async fn finish_with(&mut self, id: MemoryId) -> Result<()> {
        let mut waiting = self.unindexed.iter().chain(&self.changed);
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

/// Puts so many new memories.
fn insert(rows: usize) -> String {
    let row = |row: usize| {
        let first = 2 + row * COLUMNS.len();
        let places: Vec<String> = (first..first + COLUMNS.len()).map(|n| format!("${n}")).collect();
        format!("($1, {})", places.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    let columns = COLUMNS.join(", ");
    format!("INSERT INTO nuthatch.memories (tenant, {columns}) VALUES {}", rows.join(", "))
}

/// Puts one memory in the place of what is there.
fn upsert() -> String {
    let sets: Vec<String> =
        COLUMNS[1..].iter().map(|name| format!("{name} = excluded.{name}")).collect();
    format!("{} ON CONFLICT (tenant, id) DO UPDATE SET {}", insert(1), sets.join(", "))
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

    async fn foresee(&mut self, ids: &[MemoryId]) -> Result<()> {
        // One by itself is asked for when it is needed.
        if ids.len() < 2 {
            return Ok(());
        }
        let wanted: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
        let mut memories: HashMap<MemoryId, Memory> =
            read::memories(&self.conn, ids).await?.into_iter().map(|one| (one.id, one)).collect();
        let sql = format!(
            "SELECT {} FROM nuthatch.tombstones WHERE tenant = $1 AND id = ANY ($2)",
            codec::TOMBSTONE
        );
        let mut tombstones = HashMap::new();
        for row in self.conn.rows(&sql, &params![wanted]).await? {
            let tombstone = codec::tombstone(&row)?;
            tombstones.insert(tombstone.id, tombstone);
        }
        // A set may name one more than once.
        for id in ids.iter().collect::<BTreeSet<_>>() {
            self.foreseen.insert(*id, (memories.remove(id), tombstones.remove(id)));
        }
        Ok(())
    }

    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        if let Some((known, _)) = self.foreseen.get(&id) {
            return Ok(known.clone());
        }
        self.settle().await?;
        self.found("m.id = $2", &params![id]).await
    }

    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>> {
        self.settle().await?;
        self.found(
            "m.scope = $2 AND m.key_hash = $3 AND m.key = $4",
            &params![scope, hash(key), key],
        )
        .await
    }

    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>> {
        self.settle().await?;
        let condition =
            "m.scope = $2 AND m.content_hash = $3 AND m.content = $4 AND m.superseded_by IS NULL";
        self.found(condition, &params![scope, hash(content), content]).await
    }

    async fn put_memory(&mut self, memory: &Memory) -> Result<()> {
        let old = Tx::memory(self, memory.id).await?;
        if let Some((known, _)) = self.foreseen.get_mut(&memory.id) {
            *known = Some(memory.clone());
        }
        let Some(old) = old else {
            self.new.push(memory.clone());
            let waiting = self.new.len() + self.unindexed.len();
            return if waiting >= AT_ONCE { self.finish().await } else { Ok(()) };
        };
        self.settle().await?;
        self.conn.execute(&upsert(), &values(memory)?).await?;
        let (chars, before) = (count(memory.chars()), count(old.chars()));
        if old.scope != memory.scope {
            self.recount(&old.scope, -1, -before).await?;
            self.recount(&memory.scope, 1, chars).await?;
        } else if chars != before {
            self.recount(&memory.scope, 0, chars - before).await?;
        }
        if old.scope == memory.scope && old.key == memory.key && old.content == memory.content {
            return Ok(());
        }
        self.finish_with(memory.id).await?;
        self.changed.push(Document::memory(memory));
        if self.changed.len() >= AT_ONCE { self.finish().await } else { Ok(()) }
    }

    async fn remove_memory(&mut self, id: MemoryId) -> Result<()> {
        let Some(old) = Tx::memory(self, id).await? else { return Ok(()) };
        if let Some((known, _)) = self.foreseen.get_mut(&id) {
            *known = None;
        }
        self.settle().await?;
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
        self.settle().await?;
        let sql = "SELECT id, chars FROM nuthatch.memories WHERE tenant = $1 AND scope = $2 \
                   AND NOT pinned AND category <> $3 ORDER BY created_at, id";
        let rows = self.conn.rows(sql, &params![scope, Category::restriction().as_str()]).await?;
        rows.iter().map(|row| Ok((MemoryId(column(row, 0)?), number(row, 1)?))).collect()
    }

    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>> {
        self.settle().await?;
        let sql = "SELECT id FROM nuthatch.memories WHERE tenant = $1 AND category = $2 \
                   AND created_at < $3 AND NOT pinned ORDER BY created_at, id";
        self.ids(sql, &params![category.as_str(), before]).await
    }

    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>> {
        self.settle().await?;
        let sql = "SELECT id FROM nuthatch.memories WHERE tenant = $1 AND scope = $2 \
                   ORDER BY created_at, id";
        self.ids(sql, &params![scope]).await
    }

    async fn usage(&mut self, scope: &Scope) -> Result<Usage> {
        self.settle().await?;
        let sql = "SELECT entries, chars FROM nuthatch.scopes WHERE tenant = $1 AND scope = $2";
        let read = |row: Row| Ok(Usage { entries: number(&row, 0)?, chars: number(&row, 1)? });
        self.conn.one(sql, &params![scope]).await?.map_or(Ok(Usage::default()), read)
    }

    async fn versions(&mut self, id: MemoryId) -> Result<Vec<Version>> {
        read::versions(&self.conn, id).await
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
        if let Some((_, known)) = self.foreseen.get(&id) {
            return Ok(known.clone());
        }
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
        if let Some((_, known)) = self.foreseen.get_mut(id) {
            *known = Some(tombstone.clone());
        }
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
