//! A change set as one transaction.
//!
//! What changes mean is in `semantics.rs`; here each small step is a statement, but for what can be
//! asked before (`questions.rs`) and the words of memories, which are indexed together at the end.
//! Writers of one tenant come one after another (`Conn::queue`), those of different tenants do not
//! wait.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures_util::future::{try_join, try_join_all};
use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Change, ChangeSet};
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
use super::questions::{Foretold, Question};
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
    /// Other answers, which hold until something is written.
    foretold: Foretold,
    /// What is noted of the set at the end.
    receipt: Option<(ChangeSetId, String)>,
    /// New memories that are not stored yet.
    new: Vec<Memory>,
    /// Stored memories that are not indexed yet: new ones, and those that say something else.
    unindexed: Vec<Document>,
    changed: Vec<Document>,
}

impl PostgresTx {
    pub fn new(conn: Arc<Conn>) -> Self {
        PostgresTx {
            conn,
            foreseen: HashMap::new(),
            foretold: Foretold::default(),
            receipt: None,
            new: Vec::new(),
            unindexed: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Stores, indexes and notes what waits for it.
    pub async fn finish(&mut self) -> Result<()> {
        let stored = self.settle();
        let new = std::mem::take(&mut self.unindexed);
        let changed = std::mem::take(&mut self.changed);
        let receipt = self.receipt.take();
        let conn = Arc::clone(&self.conn);
        let noted = async {
            match receipt {
                Some((id, receipt)) => note(&conn, id, &receipt).await,
                None => Ok(()),
            }
        };
        let indexed = async {
            index::add_new(&conn, &new).await?;
            index::replace(&conn, &changed).await
        };
        try_join(stored, try_join(noted, indexed)).await.map(|_| ())
    }

    /// Stores what is new, before anything is asked that it may be an answer to.
    fn settle(&mut self) -> impl Future<Output = Result<()>> + Send + use<> {
        let new = std::mem::take(&mut self.new);
        self.unindexed.extend(new.iter().map(Document::memory));
        store(Arc::clone(&self.conn), new)
    }

    /// What a question is answered, with all that was said before it.
    async fn ask(&mut self, question: Question) -> Result<Vec<Row>> {
        if let Some(rows) = self.foretold.take(&question) {
            return Ok(rows);
        }
        let stored = self.settle();
        let ((), rows) = try_join(stored, question.ask(&self.conn)).await?;
        Ok(rows)
    }

    async fn ask_for_memory(&mut self, question: Question) -> Result<Option<Memory>> {
        self.ask(question).await?.first().map(codec::memory).transpose()
    }

    async fn ask_for_ids(&mut self, question: Question) -> Result<Vec<MemoryId>> {
        let rows = self.ask(question).await?;
        rows.iter().map(|row| column(row, 0).map(MemoryId)).collect()
    }

    /// Indexes what waits for it, if a memory is among it.
    async fn finish_with(&mut self, id: MemoryId) -> Result<()> {
        let mut waiting = self.unindexed.iter().chain(&self.changed);
        if waiting.any(|document| document.doc == id.0) { self.finish().await } else { Ok(()) }
    }
}

/// Stores memories that are new. Every statement of it is sent at once: whatever is asked meanwhile
/// comes after them.
async fn store(conn: Arc<Conn>, new: Vec<Memory>) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let some = |some: &[Memory]| -> Result<(String, Vec<Param>)> {
        let mut binds = Vec::with_capacity(some.len() * COLUMNS.len());
        for memory in some {
            binds.extend(values(memory)?);
        }
        Ok((insert(some.len()), binds))
    };
    let parts = new.chunks(ROWS).map(some).collect::<Result<Vec<_>>>()?;
    let stored = try_join_all(parts.iter().map(|(sql, values)| conn.execute(sql, values)));
    let sums: Vec<_> = new.iter().map(|memory| (&memory.scope, 1, count(memory.chars()))).collect();
    try_join(stored, recount(&conn, &sums)).await.map(|_| ())
}

/// Adds to what scopes hold, or takes from it: entries and characters.
async fn recount(conn: &Conn, sums: &[(&Scope, i64, i64)]) -> Result<()> {
    let sql = "INSERT INTO nuthatch.scopes AS s (tenant, scope, entries, chars) \
               SELECT $1, w.scope, sum(w.entries)::bigint, sum(w.chars)::bigint \
               FROM unnest($2, $3, $4) AS w (scope, entries, chars) GROUP BY w.scope \
               ON CONFLICT (tenant, scope) DO UPDATE \
               SET entries = s.entries + excluded.entries, chars = s.chars + excluded.chars";
    let scopes: Vec<String> = sums.iter().map(|(scope, ..)| scope.to_string()).collect();
    let entries: Vec<i64> = sums.iter().map(|(_, entries, _)| *entries).collect();
    let chars: Vec<i64> = sums.iter().map(|(.., chars)| *chars).collect();
    let is_less = entries.iter().any(|entries| *entries < 0);
    conn.execute(sql, &params![scopes.clone(), entries, chars]).await?;
    if is_less {
        let sql = "DELETE FROM nuthatch.scopes WHERE tenant = $1 AND scope = ANY ($2) \
                   AND entries <= 0";
        conn.execute(sql, &params![scopes]).await?;
    }
    Ok(())
}

/// Notes that a set was applied.
async fn note(conn: &Conn, id: ChangeSetId, receipt: &str) -> Result<()> {
    let sql = "INSERT INTO nuthatch.applied (tenant, id, receipt) VALUES ($1, $2, $3)";
    conn.execute(sql, &params![id.0, receipt]).await?;
    // Now and then: a repeated set comes within minutes, not after days.
    if id.0.as_bytes()[15].is_multiple_of(32) {
        let sql =
            "DELETE FROM nuthatch.applied WHERE tenant = $1 AND at < now() - interval '2 days'";
        conn.execute(sql, &[]).await?;
    }
    Ok(())
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

/// Memories and tombstones of these ids, and none where there is none.
async fn known(
    conn: &Conn,
    ids: &[MemoryId],
) -> Result<HashMap<MemoryId, (Option<Memory>, Option<Tombstone>)>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "SELECT {} FROM nuthatch.tombstones WHERE tenant = $1 AND id = ANY ($2)",
        codec::TOMBSTONE
    );
    let wanted: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let wanted = params![wanted];
    let (memories, rows) = try_join(read::memories(conn, ids), conn.rows(&sql, &wanted)).await?;
    let mut memories: HashMap<MemoryId, Memory> =
        memories.into_iter().map(|one| (one.id, one)).collect();
    let mut tombstones = HashMap::new();
    for row in rows {
        let tombstone = codec::tombstone(&row)?;
        tombstones.insert(tombstone.id, tombstone);
    }
    Ok(ids.iter().map(|id| (*id, (memories.remove(id), tombstones.remove(id)))).collect())
}

