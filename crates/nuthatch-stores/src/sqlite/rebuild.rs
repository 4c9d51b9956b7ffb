//! Everything derived, made anew from memories and turns, step by step.
//!
//! Each step is a transaction of its own, so that others write in between, and says in the
//! file how far it got: whoever is stopped is followed by another. Searches go on with what
//! was there until the new piles of words take the place of the old (`piles.rs`). Vectors are
//! kept; only what is packed out of them is looked over (`repack.rs`).

use std::collections::HashMap;

use nuthatch::error::Result;
use nuthatch::scope::Scope;
use nuthatch::text::Words;
use rusqlite::{Connection, Row};

use super::codec::{self, whole};
use super::open::write_transaction;
use super::piles::{self, Reached};
use super::read::{failure, rows};
use super::repack;
use super::words::{self, Additions, Kind, execute};

/// Documents indexed in one step: as many as fit into RAM with ease, because each term is
/// written once for all of them, and few enough that others hardly wait.
const BATCH: i64 = if cfg!(test) { 3 } else { 4000 };

/// What comes next.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// Conversations get their shelves.
    Shelves,
    /// Words of a kind of document.
    Words(Kind),
    /// What was replaced is cleared away.
    Sweep,
    /// What waits for vectors is counted.
    Recount,
    /// Vectors behind a row are looked over.
    Vectors(i64),
    /// Blocks of sketches behind a number are looked over.
    Blocks(i64),
    /// Nothing.
    Done,
}

/// How many documents there are.
pub fn total(connection: &Connection) -> Result<u64> {
    let sql = "SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM turns)";
    Ok(rows(connection, sql, [], |row| row.get::<_, i64>(0))?.into_iter().map(whole).sum())
}

/// Does a step; gives what comes next, and how many documents were indexed.
pub fn step(connection: &Connection, stage: Stage) -> Result<(Stage, u64)> {
    Ok(match stage {
        Stage::Shelves => {
            shelve_sessions(connection)?;
            (Stage::Words(Kind::Memory), 0)
        }
        Stage::Words(kind) => match index_some(connection, kind)? {
            (Reach::Further, count) => (Stage::Words(kind), count),
            (Reach::End, count) if kind == Kind::Memory => (Stage::Words(Kind::Turn), count),
            (Reach::End, count) => (Stage::Sweep, count),
        },
        Stage::Sweep if piles::sweep_some(connection)? => (Stage::Sweep, 0),
        Stage::Sweep => (Stage::Recount, 0),
        Stage::Recount => {
            repack::recount(connection)?;
            (Stage::Vectors(i64::MIN), 0)
        }
        Stage::Vectors(after) => match repack::vectors(connection, after)? {
            Some(last) => (Stage::Vectors(last), 0),
            None => (Stage::Blocks(i64::MIN), 0),
        },
        Stage::Blocks(after) => match repack::blocks(connection, after)? {
            Some(last) => (Stage::Blocks(last), 0),
            None => (Stage::Done, 0),
        },
        Stage::Done => (Stage::Done, 0),
    })
}

/// Conversations whose shelf is not that of their project get the right one.
fn shelve_sessions(connection: &Connection) -> Result<()> {
    let transaction = write_transaction(connection)?;
    let sql = "SELECT row, project, shelf FROM sessions WHERE listed";
    let read = |row: &Row<'_>| -> rusqlite::Result<(i64, Scope, Option<i64>)> {
        let scope = match row.get::<_, Option<String>>(1)? {
            Some(_) => Scope::Project(codec::parsed(row, 1)?),
            None => Scope::Global,
        };
        Ok((row.get(0)?, scope, row.get(2)?))
    };
    let mut shelves: HashMap<Scope, i64> = HashMap::new();
    for (session, scope, known) in rows(&transaction, sql, [], read)? {
        let shelf = match shelves.get(&scope) {
            Some(shelf) => *shelf,
            None => words::shelf_of(&transaction, Kind::Turn, &scope)?,
        };
        shelves.insert(scope, shelf);
        if known != Some(shelf) {
            let sql = "UPDATE sessions SET shelf = ?2 WHERE row = ?1";
            execute(&transaction, sql, [session, shelf])?;
        }
    }
    let unlisted = "UPDATE sessions SET shelf = NULL WHERE NOT listed AND shelf IS NOT NULL";
    execute(&transaction, unlisted, [])?;
    transaction.commit().map_err(|error| failure(connection, error))
}

/// Whether there is more.
enum Reach {
    Further,
    End,
}

/// Indexes the next documents of a kind; at their end the new piles take their place.
fn index_some(connection: &Connection, kind: Kind) -> Result<(Reach, u64)> {
    let transaction = write_transaction(connection)?;
    let reached = piles::begun(&transaction, kind)?;
    let reach = match index_batch(&transaction, kind, reached)? {
        Some((last, count)) => {
            piles::reached(&transaction, kind, last)?;
            (Reach::Further, count)
        }
        None => {
            piles::exchange(&transaction, kind)?;
            (Reach::End, 0)
        }
    };
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(reach)
}

/// Indexes some documents that are still to come; gives the last of them and how many there
/// were.
fn index_batch(
    connection: &Connection,
    kind: Kind,
    reached: Reached,
) -> Result<Option<(i64, u64)>> {
    let sql = match kind {
        Kind::Memory => {
            "SELECT row, scope, key, content FROM memories WHERE row > ?1 AND row <= ?2 \
             ORDER BY row LIMIT ?3"
        }
        Kind::Turn => {
            "SELECT t.row, s.shelf, t.asked, t.text FROM turns AS t JOIN sessions AS s \
             ON s.row = t.session WHERE t.row > ?1 AND t.row <= ?2 ORDER BY t.row LIMIT ?3"
        }
    };
    let mut shelves: HashMap<i64, Additions> = HashMap::new();
    let mut found = Vec::new();
    rows(connection, sql, [reached.after, reached.upto, BATCH], |row| {
        let key: Option<String> = row.get(2)?;
        let words = Words::of(key.as_deref(), row.get_ref(3)?.as_str()?);
        let place = match kind {
            Kind::Memory => Place::Scope(codec::parsed(row, 1)?),
            Kind::Turn => Place::Shelf(row.get(1)?),
        };
        found.push((row.get::<_, i64>(0)?, place, words));
        Ok(())
    })?;
    let Some(last) = found.last().map(|(row, ..)| *row) else { return Ok(None) };
    let count = found.len() as u64;
    let table = if kind == Kind::Memory { "memories" } else { "turns" };
    let counted = format!("UPDATE {table} SET terms = ?2 WHERE row = ?1 AND terms <> ?2");
    for (row, place, words) in found {
        let shelf = match place {
            Place::Scope(scope) => Some(words::shelf_of(connection, kind, &scope)?),
            Place::Shelf(shelf) => shelf,
        };
        execute(connection, &counted, [row, i64::from(words.length)])?;
        if let Some(shelf) = shelf {
            shelves.entry(shelf).or_default().push(row, words);
        }
    }
    for (shelf, additions) in shelves {
        words::add_anew(connection, shelf, &additions)?;
    }
    Ok(Some((last, count)))
}

/// Where a document belongs.
enum Place {
    Scope(Scope),
    Shelf(Option<i64>),
}

#[cfg(test)]
mod tests;
