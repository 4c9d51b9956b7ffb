//! Which piles of postings the words of a shelf go to, and how a new pile takes the place of
//! the old one.
//!
//! While everything is indexed anew (`rebuild.rs`), a shelf has two piles: the present one,
//! which answers, and a new one, which fills up. What others write meanwhile goes on both, as
//! far as the new one has got. A pile that is replaced is cleared away little by little.

use nuthatch::error::Result;
use rusqlite::{Connection, OptionalExtension, params};

use super::open::write_transaction;
use super::read::{failure, rows};
use super::words::{Count, Kind, execute};

/// Postings removed at a time: others may write in between.
const SWEEP: i64 = 5000;

/// Who cuts texts into words: what another version has begun is begun again.
const EDITION: &str = env!("CARGO_PKG_VERSION");

/// The piles of a shelf.
pub struct Piles {
    pub present: i64,
    pub anew: Option<Anew>,
}

/// A pile that is being filled.
pub struct Anew {
    pub pile: i64,
    after: i64,
    upto: i64,
}

impl Anew {
    /// Whether a document belongs on it already. Those that are still to come are left to
    /// whoever fills it.
    pub fn holds(&self, doc: i64) -> bool {
        doc <= self.after || doc > self.upto
    }
}

/// How far a rebuild has got with a kind of document.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub after: i64,
    pub upto: i64,
}

