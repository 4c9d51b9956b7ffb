//! Building everything derived anew, in steps that others hardly notice.
//!
//! Each step takes some documents out of the index of words and puts them back as they are cut
//! now; searches in between find all of them. Vectors stay. What no document has any more goes at
//! the end, and indexes over vectors are made where they have become worth it.

use std::sync::Arc;

use nuthatch::error::{Kind, Result};
use nuthatch::filter::Page;
use nuthatch::id::SessionId;
use uuid::Uuid;

use super::connect::{Conn, Link, Mode, elsewhere, params};
use super::index::{self, Document};
use super::{PostgresStore, codec, embedded, read, turns};

/// Documents of one step: a writer that has to wait for it waits for a fraction of a second.
const STEP: u64 = 200;

/// Tables that hold texts, words or vectors of what may be forgotten.
const TABLES: &str = "nuthatch.memories, nuthatch.versions, nuthatch.turns, nuthatch.sessions, \
    nuthatch.documents, nuthatch.postings, nuthatch.vectors, nuthatch.applied";

/// Rows that nobody can see any more are overwritten when they are vacuumed.
pub async fn wipe(link: Arc<Link>) -> Result<Vec<String>> {
    elsewhere(async move {
        let conn = link.bare().await?;
        Ok(match conn.batch(&format!("VACUUM {TABLES}")).await {
            Ok(()) => Vec::new(),
            Err(_) => vec![link.address.to_string()],
        })
    })
    .await
}

/// Where the rebuild has got to.
#[derive(Clone)]
enum At {
    Memories(Uuid),
    Sessions(Option<SessionId>, u64),
    Leftovers,
    Done,
}

pub async fn reindex(store: &PostgresStore, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
    let count = |conn: Arc<Conn>| async move {
        let stats = read::stats(&conn).await?;
        Ok(stats.memories + stats.turns)
    };
    let total = store.transact(Mode::Read, count).await?;
    progress(0, total);
    let (mut at, mut done) = (At::Memories(Uuid::nil()), 0);
    while !matches!(at, At::Done) {
        let now = at.clone();
        let work = move |conn: Arc<Conn>| {
            let now = now.clone();
            async move { step(&conn, now).await }
        };
        let some;
        (at, some) = store.transact(Mode::Write, work).await?;
        done += some;
        progress(done, total.max(done));
    }
    make_indexes(store).await?;
    Ok(total.max(done))
}

async fn step(conn: &Conn, at: At) -> Result<(At, u64)> {
    match at {
        At::Memories(after) => memories(conn, after).await,
        At::Sessions(after, offset) => session(conn, after, offset).await,
        At::Leftovers => leftovers(conn).await.map(|()| (At::Done, 0)),
        At::Done => Ok((At::Done, 0)),
    }
}

async fn memories(conn: &Conn, after: Uuid) -> Result<(At, u64)> {
    let sql = format!(
        "SELECT {} FROM nuthatch.memories AS m WHERE m.tenant = $1 AND m.id > $2 \
         ORDER BY m.id LIMIT $3",
        codec::MEMORY
    );
    let rows = conn.rows(&sql, &params![after, STEP]).await?;
    let mut last = None;
    for row in &rows {
        let memory = codec::memory(row)?;
        anew(conn, &Document::memory(&memory)).await?;
        last = Some(memory.id.0);
    }
    Ok((last.map_or(At::Sessions(None, 0), At::Memories), rows.len() as u64))
}

/// Some turns of the conversation after one, or the rest of its own.
async fn session(conn: &Conn, after: Option<SessionId>, offset: u64) -> Result<(At, u64)> {
    let name = after.as_ref().map_or("", SessionId::as_str);
    let sql = if offset > 0 {
        "SELECT id FROM nuthatch.sessions WHERE tenant = $1 AND id = $2"
    } else {
        "SELECT id FROM nuthatch.sessions WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT 1"
    };
    let Some(row) = conn.one(sql, &params![name]).await? else {
        return Ok((At::Leftovers, 0));
    };
    let id: SessionId = codec::parsed(&row, 0)?;
    let Some(known) = turns::session(conn, &id).await? else { return Ok((At::Leftovers, 0)) };
    let some = read::turns(conn, &id, Page { offset, limit: STEP }).await?;
    for turn in &some {
        anew(conn, &Document::turn(turn, known.scope())).await?;
    }
    let many = some.len() as u64;
    let next = if many == STEP {
        At::Sessions(Some(id), offset + STEP)
    } else {
        At::Sessions(Some(id), 0)
    };
    Ok((next, many))
}

