//! Building everything derived anew, in steps that others hardly notice.
//!
//! Each step takes some documents out of the index of words and puts them back as they are cut
//! now, under new numbers; searches in between find all of them. Vectors stay. What is left under old
//! numbers goes at the end, and indexes over vectors are made where they have become worth it.

use std::collections::HashSet;
use std::sync::Arc;

use nuthatch::error::{Kind, Result};
use nuthatch::filter::Page;
use nuthatch::id::SessionId;
use uuid::Uuid;

use super::codec::column;
use super::connect::{Conn, Link, Mode, elsewhere, params};
use super::embedded::Wanted;
use super::index::{self, Document};
use super::{PostgresStore, codec, embedded, read, turns, words};

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

/// The number of the last document: whoever is indexed anew gets a greater one.
async fn numbered(conn: &Conn) -> Result<i64> {
    let sql = "SELECT numbered FROM nuthatch.tenants WHERE tenant = $1";
    conn.one(sql, &[]).await?.map_or(Ok(0), |row| column(&row, 0))
}

pub async fn reindex(store: &PostgresStore, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
    let count = |conn: Arc<Conn>| async move {
        let stats = read::stats(&conn).await?;
        Ok((stats.memories + stats.turns, numbered(&conn).await?))
    };
    let (total, upto) = store.transact(Mode::Read, count).await?;
    progress(0, total);
    let (mut at, mut done) = (At::Memories(Uuid::nil()), 0);
    while !matches!(at, At::Done) {
        let now = at.clone();
        let work = move |conn: Arc<Conn>| {
            let now = now.clone();
            async move { step(&conn, now, upto).await }
        };
        let some;
        (at, some) = store.transact(Mode::Write, work).await?;
        done += some;
        progress(done, total.max(done));
    }
    make_indexes(store).await?;
    Ok(total.max(done))
}

async fn step(conn: &Conn, at: At, upto: i64) -> Result<(At, u64)> {
    match at {
        At::Memories(after) => memories(conn, after).await,
        At::Sessions(after, offset) => session(conn, after, offset).await,
        At::Leftovers => leftovers(conn, upto).await.map(|()| (At::Done, 0)),
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
    let mut documents = Vec::new();
    for row in &rows {
        let memory = codec::memory(row)?;
        documents.push(Document::memory(&memory));
        last = Some(memory.id.0);
    }
    anew(conn, documents).await?;
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
    anew(conn, some.iter().map(|turn| Document::turn(turn, known.scope())).collect()).await?;
    let many = some.len() as u64;
    let next = if many == STEP {
        At::Sessions(Some(id), offset + STEP)
    } else {
        At::Sessions(Some(id), 0)
    };
    Ok((next, many))
}

/// The words of documents as they are cut now. Those that the index had lost wait for vectors.
async fn anew(conn: &Conn, documents: Vec<Document>) -> Result<()> {
    let sql = "SELECT d.doc FROM unnest($2, $3) AS w (doc, hash) JOIN nuthatch.documents AS d \
               ON d.tenant = $1 AND d.doc = w.doc AND d.hash = w.hash";
    let docs: Vec<Uuid> = documents.iter().map(|document| document.doc).collect();
    let hashes: Vec<Vec<u8>> = documents.iter().map(|one| one.hash.0.to_vec()).collect();
    let rows = conn.rows(sql, &params![docs, hashes]).await?;
    let known: HashSet<Uuid> = rows.iter().map(|row| column(row, 0)).collect::<Result<_>>()?;
    let (known, lost): (Vec<Document>, Vec<Document>) =
        documents.into_iter().partition(|document| known.contains(&document.doc));
    index::move_to(conn, &known).await?;
    index::replace(conn, &lost).await
}

/// What stands in the index without a document behind it, and counts that have gone astray.
async fn leftovers(conn: &Conn, upto: i64) -> Result<()> {
    words::sweep(conn, upto).await?;
    for sql in [
        "DELETE FROM nuthatch.documents AS d WHERE d.tenant = $1 AND NOT EXISTS \
         (SELECT 1 FROM nuthatch.memories AS m WHERE m.tenant = $1 AND m.id = d.doc) \
         AND NOT EXISTS (SELECT 1 FROM nuthatch.turns AS t WHERE t.tenant = $1 \
         AND t.session = d.session AND t.seq = d.seq)",
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

/// Makes indexes over vectors where they have become worth it: while others read and write, which
/// no transaction can.
pub async fn make_indexes(store: &PostgresStore) -> Result<()> {
    let wanted = |conn: Arc<Conn>| async move { embedded::wanted_indexes(&conn).await };
    let wanted = store.transact(Mode::Read, wanted).await?;
    let link = Arc::clone(&store.link);
    elsewhere(async move {
        for index in wanted {
            match make_index(&link, &index).await {
                // Only the owner of a table makes an index: without it all vectors are looked at.
                Err(error) if error.kind() == Kind::Denied => {}
                made => made?,
            }
        }
        Ok(())
    })
    .await
}

async fn make_index(link: &Arc<Link>, Wanted { name, sql, megabytes }: &Wanted) -> Result<()> {
    let conn = link.bare().await?;
    // What was broken off half-way is there and never used.
    let broken = "SELECT 1 FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid \
                  WHERE c.relnamespace = 'nuthatch'::regnamespace AND c.relname = $2 \
                  AND NOT i.indisvalid AND $1::text IS NOT NULL AND NOT EXISTS \
                  (SELECT 1 FROM pg_stat_progress_create_index AS p WHERE p.index_relid = c.oid)";
    if conn.one(broken, &params![name]).await?.is_some() {
        conn.batch(&format!("DROP INDEX CONCURRENTLY IF EXISTS nuthatch.{name}")).await?;
    }
    conn.batch(&format!("SET maintenance_work_mem = '{megabytes}MB'")).await?;
    let mut made = conn.batch(sql).await;
    if made.as_ref().is_err_and(|error| error.kind() != Kind::Denied) {
        // Several workers share memory of which a container may have little: one takes longer.
        conn.batch(&format!("DROP INDEX CONCURRENTLY IF EXISTS nuthatch.{name}")).await?;
        conn.batch("SET max_parallel_maintenance_workers = 0").await?;
        made = conn.batch(sql).await;
    }
    conn.batch("RESET maintenance_work_mem; RESET max_parallel_maintenance_workers").await?;
    made
}
