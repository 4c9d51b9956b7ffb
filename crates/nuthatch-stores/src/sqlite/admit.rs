//! Which documents a search may give: a filter over rows of memories and turns.
//!
//! Most candidates of a search pass its filter, so they are looked at when they have been
//! found (`admitted`). Where too few do, everything that passes is gathered first (`allowed`)
//! and the search done again among those: exact either way.

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::Timestamp;
use nuthatch::error::Result;
use nuthatch::filter::Filter;
use nuthatch::id::{DocId, MemoryId, SessionId, TurnId};
use nuthatch::scope::Scope;
use nuthatch::session::Role;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::codec;
use super::read::{among, condition, failure, rows, text};
use super::words::Kind;
use crate::packed::Rows;

/// Rows asked for in one query: below what SQLite takes as parameters.
const ROWS_AT_ONCE: usize = 500;

/// A shelf that a filter's scopes name.
pub struct Shelf {
    pub shelf: i64,
    pub pile: i64,
    pub kind: Kind,
    pub documents: u64,
    pub terms: u64,
}

/// The shelves to look through.
pub fn shelves(connection: &Connection, filter: &Filter) -> Result<Vec<Shelf>> {
    let sql = "SELECT shelf, kind, scope, documents, terms, pile FROM shelves ORDER BY shelf";
    let found = rows(connection, sql, [], |row| {
        let whole = |place| row.get::<_, i64>(place).map(|n| u64::try_from(n).unwrap_or(0));
        let kind = Kind::of(row.get(1)?);
        let (documents, terms) = (whole(3)?, whole(4)?);
        let shelf = Shelf { shelf: row.get(0)?, pile: row.get(5)?, kind, documents, terms };
        Ok((shelf, codec::parsed::<Scope>(row, 2)?))
    })?;
    let wanted = |(shelf, scope): &(Shelf, Scope)| {
        let included = match shelf.kind {
            Kind::Memory => filter.include.memories(),
            Kind::Turn => filter.include.turns(),
        };
        included && filter.scopes.contains(scope)
    };
    Ok(found.into_iter().filter(wanted).map(|(shelf, _)| shelf).collect())
}

/// A document that passes, with its time.
#[derive(Clone, Debug)]
pub struct Admitted {
    pub doc: DocId,
    pub at: Timestamp,
}

impl Admitted {
    /// What decides between equal scores: the newer first, then the greater id.
    pub fn newer(&self, other: &Admitted) -> std::cmp::Ordering {
        (other.at, &other.doc).cmp(&(self.at, &self.doc))
    }
}

/// Those of these documents that pass the filter.
pub fn admitted(
    connection: &Connection,
    filter: &Filter,
    kind: Kind,
    docs: &[i64],
) -> Result<HashMap<i64, Admitted>> {
    let (condition, values) = conditions(filter, kind);
    named(connection, kind, docs, &condition, &values)
}

/// These documents, whatever a filter says.
pub fn documents(
    connection: &Connection,
    kind: Kind,
    docs: &[i64],
) -> Result<HashMap<i64, Admitted>> {
    named(connection, kind, docs, "1", &[])
}

fn named(
    connection: &Connection,
    kind: Kind,
    docs: &[i64],
    condition: &str,
    values: &[Value],
) -> Result<HashMap<i64, Admitted>> {
    let mut found = HashMap::new();
    for some in docs.chunks(ROWS_AT_ONCE) {
        let among = |column| among(column, some.len());
        let sql = match kind {
            // By their rows: an index of a condition that nearly all meet would be walked from
            // end to end for each of the chunks.
            Kind::Memory => format!(
                "SELECT m.row, m.created_at, m.id FROM memories AS m NOT INDEXED \
                 WHERE {condition} AND {}",
                among("m.row")
            ),
            Kind::Turn => format!(
                "SELECT t.row, t.at, s.id, t.seq FROM turns AS t NOT INDEXED \
                 CROSS JOIN sessions AS s ON s.row = t.session WHERE {condition} AND {}",
                among("t.row")
            ),
        };
        let values = values.iter().cloned().chain(some.iter().map(|doc| Value::Integer(*doc)));
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, document(row, kind)?));
        found.extend(rows(connection, &sql, params_from_iter(values), read)?);
    }
    Ok(found)
}

