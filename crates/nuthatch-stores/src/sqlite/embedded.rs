//! Keeping vectors, knowing which are missing, and letting them go with their documents.
//!
//! A document that is new or says something else waits: it stands in `pending` for every
//! model that the store knows, from the same transaction on. A model gets to be known when it
//! is first asked about, and then everything waits for it.

use std::collections::{HashMap, hash_map};

use nuthatch::error::{Error, Result};
use nuthatch::id::{ContentHash, DocId, ModelId};
use nuthatch::store::{Embedded, Unembedded};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::admit;
use super::codec;
use super::open::write_transaction;
use super::read::{failure, rows};
use super::sketch::{BLOCK_ENTRIES, Block, Entry};
use super::vector::model_number;
use super::words::{Kind, execute};

/// Makes a model known; everything there is waits for it.
fn introduce(connection: &Connection, model: &ModelId) -> Result<i64> {
    if let Some(known) = model_number(connection, model)? {
        return Ok(known);
    }
    execute(connection, "INSERT INTO models (id) VALUES (?1)", [model.as_str()])?;
    let number = connection.last_insert_rowid();
    await_model(connection, number)?;
    Ok(number)
}

/// [`introduce`] as a transaction of its own.
pub(super) fn introduce_alone(connection: &Connection, model: &ModelId) -> Result<()> {
    let transaction = write_transaction(connection)?;
    introduce(&transaction, model)?;
    transaction.commit().map_err(|error| failure(connection, error))
}

/// Everything that has no vectors of a model waits for it.
pub(super) fn await_model(connection: &Connection, number: i64) -> Result<()> {
    let memories = "INSERT INTO pending (model, shelf, doc) SELECT ?1, s.shelf, m.row \
                    FROM memories AS m JOIN shelves AS s ON s.kind = 0 AND s.scope = m.scope \
                    WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.kind = 0 \
                    AND v.doc = m.row AND v.model = ?1)";
    let turns = "INSERT INTO pending (model, shelf, doc) SELECT ?1, s.shelf, t.row \
                 FROM turns AS t JOIN sessions AS s ON s.row = t.session \
                 WHERE s.shelf IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors AS v \
                 WHERE v.kind = 1 AND v.doc = t.row AND v.model = ?1)";
    let counted = "INSERT INTO progress (model, shelf, pending, passages) \
                   SELECT model, shelf, count(*), 0 FROM pending WHERE model = ?1 GROUP BY shelf";
    for sql in [memories, turns, counted] {
        execute(connection, sql, [number])?;
    }
    Ok(())
}

/// Documents of a shelf that are new or say something else wait for every known model.
pub(super) fn await_vectors(connection: &Connection, shelf: i64, docs: &[i64]) -> Result<()> {
    for model in models(connection)? {
        let mut added = 0;
        for doc in docs {
            let sql = "INSERT OR IGNORE INTO pending (model, shelf, doc) VALUES (?1, ?2, ?3)";
            added += execute(connection, sql, [model, shelf, *doc])?;
        }
        advance(connection, model, shelf, Step { pending: added as i64, passages: 0 })?;
    }
    Ok(())
}

pub(super) fn models(connection: &Connection) -> Result<Vec<i64>> {
    rows(connection, "SELECT model FROM models", [], |row| row.get(0))
}

/// How far the embedding of a shelf moved.
#[derive(Clone, Copy, Default)]
struct Step {
    pending: i64,
    passages: i64,
}

fn advance(connection: &Connection, model: i64, shelf: i64, step: Step) -> Result<()> {
    let sql = "INSERT INTO progress (model, shelf, pending, passages) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT DO UPDATE SET pending = pending + ?3, passages = passages + ?4";
    execute(connection, sql, [model, shelf, step.pending, step.passages])?;
    Ok(())
}

