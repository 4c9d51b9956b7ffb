//! Search by vectors: all sketches are looked through, the best of them compared exactly.
//!
//! Sketches are read in blocks, and a block that did not change since it was last read may be
//! taken from RAM (`cache.rs`). Up to `LEAST_CANDIDATES` vectors every one is compared
//! exactly; beyond, enough of the best sketches are that hardly ever one is missed.
//! Keeping and dropping vectors is in `embedded.rs`.

use std::collections::{BinaryHeap, HashMap};

use nuthatch::error::Result;
use nuthatch::id::{DocId, ModelId};
use nuthatch::store::{VectorMatch, VectorMatches, VectorQuery, VectorUsage};
use nuthatch::vector::{cosine_of, dot};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::admit::{self, Admitted, Shelf};
use super::cache::{Cache, Place};
use super::codec::whole;
use super::kernel::Probe;
use super::read::{among, failure, rows};
use super::words::Kind;
use crate::packed::Rows;

/// Fewest sketches whose vectors are compared exactly.
const LEAST_CANDIDATES: usize = 1000;
/// Sketches compared exactly for each document wanted. Three were enough for 99.99 % of the
/// hundred nearest of 43,776 vectors of a small model.
const DEPTH: usize = 4;

/// Vectors asked for in one query: below what SQLite takes as parameters.
const VECTORS_AT_ONCE: usize = 500;

/// The number of a model, if the store knows it.
pub(super) fn model_number(connection: &Connection, model: &ModelId) -> Result<Option<i64>> {
    let sql = "SELECT model FROM models WHERE id = ?1";
    let find = || -> rusqlite::Result<Option<i64>> {
        connection.prepare_cached(sql)?.query_row([model.as_str()], |row| row.get(0)).optional()
    };
    find().map_err(|error| failure(connection, error))
}

/// The documents whose vectors lie nearest, best first.
pub(super) fn search(
    connection: &Connection,
    cache: &Cache,
    query: &VectorQuery,
) -> Result<VectorMatches> {
    let shelves = admit::shelves(connection, &query.filter)?;
    let documents: u64 = shelves.iter().map(|shelf| shelf.documents).sum();
    let Some(model) = model_number(connection, &query.model)? else {
        return Ok(VectorMatches { pending: documents, ..VectorMatches::default() });
    };
    let pending = pending(connection, model, &shelves)?;
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let blocks = blocks(connection, model, kind, &shelves)?;
        found.extend(nearest(&Sketches { connection, cache, blocks }, query, kind)?);
    }
    found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.admitted.newer(&b.admitted)));
    found.truncate(query.limit);
    let told = |near: Near| VectorMatch {
        doc: near.admitted.doc,
        passage: near.passage,
        cosine: near.cosine,
    };
    let matches = found.into_iter().map(told).collect();
    Ok(VectorMatches { indexed: documents.saturating_sub(pending), pending, matches })
}

/// How many documents of these shelves wait for vectors of a model.
fn pending(connection: &Connection, model: i64, shelves: &[Shelf]) -> Result<u64> {
    let sql = "SELECT pending FROM progress WHERE model = ?1 AND shelf = ?2";
    let mut sum = 0;
    for Shelf { shelf, .. } in shelves {
        let found = rows(connection, sql, [model, *shelf], |row| row.get::<_, i64>(0))?;
        sum += found.into_iter().map(whole).sum::<u64>();
    }
    Ok(sum)
}

/// The blocks of a kind of document.
fn blocks(
    connection: &Connection,
    model: i64,
    kind: Kind,
    shelves: &[Shelf],
) -> Result<Vec<Place>> {
    let sql = "SELECT block, version, entries FROM sketches INDEXED BY sketches_by_shelf \
               WHERE model = ?1 AND shelf = ?2 ORDER BY block";
    let mut found = Vec::new();
    for shelf in shelves.iter().filter(|shelf| shelf.kind == kind) {
        found.extend(rows(connection, sql, [model, shelf.shelf], |row| {
            let entries = usize::try_from(row.get::<_, i64>(2)?).unwrap_or(usize::MAX);
            Ok(Place { number: row.get(0)?, version: row.get(1)?, entries })
        })?);
    }
    Ok(found)
}