/// The piles of a shelf.
pub fn of(connection: &Connection, shelf: i64) -> Result<Piles> {
    let sql = "SELECT s.pile, s.kind, r.after, r.upto FROM shelves AS s \
               LEFT JOIN rebuilding AS r ON r.kind = s.kind WHERE s.shelf = ?1";
    let found = rows(connection, sql, [shelf], |row| {
        let reached: (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
        Ok((row.get::<_, i64>(0)?, reached))
    })?;
    let Some((present, reached)) = found.into_iter().next() else {
        return Ok(Piles { present: shelf, anew: None });
    };
    let anew = match reached {
        (Some(after), Some(upto)) => Some(Anew { pile: anew(connection, shelf)?, after, upto }),
        _ => None,
    };
    Ok(Piles { present, anew })
}

/// The new pile of a shelf, begun if there is none.
pub fn anew(connection: &Connection, shelf: i64) -> Result<i64> {
    let find = || -> rusqlite::Result<Option<i64>> {
        let mut statement =
            connection.prepare_cached("SELECT pile FROM piles_anew WHERE shelf = ?1")?;
        statement.query_row([shelf], |row| row.get(0)).optional()
    };
    if let Some(known) = find().map_err(|error| failure(connection, error))? {
        return Ok(known);
    }
    let pile = fresh(connection)?;
    let sql = "INSERT INTO piles_anew (shelf, pile, documents, terms, postings) \
               VALUES (?1, ?2, 0, 0, 0)";
    execute(connection, sql, [shelf, pile])?;
    Ok(pile)
}

/// A number that no pile has.
pub fn fresh(connection: &Connection) -> Result<i64> {
    let sql = "SELECT 1 + max((SELECT coalesce(max(pile), 0) FROM shelves), \
               (SELECT coalesce(max(pile), 0) FROM piles_anew), \
               (SELECT coalesce(max(pile), 0) FROM piles_left))";
    let find = || connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
    find().map_err(|error| failure(connection, error))
}

/// Counts what came to the new pile of a shelf, or left it.
pub fn count(connection: &Connection, shelf: i64, count: Count) -> Result<()> {
    let sql = "UPDATE piles_anew SET documents = documents + ?2, terms = terms + ?3, \
               postings = postings + ?4 WHERE shelf = ?1";
    let Count { documents, terms, postings } = count;
    execute(connection, sql, [shelf, documents, terms, postings]).map(|_| ())
}

/// A shelf goes, and its piles with it.
pub fn abandon(connection: &Connection, shelf: i64) -> Result<()> {
    for table in ["shelves", "piles_anew"] {
        let sql =
            format!("INSERT OR IGNORE INTO piles_left SELECT pile FROM {table} WHERE shelf = ?1");
        execute(connection, &sql, [shelf])?;
        execute(connection, &format!("DELETE FROM {table} WHERE shelf = ?1"), [shelf])?;
    }
    Ok(())
}

/// How far a rebuild has got with a kind, begun now if none is under way.
pub fn begun(connection: &Connection, kind: Kind) -> Result<Reached> {
    let find = "SELECT after, upto FROM rebuilding WHERE kind = ?1 AND edition = ?2";
    let known = rows(connection, find, params![kind as i64, EDITION], |row| {
        Ok(Reached { after: row.get(0)?, upto: row.get(1)? })
    })?;
    if let Some(known) = known.into_iter().next() {
        return Ok(known);
    }
    let kinds = "SELECT shelf FROM shelves WHERE kind = ?1";
    for shelf in rows(connection, kinds, [kind as i64], |row| row.get::<_, i64>(0))? {
        let left = "INSERT OR IGNORE INTO piles_left SELECT pile FROM piles_anew WHERE shelf = ?1";
        execute(connection, left, [shelf])?;
        execute(connection, "DELETE FROM piles_anew WHERE shelf = ?1", [shelf])?;
    }
    let table = if kind == Kind::Memory { "memories" } else { "turns" };
    let sql = format!(
        "INSERT OR REPLACE INTO rebuilding (kind, after, upto, edition) \
         SELECT ?1, ?2, coalesce(max(row), ?2), ?3 FROM {table}"
    );
    execute(connection, &sql, params![kind as i64, i64::MIN, EDITION])?;
    begun(connection, kind)
}

/// A rebuild has got so far.
pub fn reached(connection: &Connection, kind: Kind, after: i64) -> Result<()> {
    let sql = "UPDATE rebuilding SET after = ?2 WHERE kind = ?1";
    execute(connection, sql, [kind as i64, after]).map(|_| ())
}

/// The new piles of a kind take the place of the old ones.
pub fn exchange(connection: &Connection, kind: Kind) -> Result<()> {
    let shelves = "SELECT shelf FROM shelves WHERE kind = ?1";
    for shelf in rows(connection, shelves, [kind as i64], |row| row.get::<_, i64>(0))? {
        anew(connection, shelf)?;
        execute(
            connection,
            "INSERT OR IGNORE INTO piles_left SELECT pile FROM shelves WHERE shelf = ?1",
            [shelf],
        )?;
        let sql = "UPDATE shelves SET (pile, documents, terms, postings) = \
                   (SELECT pile, documents, terms, postings FROM piles_anew AS a \
                   WHERE a.shelf = shelves.shelf) WHERE shelf = ?1";
        execute(connection, sql, [shelf])?;
        execute(connection, "DELETE FROM piles_anew WHERE shelf = ?1", [shelf])?;
    }
    let empty = "SELECT shelf FROM shelves WHERE kind = ?1 AND kind = 0 AND documents = 0";
    for shelf in rows(connection, empty, [kind as i64], |row| row.get::<_, i64>(0))? {
        abandon(connection, shelf)?;
    }
    execute(connection, "DELETE FROM rebuilding WHERE kind = ?1", [kind as i64]).map(|_| ())
}

/// Clears away some of what nobody needs; whether anything is left.
pub fn sweep_some(connection: &Connection) -> Result<bool> {
    let sql = "SELECT pile FROM piles_left ORDER BY pile LIMIT 1";
    let Some(pile) = rows(connection, sql, [], |row| row.get::<_, i64>(0))?.pop() else {
        return Ok(false);
    };
    let transaction = write_transaction(connection)?;
    let some = "DELETE FROM postings WHERE shelf = ?1 AND (term, first) IN \
                (SELECT term, first FROM postings WHERE shelf = ?1 LIMIT ?2)";
    if execute(&transaction, some, [pile, SWEEP])? == 0 {
        execute(&transaction, "DELETE FROM piles_left WHERE pile = ?1", [pile])?;
    }
    transaction.commit().map_err(|error| failure(connection, error))?;
    Ok(true)
}

/// Clears away everything that nobody needs: what is forgotten may be in it.
pub fn sweep(connection: &Connection) -> Result<()> {
    while sweep_some(connection)? {}
    Ok(())
}
