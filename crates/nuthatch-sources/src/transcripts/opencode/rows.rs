//! OpenCode's database: messages and their parts as rows, or the newer single table.
//!
//! The newer table is read where the older one holds nothing of a session.

use std::path::Path;

use jiff::Timestamp;
use nuthatch::error::Result;
use nuthatch::transcript::SessionHead;
use rusqlite::{Connection, Row};

use super::super::database::{self, LONGEST};
use super::super::json::{self, Object};
use super::super::telling::{Beside, Telling};
use super::super::watermark::Stamp;
use super::super::{Found, Located};
use super::{AGENT, part};

/// The sessions in a database.
pub(super) fn discover(path: &Path, found: &mut Found) {
    let sessions = database::open(path).and_then(|database| {
        sessions(&database, path).map_err(|error| database::refusal(path, &error))
    });
    match sessions {
        Ok(sessions) => found.sessions.extend(sessions),
        Err(_) => found.skip("database not understood"),
    }
}

fn sessions(database: &Connection, path: &Path) -> rusqlite::Result<Vec<Located>> {
    let column = |name: &str| database::column(database, "session", name);
    let messages = if database::has(database, "session_message", "session_id") {
        "(SELECT count(*) FROM message WHERE session_id = session.id)
         + (SELECT count(*) FROM session_message WHERE session_id = session.id)"
    } else {
        "(SELECT count(*) FROM message WHERE session_id = session.id)"
    };
    let sql = format!(
        "SELECT id, {}, {}, {}, {}, {}, {messages} FROM session",
        column("directory"),
        column("title"),
        column("parent_id"),
        column("time_created"),
        column("time_updated"),
    );
    let mut statement = database.prepare(&sql)?;
    let rows = statement.query_map([], |row| located(row, path))?;
    rows.collect()
}

fn located(row: &Row<'_>, path: &Path) -> rusqlite::Result<Located> {
    let time = |at: usize| -> rusqlite::Result<Option<Timestamp>> {
        let at: Option<i64> = row.get(at)?;
        Ok(at.and_then(|at| Timestamp::from_millisecond(at).ok()))
    };
    let (started_at, updated_at) = (time(4)?, time(5)?);
    let head = SessionHead {
        id: row.get(0)?,
        agent: AGENT.to_owned(),
        folder: row.get(1)?,
        title: row.get(2)?,
        parent: row.get(3)?,
        started_at,
        updated_at,
        ..SessionHead::default()
    };
    let size: i64 = row.get(6)?;
    let modified = updated_at.map_or(0, |at| at.as_microsecond());
    let stamp = Stamp { size: size.unsigned_abs(), modified };
    Ok(Located { path: path.to_owned(), head, stamp, span: None })
}

/// Tells a session.
pub(super) fn tell(session: &Located, telling: &mut Telling<'_>) -> Result<()> {
    let database = database::open(&session.path)?;
    let id = session.head.id.clone();
    let told = messages(&database, &id, telling).and_then(|told| match told {
        0 if database::has(&database, "session_message", "data") => newer(&database, &id, telling),
        _ => Ok(()),
    });
    told.map_err(|error| database::refusal(&session.path, &error))
}

