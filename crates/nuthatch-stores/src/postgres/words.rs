//! Which documents hold which words: blocks of postings (`packed/`) as rows.
//!
//! Documents are numbered in the order in which they are indexed, so a new one only adds to the
//! last block of each of its terms; many at once write each block once.

use std::collections::{BTreeMap, BTreeSet};

use nuthatch::error::{Error, Result};
use nuthatch::filter::Filter;
use tokio_postgres::Row;
use uuid::Uuid;

use super::codec::{column, text};
use super::connect::{Conn, params};
use super::index;
use crate::packed::{Block, Posting};

/// Where a block is: on which shelf, and of which term.
pub type Place = (Uuid, String);

/// The last block of each of these places that has one.
pub async fn last(conn: &Conn, places: &BTreeSet<Place>) -> Result<BTreeMap<Place, Vec<Block>>> {
    if places.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = "SELECT w.shelf, w.term, b.first, b.last, b.documents, b.data \
               FROM unnest($2, $3) AS w (shelf, term) CROSS JOIN LATERAL \
               (SELECT p.first, p.last, p.documents, p.data FROM nuthatch.postings AS p \
               WHERE p.tenant = $1 AND p.shelf = w.shelf AND p.term = w.term \
               ORDER BY p.first DESC LIMIT 1) AS b";
    let (shelves, terms): (Vec<Uuid>, Vec<String>) = places.iter().cloned().unzip();
    blocks(&conn.rows(sql, &params![shelves, terms]).await?)
}

/// Adds postings behind all that are there, of which these are the last blocks.
pub async fn add(
    conn: &Conn,
    postings: BTreeMap<Place, Vec<Posting>>,
    mut last: BTreeMap<Place, Vec<Block>>,
) -> Result<()> {
    let mut changed = Vec::new();
    for (place, postings) in postings {
        let grown = Block::append(last.remove(&place).and_then(|mut known| known.pop()), &postings);
        changed.extend(grown.into_iter().map(|block| (place.clone(), block)));
    }
    put(conn, changed).await
}

/// Takes documents, in ascending order, out of the blocks of their terms.
pub async fn remove(conn: &Conn, leaving: BTreeMap<Place, Vec<i64>>) -> Result<()> {
    if leaving.is_empty() {
        return Ok(());
    }
    let sql = "SELECT p.shelf, p.term, p.first, p.last, p.documents, p.data FROM \
               (SELECT DISTINCT w.shelf, w.term, (SELECT max(o.first) FROM nuthatch.postings AS o \
               WHERE o.tenant = $1 AND o.shelf = w.shelf AND o.term = w.term \
               AND o.first <= w.number) AS first FROM unnest($2, $3, $4) AS w (shelf, term, number)) \
               AS k JOIN nuthatch.postings AS p ON p.tenant = $1 AND p.shelf = k.shelf \
               AND p.term = k.term AND p.first = k.first";
    let (mut shelves, mut terms, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for ((shelf, term), docs) in &leaving {
        for doc in docs {
            shelves.push(*shelf);
            terms.push(term.clone());
            numbers.push(*doc);
        }
    }
    let held = blocks(&conn.rows(sql, &params![shelves, terms, numbers]).await?)?;
    let (mut left, mut emptied) = (Vec::new(), Vec::new());
    for (place, blocks) in held {
        let Some(docs) = leaving.get(&place) else { continue };
        for block in blocks {
            let rest = block.without(|doc| docs.binary_search(&doc).is_ok()).ok_or_else(damaged)?;
            let to = if rest.documents == 0 { &mut emptied } else { &mut left };
            to.push((place.clone(), rest));
        }
    }
    drop_blocks(conn, emptied).await?;
    put(conn, left).await
}

/// Takes out everything up to a number: what is indexed anew stands behind it.
pub async fn sweep(conn: &Conn, upto: i64) -> Result<()> {
    let sql = "DELETE FROM nuthatch.postings WHERE tenant = $1 AND last <= $2";
    conn.execute(sql, &params![upto]).await?;
    let sql = "SELECT shelf, term, first, last, documents, data FROM nuthatch.postings \
               WHERE tenant = $1 AND first <= $2";
    let (mut left, mut emptied) = (Vec::new(), Vec::new());
    for (place, blocks) in blocks(&conn.rows(sql, &params![upto]).await?)? {
        for block in blocks {
            // One that makes no sense holds nothing that anybody could find.
            let rest = block.without(|doc| doc <= upto).unwrap_or(Block { documents: 0, ..block });
            let to = if rest.documents == 0 { &mut emptied } else { &mut left };
            to.push((place.clone(), rest));
        }
    }
    drop_blocks(conn, emptied).await?;
    put(conn, left).await
}

/// The words on the shelves of a filter that begin so, in order.
pub async fn beginning(conn: &Conn, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT term FROM nuthatch.postings WHERE tenant = $1 \
               AND shelf = ANY ($2) AND term >= $3 AND term < $4 ORDER BY term";
    // Nothing that begins so comes after the greatest of all characters.
    let end = format!("{beginning}{}", char::MAX);
    let shelves = index::shelves(conn, filter).await?.all();
    let rows = conn.rows(sql, &params![shelves, beginning, end]).await?;
    rows.iter().map(|row| text(row, 0)).collect()
}

/// Blocks of a query's terms, in the order of the terms, and in how many documents each occurs.
pub struct Found {
    rows: Vec<Row>,
    order: Vec<usize>,
    pub frequencies: Vec<u64>,
}

/// One block among those found.
pub struct View<'a> {
    pub term: usize,
    pub first: i64,
    pub last: i64,
    pub data: &'a [u8],
}

