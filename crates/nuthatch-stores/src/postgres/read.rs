//! Reading: memories, lists, versions, conversations, counts.
//!
//! Each is one snapshot (`connect.rs`); conditions are in `filter.rs`, searches in `text.rs` and
//! `vector.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{MemoryId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{Around, Listed, ScopeUsage, SessionFacts, StoreStats, TurnFacts};

use super::codec::{self, column, count, number, parsed, time};
use super::connect::{Binds, Conn, params};
use super::filter;

pub async fn memories(conn: &Conn, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.memories AS m WHERE m.tenant = $1 AND m.id = ANY ($2)",
        codec::MEMORY
    );
    let wanted: Vec<uuid::Uuid> = ids.iter().map(|id| id.0).collect();
    let mut found: HashMap<MemoryId, Memory> = HashMap::new();
    for row in conn.rows(&sql, &params![wanted]).await? {
        let memory = codec::memory(&row)?;
        found.insert(memory.id, memory);
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

pub async fn list(conn: &Conn, filter: &Filter, page: Page) -> Result<Listed> {
    let mut binds = Binds::default();
    let condition = filter::memories(filter, &mut binds);
    let sql = format!("SELECT count(*) FROM nuthatch.memories AS m WHERE {condition}");
    let total = conn.one(&sql, &binds.0).await?.map_or(Ok(0), |row| number(&row, 0))?;
    if page.limit == 0 {
        return Ok(Listed { memories: Vec::new(), total });
    }
    let sql = format!(
        "SELECT {} FROM nuthatch.memories AS m WHERE {condition} \
         ORDER BY m.created_at DESC, m.id DESC LIMIT {} OFFSET {}",
        codec::MEMORY,
        binds.bind(page.limit),
        binds.bind(page.offset)
    );
    let rows = conn.rows(&sql, &binds.0).await?;
    let memories = rows.iter().map(codec::memory).collect::<Result<_>>()?;
    Ok(Listed { memories, total })
}

pub async fn versions(conn: &Conn, id: MemoryId) -> Result<Vec<Version>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.versions WHERE tenant = $1 AND memory_id = $2 ORDER BY number",
        codec::VERSION
    );
    conn.rows(&sql, &params![id]).await?.iter().map(codec::version).collect()
}

pub async fn versions_of(conn: &Conn, ids: &[MemoryId]) -> Result<Vec<Version>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.versions WHERE tenant = $1 AND memory_id = ANY ($2) \
         ORDER BY memory_id, number",
        codec::VERSION
    );
    let ids: Vec<uuid::Uuid> = ids.iter().map(|id| id.0).collect();
    conn.rows(&sql, &params![ids]).await?.iter().map(codec::version).collect()
}

pub async fn tombstones(
    conn: &Conn,
    after: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<Tombstone>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.tombstones WHERE tenant = $1 AND ($2::uuid IS NULL OR id > $2) \
         ORDER BY id LIMIT $3",
        codec::TOMBSTONE
    );
    let values = params![after.map(|id| id.0), limit as u64];
    conn.rows(&sql, &values).await?.iter().map(codec::tombstone).collect()
}

pub async fn sessions(conn: &Conn, page: Page) -> Result<Vec<Session>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.sessions AS s WHERE s.tenant = $1 \
         ORDER BY s.last_active_at DESC, s.id DESC LIMIT $2 OFFSET $3",
        codec::SESSION
    );
    let rows = conn.rows(&sql, &params![page.limit, page.offset]).await?;
    rows.iter().map(codec::session).collect()
}

pub async fn turns(conn: &Conn, id: &SessionId, page: Page) -> Result<Vec<Turn>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.turns AS t WHERE t.tenant = $1 AND t.session = $2 \
         ORDER BY t.seq LIMIT $3 OFFSET $4",
        codec::TURN
    );
    let rows = conn.rows(&sql, &params![id.as_str(), page.limit, page.offset]).await?;
    rows.iter().map(codec::turn).collect()
}