fn messages(database: &Connection, id: &str, telling: &mut Telling<'_>) -> rusqlite::Result<u64> {
    let revert = database::column(database, "session", "revert");
    let sql = format!("SELECT {revert} FROM session WHERE id = ?1");
    let revert: Option<String> = database.query_row(&sql, [id], |row| row.get(0))?;
    let revert = revert.and_then(|revert| Object::parse(&revert).ok()?.said("messageID"));
    let sql = "SELECT id, iif(length(data) > ?2, NULL, data) FROM message
               WHERE session_id = ?1 ORDER BY id";
    let mut list = database.prepare(sql)?;
    let sql =
        "SELECT iif(length(data) > ?2, NULL, data) FROM part WHERE message_id = ?1 ORDER BY id";
    let mut parts_of = database.prepare(sql)?;
    let mut rows = list.query((id, LONGEST as i64))?;
    let (mut told, mut aside) = (0, false);
    while let Some(row) = rows.next()? {
        if telling.is_over() {
            break;
        }
        told += 1;
        let message: String = row.get(0)?;
        aside |= revert.as_deref() == Some(&message);
        let Some(info) = row.get::<_, Option<String>>(1)? else {
            telling.skip("row too long");
            continue;
        };
        let Ok(info) = Object::parse(&info) else {
            telling.skip("not json");
            continue;
        };
        let parts = parts_of.query_map((&message, LONGEST as i64), |row| row.get(0))?;
        let parts: Vec<Option<String>> = parts.collect::<rusqlite::Result<_>>()?;
        let parsed: Vec<Object<'_>> = parts
            .iter()
            .filter_map(|part| {
                let parsed = part.as_deref().map(Object::parse);
                match parsed {
                    Some(Ok(part)) => return Some(part),
                    Some(Err(kind)) => telling.skip(kind),
                    None => telling.skip("row too long"),
                }
                None
            })
            .collect();
        part::message(&info, parsed.into_iter(), aside, telling);
    }
    Ok(told)
}

/// The newer table: one row for whatever happened.
fn newer(database: &Connection, id: &str, telling: &mut Telling<'_>) -> rusqlite::Result<()> {
    let sql = "SELECT type, iif(length(data) > ?2, NULL, data) FROM session_message
               WHERE session_id = ?1 ORDER BY seq, id";
    let mut list = database.prepare(sql)?;
    let mut rows = list.query((id, LONGEST as i64))?;
    while let Some(row) = rows.next()? {
        let kind: String = row.get(0)?;
        let Some(data) = row.get::<_, Option<String>>(1)? else {
            telling.skip("row too long");
            continue;
        };
        let Ok(data) = Object::parse(&data) else {
            telling.skip("not json");
            continue;
        };
        happened(&kind, &data, telling);
    }
    Ok(())
}

fn happened(kind: &str, data: &Object<'_>, telling: &mut Telling<'_>) {
    let beside = Beside { at: data.inner("time").time("created"), ..Beside::default() };
    let text = || data.raw("text").or(data.raw("content")).map(json::texts).unwrap_or_default();
    match kind {
        "user" if telling.head.parent.is_some() => telling.host(&beside, &text()),
        "user" => telling.user(&beside, &text()),
        "synthetic" | "system" => telling.host(&beside, &text()),
        "compaction" => telling.summary(&beside, &data.text("summary").unwrap_or_default()),
        "shell" => {
            let id = data.text("callID").unwrap_or_default();
            telling.call(&beside, &id, "shell", &data.text("command").unwrap_or_default());
            telling.result(&beside, &id, false, &data.text("output").unwrap_or_default());
        }
        "assistant" => {
            let model = data.inner("model").said("id").or_else(|| data.said("modelID"));
            let beside = Beside { model, ..beside };
            for block in data.items("content").into_iter().filter_map(json::object) {
                match block.text("type").as_deref() {
                    Some("text") => {
                        telling.assistant(&beside, &block.text("text").unwrap_or_default());
                    }
                    Some("tool") => tool(&block, &beside, telling),
                    Some("reasoning") => {}
                    kind => telling.unknown("block", kind),
                }
            }
        }
        "agent-switched" | "model-switched" => {}
        kind => telling.unknown("type", Some(kind)),
    }
}

fn tool(block: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
    let id = block.text("callID").or(block.text("id")).unwrap_or_default();
    let name = block.text("name").or(block.text("tool")).unwrap_or_default();
    let state = block.inner("state");
    telling.call(beside, &id, &name, state.raw("input").map_or("", |input| input.get()));
    let failed = state.text("status").as_deref() == Some("error");
    let output = state.raw("error").filter(|_| failed);
    let output = output.or(state.raw("output")).or(state.raw("content")).map(json::texts);
    if let Some(output) = output {
        telling.result(beside, &id, failed, &output);
    }
}