/// A document's words as they are cut now. One that the index had lost waits for its vectors.
async fn anew(conn: &Conn, document: &Document) -> Result<()> {
    let sql = "SELECT 1 FROM nuthatch.documents WHERE tenant = $1 AND doc = $2 AND hash = $3";
    let known = conn.one(sql, &params![document.doc, document.hash.0.to_vec()]).await?.is_some();
    if known { index::move_to(conn, document).await } else { index::replace(conn, document).await }
}

/// What stands in the index without a document behind it, and counts that have gone astray.
async fn leftovers(conn: &Conn) -> Result<()> {
    for sql in [
        "DELETE FROM nuthatch.documents AS d WHERE d.tenant = $1 AND NOT EXISTS \
         (SELECT 1 FROM nuthatch.memories AS m WHERE m.tenant = $1 AND m.id = d.doc) \
         AND NOT EXISTS (SELECT 1 FROM nuthatch.turns AS t WHERE t.tenant = $1 \
         AND t.session = d.session AND t.seq = d.seq)",
        "DELETE FROM nuthatch.postings AS p WHERE p.tenant = $1 AND NOT EXISTS \
         (SELECT 1 FROM nuthatch.documents AS d WHERE d.tenant = $1 AND d.doc = p.doc \
         AND d.shelf = p.shelf AND p.term = ANY (d.terms))",
        "DELETE FROM nuthatch.vectors AS v WHERE v.tenant = $1 AND NOT EXISTS \
         (SELECT 1 FROM nuthatch.documents AS d WHERE d.tenant = $1 AND d.doc = v.doc)",
        "DELETE FROM nuthatch.pending AS w WHERE w.tenant = $1 AND NOT EXISTS \
         (SELECT 1 FROM nuthatch.documents AS d WHERE d.tenant = $1 AND d.doc = w.doc)",
        "UPDATE nuthatch.shelves AS s SET documents = c.documents, terms = c.terms FROM \
         (SELECT o.shelf, count(d.doc) AS documents, coalesce(sum(d.length), 0)::bigint AS terms \
         FROM nuthatch.shelves AS o LEFT JOIN nuthatch.documents AS d \
         ON d.tenant = $1 AND d.shelf = o.shelf WHERE o.tenant = $1 GROUP BY o.shelf) AS c \
         WHERE s.tenant = $1 AND s.shelf = c.shelf",
        "DELETE FROM nuthatch.shelves WHERE tenant = $1 AND documents = 0",
        "DELETE FROM nuthatch.scopes WHERE tenant = $1",
        "INSERT INTO nuthatch.scopes (tenant, scope, entries, chars) \
         SELECT $1, scope, count(*), sum(chars)::bigint FROM nuthatch.memories \
         WHERE tenant = $1 GROUP BY scope",
    ] {
        conn.execute(sql, &[]).await?;
    }
    Ok(())
}

/// Indexes over vectors are made while others read and write, which no transaction can.
async fn make_indexes(store: &PostgresStore) -> Result<()> {
    let wanted = |conn: Arc<Conn>| async move { embedded::wanted_indexes(&conn).await };
    let statements = store.transact(Mode::Read, wanted).await?;
    let link = Arc::clone(&store.link);
    elsewhere(async move {
        for sql in statements {
            match link.bare().await?.batch(&sql).await {
                // Only the owner of a table makes an index: without it all vectors are looked at.
                Err(error) if error.kind() == Kind::Denied => {}
                made => made?,
            }
        }
        Ok(())
    })
    .await
}
