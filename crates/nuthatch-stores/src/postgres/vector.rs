//! Search by vectors: pgvector finds the nearest, the library's arithmetic says how near.
//!
//! Components are whole numbers that half precision keeps exactly, so pgvector loses nothing; its
//! distances only choose candidates, which are then compared exactly. Without an index every
//! vector of the shelves is looked at; where a tenant has so many of a model that `reindex` made
//! one, it is asked: first for the nearest, then, where too few of those pass the filter, for the
//! nearest that pass. Where few pass at all, everything that passes is looked at, so that as many
//! are found as there are.

use std::collections::HashMap;
use std::ops::Range;

use futures_util::future::try_join;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Filter;
use nuthatch::id::DocId;
use nuthatch::store::{VectorMatch, VectorMatches, VectorQuery};
use nuthatch::vector::{cosine_of, dot};
use uuid::Uuid;

use super::codec::{self, column, number};
use super::connect::{Binds, Conn, params};
use super::index::{self, Shelves};
use super::open::Pgvector;
use super::text::{Admitted, passing};
use super::{embedded, filter};

/// Passages asked of an index for each document wanted: several may be of one document.
const DEPTH: usize = 3;
/// Where fewer than one of so many passes, what passes is sooner read whole than met by chance.
const RARE: usize = 50;
/// How many neighbours an index keeps in mind at least: among 34,000 texts embedded by the built-in
/// model it then finds 99.6 % of the 50 nearest, with 78 of them 98.4 %.
const LEAST_EFFORT: usize = 200;
/// Passages that an index may look at on its way to those wanted.
const MOST_SCANNED: usize = 20_000;

pub async fn search(conn: &Conn, query: &VectorQuery) -> Result<VectorMatches> {
    let Some(pgvector) = conn.vectors.clone() else { return Err(missing()) };
    let shelves = index::shelves(conn, &query.filter);
    let (shelves, is_known) = try_join(shelves, embedded::is_known(conn, &query.model)).await?;
    if !is_known {
        return Ok(VectorMatches { pending: shelves.documents, ..VectorMatches::default() });
    }
    let pending = pending(conn, query, &shelves);
    let (pending, found) = try_join(pending, nearest(conn, &pgvector, query, &shelves)).await?;
    let docs: Vec<Uuid> = found.iter().map(|(doc, _)| *doc).collect();
    let mut near: Vec<(Admitted, Passage)> = Vec::new();
    let mut measured = measure(conn, query, &docs).await?;
    for (doc, admitted) in found {
        near.extend(measured.remove(&doc).map(|passage| (admitted, passage)));
    }
    near.sort_by(|(one, a), (other, b)| {
        b.cosine.total_cmp(&a.cosine).then_with(|| (other.at, &other.id).cmp(&(one.at, &one.id)))
    });
    near.truncate(query.limit);
    let told = |(Admitted { id, .. }, Passage { cosine, range, .. })| VectorMatch {
        doc: id,
        passage: range,
        cosine,
    };
    let indexed = shelves.documents.saturating_sub(pending);
    Ok(VectorMatches { indexed, pending, matches: near.into_iter().map(told).collect() })
}

/// How many documents wait for their vectors.
async fn pending(conn: &Conn, query: &VectorQuery, shelves: &Shelves) -> Result<u64> {
    let sql = "SELECT count(*) FROM nuthatch.pending \
               WHERE tenant = $1 AND model = $2 AND shelf = ANY ($3)";
    let values = params![codec::model_uuid(&query.model), shelves.all()];
    conn.one(sql, &values).await?.map_or(Ok(0), |row| number(&row, 0))
}

fn missing() -> Error {
    Error::unavailable("this PostgreSQL has no pgvector, so only words are searched")
        .with_hint("install pgvector 0.8 or newer, then CREATE EXTENSION vector, then nuthatch reindex --missing")
}