/// Takes documents and their vectors off a shelf. Afterwards they wait for nothing.
pub(super) fn leave(connection: &Connection, kind: Kind, shelf: i64, docs: &[i64]) -> Result<()> {
    for model in models(connection)? {
        let mut step = Step::default();
        for doc in docs {
            let sql = "DELETE FROM pending WHERE model = ?1 AND shelf = ?2 AND doc = ?3";
            step.pending -= execute(connection, sql, [model, shelf, *doc])? as i64;
        }
        step.passages -= drop_vectors_of(connection, model, kind, docs)?;
        advance(connection, model, shelf, step)?;
    }
    Ok(())
}

/// Removes the vectors of documents, and says how many there were.
fn drop_vectors_of(connection: &Connection, model: i64, kind: Kind, docs: &[i64]) -> Result<i64> {
    let mut gone: Vec<(i64, i64)> = Vec::new();
    for doc in docs {
        let sql = "SELECT block, row FROM vectors WHERE kind = ?1 AND doc = ?2 AND model = ?3";
        let place = params![kind as i64, doc, model];
        gone.extend(rows(connection, sql, place, |row| Ok((row.get(0)?, row.get(1)?)))?);
        let sql = "DELETE FROM vectors WHERE kind = ?1 AND doc = ?2 AND model = ?3";
        execute(connection, sql, params![kind as i64, doc, model])?;
    }
    gone.sort_unstable();
    for some in gone.chunk_by(|(one, _), (other, _)| one == other) {
        let rows: Vec<i64> = some.iter().map(|(_, row)| *row).collect();
        if let Some(block) = read_block(connection, some[0].0)? {
            put_block(connection, some[0].0, &block.without(&rows))?;
        }
    }
    Ok(gone.len() as i64)
}

pub(super) fn read_block(connection: &Connection, number: i64) -> Result<Option<Block>> {
    let sql = "SELECT entries, data FROM sketches WHERE block = ?1";
    let found = rows(connection, sql, [number], |row| {
        let entries = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX);
        Ok(Block::decode(row.get_ref(1)?.as_blob()?, entries))
    })?;
    // What cannot be read is put together anew by a reindex; until then it finds nothing.
    Ok(found.into_iter().flatten().next())
}

pub(super) fn put_block(connection: &Connection, number: i64, block: &Block) -> Result<()> {
    if block.len() == 0 {
        return execute(connection, "DELETE FROM sketches WHERE block = ?1", [number]).map(|_| ());
    }
    let sql = "UPDATE sketches SET version = ?2, entries = ?3, data = ?4 WHERE block = ?1";
    let version = next_version(connection)?;
    let values = params![number, version, block.len() as i64, block.encode()];
    execute(connection, sql, values).map(|_| ())
}

fn next_version(connection: &Connection) -> Result<i64> {
    let sql = "UPDATE versioning SET value = value + 1 RETURNING value";
    let next = || connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
    next().map_err(|error| failure(connection, error))
}

/// Documents that wait, in the order of shelves and rows, after one of them.
pub(super) fn unembedded(
    connection: &Connection,
    model: &ModelId,
    after: Option<&DocId>,
    limit: usize,
) -> Result<Vec<Unembedded>> {
    let Some(number) = model_number(connection, model)? else { return Ok(Vec::new()) };
    let (shelf, row) = match after {
        Some(after) => place_of(connection, after)?.unwrap_or((i64::MIN, i64::MIN)),
        None => (i64::MIN, i64::MIN),
    };
    let sql = "SELECT s.kind, p.doc FROM pending AS p JOIN shelves AS s ON s.shelf = p.shelf \
               WHERE p.model = ?1 AND (p.shelf, p.doc) > (?2, ?3) \
               ORDER BY p.shelf, p.doc LIMIT ?4";
    let waiting = params![number, shelf, row, codec::count(limit as u64)];
    let waiting =
        rows(connection, sql, waiting, |row| Ok((Kind::of(row.get(0)?), row.get::<_, i64>(1)?)))?;
    let mut found = Vec::with_capacity(waiting.len());
    for (kind, doc) in waiting {
        found.extend(present(connection, kind, doc)?);
    }
    Ok(found)
}

