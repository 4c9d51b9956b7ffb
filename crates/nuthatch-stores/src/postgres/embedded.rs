//! Keeping vectors, knowing which are missing, and the indexes over them.
//!
//! A document that is new or says something else stands in `pending` for every model that the
//! store knows, from the same transaction on. A model gets to be known when it is first asked
//! about, and then everything waits for it. Without pgvector nothing waits and nothing is kept.

use nuthatch::error::Result;
use nuthatch::id::{DocId, ModelId};
use nuthatch::store::{Embedded, Unembedded, VectorUsage};
use uuid::Uuid;

use super::codec::{self, column, count, number, optional_text, text};
use super::connect::{Conn, params};
use super::index;

/// From so many vectors of a tenant and model on an index is worth its making; below, looking at
/// all of them takes milliseconds and misses nothing.
pub const INDEXED_FROM: u64 = 20_000;

/// The most dimensions that an index of half precision takes.
const MOST_DIMENSIONS: i64 = 4000;

/// Whether the tenant has heard of a model.
pub async fn is_known(conn: &Conn, model: &ModelId) -> Result<bool> {
    let sql = "SELECT 1 FROM nuthatch.models WHERE tenant = $1 AND model = $2";
    Ok(conn.one(sql, &params![codec::model_uuid(model)]).await?.is_some())
}

/// Makes a model known; everything there is waits for it.
pub async fn introduce(conn: &Conn, model: &ModelId) -> Result<()> {
    let sql = "INSERT INTO nuthatch.models (tenant, model, id) VALUES ($1, $2, $3) \
               ON CONFLICT DO NOTHING";
    let number = codec::model_uuid(model);
    if conn.execute(sql, &params![number, model.as_str()]).await? > 0 {
        let sql = "INSERT INTO nuthatch.pending (tenant, model, kind, session, seq, doc, shelf) \
                   SELECT $1, $2, d.kind, d.session, d.seq, d.doc, d.shelf \
                   FROM nuthatch.documents AS d WHERE d.tenant = $1 ON CONFLICT DO NOTHING";
        conn.execute(sql, &params![number]).await?;
    }
    Ok(())
}

/// Documents that wait for vectors of a model, after one of them.
pub async fn unembedded(
    conn: &Conn,
    model: &ModelId,
    after: Option<&DocId>,
    limit: usize,
) -> Result<Vec<Unembedded>> {
    let sql = "SELECT w.kind, w.session, w.seq, w.doc, m.key, m.content, t.asked, t.text \
               FROM nuthatch.pending AS w \
               LEFT JOIN nuthatch.memories AS m ON w.kind = 0 AND m.tenant = $1 AND m.id = w.doc \
               LEFT JOIN nuthatch.turns AS t ON w.kind = 1 AND t.tenant = $1 \
               AND t.session = w.session AND t.seq = w.seq \
               WHERE w.tenant = $1 AND w.model = $2 \
               AND (w.kind, w.session, w.seq, w.doc) > ($3, $4, $5, $6) \
               ORDER BY w.kind, w.session, w.seq, w.doc LIMIT $7";
    let (kind, session, seq) = match after {
        None => (-1, "", 0),
        Some(DocId::Memory(_)) => (index::MEMORY, "", 0),
        Some(DocId::Turn(id)) => (index::TURN, id.session.as_str(), count(id.seq)),
    };
    let doc = after.map_or(Uuid::nil(), codec::doc_uuid);
    let values = params![codec::model_uuid(model), kind, session, seq, doc, limit as u64];
    let mut found = Vec::new();
    for row in conn.rows(sql, &values).await? {
        let kind: i64 = column(&row, 0)?;
        let doc = index::doc_id(kind, column(&row, 3)?, &text(&row, 1)?, number(&row, 2)?)?;
        let places = if kind == index::MEMORY { (4, 5) } else { (6, 7) };
        let key = optional_text(&row, places.0)?;
        let Some(text) = optional_text(&row, places.1)? else { continue };
        let hash = nuthatch::id::ContentHash::of(key.as_deref(), &text);
        found.push(Unembedded { doc, key, text, hash });
    }
    Ok(found)
}

