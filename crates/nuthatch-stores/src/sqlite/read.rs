//! Reading: memories, lists, versions, conversations, counts.
//!
//! A filter becomes a condition with parameters; no value is ever part of the SQL.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use nuthatch::error::{Error, Result};
use nuthatch::filter::{BELOW, Cursor, Filter, Page, Region, Scopes, Superseded, place_of};
use nuthatch::id::{MemoryId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::{Scope, ScopeKind};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{Around, Listed, ScopeUsage, SessionFacts, StoreStats, TurnFacts};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Row, params, params_from_iter};

use super::apply::content_hash;
use super::codec::{self, count, sql_error};
use super::open::place;
use crate::semantics::trust_level;

/// Ids asked for in one query: below what SQLite takes as parameters.
const IDS_AT_ONCE: usize = 500;

/// A filter as a condition over `memories AS m`, with its parameters.
pub(super) fn condition(filter: &Filter) -> (String, Vec<Value>) {
    let mut terms: Vec<String> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let mut add = |term: &str, mut given: Vec<Value>| {
        terms.push(term.to_owned());
        values.append(&mut given);
    };
    let (scoped, scopes) = scope_condition(&filter.scopes);
    add(&scoped, scopes);
    if !filter.include.memories() {
        add("0", Vec::new());
    }
    if let Some(key) = &filter.key {
        add("m.key = ?", vec![text(key)]);
    }
    if !filter.contents.is_empty() {
        let hashes = filter.contents.iter().map(|one| Value::Blob(content_hash(one).to_vec()));
        let values = hashes.chain(filter.contents.iter().map(|one| text(one))).collect();
        let places = ["m.content_hash", "m.content"];
        let both = places.map(|place| among(place, filter.contents.len())).join(" AND ");
        add(&both, values);
    }
    if !filter.categories.is_empty() {
        let names = filter.categories.iter().map(|c| text(c.as_str())).collect();
        add(&among("m.category", filter.categories.len()), names);
    }
    if !filter.sessions.is_empty() {
        let ids = || filter.sessions.iter().map(|id| text(id.as_str()));
        let scopes = filter.sessions.iter().map(|id| Scope::Session(id.clone()).to_string());
        let values = ids().chain(scopes.map(Value::Text)).chain(ids()).collect();
        let places = ["m.session_id", "m.scope", "m.source ->> '$.session'"];
        let any = places.map(|place| among(place, filter.sessions.len())).join(" OR ");
        add(&format!("({any})"), values);
    }
    if let Some(source) = &filter.source {
        let place = text(place_of(source));
        let mut values = vec![place.clone(), place];
        values.extend(BELOW.map(|mark| text(&format!("{}{mark}", place_of(source)))));
        let from = "(m.source ->> '$.place' = ? OR \
                    substr(m.source ->> '$.place', 1, length(?) + 1) IN (?, ?, ?, ?))";
        add(from, values);
    }
    if let Some(since) = filter.since {
        add("m.created_at >= ?", vec![Value::Integer(since.as_microsecond())]);
    }
    if let Some(until) = filter.until {
        add("m.created_at <= ?", vec![Value::Integer(until.as_microsecond())]);
    }
    if let Some(trust) = filter.min_trust {
        add("m.trust >= ?", vec![Value::Integer(trust_level(trust))]);
    }
    if let Some(trust) = filter.max_trust {
        add("m.trust <= ?", vec![Value::Integer(trust_level(trust))]);
    }
    if let Some(pinned) = filter.pinned {
        add("m.pinned = ?", vec![Value::Integer(i64::from(pinned))]);
    }
    if filter.superseded == Superseded::Hidden {
        add("m.superseded_by IS NULL", Vec::new());
    }
    if let Some(Cursor { created_at, id }) = filter.after {
        let place = [Value::Integer(created_at.as_microsecond()), Value::Blob(id.0.into())];
        add("(m.created_at, m.id) < (?, ?)", place.to_vec());
    }
    (terms.join(" AND "), values)
}

fn scope_condition(scopes: &Scopes) -> (String, Vec<Value>) {
    match scopes {
        Scopes::All => ("1".to_owned(), Vec::new()),
        Scopes::These(scopes) => {
            let values = scopes.iter().map(|scope| text(&scope.to_string())).collect();
            (among("m.scope", scopes.len()), values)
        }
        Scopes::Regions { of, but } => {
            let (inside, mut values) = region_condition(of);
            let (outside, mut others) = region_condition(but);
            values.append(&mut others);
            (format!("({inside} AND NOT {outside})"), values)
        }
    }
}