/// The shelf and row of a document.
fn place_of(connection: &Connection, doc: &DocId) -> Result<Option<(i64, i64)>> {
    let Some((kind, row, _)) = admit::rows_of(connection, std::slice::from_ref(doc))?.pop() else {
        return Ok(None);
    };
    Ok(shelf_of_row(connection, kind, row)?.map(|shelf| (shelf, row)))
}

pub(super) fn shelf_of_row(connection: &Connection, kind: Kind, row: i64) -> Result<Option<i64>> {
    let sql = match kind {
        Kind::Memory => {
            "SELECT s.shelf FROM memories AS m JOIN shelves AS s \
             ON s.kind = 0 AND s.scope = m.scope WHERE m.row = ?1"
        }
        Kind::Turn => {
            "SELECT s.shelf FROM turns AS t JOIN sessions AS s ON s.row = t.session \
             WHERE t.row = ?1 AND s.shelf IS NOT NULL"
        }
    };
    Ok(rows(connection, sql, [row], |row| row.get(0))?.pop())
}

/// What a document says now.
fn present(connection: &Connection, kind: Kind, row: i64) -> Result<Option<Unembedded>> {
    let sql = match kind {
        Kind::Memory => "SELECT key, content FROM memories WHERE row = ?1",
        Kind::Turn => "SELECT asked, text FROM turns WHERE row = ?1",
    };
    let read = |row: &Row<'_>| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, String>(1)?));
    let Some((key, text)) = rows(connection, sql, [row], read)?.pop() else { return Ok(None) };
    let Some(doc) = super::text::names(connection, kind, &[row])?.remove(&row) else {
        return Ok(None);
    };
    let hash = ContentHash::of(key.as_deref(), &text);
    Ok(Some(Unembedded { doc, key, text, hash }))
}

/// Keeps vectors; what has changed or vanished since it was read is passed over.
pub(super) fn put(connection: &Connection, model: &ModelId, items: &[Embedded]) -> Result<u64> {
    let transaction = write_transaction(connection)?;
    let number = introduce(&transaction, model)?;
    check_dimensions(&transaction, number, items)?;
    let mut stored = 0;
    let mut open = OpenBlocks::new(number);
    for item in items {
        stored += u64::from(put_one(&transaction, &mut open, item)?);
    }
    open.close(&transaction)?;
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(stored)
}

/// All vectors of a model have as many components as its first.
fn check_dimensions(connection: &Connection, model: i64, items: &[Embedded]) -> Result<()> {
    let mut given =
        items.iter().flat_map(|item| &item.passages).map(|passage| passage.vector.dimensions());
    let Some(first) = given.next() else { return Ok(()) };
    let sql = "UPDATE models SET dimensions = coalesce(dimensions, ?2) WHERE model = ?1 \
               RETURNING dimensions";
    let known = || -> rusqlite::Result<i64> {
        connection.prepare_cached(sql)?.query_row([model, first as i64], |row| row.get(0))
    };
    let known = known().map_err(|error| failure(connection, error))?;
    if first as i64 == known && given.all(|other| other == first) {
        return Ok(());
    }
    Err(Error::invalid("vectors of one model must all have the same number of dimensions"))
}