/// Where the sketches of a kind of document are.
struct Sketches<'a> {
    connection: &'a Connection,
    cache: &'a Cache,
    blocks: Vec<Place>,
}

/// A document that lies near.
struct Near {
    admitted: Admitted,
    passage: std::ops::Range<usize>,
    cosine: f64,
}

/// The nearest documents of a kind that pass the filter: at least as many as asked for, if
/// there are so many.
fn nearest(sketches: &Sketches<'_>, query: &VectorQuery, kind: Kind) -> Result<Vec<Near>> {
    let entries = sketches.blocks.iter().fold(0_usize, |sum, one| sum.saturating_add(one.entries));
    if entries == 0 || query.limit == 0 {
        return Ok(Vec::new());
    }
    let connection = sketches.connection;
    let wanted = query.limit.saturating_mul(DEPTH).max(LEAST_CANDIDATES);
    let probe = Probe::new(query.vector.components());
    let candidates = candidates(&probe, sketches, wanted, None)?;
    let found = exact(connection, query, kind, &candidates)?;
    if candidates.len() == entries || found.len() >= query.limit {
        return Ok(found);
    }
    let allowed = admit::allowed(connection, &query.filter, kind)?;
    let candidates = self::candidates(&probe, sketches, wanted, Some(&allowed))?;
    exact(connection, query, kind, &candidates)
}

/// A vector that may be near. Ordered so that the farthest of several is the greatest.
#[derive(PartialEq)]
struct Candidate {
    near: f32,
    row: i64,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.near.total_cmp(&self.near).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The rows of the vectors whose sketches lie nearest.
fn candidates(
    probe: &Probe,
    sketches: &Sketches<'_>,
    wanted: usize,
    allowed: Option<&Rows>,
) -> Result<Vec<i64>> {
    let mut heap: BinaryHeap<Candidate> = BinaryHeap::with_capacity(wanted.min(1 << 16) + 1);
    let mut least = f32::NEG_INFINITY;
    let mut see = |near: f32, row: i64, doc: i64| {
        if (near > least || heap.len() < wanted)
            && allowed.is_none_or(|allowed| allowed.contains(doc))
        {
            if heap.len() == wanted {
                heap.pop();
            }
            heap.push(Candidate { near, row });
            if heap.len() == wanted {
                least = heap.peek().map_or(f32::NEG_INFINITY, |farthest| farthest.near);
            }
        }
    };
    for block in &sketches.blocks {
        sketches.cache.show(sketches.connection, *block, |view| view.look(probe, &mut see))?;
    }
    let mut rows: Vec<i64> = heap.into_iter().map(|candidate| candidate.row).collect();
    // In the order of the file.
    rows.sort_unstable();
    Ok(rows)
}

/// The documents of these vectors that pass the filter, compared exactly: as many as asked
/// for, if there are so many, and all that are as near as the last of them.
fn exact(
    connection: &Connection,
    query: &VectorQuery,
    kind: Kind,
    vectors: &[i64],
) -> Result<Vec<Near>> {
    let mut measure = Measure::new(query);
    for some in vectors.chunks(VECTORS_AT_ONCE) {
        let among = among("row", some.len());
        let sql = format!("SELECT doc, passage, start, finish, code FROM vectors WHERE {among}");
        rows(connection, &sql, params_from_iter(some), |row| measure.take(row))?;
    }
    let mut near: Vec<(i64, Passage)> = measure.best.into_iter().collect();
    near.sort_by(|(_, a), (_, b)| b.cosine.total_cmp(&a.cosine));
    // Most pass, so the best are looked at first.
    let mut looked = query.limit.saturating_add(query.limit / 4).saturating_add(16);
    loop {
        looked = looked.min(near.len());
        while looked < near.len() && near[looked].1.cosine == near[looked - 1].1.cosine {
            looked += 1;
        }
        let docs: Vec<i64> = near[..looked].iter().map(|(doc, _)| *doc).collect();
        let mut admitted = admit::admitted(connection, &query.filter, kind, &docs)?;
        if admitted.len() >= query.limit || looked == near.len() {
            let near = near.into_iter().filter_map(|(doc, passage)| {
                let admitted = admitted.remove(&doc)?;
                Some(Near { admitted, passage: passage.range, cosine: passage.cosine })
            });
            return Ok(near.collect());
        }
        looked = near.len();
    }
}

/// Compares vectors and keeps the best passage of each document.
struct Measure<'a> {
    components: &'a [i8],
    square: i64,
    best: HashMap<i64, Passage>,
}

