//! Values to columns and back.
//!
//! PostgreSQL keeps no NUL in a text, so one is written as an escape, sign by sign: equal texts
//! stay equal, and what a text begins with stays what it begins with. A row that cannot be read is
//! an error, never a guess.

use std::collections::BTreeMap;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::id::{DocId, MemoryId, ModelId};
use nuthatch::memory::{Importance, Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use nuthatch::trust::{Origin, Trust};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};
use uuid::Uuid;

use crate::semantics::trust_level;

/// Begins an escape: of the private use area, where no text has a reason to be.
const MARK: char = '\u{F8FE}';

/// A text as PostgreSQL can keep it.
pub fn escaped(text: &str) -> String {
    if !text.contains(['\0', MARK]) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => out.extend([MARK, '0']),
            MARK => out.extend([MARK, '1']),
            c => out.push(c),
        }
    }
    out
}

/// The text behind [`escaped`].
pub fn plain(text: String) -> String {
    if !text.contains(MARK) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == MARK) {
            (_, true) => out.push(if chars.next() == Some('0') { '\0' } else { MARK }),
            (c, false) => out.push(c),
        }
    }
    out
}

/// One parameter of a statement, with its type, so that no statement has to be prepared.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
    Int(Option<i64>),
    Float(f64),
    Bool(bool),
    Uuid(Option<Uuid>),
    Texts(Vec<String>),
    MaybeTexts(Vec<Option<String>>),
    Ints(Vec<i64>),
    Uuids(Vec<Uuid>),
    Byteses(Vec<Vec<u8>>),
}

impl Param {
    pub fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Param::Text(value) => (value, Type::TEXT),
            Param::Bytes(value) => (value, Type::BYTEA),
            Param::Int(value) => (value, Type::INT8),
            Param::Float(value) => (value, Type::FLOAT8),
            Param::Bool(value) => (value, Type::BOOL),
            Param::Uuid(value) => (value, Type::UUID),
            Param::Texts(value) => (value, Type::TEXT_ARRAY),
            Param::MaybeTexts(value) => (value, Type::TEXT_ARRAY),
            Param::Ints(value) => (value, Type::INT8_ARRAY),
            Param::Uuids(value) => (value, Type::UUID_ARRAY),
            Param::Byteses(value) => (value, Type::BYTEA_ARRAY),
        }
    }
}

macro_rules! from {
    ($($of:ty, $value:ident => $param:expr;)*) => {
        $(impl From<$of> for Param {
            fn from($value: $of) -> Param { $param }
        })*
    };
}

from! {
    &str, value => Param::Text(Some(escaped(value)));
    &String, value => Param::Text(Some(escaped(value)));
    String, value => Param::Text(Some(escaped(&value)));
    Option<&str>, value => Param::Text(value.map(escaped));
    Option<String>, value => Param::Text(value.as_deref().map(escaped));
    &Option<String>, value => Param::Text(value.as_deref().map(escaped));
    &Scope, value => Param::Text(Some(value.to_string()));
    Vec<u8>, value => Param::Bytes(Some(value));
    Option<Vec<u8>>, value => Param::Bytes(value);
    i64, value => Param::Int(Some(value));
    Option<i64>, value => Param::Int(value);
    u64, value => Param::Int(Some(count(value)));
    Timestamp, value => Param::Int(Some(value.as_microsecond()));
    f64, value => Param::Float(value);
    bool, value => Param::Bool(value);
    Uuid, value => Param::Uuid(Some(value));
    MemoryId, value => Param::Uuid(Some(value.0));
    Option<Uuid>, value => Param::Uuid(value);
    Vec<String>, value => Param::Texts(value.iter().map(|text| escaped(text)).collect());
    Vec<Option<String>>, value => Param::MaybeTexts(
        value.iter().map(|text| text.as_deref().map(escaped)).collect()
    );
    Vec<i64>, value => Param::Ints(value);
    Vec<Uuid>, value => Param::Uuids(value);
    Vec<Vec<u8>>, value => Param::Byteses(value);
}

/// A value of a column.
pub fn column<'a, T: FromSql<'a>>(row: &'a Row, place: usize) -> Result<T> {
    row.try_get(place).map_err(|error| unreadable(&error.to_string()))
}

pub fn text(row: &Row, place: usize) -> Result<String> {
    column(row, place).map(plain)
}

pub fn optional_text(row: &Row, place: usize) -> Result<Option<String>> {
    column::<Option<String>>(row, place).map(|text| text.map(plain))
}

/// A number that is never negative.
pub fn number(row: &Row, place: usize) -> Result<u64> {
    let number: i64 = column(row, place)?;
    u64::try_from(number).map_err(|error| unreadable(&error.to_string()))
}

pub fn time(row: &Row, place: usize) -> Result<Timestamp> {
    moment(column(row, place)?)
}

pub fn moment(microseconds: i64) -> Result<Timestamp> {
    Timestamp::from_microsecond(microseconds).map_err(|error| unreadable(&error.to_string()))
}

pub fn parsed<T: std::str::FromStr<Err = Error>>(row: &Row, place: usize) -> Result<T> {
    text(row, place)?.parse()
}

fn optional<T: std::str::FromStr<Err = Error>>(row: &Row, place: usize) -> Result<Option<T>> {
    optional_text(row, place)?.map(|text| text.parse()).transpose()
}

fn json<T: DeserializeOwned>(row: &Row, place: usize) -> Result<Option<T>> {
    let text = optional_text(row, place)?;
    text.map(|text| serde_json::from_str(&text).map_err(|e| unreadable(&e.to_string()))).transpose()
}

/// JSON of a value, or nothing where there is nothing to keep.
pub fn written<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
    let text = value.map(serde_json::to_string).transpose();
    text.map_err(|error| Error::internal("a value cannot be written as JSON").with_source(error))
}

