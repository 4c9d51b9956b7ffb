//! A memory as a JSON object that may hold more than we know.
//!
//! Reading goes field by field: what cannot be read counts as absent and is reported,
//! because one odd value must not hide a memory. Writing keeps fields it does not know, and
//! values it would not change, exactly as they were written.

use std::fmt;

use nuthatch::memory::Memory;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::field::Field;

/// The fields of one object in the order they stand there, values as written.
pub struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads an object; `None` when the text is something else or broken.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value of a name. The last one counts, as in most readers; `null` is no value.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'a RawValue> {
        self.last(name).map(|at| self.0[at].1).filter(|raw| raw.get() != "null")
    }

    fn last(&self, name: &str) -> Option<usize> {
        self.0.iter().rposition(|(given, _)| given == name)
    }

    /// Sets the `known` fields in a memory and answers those that could not be read.
    pub fn read(&self, known: &[Field], memory: &mut Memory) -> Vec<Field> {
        let mut odd = Vec::new();
        for field in known {
            match self.find(field.name()).map(|raw| field.read(raw, memory)) {
                Some(Some(())) => {}
                Some(None) => {
                    odd.push(*field);
                    field.assume(memory);
                }
                None => field.assume(memory),
            }
        }
        odd
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// An object as it was read, for writing a changed one in its place.
pub struct Before<'a> {
    /// Its fields.
    pub fields: &'a Fields<'a>,
    /// What was read from them.
    pub memory: &'a Memory,
    /// Which of them could not be read as what they should be.
    pub odd: &'a [Field],
}

/// A value on its way into a file.
#[derive(Debug, PartialEq)]
pub enum Piece<'a> {
    /// As it was written.
    Kept(&'a str),
    /// As a memory has it now.
    New(Value),
}

/// The fields of `memory` in the order they are to be written: first those that were there,
/// then the rest of `known`.
#[must_use]
pub fn merge<'a>(
    before: Option<&Before<'a>>,
    known: &[Field],
    memory: &Memory,
) -> Vec<(String, Piece<'a>)> {
    let mut merged = Vec::new();
    let mut written = Vec::new();
    if let Some(before) = before {
        let last: Vec<_> = known.iter().map(|field| before.fields.last(field.name())).collect();
        for (at, (name, raw)) in before.fields.0.iter().enumerate() {
            let Some(field) = known.iter().find(|field| field.name() == name) else {
                merged.push((name.clone(), Piece::Kept(raw.get())));
                continue;
            };
            if last.contains(&Some(at)) {
                let piece = replace(before, *field, raw, memory);
                merged.extend(piece.map(|piece| (name.clone(), piece)));
                written.push(*field);
            }
        }
    }
    for field in known.iter().filter(|field| !written.contains(field)) {
        let value = field.write(memory);
        merged.extend(value.map(|value| (field.name().to_owned(), Piece::New(value))));
    }
    merged
}

/// What stands in a known field's place: what was there wherever that says the same.
fn replace<'a>(
    before: &Before<'a>,
    field: Field,
    raw: &'a RawValue,
    memory: &Memory,
) -> Option<Piece<'a>> {
    let readable = raw.get() != "null" && !before.odd.contains(&field);
    match field.write(memory) {
        _ if readable && field.same(before.memory, memory) => Some(Piece::Kept(raw.get())),
        Some(value) => Some(Piece::New(value)),
        // Something of another tool's that means nothing to us is not ours to drop.
        None if !readable => Some(Piece::Kept(raw.get())),
        None => None,
    }
}
