//! goose: a database, `sessions/sessions.db`, and files of lines of older versions.
//!
//! Messages are content blocks of several kinds; what the user is not shown is the host's.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use nuthatch::error::Result;
use nuthatch::transcript::{Event, SessionHead};
use rusqlite::{Connection, Row};

use super::database::{self, LONGEST};
use super::document;
use super::environment::Environment;
use super::folder;
use super::json::{self, Object};
use super::stream::{Stream, Teller};
use super::telling::{Beside, Telling};
use super::watermark::Stamp;
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "goose";
const DATABASE: &str = "sessions.db";

/// Reads the sessions of goose.
#[derive(Debug)]
pub struct Goose {
    root: Option<PathBuf>,
}

impl Goose {
    /// With the root that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let moved = environment.variables.get("GOOSE_PATH_ROOT").map(|root| root.join("data"));
        let root = moved.or_else(|| environment.data("goose"));
        Goose { root: root.map(|root| root.join("sessions")) }
    }
}

impl Transcripts for Goose {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        self.root.as_ref().map(|root| below(root)).unwrap_or_default()
    }

    fn at(&self, path: &Path) -> Found {
        below(path)
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        if is_database(&session.path) {
            return document::read(session, session.stamp, from, each, |telling| {
                let database = database::open(&session.path)?;
                let told = messages(&database, own_id(session), telling);
                told.map_err(|error| database::refusal(&session.path, &error))
            });
        }
        Stream::open(session, from)?.read(None, each, &mut Messages)
    }
}

fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DATABASE)
}

/// goose counts its sessions by day; the name of the product keeps them apart from others'.
fn named(id: &str) -> String {
    format!("{AGENT}:{id}")
}

fn own_id(session: &Located) -> &str {
    session.head.id.strip_prefix("goose:").unwrap_or(&session.head.id)
}

fn below(root: &Path) -> Found {
    let mut found = Found::default();
    for (path, metadata) in folder::files(root, 1, &mut found) {
        if is_database(&path) {
            let sessions = database::open(&path).and_then(|database| {
                sessions(&database, &path).map_err(|error| database::refusal(&path, &error))
            });
            match sessions {
                Ok(sessions) => found.sessions.extend(sessions),
                Err(_) => found.skip("database not understood"),
            }
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            let beginning = folder::beginning(&path);
            let first = beginning.lines().next().and_then(|line| Object::parse(line).ok());
            let Some(first) = first.filter(|first| first.raw("working_dir").is_some()) else {
                continue;
            };
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let mut located = folder::located(AGENT, named(stem), path.clone(), &metadata);
            located.head.folder = first.said("working_dir");
            located.head.title = first.said("description");
            found.sessions.push(located);
        }
    }
    found.newest_only()
}

fn sessions(database: &Connection, path: &Path) -> rusqlite::Result<Vec<Located>> {
    let column = |name: &str| database::column(database, "sessions", name);
    let name = if database::has(database, "sessions", "name") { "name" } else { "description" };
    let sql = format!(
        "SELECT id, {}, {}, {}, {}, (SELECT count(*) FROM messages WHERE session_id = sessions.id)
         FROM sessions",
        column("working_dir"),
        column(name),
        column("created_at"),
        column("updated_at"),
    );
    let mut statement = database.prepare(&sql)?;
    let rows = statement.query_map([], |row| located(row, path))?;
    rows.collect()
}

fn located(row: &Row<'_>, path: &Path) -> rusqlite::Result<Located> {
    let id: String = row.get(0)?;
    let (started_at, updated_at) = (time(row, 3)?, time(row, 4)?);
    let head = SessionHead {
        id: named(&id),
        agent: AGENT.to_owned(),
        folder: row.get(1)?,
        title: row.get::<_, Option<String>>(2)?.filter(|title| !title.is_empty()),
        started_at,
        updated_at,
        ..SessionHead::default()
    };
    let size: i64 = row.get(5)?;
    let modified = updated_at.map_or(0, |at| at.as_microsecond());
    let stamp = Stamp { size: size.unsigned_abs(), modified };
    Ok(Located { path: path.to_owned(), head, stamp, span: None })
}