fn unreadable(why: &str) -> Error {
    Error::unavailable(format!("a row of the store cannot be read: {why}"))
        .with_hint("a newer version of nuthatch may have written it; nothing was changed")
}

/// A number no store can hold is cut to the largest it can: nobody counts that far.
pub fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What equal texts have in common.
pub fn hash(text: &str) -> Vec<u8> {
    blake3::hash(text.as_bytes()).as_bytes()[..16].to_vec()
}

fn uuid_of(parts: &[&str]) -> Uuid {
    MemoryId::derived(parts).0
}

/// Names a document: a memory by its id, a turn by a hash of its place.
pub fn doc_uuid(doc: &DocId) -> Uuid {
    match doc {
        DocId::Memory(id) => id.0,
        DocId::Turn(id) => turn_uuid(id.session.as_str(), id.seq),
    }
}

pub fn turn_uuid(session: &str, seq: u64) -> Uuid {
    uuid_of(&["nuthatch turn", session, &seq.to_string()])
}

pub fn model_uuid(model: &ModelId) -> Uuid {
    uuid_of(&["nuthatch model", model.as_str()])
}

pub fn shelf_uuid(kind: i64, scope: &Scope) -> Uuid {
    uuid_of(&["nuthatch shelf", &kind.to_string(), &scope.to_string()])
}

/// The columns of [`memory`], in order.
pub const MEMORY: &str = "m.id, m.scope, m.key, m.content, m.category, m.session_id, \
    m.created_at, m.updated_at, m.origin, m.source, m.trust, m.pinned, m.importance, m.metadata, \
    m.superseded_by, m.used, m.last_used_at";

/// Reads a memory out of the columns of [`MEMORY`].
pub fn memory(row: &Row) -> Result<Memory> {
    let level: i64 = column(row, 10)?;
    let trust = Trust::ALL.into_iter().find(|trust| trust_level(*trust) == level);
    Ok(Memory {
        id: MemoryId(column(row, 0)?),
        scope: parsed(row, 1)?,
        key: optional_text(row, 2)?,
        content: text(row, 3)?,
        category: parsed(row, 4)?,
        session_id: optional(row, 5)?,
        created_at: time(row, 6)?,
        updated_at: time(row, 7)?,
        origin: parsed::<Origin>(row, 8)?,
        source: json(row, 9)?,
        trust: trust.ok_or_else(|| unreadable("unknown trust"))?,
        pinned: column(row, 11)?,
        importance: Importance::new(column(row, 12)?)?,
        metadata: json::<BTreeMap<String, String>>(row, 13)?.unwrap_or_default(),
        superseded_by: column::<Option<Uuid>>(row, 14)?.map(MemoryId),
        used: number(row, 15)?,
        last_used_at: column::<Option<i64>>(row, 16)?.map(moment).transpose()?,
    })
}

/// The columns of [`version`], in order.
pub const VERSION: &str = "memory_id, number, key, content, category, written_at, replaced_at";

/// Reads a version out of the columns of [`VERSION`].
pub fn version(row: &Row) -> Result<Version> {
    Ok(Version {
        memory_id: MemoryId(column(row, 0)?),
        number: u32::try_from(number(row, 1)?).map_err(|e| unreadable(&e.to_string()))?,
        key: optional_text(row, 2)?,
        content: text(row, 3)?,
        category: parsed(row, 4)?,
        written_at: time(row, 5)?,
        replaced_at: time(row, 6)?,
    })
}

/// The columns of [`tombstone`], in order.
pub const TOMBSTONE: &str = "id, scope, at";

/// Reads what is left of a memory out of the columns of [`TOMBSTONE`].
pub fn tombstone(row: &Row) -> Result<Tombstone> {
    Ok(Tombstone { id: MemoryId(column(row, 0)?), scope: parsed(row, 1)?, at: time(row, 2)? })
}

/// The columns of [`session`], in order.
pub const SESSION: &str = "s.id, s.channel, s.\"user\", s.agent, s.project, s.title, \
    s.started_at, s.last_active_at, s.metadata";

/// Reads a conversation out of the columns of [`SESSION`].
pub fn session(row: &Row) -> Result<Session> {
    Ok(Session {
        id: parsed(row, 0)?,
        channel: optional_text(row, 1)?,
        user: optional_text(row, 2)?,
        agent: optional_text(row, 3)?,
        project: optional(row, 4)?,
        title: optional_text(row, 5)?,
        started_at: time(row, 6)?,
        last_active_at: time(row, 7)?,
        metadata: json::<BTreeMap<String, String>>(row, 8)?.unwrap_or_default(),
    })
}

/// The columns of [`turn`], in order.
pub const TURN: &str = "t.session, t.seq, t.at, t.role, t.text, t.asked";

/// Reads a turn out of the columns of [`TURN`].
pub fn turn(row: &Row) -> Result<Turn> {
    Ok(Turn {
        session: parsed(row, 0)?,
        seq: number(row, 1)?,
        at: time(row, 2)?,
        role: parsed(row, 3)?,
        text: text(row, 4)?,
        asked: optional_text(row, 5)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_comes_back_and_none_holds_a_nul(text in "[\0\u{F8FE}01a]{0,12}|.*") {
            prop_assert!(!escaped(&text).contains('\0'));
            prop_assert_eq!(plain(escaped(&text)), text);
        }

        #[test]
        fn a_text_begins_with_what_it_began_with(a in "[\0\u{F8FE}01a]{0,6}", b in "[\0\u{F8FE}01a]{0,6}") {
            let whole = format!("{a}{b}");
            prop_assert_eq!(escaped(&whole), escaped(&a) + &escaped(&b));
        }
    }
}