/// At least the nearest documents that pass the filter, as many as asked for.
async fn nearest(
    conn: &Conn,
    pgvector: &Pgvector,
    query: &VectorQuery,
    shelves: &Shelves,
) -> Result<Vec<(Uuid, Admitted)>> {
    let dimensions = query.vector.dimensions();
    if query.limit == 0 || shelves.documents == 0 || dimensions == 0 {
        return Ok(Vec::new());
    }
    let looked = query.limit.saturating_add(query.limit / 4).saturating_add(16);
    // Fewer are compared one by one in the time that an index needs to find them.
    let is_worth_an_index = shelves.documents >= conn.index_from();
    if is_worth_an_index && embedded::has_index(conn, &query.model, dimensions).await? {
        if let Some(passing) = through_index(conn, pgvector, query, shelves, looked).await? {
            return Ok(passing);
        }
    } else {
        let some = candidates(conn, pgvector, query, shelves, (looked, None)).await?;
        let is_everything = some.len() < looked;
        let passing = admitted(conn, &query.filter, some).await?;
        if is_everything || passing.len() >= query.limit {
            return Ok(passing);
        }
    }
    let among = Some(&query.filter);
    let some = candidates(conn, pgvector, query, shelves, (query.limit, among)).await?;
    admitted(conn, &query.filter, some).await
}

/// The same by the index alone; nothing where too few pass for it.
async fn through_index(
    conn: &Conn,
    pgvector: &Pgvector,
    query: &VectorQuery,
    shelves: &Shelves,
    looked: usize,
) -> Result<Option<Vec<(Uuid, Admitted)>>> {
    // Deeper only where several passages are of one document.
    let (deep, filter) = (looked.saturating_mul(DEPTH), Some(&query.filter));
    let mut all_pass = false;
    for (passages, among) in [(looked, None), (looked, filter), (deep, filter)] {
        if all_pass && passages < deep {
            continue;
        }
        let mut near = by_index(conn, pgvector, query, shelves, (passages, among)).await?;
        let has_no_more = near.len() < passages;
        near.sort_unstable();
        near.dedup();
        let seen = near.len();
        let passing = admitted(conn, &query.filter, near).await?;
        if passing.len() >= query.limit {
            return Ok(Some(passing));
        }
        if has_no_more || passing.len().saturating_mul(RARE) < seen {
            return Ok(None);
        }
        all_pass = passing.len() == seen;
    }
    Ok(None)
}

/// Those of these documents that pass the filter.
async fn admitted(conn: &Conn, filter: &Filter, docs: Vec<Uuid>) -> Result<Vec<(Uuid, Admitted)>> {
    if docs.is_empty() {
        return Ok(Vec::new());
    }
    let mut binds = Binds::default();
    let among = format!("d.doc = ANY ({})", binds.bind(docs));
    passing(conn, filter, (binds, &among)).await
}

/// The documents of the nearest passages that the index knows, of everything or of what passes.
async fn by_index(
    conn: &Conn,
    pgvector: &Pgvector,
    query: &VectorQuery,
    shelves: &Shelves,
    (wanted, among): (usize, Option<&Filter>),
) -> Result<Vec<Uuid>> {
    let ef = wanted.clamp(LEAST_EFFORT, 1000);
    conn.batch(&format!(
        "SET LOCAL hnsw.ef_search = {ef}; SET LOCAL hnsw.iterative_scan = strict_order; \
         SET LOCAL hnsw.max_scan_tuples = {MOST_SCANNED}"
    ))
    .await?;
    let dimensions = query.vector.dimensions();
    let mut binds = Binds::default();
    let model = binds.bind(codec::model_uuid(&query.model));
    let on = binds.bind(shelves.all());
    let direction = binds.bind(embedded::written(query.vector.components()));
    let wanted = binds.bind(wanted as u64);
    let passing = among.map_or(String::new(), |filter| {
        let one = filter::documents(filter, &mut binds, ("1", "1"), "d.doc = v.doc");
        // The offset keeps the planner from joining, and then sorting, everything that passes.
        format!("AND EXISTS ({one} OFFSET 0)")
    });
    let schema = &pgvector.schema;
    let sql = format!(
        "SELECT v.doc FROM nuthatch.vectors AS v WHERE v.tenant = $1 AND v.model = {model} \
         AND v.dims = {dimensions} AND v.shelf = ANY ({on}) {passing} \
         ORDER BY v.direction::{schema}.halfvec({dimensions}) OPERATOR({schema}.<=>) \
         {direction}::{schema}.halfvec({dimensions}) LIMIT {wanted}"
    );
    let rows = conn.rows(&sql, &binds.0).await?;
    rows.iter().map(|row| column(row, 0)).collect()
}

