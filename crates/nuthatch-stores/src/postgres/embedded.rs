//! Keeping vectors, knowing which are missing, and the indexes over them.
//!
//! A document that is new or says something else stands in `pending` for every model that the
//! store knows, from the same transaction on. A model gets to be known when it is first asked
//! about, and then everything waits for it. Without pgvector nothing waits and nothing is kept.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use futures_util::future::try_join;
use nuthatch::error::Result;
use nuthatch::id::{DocId, ModelId};
use nuthatch::store::{Embedded, Unembedded, VectorUsage};
use uuid::Uuid;

use super::codec::{self, column, count, number, optional_text, text};
use super::connect::{Conn, params};
use super::index;
use super::open::Pgvector;

/// Bytes that an index keeps of each vector beside the vector itself.
const NEIGHBOURS: u64 = 450;
/// How much of the server's memory making an index may take.
const LEAST_MEGABYTES: u64 = 64;
const MOST_MEGABYTES: u64 = 2048;

/// Documents whose vectors go into one statement.
const AT_ONCE: usize = 500;

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

/// Keeps vectors of what still says what it said. One given twice has the later ones.
pub async fn put(conn: &Conn, model: &ModelId, items: &[Embedded]) -> Result<u64> {
    let Some(pgvector) = conn.vectors.clone() else { return Ok(0) };
    let number = codec::model_uuid(model);
    let given: BTreeMap<Uuid, &Embedded> =
        items.iter().map(|item| (codec::doc_uuid(&item.doc), item)).collect();
    let given: Vec<(Uuid, &Embedded)> = given.into_iter().collect();
    if given.is_empty() {
        introduce(conn, model).await?;
    }
    let mut stored = 0;
    let mut is_known = false;
    for some in given.chunks(AT_ONCE) {
        // What waits for the model is told before what no longer does.
        let introduced = async { if is_known { Ok(()) } else { introduce(conn, model).await } };
        let ((), shelves) = try_join(introduced, shelves_of(conn, some)).await?;
        is_known = true;
        stored += put_some(conn, &pgvector, (number, shelves), some).await?;
    }
    Ok(stored)
}

/// On which shelves documents stand that still say what was embedded.
async fn shelves_of(conn: &Conn, items: &[(Uuid, &Embedded)]) -> Result<HashMap<Uuid, Uuid>> {
    let sql = "SELECT d.doc, d.shelf FROM unnest($2, $3) AS w (doc, hash) \
               JOIN nuthatch.documents AS d ON d.tenant = $1 AND d.doc = w.doc AND d.hash = w.hash";
    let docs: Vec<Uuid> = items.iter().map(|(doc, _)| *doc).collect();
    let hashes: Vec<Vec<u8>> = items.iter().map(|(_, item)| item.hash.0.to_vec()).collect();
    let rows = conn.rows(sql, &params![docs, hashes]).await?;
    rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
}

async fn put_some(
    conn: &Conn,
    pgvector: &Pgvector,
    (model, shelves): (Uuid, HashMap<Uuid, Uuid>),
    items: &[(Uuid, &Embedded)],
) -> Result<u64> {
    let kept: Vec<Uuid> = shelves.keys().copied().collect();
    let clear = "WITH waits AS (DELETE FROM nuthatch.pending \
                 WHERE tenant = $1 AND doc = ANY ($3) AND model = $2) \
                 DELETE FROM nuthatch.vectors WHERE tenant = $1 AND model = $2 AND doc = ANY ($3)";
    let cleared = params![model, kept];
    let cleared = conn.execute(clear, &cleared);
    let mut passages = Passages::default();
    for (doc, item) in items {
        if let Some(shelf) = shelves.get(doc) {
            passages.push(*doc, *shelf, item);
        }
    }
    let insert = format!(
        "INSERT INTO nuthatch.vectors (tenant, model, doc, passage, shelf, start, finish, dims, \
         code, direction) SELECT $1, $2, w.doc, w.passage, w.shelf, w.start, w.finish, w.dims, \
         w.code, w.direction::{}.halfvec FROM unnest($3, $4, $5, $6, $7, $8, $9, $10) \
         AS w (doc, passage, shelf, start, finish, dims, code, direction)",
        pgvector.schema
    );
    let Passages { docs, numbers, shelves: on, starts, ends, dims, codes, directions } = passages;
    let values = params![model, docs, numbers, on, starts, ends, dims, codes, directions];
    try_join(cleared, conn.execute(&insert, &values)).await?;
    Ok(shelves.len() as u64)
}

/// Columns of many passages.
#[derive(Default)]
struct Passages {
    docs: Vec<Uuid>,
    numbers: Vec<i64>,
    shelves: Vec<Uuid>,
    starts: Vec<i64>,
    ends: Vec<i64>,
    dims: Vec<i64>,
    codes: Vec<Vec<u8>>,
    directions: Vec<Option<String>>,
}

impl Passages {
    fn push(&mut self, doc: Uuid, shelf: Uuid, item: &Embedded) {
        for (number, passage) in item.passages.iter().enumerate() {
            let components = passage.vector.components();
            self.docs.push(doc);
            self.numbers.push(count(number as u64));
            self.shelves.push(shelf);
            self.starts.push(count(passage.range.start as u64));
            self.ends.push(count(passage.range.end as u64));
            self.dims.push(count(components.len() as u64));
            self.codes.push(components.iter().map(|c| *c as u8).collect());
            self.directions.push((!components.is_empty()).then(|| written(components)));
        }
    }
}

/// A direction as pgvector reads it.
pub fn written(components: &[i8]) -> String {
    let mut text = String::with_capacity(4 * components.len() + 2);
    for component in components {
        text.push(if text.is_empty() { '[' } else { ',' });
        let _ = write!(text, "{component}");
    }
    text.push(']');
    text
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

/// An index that is worth its making.
pub struct Wanted {
    pub name: String,
    /// The statement that makes it.
    pub sql: String,
    /// Megabytes in which it can be made at once; with less it takes many times as long.
    pub megabytes: u64,
}

/// An index for each model of which the tenant has enough vectors. An index over vectors knows no
/// tenant first, so each tenant has one of its own.
pub async fn wanted_indexes(conn: &Conn) -> Result<Vec<Wanted>> {
    let Some(pgvector) = &conn.vectors else { return Ok(Vec::new()) };
    let sql = "SELECT model, dims, count(*) FROM nuthatch.vectors WHERE tenant = $1 \
               GROUP BY model, dims HAVING count(*) >= $2";
    let mut wanted = Vec::new();
    for row in conn.rows(sql, &params![conn.index_from()]).await? {
        let (model, dimensions): (Uuid, i64) = (column(&row, 0)?, column(&row, 1)?);
        if (1..=MOST_DIMENSIONS).contains(&dimensions) {
            let (name, schema) = (index_name(conn.tenant(), model, dimensions), &pgvector.schema);
            let sql = format!(
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON nuthatch.vectors \
                 USING hnsw ((direction::{schema}.halfvec({dimensions})) {schema}.halfvec_cosine_ops) \
                 WHERE tenant = '{}' AND model = '{model}' AND dims = {dimensions}",
                conn.tenant()
            );
            let each = 2 * dimensions.unsigned_abs() + NEIGHBOURS;
            let megabytes =
                ((number(&row, 2)? * each) >> 20).clamp(LEAST_MEGABYTES, MOST_MEGABYTES);
            wanted.push(Wanted { name, sql, megabytes });
        }
    }
    Ok(wanted)
}
