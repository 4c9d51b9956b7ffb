//! SQLite databases of other tools: a table of memories, whatever else it says of them.
//!
//! The database is opened for reading alone. One of our own stores is not read here: what it
//! holds is more than a table shows.

use std::path::Path;

use nuthatch::error::{Error, Result};
use nuthatch::interchange::{Item, Telling, facts};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::{Map, Value};

use crate::transcripts::database::{self as foreign, LONGEST};

/// Tables that hold memories, in the order they are looked for.
const TABLES: &[&str] = &["memories", "memory", "facts", "observations", "notes"];
/// What tools call the text itself.
const TEXTS: &[&str] = &["content", "fact", "text", "memory"];
/// A table beside those, of what whole conversations came to.
const SUMMARIES: &str = "session_summaries";
/// What tools that tell an observation or a summary in parts call them, in the order they are read;
/// the last is a list.
const PARTS: [&str; 10] = [
    "title",
    "subtitle",
    "narrative",
    "request",
    "investigated",
    "learned",
    "completed",
    "next_steps",
    "notes",
    "facts",
];

pub(super) fn read(path: &Path, telling: &mut Telling<'_>) -> Result<()> {
    let database = foreign::open(path)?;
    if foreign::has(&database, "memories", "content_hash") {
        return Err(Error::invalid("it is a store of nuthatch")
            .with_hint(format!("nuthatch migrate --from sqlite:{}", path.display())));
    }
    let holds = |table: &&&str| TEXTS.iter().any(|text| foreign::has(&database, table, text));
    let Some(table) = TABLES.iter().find(holds) else {
        return Err(Error::invalid("no table of it holds memories")
            .with_hint(format!("one of: {}", TABLES.join(", "))));
    };
    let has_summaries = foreign::has(&database, SUMMARIES, "learned");
    for table in [*table].into_iter().chain(has_summaries.then_some(SUMMARIES)) {
        rows(&database, table, telling).map_err(|error| match error {
            Trouble::Listener(error) => error,
            Trouble::Database(error) => foreign::refusal(path, &error),
        })?;
    }
    Ok(())
}

enum Trouble {
    Listener(Error),
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Trouble::Database(error)
    }
}

fn rows(
    database: &Connection,
    table: &str,
    telling: &mut Telling<'_>,
) -> std::result::Result<(), Trouble> {
    let mut query = database.prepare(&format!("SELECT * FROM {table}"))?;
    let names: Vec<String> = query.column_names().map(str::to_owned).collect();
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        match facts::fact(&whole(object(row, &names))) {
            Some(fact) => telling.item(Item::Fact(Box::new(fact))).map_err(Trouble::Listener)?,
            None => telling.skip("rows without a text"),
        }
    }
    Ok(())
}

/// A row whose text stands in parts, with the text in one.
fn whole(mut row: Map<String, Value>) -> Value {
    let is_said = |name: &&str| row.get(*name).and_then(Value::as_str).is_some();
    if TEXTS.iter().any(is_said) || !PARTS.iter().any(is_said) {
        return Value::Object(row);
    }
    let mut text = String::new();
    for (place, part) in PARTS.iter().enumerate() {
        let Some(Value::String(said)) = row.remove(*part) else { continue };
        if said.trim().is_empty() {
            continue;
        }
        let listed: Option<Vec<String>> = serde_json::from_str(&said).ok();
        for said in listed.unwrap_or_else(|| vec![said]) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(if place == PARTS.len() - 1 { "- " } else { "" });
            text.push_str(&said);
        }
    }
    row.insert("text".to_owned(), Value::from(text));
    Value::Object(row)
}

fn object(row: &Row<'_>, names: &[String]) -> Map<String, Value> {
    let mut object = Map::new();
    for (place, name) in names.iter().enumerate() {
        let value = match row.get_ref(place) {
            Ok(ValueRef::Text(text)) if text.len() <= LONGEST => {
                Value::from(String::from_utf8_lossy(text))
            }
            Ok(ValueRef::Integer(number)) => Value::from(number),
            Ok(ValueRef::Real(number)) => Value::from(number),
            _ => continue,
        };
        object.insert(name.clone(), value);
    }
    object
}
