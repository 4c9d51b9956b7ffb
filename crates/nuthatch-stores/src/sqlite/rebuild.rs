//! Everything derived, made anew from memories and turns.
//!
//! One transaction: searches go on with what was there until the new index takes its place,
//! and a rebuild that is interrupted has changed nothing. Vectors themselves are kept, as far
//! as their documents are there; only what is packed out of them is packed again.

use std::collections::HashMap;

use nuthatch::error::Result;
use nuthatch::scope::Scope;
use nuthatch::text::Words;
use rusqlite::{Connection, Row};

use super::codec::{self, whole};
use super::embedded;
use super::open::write_transaction;
use super::read::{failure, rows};
use super::words::{self, Additions, Kind, execute};

/// Documents indexed at a time: as many as fit into RAM with ease, because each term is
/// written once for all of them.
const BATCH: i64 = 5000;

/// What is made anew.
const DERIVED: &str = "
    DELETE FROM postings;
    DELETE FROM shelves;
    UPDATE sessions SET shelf = NULL;
    DELETE FROM vectors WHERE kind = 0 AND doc NOT IN (SELECT row FROM memories);
    DELETE FROM vectors WHERE kind = 1 AND doc NOT IN (SELECT row FROM turns);
    DELETE FROM pending;
    DELETE FROM progress;
    DELETE FROM sketches;
";

/// Makes everything derived anew, and says of how many documents.
pub fn rebuild(connection: &Connection, tell: &dyn Fn(u64, u64)) -> Result<u64> {
    let transaction = write_transaction(connection)?;
    transaction.execute_batch(DERIVED).map_err(|error| failure(connection, error))?;
    shelve_sessions(&transaction)?;
    let sql = "SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM turns)";
    let total = rows(&transaction, sql, [], |row| row.get::<_, i64>(0))?;
    let total = total.into_iter().map(whole).sum();
    tell(0, total);
    let mut done = 0;
    for kind in Kind::ALL {
        let mut after = i64::MIN;
        while let Some((last, some)) = index_batch(&transaction, kind, after)? {
            after = last;
            done += some;
            tell(done, total.max(done));
        }
    }
    embedded::repack(&transaction)?;
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(done)
}

fn shelve_sessions(connection: &Connection) -> Result<()> {
    let sql = format!("SELECT row, {} FROM sessions WHERE listed", codec::SESSION);
    let read = |row: &Row<'_>| -> rusqlite::Result<(i64, Scope)> {
        let project = row.get::<_, Option<String>>(5)?;
        let scope = match project {
            Some(_) => Scope::Project(codec::parsed(row, 5)?),
            None => Scope::Global,
        };
        Ok((row.get(0)?, scope))
    };
    for (session, scope) in rows(connection, &sql, [], read)? {
        let shelf = words::shelf_of(connection, Kind::Turn, &scope)?;
        execute(connection, "UPDATE sessions SET shelf = ?2 WHERE row = ?1", [session, shelf])?;
    }
    Ok(())
}

/// Indexes the documents after a row; gives the last of them and how many there were.
fn index_batch(connection: &Connection, kind: Kind, after: i64) -> Result<Option<(i64, u64)>> {
    let sql = match kind {
        Kind::Memory => {
            "SELECT row, scope, key, content FROM memories WHERE row > ?1 ORDER BY row LIMIT ?2"
        }
        Kind::Turn => {
            "SELECT t.row, s.shelf, t.asked, t.text FROM turns AS t JOIN sessions AS s \
             ON s.row = t.session WHERE t.row > ?1 ORDER BY t.row LIMIT ?2"
        }
    };
    let mut shelves: HashMap<i64, Additions> = HashMap::new();
    let mut found = Vec::new();
    rows(connection, sql, [after, BATCH], |row| {
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
        words::add(connection, shelf, &additions)?;
    }
    Ok(Some((last, count)))
}

/// Where a document belongs.
enum Place {
    Scope(Scope),
    Shelf(Option<i64>),
}