impl Tx for PostgresTx {
    async fn foresee(&mut self, set: &ChangeSet) -> Result<()> {
        let named = set.changes().iter().filter_map(|change| match change {
            Change::Remember(change) => Some(change.memory.id),
            Change::Adopt(change) => Some(change.record.memory.id),
            Change::Restore(record) => Some(record.memory.id),
            _ => None,
        });
        // A set may name one more than once.
        let named: Vec<MemoryId> = named.collect::<BTreeSet<_>>().into_iter().collect();
        let conn = Arc::clone(&self.conn);
        let foretold = Foretold::of(&conn, set);
        let (foretold, foreseen) = try_join(foretold, known(&conn, &named)).await?;
        (self.foretold, self.foreseen) = (foretold, foreseen);
        Ok(())
    }

    async fn seen(&mut self, id: ChangeSetId) -> Result<Option<String>> {
        let rows = self.ask(Question::receipt(id)).await?;
        rows.first().map(|row| codec::text(row, 0)).transpose()
    }

    async fn mark_seen(&mut self, id: ChangeSetId, receipt: &str) -> Result<()> {
        self.receipt = Some((id, receipt.to_owned()));
        Ok(())
    }

    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        if let Some((known, _)) = self.foreseen.get(&id) {
            return Ok(known.clone());
        }
        self.ask_for_memory(Question::memory("m.id = $2", params![id])).await
    }

    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>> {
        self.ask_for_memory(Question::memory_of_key(scope, key)).await
    }

    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>> {
        self.ask_for_memory(Question::memory_of_content(scope, content)).await
    }

    async fn put_memory(&mut self, memory: &Memory) -> Result<()> {
        let old = Tx::memory(self, memory.id).await?;
        self.foretold.forget();
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
            let moved = [(&old.scope, -1, -before), (&memory.scope, 1, chars)];
            recount(&self.conn, &moved).await?;
        } else if chars != before {
            recount(&self.conn, &[(&memory.scope, 0, chars - before)]).await?;
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
        self.foretold.forget();
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
        recount(&self.conn, &[(&old.scope, -1, -count(old.chars()))]).await
    }

    async fn evictable(&mut self, scope: &Scope) -> Result<Vec<(MemoryId, u64)>> {
        self.settle().await?;
        let sql = "SELECT id, chars FROM nuthatch.memories WHERE tenant = $1 AND scope = $2 \
                   AND NOT pinned AND category <> $3 ORDER BY created_at, id";
        let rows = self.conn.rows(sql, &params![scope, Category::restriction().as_str()]).await?;
        rows.iter().map(|row| Ok((MemoryId(column(row, 0)?), number(row, 1)?))).collect()
    }

    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>> {
        self.ask_for_ids(Question::expired(category, before)).await
    }

    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>> {
        self.ask_for_ids(Question::members(scope)).await
    }

    async fn usage(&mut self, scope: &Scope) -> Result<Usage> {
        let rows = self.ask(Question::usage(scope)).await?;
        let read = |row: &Row| Ok(Usage { entries: number(row, 0)?, chars: number(row, 1)? });
        rows.first().map_or(Ok(Usage::default()), read)
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