/// Reads every block of these terms; without what is in them where only their number is wanted.
pub async fn find(conn: &Conn, shelves: Vec<Uuid>, terms: &[String], whole: bool) -> Result<Found> {
    let mut found =
        Found { rows: Vec::new(), order: Vec::new(), frequencies: vec![0; terms.len()] };
    if terms.is_empty() || shelves.is_empty() {
        return Ok(found);
    }
    let columns = if whole {
        "w.place, p.documents, p.first, p.last, p.data"
    } else {
        "w.place, sum(p.documents)::bigint"
    };
    let grouped = if whole { "" } else { "GROUP BY w.place" };
    let sql = format!(
        "SELECT {columns} FROM unnest($3) WITH ORDINALITY AS w (term, place) \
         JOIN nuthatch.postings AS p ON p.tenant = $1 AND p.shelf = ANY ($2) AND p.term = w.term \
         {grouped}"
    );
    found.rows = conn.rows(&sql, &params![shelves, terms.to_vec()]).await?;
    let mut places = Vec::with_capacity(found.rows.len());
    for row in &found.rows {
        let (place, documents) = (found.term(row)?, column::<i64>(row, 1)?);
        found.frequencies[place] += documents.unsigned_abs();
        places.push(place);
    }
    found.order = (0..found.rows.len()).collect();
    found.order.sort_by_key(|at| places[*at]);
    Ok(found)
}

impl Found {
    fn term(&self, row: &Row) -> Result<usize> {
        let place = column::<i64>(row, 0)? - 1;
        let place = usize::try_from(place).ok().filter(|place| *place < self.frequencies.len());
        place.ok_or_else(damaged)
    }

    /// The blocks, term by term.
    pub fn blocks(&self) -> impl Iterator<Item = Result<View<'_>>> {
        self.order.iter().map(|at| {
            let row = &self.rows[*at];
            let (first, last) = (column(row, 2)?, column(row, 3)?);
            Ok(View { term: self.term(row)?, first, last, data: column(row, 4)? })
        })
    }
}

/// Blocks out of rows of shelf, term, first, last, documents and data.
fn blocks(rows: &[Row]) -> Result<BTreeMap<Place, Vec<Block>>> {
    let mut found: BTreeMap<Place, Vec<Block>> = BTreeMap::new();
    for row in rows {
        let block = Block {
            first: column(row, 2)?,
            last: column(row, 3)?,
            documents: column(row, 4)?,
            data: column(row, 5)?,
        };
        found.entry((column(row, 0)?, text(row, 1)?)).or_default().push(block);
    }
    Ok(found)
}

/// Puts blocks where they are, or where nothing is yet.
async fn put(conn: &Conn, blocks: Vec<(Place, Block)>) -> Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO nuthatch.postings (tenant, shelf, term, first, last, documents, data) \
               SELECT $1, w.shelf, w.term, w.first, w.last, w.documents, w.data \
               FROM unnest($2, $3, $4, $5, $6, $7) \
               AS w (shelf, term, first, last, documents, data) \
               ON CONFLICT (tenant, shelf, term, first) DO UPDATE \
               SET last = excluded.last, documents = excluded.documents, data = excluded.data";
    let (mut shelves, mut terms) = (Vec::new(), Vec::new());
    let (mut firsts, mut lasts, mut documents) = (Vec::new(), Vec::new(), Vec::new());
    let mut data = Vec::new();
    for ((shelf, term), block) in blocks {
        shelves.push(shelf);
        terms.push(term);
        firsts.push(block.first);
        lasts.push(block.last);
        documents.push(block.documents);
        data.push(block.data);
    }
    let values = params![shelves, terms, firsts, lasts, documents, data];
    conn.execute(sql, &values).await.map(|_| ())
}

async fn drop_blocks(conn: &Conn, blocks: Vec<(Place, Block)>) -> Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM nuthatch.postings AS p USING unnest($2, $3, $4) AS w (shelf, term, first) \
               WHERE p.tenant = $1 AND p.shelf = w.shelf AND p.term = w.term AND p.first = w.first";
    let (places, firsts): (Vec<Place>, Vec<i64>) =
        blocks.into_iter().map(|(place, block)| (place, block.first)).unzip();
    let (shelves, terms): (Vec<Uuid>, Vec<String>) = places.into_iter().unzip();
    conn.execute(sql, &params![shelves, terms, firsts]).await.map(|_| ())
}

/// A block that makes no sense.
pub fn damaged() -> Error {
    Error::unavailable("the index of words is damaged").with_hint("run nuthatch reindex")
}
