//! Reads the fields of a device request, and says in plain words what is wrong with them.
//!
//! Whoever writes such a request is a model or a person at a shell, and knows nothing of
//! the types behind it. A field that is `null` counts as absent.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The fields of one request.
pub struct Fields<'a> {
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The fields of a request that may have these and no others.
    pub fn of(body: &'a Value, known: &[&str]) -> Result<Self> {
        let Value::Object(fields) = body else {
            return Err(Error::invalid(format!(
                "a device wants a JSON object, not {}",
                kind(body)
            ))
            .with_hint(format!("its fields are {}", listed(known))));
        };
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(Error::invalid(format!("there is no field {name:?} here"))
                .with_hint(format!("the fields are {}", listed(known)))),
            None => Ok(Fields { fields }),
        }
    }

    fn present(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| wrong(name, "a text", value));
        self.present(name).map(read).transpose()
    }

    /// A text that must be there.
    pub fn needed(&self, name: &str) -> Result<&'a str> {
        self.text(name)?.ok_or_else(|| Error::invalid(format!("this request needs {name:?}")))
    }

    /// One of some words.
    pub fn one_of<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(given) = self.text(name)? else { return Ok(None) };
        match words.iter().find(|(word, _)| *word == given) {
            Some((_, meant)) => Ok(Some(*meant)),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(Error::invalid(format!("{name:?} cannot be {given:?}"))
                    .with_hint(format!("it is one of {}", listed(&known))))
            }
        }
    }

    /// A number to count with.
    pub fn count(&self, name: &str) -> Result<Option<usize>> {
        let read = |value: &Value| {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| wrong(name, "a whole number, 0 or more", value))
        };
        self.present(name).map(read).transpose()
    }

    /// True or false; false if absent.
    pub fn flag(&self, name: &str) -> Result<bool> {
        let read =
            |value: &Value| value.as_bool().ok_or_else(|| wrong(name, "true or false", value));
        self.present(name).map_or(Ok(false), read)
    }
}

fn wrong(name: &str, wanted: &str, value: &Value) -> Error {
    Error::invalid(format!("{name:?} must be {wanted}, not {}", kind(value)))
}

/// What a value is, without repeating it: it may be long, or secret.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn listed(words: &[&str]) -> String {
    words.join(", ")
}