/// The nearest documents by pgvector's distance, and all that could be as near as the last.
async fn candidates(
    conn: &Conn,
    pgvector: &Pgvector,
    query: &VectorQuery,
    shelves: &Shelves,
    (wanted, among): (usize, Option<&Filter>),
) -> Result<Vec<Uuid>> {
    let mut binds = Binds::default();
    let model = binds.bind(codec::model_uuid(&query.model));
    let on = binds.bind(shelves.all());
    let direction = binds.bind(embedded::written(query.vector.components()));
    let dimensions = binds.bind(query.vector.dimensions() as u64);
    let wanted = binds.bind(wanted as u64);
    let passing = among.map_or(String::new(), |filter| {
        let some = filter::documents(filter, &mut binds, ("d.doc", "d.doc"), "true");
        format!("AND v.doc IN ({some})")
    });
    let schema = &pgvector.schema;
    // What has no direction is at right angles to everything, as the library has it.
    let sql = format!(
        "WITH far AS MATERIALIZED (SELECT v.doc, v.direction OPERATOR({schema}.<=>) \
         {direction}::{schema}.halfvec AS far FROM nuthatch.vectors AS v WHERE v.tenant = $1 \
         AND v.model = {model} AND v.shelf = ANY ({on}) AND v.dims = {dimensions} {passing}), \
         hits AS MATERIALIZED (SELECT doc, min(CASE WHEN far = 'NaN' THEN 1 ELSE far END) AS far \
         FROM far GROUP BY doc), \
         best AS (SELECT far FROM hits ORDER BY far LIMIT {wanted}) \
         SELECT doc FROM hits WHERE far <= (SELECT max(far) FROM best) + 1e-5"
    );
    let rows = conn.rows(&sql, &binds.0).await?;
    rows.iter().map(|row| column(row, 0)).collect()
}

/// The nearest passage of a document.
struct Passage {
    cosine: f64,
    number: u64,
    range: Range<usize>,
}

/// Compares the vectors of these documents exactly.
async fn measure(
    conn: &Conn,
    query: &VectorQuery,
    docs: &[Uuid],
) -> Result<HashMap<Uuid, Passage>> {
    let sql = "SELECT doc, passage, start, finish, code FROM nuthatch.vectors \
               WHERE tenant = $1 AND model = $2 AND doc = ANY ($3)";
    let components = query.vector.components();
    let square = dot(components, components);
    let mut best: HashMap<Uuid, Passage> = HashMap::new();
    let values = params![codec::model_uuid(&query.model), docs.to_vec()];
    for row in conn.rows(sql, &values).await? {
        let code: Vec<i8> = column::<&[u8]>(&row, 4)?.iter().map(|byte| *byte as i8).collect();
        if code.len() != components.len() {
            continue;
        }
        let cosine = cosine_of(dot(&code, components), dot(&code, &code), square);
        let (doc, number): (Uuid, u64) = (column(&row, 0)?, number(&row, 1)?);
        let better = |known: &Passage| {
            cosine > known.cosine || cosine == known.cosine && number < known.number
        };
        if best.get(&doc).is_none_or(better) {
            let place = |at| codec::number(&row, at).map(|n| usize::try_from(n).unwrap_or(0));
            best.insert(doc, Passage { cosine, number, range: place(2)?..place(3)? });
        }
    }
    Ok(best)
}

/// How near these documents are, in the order asked for.
pub async fn cosines(conn: &Conn, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
    if conn.vectors.is_none() {
        return Ok(Vec::new());
    }
    let names: Vec<Uuid> = docs.iter().map(codec::doc_uuid).collect();
    let mut measured = measure(conn, query, &names).await?;
    let found = docs.iter().zip(names).filter_map(|(doc, name)| {
        let Passage { cosine, range, .. } = measured.remove(&name)?;
        Some(VectorMatch { doc: doc.clone(), passage: range, cosine })
    });
    Ok(found.collect())
}
