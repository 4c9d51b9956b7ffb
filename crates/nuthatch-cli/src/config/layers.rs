//! Lays values over each other and remembers where each one came from.
//!
//! A layer is a list of assignments; a later layer wins. The two spellings of the
//! default store are brought together here, because which of them counts depends on
//! the layers they stand in.

use std::fmt;
use std::path::PathBuf;

use nuthatch::error::{Error, Result};

use super::keys::Key;
use super::places::Places;
use super::shape::Shape;
use super::stores;
use super::table::KEYS;
use super::value::{Limit, Value};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The user's file.
    UserFile(PathBuf),
    /// The project's file.
    ProjectFile(PathBuf),
    /// This environment variable.
    Variable(String),
    /// This flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::UserFile(path) | Origin::ProjectFile(path) => path.display().fmt(f),
            Origin::Variable(name) | Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A value that one layer gives to one key.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub key: &'static Key,
    pub value: Value,
    pub origin: Origin,
}

/// A key, the value that won, and where that came from.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: &'static Key,
    /// The value; `None` where nobody set it and there is no default.
    pub value: Option<Value>,
    /// Where the value came from.
    pub origin: Origin,
    layer: usize,
}

/// One entry for each key, in the order of the table.
#[derive(Clone, Debug)]
pub struct Entries(Vec<Entry>);

impl Entries {
    /// Lays `layers` over the defaults, the last one on top.
    pub fn merge(layers: &[&[Assignment]], places: &Places) -> Result<Entries> {
        let mut entries = Entries::defaults(places)?;
        for (below, layer) in layers.iter().enumerate() {
            for assignment in *layer {
                let value = settled(assignment.key, &assignment.value, places)?;
                let entry = entries.entry_mut(assignment.key.name)?;
                entry.value = Some(value);
                entry.origin = assignment.origin.clone();
                entry.layer = below + 1;
            }
        }
        entries.unite_store_spellings(places)?;
        Ok(entries)
    }

    fn defaults(places: &Places) -> Result<Entries> {
        let data = places.data_dir.display().to_string();
        let entry = |key: &'static Key| {
            let text = key.default.map(|text| text.replace("{data}", &data));
            let value = text.map(|text| key.shape.read_text(&text)).transpose();
            let value = value.map_err(|problem| problem.at(key.name))?;
            Ok(Entry { key, value, origin: Origin::Default, layer: 0 })
        };
        KEYS.iter().map(entry).collect::<Result<_>>().map(Entries)
    }

    /// Turns `backend` and `path` into `default`, unless a later layer set that.
    fn unite_store_spellings(&mut self, places: &Places) -> Result<()> {
        let backend = self.take("stores.backend")?;
        let path = self.take("stores.path")?;
        let set = [&backend, &path].into_iter().filter(|part| part.value.is_some());
        let Some(top) = set.max_by_key(|part| part.layer) else { return Ok(()) };
        let default = self.entry_mut("stores.default")?;
        if default.layer > top.layer {
            return Ok(());
        }
        if default.layer == top.layer {
            return Err(spelled_twice(default, top));
        }
        let address = stores::join(text_of(&backend), text_of(&path), places)?;
        default.value = Some(Value::Text(address));
        default.origin = top.origin.clone();
        default.layer = top.layer;
        Ok(())
    }

    /// Takes the entry's value out, leaving the key unset.
    fn take(&mut self, name: &str) -> Result<Entry> {
        let entry = self.entry_mut(name)?;
        let taken = entry.clone();
        entry.value = None;
        entry.origin = Origin::Default;
        Ok(taken)
    }

    fn entry_mut(&mut self, name: &str) -> Result<&mut Entry> {
        self.0.iter_mut().find(|entry| entry.key.name == name).ok_or_else(|| missing(name))
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.0.iter()
    }

    /// The value of that key, where it has one.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.iter().find(|entry| entry.key.name == name)?.value.as_ref()
    }

    /// The text of a key that may be unset.
    pub fn optional_text(&self, name: &str) -> Option<String> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// The text of a key that has a default.
    pub fn text(&self, name: &str) -> Result<String> {
        self.optional_text(name).ok_or_else(|| missing(name))
    }

    /// The number of a key that has a default.
    pub fn number(&self, name: &str) -> Result<u64> {
        match self.value(name) {
            Some(Value::Number(number)) => Ok(*number),
            _ => Err(missing(name)),
        }
    }

    /// The limit of a key that has a default.
    pub fn limit(&self, name: &str) -> Result<Limit> {
        match self.value(name) {
            Some(Value::Limit(limit)) => Ok(*limit),
            _ => Err(missing(name)),
        }
    }

    /// The list of a key that has a default.
    pub fn list(&self, name: &str) -> Result<Vec<String>> {
        match self.value(name) {
            Some(Value::List(items)) => Ok(items.clone()),
            _ => Err(missing(name)),
        }
    }
}

fn spelled_twice(default: &Entry, other: &Entry) -> Error {
    let (one, two) = (&default.origin, &other.origin);
    let name = other.key.name;
    let message = if one == two {
        format!("stores.default and {name} are both set by {one}")
    } else {
        format!("stores.default is set by {one}, and {name} by {two}")
    };
    Error::invalid(message).with_hint("they are two spellings of one thing: keep stores.default")
}

fn text_of(entry: &Entry) -> Option<&str> {
    match &entry.value {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// The value as it is used: `~/` in store addresses is followed.
fn settled(key: &Key, value: &Value, places: &Places) -> Result<Value> {
    match (key.shape, value) {
        (Shape::Store, Value::Text(address)) => stores::expand(address, places).map(Value::Text),
        _ => Ok(value.clone()),
    }
}

fn missing(name: &str) -> Error {
    Error::internal(format!("the table of keys has no value of that shape for {name}"))
}