/// Scopes of a region are all those whose text lies in a range: compared, never matched
/// against a pattern, because a name may hold what a pattern gives a meaning.
fn region_condition(regions: &[Region]) -> (String, Vec<Value>) {
    const RANGE: &str = "(m.scope >= ? AND m.scope < ?)";
    let mut terms = vec!["0"];
    let mut values = Vec::new();
    for Region { kind, project } in regions {
        let name = kind.name();
        // `;` comes right after `:`, so it ends everything that begins with the name.
        let (term, bounds) = match (kind, project) {
            (_, None) => (RANGE, vec![name.to_owned(), format!("{name};")]),
            (ScopeKind::Plan, Some(project)) => {
                (RANGE, vec![format!("{name}:{project}:"), format!("{name}:{project};")])
            }
            (ScopeKind::Project, Some(project)) => {
                ("m.scope = ?", vec![format!("{name}:{project}")])
            }
            (_, Some(_)) => continue,
        };
        terms.push(term);
        values.extend(bounds.iter().map(|bound| text(bound)));
    }
    (format!("({})", terms.join(" OR ")), values)
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// `column IN (?, ?, …)`; for no value at all, what is never true.
pub(super) fn among(column: &str, count: usize) -> String {
    match count {
        0 => "0".to_owned(),
        n => format!("{column} IN ({})", vec!["?"; n].join(", ")),
    }
}

pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let run = || -> rusqlite::Result<Vec<T>> {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_map(params, read)?.collect()
    };
    run().map_err(|error| failure(connection, error))
}

pub(super) fn failure(connection: &Connection, error: rusqlite::Error) -> Error {
    sql_error(&place(connection), error)
}

