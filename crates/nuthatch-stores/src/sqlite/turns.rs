//! Conversations and turns as rows, with the words of what was said.
//!
//! Turns come in great numbers, so they are taken many at a time: each text is analysed once,
//! and each term's postings are written once for all of them. A turn that says what it said
//! before is left as it is; one that says something else is indexed anew.

use std::collections::{BTreeMap, HashMap, HashSet};

use nuthatch::error::Result;
use nuthatch::id::{ProjectId, SessionId};
use nuthatch::session::{Session, Turn};
use nuthatch::text::Words;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::apply::json;
use super::codec::count;
use super::embedded;
use super::read::{failure, rows};
use super::words::{self, Additions, Kind, Removals, execute};

/// Turns read at a time when a whole conversation leaves or moves.
const BATCH: i64 = 2000;

/// Stores a conversation under its id. Its turns move to where it belongs now.
pub fn put_session(connection: &Connection, session: &Session) -> Result<()> {
    let before = shelf_of(connection, &session.id)?;
    let shelf = words::shelf_of(connection, Kind::Turn, &session.scope())?;
    let sql = "INSERT INTO sessions (id, channel, user, agent, project, title, started_at, \
               last_active_at, metadata, listed, shelf) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1, ?10) ON CONFLICT (id) DO UPDATE \
               SET channel = ?2, user = ?3, agent = ?4, project = ?5, title = ?6, \
               started_at = ?7, last_active_at = ?8, metadata = ?9, listed = 1, shelf = ?10";
    let metadata = Some(&session.metadata).filter(|metadata| !metadata.is_empty());
    let values = params![
        session.id.as_str(),
        session.channel,
        session.user,
        session.agent,
        session.project.as_ref().map(ProjectId::as_str),
        session.title,
        session.started_at.as_microsecond(),
        session.last_active_at.as_microsecond(),
        json(metadata)?,
        shelf,
    ];
    execute(connection, sql, values)?;
    match before {
        Some(known) if known.shelf != Some(shelf) => {
            move_turns(connection, known.row, known.shelf, Some(shelf))
        }
        _ => Ok(()),
    }
}

/// Where a conversation is.
struct Known {
    row: i64,
    shelf: Option<i64>,
}

fn shelf_of(connection: &Connection, id: &SessionId) -> Result<Option<Known>> {
    let sql = "SELECT row, shelf FROM sessions WHERE id = ?1";
    let find = || -> rusqlite::Result<Option<Known>> {
        connection
            .prepare_cached(sql)?
            .query_row([id.as_str()], |row| Ok(Known { row: row.get(0)?, shelf: row.get(1)? }))
            .optional()
    };
    find().map_err(|error| failure(connection, error))
}

/// Takes the turns of a conversation from one shelf to another.
fn move_turns(
    connection: &Connection,
    session: i64,
    from: Option<i64>,
    to: Option<i64>,
) -> Result<()> {
    let sql = "SELECT row, asked, text FROM turns WHERE session = ?1 AND row > ?2 \
               ORDER BY row LIMIT ?3";
    let mut after = i64::MIN;
    loop {
        let some = rows(connection, sql, [session, after, BATCH], |row| {
            Ok((row.get::<_, i64>(0)?, words_at(row, 1)?))
        })?;
        let Some((last, _)) = some.last() else { return Ok(()) };
        after = *last;
        let docs: Vec<i64> = some.iter().map(|(row, _)| *row).collect();
        let (mut removals, mut additions) = (Removals::default(), Additions::default());
        for (row, words) in some {
            removals.push(row, words.clone());
            additions.push(row, words);
        }
        if let Some(from) = from {
            embedded::leave(connection, Kind::Turn, from, &docs)?;
            words::remove(connection, from, removals)?;
        }
        if let Some(to) = to {
            words::add(connection, to, &additions)?;
            embedded::await_vectors(connection, to, &docs)?;
        }
    }
}

