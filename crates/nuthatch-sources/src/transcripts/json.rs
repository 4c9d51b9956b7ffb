//! JSON of unknown shape, taken apart only where somebody looks.
//!
//! A line may hold megabytes that nobody needs, fields may have another type than last week,
//! and texts may hold halves of characters: a field that is not as expected is simply not
//! there. Nothing is copied before it is asked for.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use nuthatch::model::Usage;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Fields of one object, and elements of one list, that are looked at: more are a mistake, or
/// meant to fill memory.
const MOST: usize = 4096;
/// Elements of a list of messages in one file.
const MOST_ITEMS: usize = 200_000;

/// Any JSON.
pub(crate) type Raw<'a> = &'a RawValue;

/// The fields of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Object<'a> {
    /// The object that a text is, or why it is none.
    pub(crate) fn parse(text: &'a str) -> Result<Object<'a>, &'static str> {
        match serde_json::from_str(text) {
            Ok(object) => Ok(object),
            Err(error) if error.is_data() => Err("not an object"),
            Err(_) => Err("not json"),
        }
    }

    /// The last field of a name.
    pub(crate) fn raw(&self, name: &str) -> Option<Raw<'a>> {
        let found = self.0.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| *value).filter(|value| value.get() != "null")
    }

    /// Every field, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, Raw<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        text(self.raw(name)?)
    }

    /// A text that says something.
    pub(crate) fn said(&self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.trim().is_empty()).map(Cow::into_owned)
    }

    /// Whether it is `true`.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.raw(name).is_some_and(|value| value.get() == "true")
    }

    /// A whole number.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        let value = self.raw(name)?.get();
        value.parse().ok().or_else(|| value.parse::<f64>().ok().map(|value| value as i64))
    }

    /// An object.
    pub(crate) fn object(&self, name: &str) -> Option<Object<'a>> {
        object(self.raw(name)?)
    }

    /// An object, or one without fields.
    pub(crate) fn inner(&self, name: &str) -> Object<'a> {
        self.object(name).unwrap_or_default()
    }

    /// The elements of a list; none where there is no list.
    pub(crate) fn items(&self, name: &str) -> Vec<Raw<'a>> {
        self.raw(name).map(items).unwrap_or_default()
    }

    /// A time: RFC 3339, or seconds or milliseconds since 1970.
    pub(crate) fn time(&self, name: &str) -> Option<Timestamp> {
        time(self.raw(name)?)
    }

    /// What a model's answer cost, by these names of what was read and written.
    pub(crate) fn usage(&self, read: &[&str], written: &[&str]) -> Option<Usage> {
        let sum = |names: &[&str]| {
            let each = names.iter().filter_map(|name| u64::try_from(self.number(name)?).ok());
            each.fold(0_u64, u64::saturating_add)
        };
        let usage = Usage { input_tokens: sum(read), output_tokens: sum(written) };
        (usage.total() > 0).then_some(usage)
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some(Key(key)) = map.next_key()? {
                    let value: Raw<'de> = map.next_value()?;
                    if fields.len() < MOST {
                        fields.push((key, value));
                    }
                }
                Ok(Object(fields))
            }
        }
        from.deserialize_map(Fields)
    }
}

struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }
        from.deserialize_str(Name)
    }
}

/// The fields of what is an object.
pub(crate) fn object(value: Raw<'_>) -> Option<Object<'_>> {
    value.get().starts_with('{').then(|| serde_json::from_str(value.get()).ok()).flatten()
}

/// The elements of what is a list.
pub(crate) fn items(value: Raw<'_>) -> Vec<Raw<'_>> {
    struct Elements<'a>(Vec<Raw<'a>>);
    impl<'de> Deserialize<'de> for Elements<'de> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            struct List;
            impl<'de> Visitor<'de> for List {
                type Value = Elements<'de>;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a list")
                }

                fn visit_seq<A: SeqAccess<'de>>(
                    self,
                    mut list: A,
                ) -> Result<Self::Value, A::Error> {
                    let mut elements = Vec::new();
                    while let Some(element) = list.next_element()? {
                        if elements.len() < MOST_ITEMS {
                            elements.push(element);
                        }
                    }
                    Ok(Elements(elements))
                }
            }
            from.deserialize_seq(List)
        }
    }
    if !value.get().starts_with('[') {
        return Vec::new();
    }
    serde_json::from_str(value.get()).map(|Elements(elements)| elements).unwrap_or_default()
}

/// What a text says. Halves of characters, which some products write, become marks.
pub(crate) fn text(value: Raw<'_>) -> Option<Cow<'_, str>> {
    let inner = value.get().strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let decoded = serde_json::from_str(value.get()).unwrap_or_else(|_| unescaped(inner));
    Some(Cow::Owned(decoded))
}

/// What an escaped text says, whatever its escapes are.
fn unescaped(inner: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        let plain = if c == '\\' { rest.next() } else { None };
        match plain {
            None => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xfffd));
            }
            Some(escape) => units.push(match escape {
                'b' => 8,
                'f' => 12,
                'n' => 10,
                'r' => 13,
                't' => 9,
                other => u16::try_from(u32::from(other)).unwrap_or(0xfffd),
            }),
        }
    }
    String::from_utf16_lossy(&units)
}

/// A time: RFC 3339, or seconds or milliseconds since 1970.
pub(crate) fn time(value: Raw<'_>) -> Option<Timestamp> {
    /// The year 5138 in seconds, and 1973 in milliseconds: everything between is clear.
    const MILLISECONDS: f64 = 1e11;
    if let Some(text) = text(value) {
        return text.parse().ok();
    }
    let number: f64 = value.get().parse().ok()?;
    let milliseconds = if number.abs() < MILLISECONDS { number * 1000.0 } else { number };
    Timestamp::from_millisecond(milliseconds as i64).ok()
}

/// The texts in what is a text, one part, or a list of parts that have a `text`.
pub(crate) fn texts(value: Raw<'_>) -> String {
    if let Some(text) = text(value) {
        return text.into_owned();
    }
    if let Some(part) = object(value) {
        return part.text("text").map(Cow::into_owned).unwrap_or_default();
    }
    let parts = items(value).into_iter().filter_map(|part| match text(part) {
        Some(text) => Some(text),
        None => object(part)?.text("text"),
    });
    parts.take(MOST).collect::<Vec<_>>().join("\n")
}