/// Shows the rows of a kind, the newest first, each with its time, until nobody wants more.
pub fn by_time(
    connection: &Connection,
    kind: Kind,
    mut see: impl FnMut(i64, i64) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let sql = match kind {
        Kind::Memory => {
            "SELECT row, created_at FROM memories INDEXED BY memories_by_time \
             ORDER BY created_at DESC"
        }
        Kind::Turn => "SELECT row, at FROM turns INDEXED BY turns_by_time ORDER BY at DESC",
    };
    let broken = |error| failure(connection, error);
    let mut statement = connection.prepare_cached(sql).map_err(broken)?;
    let mut times = statement.query([]).map_err(broken)?;
    while let Some(row) = times.next().map_err(broken)? {
        let (row, at) = (row.get(0).map_err(broken)?, row.get(1).map_err(broken)?);
        if see(row, at)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn document(row: &Row<'_>, kind: Kind) -> rusqlite::Result<Admitted> {
    let doc = match kind {
        Kind::Memory => DocId::Memory(MemoryId(row.get(2).map(uuid::Uuid::from_bytes)?)),
        Kind::Turn => {
            let session: SessionId = codec::parsed(row, 2)?;
            DocId::Turn(TurnId { session, seq: codec::number(row, 3)? })
        }
    };
    Ok(Admitted { doc, at: codec::time(row, 1)? })
}

/// Everything of a kind that passes the filter.
pub fn allowed(connection: &Connection, filter: &Filter, kind: Kind) -> Result<Rows> {
    let (condition, values) = conditions(filter, kind);
    let sql = match kind {
        Kind::Memory => format!("SELECT m.row FROM memories AS m WHERE {condition}"),
        Kind::Turn => format!(
            "SELECT t.row FROM sessions AS s JOIN turns AS t ON t.session = s.row \
             WHERE {condition}"
        ),
    };
    let mut allowed = Rows::default();
    rows(connection, &sql, params_from_iter(values), |row| {
        allowed.insert(row.get(0)?);
        Ok(())
    })?;
    Ok(allowed)
}

fn conditions(filter: &Filter, kind: Kind) -> (String, Vec<Value>) {
    match kind {
        Kind::Memory => condition(filter),
        Kind::Turn => turn_condition(filter),
    }
}

/// A filter as a condition over `turns AS t` and `sessions AS s`. Scopes are left to the
/// shelves, on which nothing of another scope stands.
fn turn_condition(filter: &Filter) -> (String, Vec<Value>) {
    let mut terms = vec![if filter.admits_turns() { "1" } else { "0" }.to_owned()];
    let mut values = Vec::new();
    if !filter.sessions.is_empty() {
        terms.push(among("s.id", filter.sessions.len()));
        values.extend(filter.sessions.iter().map(|id| text(id.as_str())));
    }
    if let Some(since) = filter.since {
        terms.push("t.at >= ?".into());
        values.push(Value::Integer(since.as_microsecond()));
    }
    if let Some(until) = filter.until {
        terms.push("t.at <= ?".into());
        values.push(Value::Integer(until.as_microsecond()));
    }
    if let Some(trust) = filter.min_trust {
        let trusted = || Role::ALL.into_iter().filter(move |role| role.trust() >= trust);
        terms.push(among("t.role", trusted().count()));
        values.extend(trusted().map(|role| text(role.name())));
    }
    (terms.join(" AND "), values)
}

/// The rows of these documents, as far as they exist; by kind.
pub fn rows_of(connection: &Connection, docs: &[DocId]) -> Result<Vec<(Kind, i64, DocId)>> {
    let mut found = Vec::new();
    for doc in docs {
        let (kind, row) = match doc {
            DocId::Memory(id) => {
                let sql = "SELECT row FROM memories WHERE id = ?1";
                (Kind::Memory, rows(connection, sql, [id.0.as_bytes()], |row| row.get(0))?)
            }
            DocId::Turn(TurnId { session, seq }) => {
                let sql = "SELECT t.row FROM sessions AS s JOIN turns AS t \
                           ON t.session = s.row WHERE s.id = ?1 AND t.seq = ?2";
                let place = rusqlite::params![session.as_str(), codec::count(*seq)];
                (Kind::Turn, rows(connection, sql, place, |row| row.get(0))?)
            }
        };
        found.extend(row.first().map(|row| (kind, *row, doc.clone())));
    }
    Ok(found)
}

/// The rows of turns up to `reach` places before and after each of these.
pub fn neighbours(connection: &Connection, turns: &[i64], reach: u64) -> Result<Vec<i64>> {
    let sql = "SELECT n.row FROM turns AS t JOIN turns AS n ON n.session = t.session \
               AND n.seq BETWEEN t.seq - ?2 AND t.seq + ?2 WHERE t.row = ?1";
    let reach = codec::count(reach.min(u64::from(u32::MAX)));
    let mut found = Vec::new();
    for turn in turns {
        found.extend(rows(connection, sql, [*turn, reach], |row| row.get::<_, i64>(0))?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