fn put_one(connection: &Connection, open: &mut OpenBlocks, item: &Embedded) -> Result<bool> {
    let model = open.model;
    let found = admit::rows_of(connection, std::slice::from_ref(&item.doc))?.pop();
    let Some((kind, row, _)) = found else { return Ok(false) };
    let Some(shelf) = shelf_of_row(connection, kind, row)? else { return Ok(false) };
    let unchanged = present(connection, kind, row)?.is_some_and(|now| now.hash == item.hash);
    if !unchanged {
        return Ok(false);
    }
    let sql = "DELETE FROM pending WHERE model = ?1 AND shelf = ?2 AND doc = ?3";
    let mut step = Step::default();
    step.pending -= execute(connection, sql, [model, shelf, row])? as i64;
    if step.pending == 0 {
        // Embedded before: its vectors may be in a block that is being filled.
        open.close(connection)?;
        step.passages -= drop_vectors_of(connection, model, kind, &[row])?;
    }
    step.passages += item.passages.len() as i64;
    advance(connection, model, shelf, step)?;
    for (number, passage) in item.passages.iter().enumerate() {
        let components = passage.vector.components();
        let code: Vec<u8> = components.iter().map(|c| *c as u8).collect();
        let (block, entries) = open.of(connection, shelf)?;
        let sql = "INSERT INTO vectors (model, kind, doc, passage, start, finish, block, code) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (start, finish) = (passage.range.start as i64, passage.range.end as i64);
        let values = params![model, kind as i64, row, number as i64, start, finish, block, code];
        execute(connection, sql, values)?;
        entries.push(&Entry::new(connection.last_insert_rowid(), row, components));
    }
    Ok(true)
}

/// Blocks that are being filled, by shelf.
pub(super) struct OpenBlocks {
    model: i64,
    blocks: HashMap<i64, (i64, Block)>,
}

impl OpenBlocks {
    pub(super) fn new(model: i64) -> Self {
        OpenBlocks { model, blocks: HashMap::new() }
    }

    /// The block of a shelf that has room.
    pub(super) fn of(&mut self, connection: &Connection, shelf: i64) -> Result<(i64, &mut Block)> {
        let full = |(_, block): &mut (i64, Block)| block.len() >= BLOCK_ENTRIES;
        if self.blocks.get_mut(&shelf).is_some_and(full)
            && let Some((number, block)) = self.blocks.remove(&shelf)
        {
            put_block(connection, number, &block)?;
        }
        let (number, block) = match self.blocks.entry(shelf) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(free) => {
                free.insert(block_with_room(connection, self.model, shelf)?)
            }
        };
        Ok((*number, block))
    }

    pub(super) fn close(&mut self, connection: &Connection) -> Result<()> {
        self.blocks
            .drain()
            .try_for_each(|(_, (number, block))| put_block(connection, number, &block))
    }
}

/// The last block of a shelf if there is room in it, or a new one.
fn block_with_room(connection: &Connection, model: i64, shelf: i64) -> Result<(i64, Block)> {
    let sql = "SELECT block, entries FROM sketches INDEXED BY sketches_by_shelf \
               WHERE model = ?1 AND shelf = ?2 ORDER BY block DESC LIMIT 1";
    let last = || -> rusqlite::Result<Option<(i64, i64)>> {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row([model, shelf], |row| Ok((row.get(0)?, row.get(1)?))).optional()
    };
    let last = last().map_err(|error| failure(connection, error))?;
    if let Some((number, entries)) = last
        && entries < BLOCK_ENTRIES as i64
        && let Some(block) = read_block(connection, number)?
    {
        return Ok((number, block));
    }
    let sql = "INSERT INTO sketches (model, shelf, version, entries, data) \
               VALUES (?1, ?2, 0, 0, x'')";
    execute(connection, sql, [model, shelf])?;
    Ok((connection.last_insert_rowid(), Block::default()))
}

/// Removes the vectors of every model but these, and says how many there were.
pub(super) fn drop_all_but(connection: &Connection, keep: &[ModelId]) -> Result<u64> {
    let transaction = write_transaction(connection)?;
    let mut dropped = 0;
    for number in models(&transaction)? {
        let sql = "SELECT id FROM models WHERE model = ?1";
        let id = rows(&transaction, sql, [number], |row| codec::parsed::<ModelId>(row, 0))?;
        if id.iter().any(|id| keep.contains(id)) {
            continue;
        }
        dropped += execute(&transaction, "DELETE FROM vectors WHERE model = ?1", [number])? as u64;
        for table in ["sketches", "pending", "progress", "models"] {
            execute(&transaction, &format!("DELETE FROM {table} WHERE model = ?1"), [number])?;
        }
    }
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(dropped)
}
