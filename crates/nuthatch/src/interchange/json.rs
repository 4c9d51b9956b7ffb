//! Elements of a JSON document, one at a time: a file of any size fits.
//!
//! A document is an array, or an object in which some fields hold arrays; everything else in
//! it is passed over without being kept. One element alone must fit into memory, within
//! bounds.

use std::cell::Cell;
use std::fmt;
use std::io::{BufRead, Read};
use std::rc::Rc;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Largest element: a conversation of a year.
const ELEMENT_BYTES: u64 = 64 << 20;

/// The name under which elements of a document that is an array are told.
pub const WHOLE: &str = "";

/// What is told: the field it stands in, and the element.
type Each<'a> = dyn FnMut(&str, Value) -> Result<()> + 'a;

/// Tells every element of the arrays in `fields`, or of the document itself where it is an
/// array. A field of those that is an object is told as one element.
///
/// # Errors
/// `invalid` where the document breaks off, is no JSON, holds something too large or none of the
/// fields; what stands before was told. Whatever the listener says.
pub fn elements(input: &mut dyn BufRead, fields: &[&str], each: &mut Each<'_>) -> Result<()> {
    let since = Rc::new(Cell::new(0));
    let metered = Metered { input, since: Rc::clone(&since) };
    let mut failed = None;
    let telling = Teller { fields, each, since, failed: &mut failed };
    let mut reader = serde_json::Deserializer::from_reader(metered);
    let read = Document(telling).deserialize(&mut reader).and_then(|()| reader.end());
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(broken(&error)),
    }
}

fn broken(error: &serde_json::Error) -> Error {
    let at = format!("line {}, column {}", error.line(), error.column());
    let what = match error.classify() {
        serde_json::error::Category::Eof => "the document breaks off",
        serde_json::error::Category::Io => "the document cannot be read on",
        serde_json::error::Category::Data => "the document has another shape",
        serde_json::error::Category::Syntax => "the document is not JSON",
    };
    Error::invalid(format!("{what}: {at}")).with_hint("what stands before was read")
}

/// Counts bytes since the last element, so that one without end is noticed.
struct Metered<'a> {
    input: &'a mut dyn BufRead,
    since: Rc<Cell<u64>>,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.since.get() > ELEMENT_BYTES {
            return Err(std::io::Error::other("one entry is larger than 64 MiB"));
        }
        let count = self.input.read(buffer)?;
        self.since.set(self.since.get() + count as u64);
        Ok(count)
    }
}

struct Teller<'a, 'e> {
    fields: &'a [&'a str],
    each: &'a mut Each<'e>,
    since: Rc<Cell<u64>>,
    failed: &'a mut Option<Error>,
}

impl Teller<'_, '_> {
    /// Tells one element; false when the listener has had enough.
    fn tell(&mut self, field: &str, element: Value) -> bool {
        self.since.set(0);
        match (self.each)(field, element) {
            Ok(()) => true,
            Err(error) => {
                *self.failed = Some(error);
                false
            }
        }
    }
}

struct Document<'a, 'e>(Teller<'a, 'e>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        all(&mut self.0, WHOLE, &mut array)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let mut is_known = false;
        while let Some(name) = object.next_key::<String>()? {
            if self.0.fields.contains(&name.as_str()) {
                is_known = true;
                object.next_value_seed(Field { teller: &mut self.0, name: &name })?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        if !is_known {
            // Taken for empty, it would look as if nothing was in it.
            let fields = self.0.fields.join(", ");
            *self.0.failed = Some(Error::invalid(format!("the document holds none of: {fields}")));
        }
        Ok(())
    }
}

fn all<'de, A: SeqAccess<'de>>(
    teller: &mut Teller<'_, '_>,
    name: &str,
    array: &mut A,
) -> Result<(), A::Error> {
    while let Some(element) = array.next_element::<Value>()? {
        if !teller.tell(name, element) {
            return Err(A::Error::custom("told enough"));
        }
    }
    Ok(())
}

struct Field<'t, 'a, 'e> {
    teller: &'t mut Teller<'a, 'e>,
    name: &'t str,
}

impl<'de> DeserializeSeed<'de> for Field<'_, '_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Field<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array in `{}`", self.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        all(self.teller, self.name, &mut array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut whole = Map::new();
        while let Some((name, value)) = object.next_entry::<String, Value>()? {
            whole.insert(name, value);
        }
        match self.teller.tell(self.name, Value::Object(whole)) {
            true => Ok(()),
            false => Err(A::Error::custom("told enough")),
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E>
    where
        E: serde::de::Error,
    {
        match self.teller.tell(self.name, Value::String(text.to_owned())) {
            true => Ok(()),
            false => Err(E::custom("told enough")),
        }
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}

/// The text of a field, unless it is empty.
pub(super) fn text<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(name)?.as_str()).filter(|text| !text.trim().is_empty())
}

/// A time in one of the fields: RFC 3339, seconds since 1970, or such a pair.
pub(super) fn time(value: &Value, names: &[&str]) -> Option<jiff::Timestamp> {
    names.iter().find_map(|name| when(value.get(name)?))
}

/// A time as tools write it.
pub(super) fn when(value: &Value) -> Option<jiff::Timestamp> {
    let seconds = |seconds: f64| {
        // Milliseconds, where seconds would lie in a far future.
        let seconds = if seconds.abs() > 1e11 { seconds / 1e3 } else { seconds };
        jiff::Timestamp::from_microsecond((seconds * 1e6) as i64).ok()
    };
    let found = match value {
        Value::String(text) => text.trim().parse().ok().or_else(|| {
            let local = text.trim().replace(' ', "T");
            let local: jiff::civil::DateTime = local.parse().ok()?;
            local.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
        }),
        Value::Number(number) => number.as_f64().and_then(seconds),
        Value::Object(pair) => {
            pair.get("secs_since_epoch").and_then(Value::as_f64).and_then(seconds)
        }
        _ => None,
    };
    found.map(crate::time::to_micros)
}