/// A time as SQLite writes it, in UTC.
fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let Some(text) = row.get::<_, Option<String>>(column)? else { return Ok(None) };
    let at = text.parse().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        civil.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp())
    });
    Ok(at)
}

fn messages(database: &Connection, id: &str, telling: &mut Telling<'_>) -> rusqlite::Result<()> {
    let metadata = database::column(database, "messages", "metadata_json");
    let sql = format!(
        "SELECT role, iif(length(content_json) > ?2, NULL, content_json), created_timestamp, {metadata}
         FROM messages WHERE session_id = ?1 ORDER BY created_timestamp, rowid"
    );
    let mut list = database.prepare(&sql)?;
    let mut rows = list.query((id, LONGEST as i64))?;
    while let Some(row) = rows.next()? {
        if telling.is_over() {
            break;
        }
        let Some(content) = row.get::<_, Option<String>>(1)? else {
            telling.skip("row too long");
            continue;
        };
        let role: String = row.get(0)?;
        let at = Timestamp::from_second(row.get(2)?).ok();
        let metadata: Option<String> = row.get(3)?;
        let hidden = metadata
            .is_some_and(|text| Object::parse(&text).is_ok_and(|metadata| is_hidden(&metadata)));
        let Ok(content) = serde_json::from_str(&content) else {
            telling.skip("not json");
            continue;
        };
        message(&role, content, hidden, &Beside { at, ..Beside::default() }, telling);
    }
    Ok(())
}

fn is_hidden(metadata: &Object<'_>) -> bool {
    metadata.raw("userVisible").is_some_and(|visible| visible.get() == "false")
}

/// The lines of a file of an older version.
struct Messages;

impl Teller for Messages {
    fn line(
        &mut self,
        _: usize,
        line: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str> {
        if line.raw("working_dir").is_some() {
            return Ok(());
        }
        let (Some(role), Some(content)) = (line.text("role"), line.raw("content")) else {
            return Err("unknown record");
        };
        let beside = Beside { at: line.time("created"), ..Beside::default() };
        message(&role, content, is_hidden(&line.inner("metadata")), &beside, telling);
        Ok(())
    }
}

fn message(
    role: &str,
    content: json::Raw<'_>,
    hidden: bool,
    beside: &Beside,
    telling: &mut Telling<'_>,
) {
    for block in json::items(content).into_iter().filter_map(json::object) {
        let id = block.text("id").unwrap_or_default();
        match block.text("type").as_deref() {
            Some("text") => {
                let text = block.text("text").unwrap_or_default();
                match role {
                    _ if text.trim().is_empty() => {}
                    "user" if hidden => telling.host(beside, &text),
                    "user" => telling.user(beside, &text),
                    _ => telling.assistant(beside, &text),
                }
            }
            Some("toolRequest") => {
                let call = block.inner("toolCall");
                let call = call.object("value").unwrap_or(call);
                let input = call.raw("arguments").map_or("", |input| input.get());
                telling.call(beside, &id, &call.text("name").unwrap_or_default(), input);
            }
            Some("toolResponse") => result(&block, &id, beside, telling),
            Some("systemNotification" | "conversationCompacted" | "summarizationRequested") => {}
            Some("image" | "thinking" | "redactedThinking" | "actionRequired" | "reasoning") => {}
            Some("frontendToolRequest" | "toolConfirmationRequest" | "contextLengthExceeded") => {}
            kind => telling.unknown("block", kind),
        }
    }
}

fn result(block: &Object<'_>, id: &str, beside: &Beside, telling: &mut Telling<'_>) {
    let result = block.inner("toolResult");
    let value = result.raw("value");
    let inner = value.and_then(json::object);
    let failed = result.text("status").as_deref() == Some("error")
        || inner.as_ref().is_some_and(|inner| inner.is("isError"));
    let content = inner.as_ref().and_then(|inner| inner.raw("content")).or(value);
    let output = content.map(json::texts).filter(|output| !output.is_empty());
    let output = output.or_else(|| result.said("error")).unwrap_or_default();
    telling.result(beside, id, failed, &output);
}