struct Passage {
    cosine: f64,
    number: i64,
    range: std::ops::Range<usize>,
}

impl<'a> Measure<'a> {
    fn new(query: &'a VectorQuery) -> Self {
        let components = query.vector.components();
        Measure { components, square: dot(components, components), best: HashMap::new() }
    }

    /// Takes a row of document, passage, its range, and code.
    fn take(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let code: Vec<i8> = row.get_ref(4)?.as_blob()?.iter().map(|byte| *byte as i8).collect();
        if code.len() != self.components.len() {
            return Ok(());
        }
        let cosine = cosine_of(dot(&code, self.components), dot(&code, &code), self.square);
        let (doc, number): (i64, i64) = (row.get(0)?, row.get(1)?);
        let better = |known: &Passage| {
            cosine > known.cosine || cosine == known.cosine && number < known.number
        };
        if self.best.get(&doc).is_none_or(better) {
            let place = |at| row.get::<_, i64>(at).map(|n| usize::try_from(n).unwrap_or(0));
            self.best.insert(doc, Passage { cosine, number, range: place(2)?..place(3)? });
        }
        Ok(())
    }
}

/// How near these documents are, in the order asked for.
pub(super) fn cosines(
    connection: &Connection,
    query: &VectorQuery,
    docs: &[DocId],
) -> Result<Vec<VectorMatch>> {
    let Some(model) = model_number(connection, &query.model)? else { return Ok(Vec::new()) };
    let sql = "SELECT doc, passage, start, finish, code FROM vectors \
               WHERE kind = ?1 AND doc = ?2 AND model = ?3";
    let mut found: HashMap<DocId, VectorMatch> = HashMap::new();
    for (kind, row, doc) in admit::rows_of(connection, docs)? {
        let mut measure = Measure::new(query);
        let place = params![kind as i64, row, model];
        rows(connection, sql, place, |row| measure.take(row))?;
        if let Some(Passage { cosine, range, .. }) = measure.best.remove(&row) {
            found.insert(doc.clone(), VectorMatch { doc, passage: range, cosine });
        }
    }
    Ok(docs.iter().filter_map(|doc| found.remove(doc)).collect())
}

/// What each model has embedded.
pub(super) fn usage(connection: &Connection) -> Result<Vec<VectorUsage>> {
    let sql = "SELECT m.id, (SELECT total(documents) FROM shelves), total(p.pending), \
               total(p.passages) FROM models AS m LEFT JOIN progress AS p ON p.model = m.model \
               GROUP BY m.model ORDER BY m.id";
    rows(connection, sql, [], |row| {
        let number = |at| row.get::<_, f64>(at).map(|n| n as u64);
        let pending = number(2)?;
        Ok(VectorUsage {
            model: super::codec::parsed(row, 0)?,
            documents: number(1)?.saturating_sub(pending),
            pending,
            passages: number(3)?,
        })
    })
}
