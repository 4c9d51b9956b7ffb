//! The query of an address as arguments: texts become what the shape says they are.
//!
//! What they mean, and whether they are wanted at all, is read in `crate::verbs`.

use nuthatch::error::{Error, Result};
use serde_json::{Map, Value};

use crate::schema::Shape;

/// Pairs as an object of the given shape. A name that may be given several times becomes a
/// list; what the shape does not know stays a text, and is refused later, by name.
pub fn arguments(pairs: Vec<(String, String)>, shape: &Shape) -> Result<Map<String, Value>> {
    let mut found = Map::new();
    for (name, text) in pairs {
        let kind =
            shape.get("properties").and_then(|known| known.get(&name)?.get("type")?.as_str());
        if kind == Some("array") {
            match found.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(items) => items.push(Value::String(text)),
                _ => unreachable!("an entry of this name is always a list"),
            }
            continue;
        }
        if found.contains_key(&name) {
            return Err(Error::invalid(format!("`{}` is given twice", shortened(&name))));
        }
        let value = read(&name, text, kind)?;
        found.insert(name, value);
    }
    Ok(found)
}

fn read(name: &str, text: String, kind: Option<&str>) -> Result<Value> {
    let wrong = |what: &str| Error::invalid(format!("`{name}` must be {what}"));
    match kind {
        Some("integer") => {
            let number: u64 = text.parse().map_err(|_| wrong("a whole number, 0 or more"))?;
            Ok(Value::from(number))
        }
        Some("boolean") => {
            Ok(Value::from(text.parse::<bool>().map_err(|_| wrong("true or false"))?))
        }
        _ => Ok(Value::String(text)),
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}