pub async fn around(conn: &Conn, turns: &[TurnId], reach: u64) -> Result<Around> {
    let sql = "SELECT t.session, t.seq, t.at, t.role, t.chars \
               FROM unnest($2, $3, $4) AS w (session, low, high) JOIN nuthatch.turns AS t \
               ON t.tenant = $1 AND t.session = w.session AND t.seq BETWEEN w.low AND w.high";
    let names: Vec<String> = turns.iter().map(|id| id.session.as_str().to_owned()).collect();
    let low: Vec<i64> = turns.iter().map(|id| count(id.seq.saturating_sub(reach))).collect();
    let high: Vec<i64> = turns.iter().map(|id| count(id.seq.saturating_add(reach))).collect();
    let mut found: BTreeMap<TurnId, TurnFacts> = BTreeMap::new();
    for row in conn.rows(sql, &params![names, low, high]).await? {
        let id = TurnId { session: parsed(&row, 0)?, seq: number(&row, 1)? };
        let (at, role, chars) = (time(&row, 2)?, parsed(&row, 3)?, number(&row, 4)?);
        found.insert(id.clone(), TurnFacts { id, at, role, chars });
    }
    let ids: BTreeSet<&SessionId> = found.keys().map(|id| &id.session).collect();
    let ids: Vec<String> = ids.into_iter().map(|id| id.as_str().to_owned()).collect();
    let sql = format!(
        "SELECT {}, (SELECT count(*) FROM nuthatch.turns AS t WHERE t.tenant = $1 \
         AND t.session = s.id) FROM nuthatch.sessions AS s \
         WHERE s.tenant = $1 AND s.id = ANY ($2) ORDER BY s.id",
        codec::SESSION
    );
    let mut sessions = Vec::new();
    for row in conn.rows(&sql, &params![ids]).await? {
        sessions.push(SessionFacts { session: codec::session(&row)?, turns: number(&row, 9)? });
    }
    sessions.sort_by(|a, b| a.session.id.cmp(&b.session.id));
    Ok(Around { turns: found.into_values().collect(), sessions })
}

pub async fn said(conn: &Conn, ids: &[TurnId]) -> Result<Vec<Turn>> {
    let sql = format!(
        "SELECT {} FROM unnest($2, $3) AS w (session, seq) JOIN nuthatch.turns AS t \
         ON t.tenant = $1 AND t.session = w.session AND t.seq = w.seq",
        codec::TURN
    );
    let names: Vec<String> = ids.iter().map(|id| id.session.as_str().to_owned()).collect();
    let places: Vec<i64> = ids.iter().map(|id| count(id.seq)).collect();
    let mut found: HashMap<TurnId, Turn> = HashMap::new();
    for row in conn.rows(&sql, &params![names, places]).await? {
        let turn = codec::turn(&row)?;
        found.insert(turn.id(), turn);
    }
    let mut seen = HashSet::new();
    let fresh = ids.iter().filter(|id| seen.insert(*id));
    Ok(fresh.filter_map(|id| found.remove(id)).collect())
}

pub async fn stats(conn: &Conn) -> Result<StoreStats> {
    let mut counts = [0; 4];
    for (place, table) in ["memories", "versions", "sessions", "turns"].into_iter().enumerate() {
        let sql = format!("SELECT count(*) FROM nuthatch.{table} WHERE tenant = $1");
        counts[place] = conn.one(&sql, &[]).await?.map_or(Ok(0), |row| number(&row, 0))?;
    }
    let sql = "SELECT scope, entries, chars FROM nuthatch.scopes WHERE tenant = $1 ORDER BY scope";
    let mut scopes = Vec::new();
    for row in conn.rows(sql, &[]).await? {
        scopes.push(ScopeUsage {
            scope: parsed(&row, 0)?,
            entries: number(&row, 1)?,
            chars: number(&row, 2)?,
        });
    }
    let sql = "SELECT category, count(*) FROM nuthatch.memories WHERE tenant = $1 \
               GROUP BY category ORDER BY category";
    let mut categories = Vec::new();
    for row in conn.rows(sql, &[]).await? {
        categories.push((codec::text(&row, 0)?, number(&row, 1)?));
    }
    let [memories, versions, sessions, turns] = counts;
    let vectors = super::embedded::usage(conn).await?;
    let bytes = bytes(conn).await?;
    Ok(StoreStats { memories, versions, sessions, turns, bytes, scopes, categories, vectors })
}

/// What the tables take, those of other tenants included: tenants share them.
async fn bytes(conn: &Conn) -> Result<u64> {
    let sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c \
               WHERE c.relkind = 'r' AND c.relnamespace = 'nuthatch'::regnamespace \
               AND $1::text IS NOT NULL";
    let row = conn.one(sql, &[]).await?;
    row.map_or(Ok(0), |row| column::<i64>(&row, 0).map(|n| u64::try_from(n).unwrap_or_default()))
}