/// Keeps vectors of what still says what it said.
pub async fn put(conn: &Conn, model: &ModelId, items: &[Embedded]) -> Result<u64> {
    let Some(pgvector) = &conn.vectors else { return Ok(0) };
    introduce(conn, model).await?;
    let number = codec::model_uuid(model);
    let kept = "SELECT shelf FROM nuthatch.documents WHERE tenant = $1 AND doc = $2 AND hash = $3";
    let clear = "WITH waits AS (DELETE FROM nuthatch.pending \
                 WHERE tenant = $1 AND doc = $3 AND model = $2) \
                 DELETE FROM nuthatch.vectors WHERE tenant = $1 AND model = $2 AND doc = $3";
    let insert = format!(
        "INSERT INTO nuthatch.vectors (tenant, model, doc, passage, shelf, start, finish, dims, \
         code, direction) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::{}.halfvec)",
        pgvector.schema
    );
    let mut stored = 0;
    for item in items {
        let doc = codec::doc_uuid(&item.doc);
        let Some(row) = conn.one(kept, &params![doc, item.hash.0.to_vec()]).await? else {
            continue;
        };
        let shelf: Uuid = column(&row, 0)?;
        conn.execute(clear, &params![number, doc]).await?;
        for (place, passage) in item.passages.iter().enumerate() {
            let components = passage.vector.components();
            let code: Vec<u8> = components.iter().map(|c| *c as u8).collect();
            let written: Vec<String> = components.iter().map(i8::to_string).collect();
            let direction = (!components.is_empty()).then(|| format!("[{}]", written.join(",")));
            let values = params![
                number,
                doc,
                place as u64,
                shelf,
                passage.range.start as u64,
                passage.range.end as u64,
                components.len() as u64,
                code,
                direction,
            ];
            conn.execute(&insert, &values).await?;
        }
        stored += 1;
    }
    Ok(stored)
}

/// Removes the vectors of every model but these.
pub async fn drop_all_but(conn: &Conn, keep: &[ModelId]) -> Result<u64> {
    let keep: Vec<Uuid> = keep.iter().map(codec::model_uuid).collect();
    let gone = "DELETE FROM nuthatch.vectors WHERE tenant = $1 AND model <> ALL ($2)";
    let dropped = conn.execute(gone, &params![keep.clone()]).await?;
    for table in ["pending", "models"] {
        let sql = format!("DELETE FROM nuthatch.{table} WHERE tenant = $1 AND model <> ALL ($2)");
        conn.execute(&sql, &params![keep.clone()]).await?;
    }
    Ok(dropped)
}

/// What each model has embedded.
pub async fn usage(conn: &Conn) -> Result<Vec<VectorUsage>> {
    let sql = "SELECT o.id, (SELECT count(*) FROM nuthatch.documents WHERE tenant = $1), \
               (SELECT count(*) FROM nuthatch.pending AS w WHERE w.tenant = $1 AND w.model = o.model), \
               (SELECT count(*) FROM nuthatch.vectors AS v WHERE v.tenant = $1 AND v.model = o.model) \
               FROM nuthatch.models AS o WHERE o.tenant = $1 ORDER BY o.id";
    let mut found = Vec::new();
    for row in conn.rows(sql, &[]).await? {
        let pending = number(&row, 2)?;
        found.push(VectorUsage {
            model: codec::parsed(&row, 0)?,
            documents: number(&row, 1)?.saturating_sub(pending),
            pending,
            passages: number(&row, 3)?,
        });
    }
    Ok(found)
}

/// What the index of a tenant's vectors of a model is called.
fn index_name(tenant: &str, model: Uuid, dimensions: i64) -> String {
    let text = format!("{tenant} {model} {dimensions}");
    let short: String = blake3::hash(text.as_bytes()).to_hex().chars().take(24).collect();
    format!("vectors_near_{short}")
}

/// Whether there is an index of the tenant's vectors of a model.
pub async fn has_index(conn: &Conn, model: &ModelId, dimensions: usize) -> Result<bool> {
    let sql = "SELECT 1 FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid \
               WHERE c.relnamespace = 'nuthatch'::regnamespace AND c.relname = $2 \
               AND i.indisvalid AND $1::text IS NOT NULL";
    let dimensions = count(dimensions as u64);
    let name = index_name(conn.tenant(), codec::model_uuid(model), dimensions);
    Ok(conn.one(sql, &params![name]).await?.is_some())
}

/// The statements that make an index for each model of which the tenant has enough vectors. An
/// index over vectors knows no tenant first, so each tenant has one of its own.
pub async fn wanted_indexes(conn: &Conn) -> Result<Vec<String>> {
    let Some(pgvector) = &conn.vectors else { return Ok(Vec::new()) };
    let sql = "SELECT model, dims, count(*) FROM nuthatch.vectors WHERE tenant = $1 \
               GROUP BY model, dims HAVING count(*) >= $2";
    let mut statements = Vec::new();
    for row in conn.rows(sql, &params![INDEXED_FROM]).await? {
        let (model, dimensions): (Uuid, i64) = (column(&row, 0)?, column(&row, 1)?);
        if (1..=MOST_DIMENSIONS).contains(&dimensions) {
            let (name, schema) = (index_name(conn.tenant(), model, dimensions), &pgvector.schema);
            statements.push(format!(
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON nuthatch.vectors \
                 USING hnsw ((direction::{schema}.halfvec({dimensions})) {schema}.halfvec_cosine_ops) \
                 WHERE tenant = '{}' AND model = '{model}' AND dims = {dimensions}",
                conn.tenant()
            ));
        }
    }
    Ok(statements)
}