/// The words of a turn, out of the columns of what it answers and what it says.
fn words_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Words> {
    let asked: Option<String> = row.get(column)?;
    Ok(Words::of(asked.as_deref(), row.get_ref(column + 1)?.as_str()?))
}

/// Removes a conversation and its turns.
pub fn remove_session(connection: &Connection, id: &SessionId) -> Result<()> {
    remove_turns(connection, id)?;
    execute(connection, "DELETE FROM sessions WHERE id = ?1", [id.as_str()]).map(|_| ())
}

/// Removes what was said in a conversation, its words and its vectors.
pub(crate) fn remove_turns(connection: &Connection, id: &SessionId) -> Result<()> {
    let Some(known) = shelf_of(connection, id)? else { return Ok(()) };
    move_turns(connection, known.row, known.shelf, None)?;
    execute(connection, "DELETE FROM turns WHERE session = ?1", [known.row]).map(|_| ())
}

/// Removes the turns of a conversation that are not among these.
pub(crate) fn retain_turns(connection: &Connection, id: &SessionId, kept: &[Turn]) -> Result<()> {
    let Some(known) = shelf_of(connection, id)? else { return Ok(()) };
    let kept: HashSet<i64> = kept.iter().map(|turn| count(turn.seq)).collect();
    let sql = "SELECT row, seq, asked, text FROM turns WHERE session = ?1 ORDER BY row";
    let mut leaving = Vec::new();
    let mut removals = Removals::default();
    rows(connection, sql, [known.row], |row| {
        if !kept.contains(&row.get(1)?) {
            leaving.push(row.get::<_, i64>(0)?);
            removals.push(row.get(0)?, words_at(row, 2)?);
        }
        Ok(())
    })?;
    if let Some(shelf) = known.shelf.filter(|_| !leaving.is_empty()) {
        embedded::leave(connection, Kind::Turn, shelf, &leaving)?;
        words::remove(connection, shelf, removals)?;
    }
    for row in leaving {
        execute(connection, "DELETE FROM turns WHERE row = ?1", [row])?;
    }
    Ok(())
}

/// Conversations other than these are not known any more. Their turns are kept, and found by
/// nobody until they are.
pub(crate) fn retain_sessions(connection: &Connection, kept: &[Session]) -> Result<()> {
    let kept: HashSet<&SessionId> = kept.iter().map(|session| &session.id).collect();
    let sql = "SELECT id FROM sessions WHERE listed";
    let listed = rows(connection, sql, [], |row| super::codec::parsed::<SessionId>(row, 0))?;
    for id in listed.iter().filter(|id| !kept.contains(id)) {
        let Some(known) = shelf_of(connection, id)? else { continue };
        move_turns(connection, known.row, known.shelf, None)?;
        let sql = "UPDATE sessions SET listed = 0, shelf = NULL WHERE row = ?1";
        execute(connection, sql, [known.row])?;
    }
    let empty = "DELETE FROM sessions WHERE NOT listed \
                 AND row NOT IN (SELECT session FROM turns)";
    execute(connection, empty, []).map(|_| ())
}

/// A conversation of which nothing is known but its id.
fn stand_in(connection: &Connection, id: &SessionId) -> Result<Known> {
    let sql = "INSERT INTO sessions (id, started_at, last_active_at, listed) VALUES (?1, 0, 0, 0)";
    execute(connection, sql, [id.as_str()])?;
    Ok(Known { row: connection.last_insert_rowid(), shelf: None })
}