pub(crate) fn memories(connection: &Connection, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let mut found: HashMap<MemoryId, Memory> = HashMap::new();
    for some in ids.chunks(IDS_AT_ONCE) {
        let sql = format!(
            "SELECT {} FROM memories AS m WHERE {}",
            codec::MEMORY,
            among("m.id", some.len())
        );
        let params = params_from_iter(some.iter().map(|id| *id.0.as_bytes()));
        let memories = rows(connection, &sql, params, codec::memory)?;
        found.extend(memories.into_iter().map(|memory| (memory.id, memory)));
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

pub(super) fn list(connection: &Connection, filter: &Filter, page: Page) -> Result<Listed> {
    let (condition, values) = condition(filter);
    let sql = format!("SELECT count(*) FROM memories AS m WHERE {condition}");
    let total = rows(connection, &sql, params_from_iter(&values), |row| row.get::<_, i64>(0))?;
    let total = u64::try_from(total.first().copied().unwrap_or_default()).unwrap_or_default();
    let sql = format!(
        "SELECT {} FROM memories AS m WHERE {condition} \
         ORDER BY m.created_at DESC, m.id DESC LIMIT {} OFFSET {}",
        codec::MEMORY,
        count(page.limit),
        count(page.offset)
    );
    let memories = match page.limit {
        0 => Vec::new(),
        _ => rows(connection, &sql, params_from_iter(&values), codec::memory)?,
    };
    Ok(Listed { memories, total })
}

pub(super) fn versions(connection: &Connection, ids: &[MemoryId]) -> Result<Vec<Version>> {
    let ids: Vec<MemoryId> = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = Vec::new();
    for some in ids.chunks(IDS_AT_ONCE) {
        let sql = format!(
            "SELECT {} FROM versions WHERE {} ORDER BY memory_id, number",
            codec::VERSION,
            among("memory_id", some.len())
        );
        let params = params_from_iter(some.iter().map(|id| *id.0.as_bytes()));
        found.extend(rows(connection, &sql, params, codec::version)?);
    }
    Ok(found)
}

/// Every version of every memory, in a stable order.
pub(crate) fn all_versions(connection: &Connection) -> Result<Vec<Version>> {
    let sql = format!("SELECT {} FROM versions ORDER BY memory_id, number", codec::VERSION);
    rows(connection, &sql, [], codec::version)
}

pub(crate) fn tombstones(
    connection: &Connection,
    after: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<Tombstone>> {
    let sql = format!(
        "SELECT {} FROM tombstones WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2",
        codec::TOMBSTONE
    );
    let after = after.map(|id| *id.0.as_bytes());
    rows(connection, &sql, params![after, count(limit as u64)], codec::tombstone)
}

pub(crate) fn sessions(connection: &Connection, page: Page) -> Result<Vec<Session>> {
    let sql = format!(
        "SELECT {} FROM sessions WHERE listed ORDER BY last_active_at DESC, id DESC \
         LIMIT ?1 OFFSET ?2",
        codec::SESSION
    );
    rows(connection, &sql, params![count(page.limit), count(page.offset)], codec::session)
}

pub(crate) fn turns(connection: &Connection, id: &SessionId, page: Page) -> Result<Vec<Turn>> {
    let sql = format!(
        "SELECT {} FROM sessions AS s JOIN turns AS t ON t.session = s.row WHERE s.id = ?1 \
         ORDER BY t.seq LIMIT ?2 OFFSET ?3",
        codec::TURN
    );
    let params = params![id.as_str(), count(page.limit), count(page.offset)];
    rows(connection, &sql, params, codec::turn)
}

pub(super) fn around(connection: &Connection, turns: &[TurnId], reach: u64) -> Result<Around> {
    let sql = "SELECT s.id, t.seq, t.at, t.role, t.chars FROM sessions AS s JOIN turns AS t \
               ON t.session = s.row WHERE s.id = ?1 AND t.seq BETWEEN ?2 AND ?3";
    let mut found: BTreeMap<TurnId, TurnFacts> = BTreeMap::new();
    for TurnId { session, seq } in turns {
        let range = (count(seq.saturating_sub(reach)), count(seq.saturating_add(reach)));
        let facts = rows(connection, sql, params![session.as_str(), range.0, range.1], |row| {
            Ok(TurnFacts {
                id: TurnId { session: codec::parsed(row, 0)?, seq: codec::number(row, 1)? },
                at: codec::time(row, 2)?,
                role: codec::parsed(row, 3)?,
                chars: codec::number(row, 4)?,
            })
        })?;
        found.extend(facts.into_iter().map(|facts| (facts.id.clone(), facts)));
    }
    let ids: BTreeSet<&SessionId> = found.keys().map(|id| &id.session).collect();
    let sql = format!(
        "SELECT {}, (SELECT count(*) FROM turns AS t WHERE t.session = s.row) \
         FROM sessions AS s WHERE s.id = ?1 AND s.listed",
        codec::SESSION
    );
    let mut sessions = Vec::new();
    for id in ids {
        sessions.extend(rows(connection, &sql, [id.as_str()], |row| {
            Ok(SessionFacts { session: codec::session(row)?, turns: codec::number(row, 9)? })
        })?);
    }
    Ok(Around { turns: found.into_values().collect(), sessions })
}

pub(super) fn said(connection: &Connection, ids: &[TurnId]) -> Result<Vec<Turn>> {
    let sql = format!(
        "SELECT {} FROM sessions AS s JOIN turns AS t ON t.session = s.row \
         WHERE s.id = ?1 AND t.seq = ?2",
        codec::TURN
    );
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for id in ids.iter().filter(|id| seen.insert(*id)) {
        let place = params![id.session.as_str(), count(id.seq)];
        found.extend(rows(connection, &sql, place, codec::turn)?);
    }
    Ok(found)
}

pub(super) fn stats(connection: &Connection, path: &Path) -> Result<StoreStats> {
    let number = |sql: &str| -> Result<u64> {
        let found = rows(connection, sql, [], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(found.first().copied().unwrap_or_default()).unwrap_or_default())
    };
    let sql = "SELECT scope, entries, chars FROM scopes ORDER BY scope";
    let raw = rows(connection, sql, [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    })?;
    let mut scopes = Vec::new();
    for (scope, entries, chars) in raw {
        let whole = |n| u64::try_from(n).unwrap_or_default();
        scopes.push(ScopeUsage {
            scope: scope.parse()?,
            entries: whole(entries),
            chars: whole(chars),
        });
    }
    let sql = "SELECT category, count(*) FROM memories GROUP BY category ORDER BY category";
    let categories = rows(connection, sql, [], |row| {
        Ok((row.get(0)?, u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default()))
    })?;
    Ok(StoreStats {
        memories: scopes.iter().map(|usage| usage.entries).sum(),
        versions: number("SELECT count(*) FROM versions")?,
        sessions: number("SELECT count(*) FROM sessions WHERE listed")?,
        turns: number("SELECT count(*) FROM turns")?,
        bytes: bytes_on_disk(path),
        scopes,
        categories,
        vectors: super::vector::usage(connection)?,
    })
}

/// The file and the journals beside it.
fn bytes_on_disk(path: &Path) -> u64 {
    let size = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        std::fs::metadata(name).map(|found| found.len()).unwrap_or_default()
    };
    size("") + size("-wal") + size("-shm")
}
