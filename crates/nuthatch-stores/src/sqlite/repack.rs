//! Vectors held against what is packed out of them: what waits is found out again, and a
//! sketch that is missing, wrong or of nothing is mended.
//!
//! In small steps, each a transaction of its own that leaves everything sound: being stopped
//! between two of them costs nothing. Vectors themselves are kept as far as their documents
//! are there.

use std::collections::{HashMap, hash_map};

use nuthatch::error::Result;
use rusqlite::{Connection, params};

use super::embedded::{self, OpenBlocks};
use super::open::write_transaction;
use super::read::{failure, rows};
use super::sketch::{Block, Entry};
use super::words::{Kind, execute};

/// Vectors or blocks looked at in one step.
const STEP: i64 = if cfg!(test) { 4 } else { 2000 };
const BLOCKS: i64 = if cfg!(test) { 1 } else { 64 };

/// Vectors of nothing go, and what waits for which model is counted anew.
pub(super) fn recount(connection: &Connection) -> Result<()> {
    let transaction = write_transaction(connection)?;
    for sql in [
        "DELETE FROM vectors WHERE kind = 0 AND doc NOT IN (SELECT row FROM memories)",
        "DELETE FROM vectors WHERE kind = 1 AND doc NOT IN (SELECT row FROM turns)",
        "DELETE FROM pending",
        "DELETE FROM progress",
    ] {
        execute(&transaction, sql, [])?;
    }
    for model in embedded::models(&transaction)? {
        embedded::await_model(&transaction, model)?;
        let held = "INSERT INTO progress (model, shelf, pending, passages) \
            SELECT ?1, shelf, 0, count(*) FROM ( \
            SELECT s.shelf AS shelf FROM vectors AS v JOIN memories AS m ON m.row = v.doc \
            JOIN shelves AS s ON s.kind = 0 AND s.scope = m.scope WHERE v.kind = 0 AND v.model = ?1 \
            UNION ALL SELECT c.shelf FROM vectors AS v JOIN turns AS t ON t.row = v.doc \
            JOIN sessions AS c ON c.row = t.session \
            WHERE v.kind = 1 AND v.model = ?1 AND c.shelf IS NOT NULL) WHERE true GROUP BY shelf \
            ON CONFLICT DO UPDATE SET passages = excluded.passages";
        execute(&transaction, held, [model])?;
    }
    transaction.commit().map_err(|error| failure(connection, error))
}

/// One vector with where it says its sketch is.
struct Kept {
    row: i64,
    model: i64,
    kind: Kind,
    doc: i64,
    block: i64,
    code: Vec<i8>,
}

/// Sees to it that some vectors have their sketch where they say; gives the last of them.
pub(super) fn vectors(connection: &Connection, after: i64) -> Result<Option<i64>> {
    let transaction = write_transaction(connection)?;
    let sql = "SELECT row, model, kind, doc, block, code FROM vectors WHERE row > ?1 \
               ORDER BY row LIMIT ?2";
    let some = rows(&transaction, sql, [after, STEP], |row| {
        Ok(Kept {
            row: row.get(0)?,
            model: row.get(1)?,
            kind: Kind::of(row.get(2)?),
            doc: row.get(3)?,
            block: row.get(4)?,
            code: row.get_ref(5)?.as_blob()?.iter().map(|byte| *byte as i8).collect(),
        })
    })?;
    let Some(last) = some.last().map(|kept| kept.row) else { return Ok(None) };
    let mut known: HashMap<i64, Option<Packed>> = HashMap::new();
    let mut open: HashMap<i64, OpenBlocks> = HashMap::new();
    for Kept { row, model, kind, doc, block, code } in some {
        let Some(shelf) = embedded::shelf_of_row(&transaction, kind, doc)? else { continue };
        let entry = Entry::new(row, doc, &code);
        let packed = match known.entry(block) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(free) => free.insert(packed(&transaction, block)?),
        };
        if packed.as_ref().is_some_and(|packed| {
            packed.model == model
                && packed.shelf == shelf
                && packed.entries.get(&row) == Some(&entry)
        }) {
            continue;
        }
        let open = open.entry(model).or_insert_with(|| OpenBlocks::new(model));
        let (number, entries) = open.of(&transaction, shelf)?;
        entries.push(&entry);
        execute(&transaction, "UPDATE vectors SET block = ?2 WHERE row = ?1", [row, number])?;
    }
    for mut open in open.into_values() {
        open.close(&transaction)?;
    }
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(Some(last))
}

/// A block as it is stored, by the rows of its vectors.
struct Packed {
    model: i64,
    shelf: i64,
    entries: HashMap<i64, Entry>,
}

fn packed(connection: &Connection, number: i64) -> Result<Option<Packed>> {
    let sql = "SELECT model, shelf FROM sketches WHERE block = ?1";
    let places = rows(connection, sql, [number], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((model, shelf)) = places.into_iter().next() else { return Ok(None) };
    let Some(block) = embedded::read_block(connection, number)? else { return Ok(None) };
    let entries = block.entries().map(|entry| (entry.row, entry)).collect();
    Ok(Some(Packed { model, shelf, entries }))
}

/// Takes out of some blocks what no vector says is there; gives the last of them.
pub(super) fn blocks(connection: &Connection, after: i64) -> Result<Option<i64>> {
    let transaction = write_transaction(connection)?;
    let sql = "SELECT block FROM sketches WHERE block > ?1 ORDER BY block LIMIT ?2";
    let numbers = rows(&transaction, sql, [after, BLOCKS], |row| row.get::<_, i64>(0))?;
    let Some(last) = numbers.last().copied() else { return Ok(None) };
    for number in numbers {
        let Some(block) = embedded::read_block(&transaction, number)? else {
            // Nothing in it can be read, and every vector has a sketch elsewhere by now.
            embedded::put_block(&transaction, number, &Block::default())?;
            continue;
        };
        let mut stray = Vec::new();
        for entry in block.entries() {
            let sql = "SELECT 1 FROM vectors WHERE row = ?1 AND block = ?2 AND doc = ?3";
            let held = params![entry.row, number, entry.doc];
            if rows(&transaction, sql, held, |_| Ok(()))?.is_empty() {
                stray.push(entry.row);
            }
        }
        if !stray.is_empty() {
            embedded::put_block(&transaction, number, &block.without(&stray))?;
        }
    }
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(Some(last))
}