/// Stores turns under their sessions and places.
pub fn put_turns(connection: &Connection, turns: &[Turn]) -> Result<()> {
    let mut sessions: HashMap<&SessionId, Known> = HashMap::new();
    let mut changes: BTreeMap<Option<i64>, Shelving> = BTreeMap::new();
    // Two turns of one place in one set: the later one counts.
    let mut places: HashMap<(&SessionId, u64), usize> = HashMap::new();
    for (number, turn) in turns.iter().enumerate() {
        places.insert((&turn.session, turn.seq), number);
    }
    for (number, turn) in turns.iter().enumerate() {
        if places.get(&(&turn.session, turn.seq)) != Some(&number) {
            continue;
        }
        if !sessions.contains_key(&turn.session) {
            let known = match shelf_of(connection, &turn.session)? {
                Some(known) => known,
                None => stand_in(connection, &turn.session)?,
            };
            sessions.insert(&turn.session, known);
        }
        let Some(known) = sessions.get(&turn.session) else { continue };
        put_turn(connection, known, turn, changes.entry(known.shelf).or_default())?;
    }
    for (shelf, Shelving { leaving, removals, mut coming }) in changes {
        let Some(shelf) = shelf else { continue };
        if !leaving.is_empty() {
            embedded::leave(connection, Kind::Turn, shelf, &leaving)?;
            words::remove(connection, shelf, removals)?;
        }
        coming.sort_unstable_by_key(|(row, _)| *row);
        let docs: Vec<i64> = coming.iter().map(|(row, _)| *row).collect();
        let mut additions = Additions::default();
        coming.into_iter().for_each(|(row, words)| additions.push(row, words));
        words::add(connection, shelf, &additions)?;
        embedded::await_vectors(connection, shelf, &docs)?;
    }
    Ok(())
}

/// What changes on a shelf.
#[derive(Default)]
struct Shelving {
    leaving: Vec<i64>,
    removals: Removals,
    coming: Vec<(i64, Words)>,
}

fn put_turn(
    connection: &Connection,
    session: &Known,
    turn: &Turn,
    shelving: &mut Shelving,
) -> Result<()> {
    let old = stored(connection, session, turn.seq)?;
    let (at, role) = (turn.at.as_microsecond(), turn.role.name());
    let same = |old: &&Stored| old.text == turn.text && old.asked == turn.asked;
    if let Some(old) = old.as_ref().filter(same) {
        let sql = "UPDATE turns SET at = ?2, role = ?3 \
                   WHERE row = ?1 AND (at <> ?2 OR role <> ?3)";
        return execute(connection, sql, params![old.row, at, role]).map(|_| ());
    }
    let words = Words::of(turn.asked.as_deref(), &turn.text);
    let chars = count(turn.text.chars().count() as u64);
    let row = match old {
        Some(old) => {
            let sql = "UPDATE turns SET at = ?2, role = ?3, chars = ?4, terms = ?5, asked = ?6, \
                       text = ?7 WHERE row = ?1";
            let values = params![old.row, at, role, chars, words.length, turn.asked, turn.text];
            execute(connection, sql, values)?;
            shelving.leaving.push(old.row);
            shelving.removals.push(old.row, Words::of(old.asked.as_deref(), &old.text));
            old.row
        }
        None => {
            let sql = "INSERT INTO turns (session, seq, at, role, chars, terms, asked, text) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let (asked, text) = (&turn.asked, &turn.text);
            let place = (session.row, count(turn.seq));
            let values = params![place.0, place.1, at, role, chars, words.length, asked, text];
            execute(connection, sql, values)?;
            connection.last_insert_rowid()
        }
    };
    shelving.coming.push((row, words));
    Ok(())
}

/// A turn as it is stored.
struct Stored {
    row: i64,
    asked: Option<String>,
    text: String,
}

fn stored(connection: &Connection, session: &Known, seq: u64) -> Result<Option<Stored>> {
    let sql = "SELECT row, asked, text FROM turns WHERE session = ?1 AND seq = ?2";
    let find = || -> rusqlite::Result<Option<Stored>> {
        let read =
            |row: &Row<'_>| Ok(Stored { row: row.get(0)?, asked: row.get(1)?, text: row.get(2)? });
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row([session.row, count(seq)], read).optional()
    };
    find().map_err(|error| failure(connection, error))
}
