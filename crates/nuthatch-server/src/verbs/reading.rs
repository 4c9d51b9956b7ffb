//! Reads arguments, and says in plain words what is wrong with them.
//!
//! Whoever writes them is mostly a model: it is told which argument to mend and what belongs
//! there. What it wrote is not repeated, for it may be long, or secret.

use nuthatch::error::{Error, Result};
use nuthatch::filter::Superseded;
use nuthatch::place::Wanted;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Arguments out of JSON.
///
/// # Errors
/// `invalid`, naming the argument.
pub fn read<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let told = told(&error.into_inner().to_string());
        // A missing argument is named by the message itself.
        match path.as_str() {
            "." => Error::invalid(told),
            path => Error::invalid(format!("the argument `{path}` is wrong: {told}")),
        }
    })
}

/// The message without what was written, and without words of the language behind.
fn told(message: &str) -> String {
    let Some((problem, expected)) = message.split_once(", expected ") else {
        return match message.strip_prefix("missing field ") {
            Some(name) => format!("the argument {name} is missing"),
            None => message.to_owned(),
        };
    };
    if problem.starts_with("unknown field") {
        return match expected.strip_prefix("one of ") {
            Some(names) => format!("{problem}; the arguments are {names}"),
            None => format!("{problem}; the only argument is {expected}"),
        };
    }
    let expected = match expected {
        "u64" | "usize" | "u32" => "a whole number, 0 or more",
        "f64" => "a number",
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        other if other == "a map" || other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("it must be {expected}")
}

/// The scopes, categories and times that list and recall share.
#[must_use]
pub fn wanted(
    scopes: Option<Vec<String>>,
    categories: Option<Vec<String>>,
    since: Option<String>,
    until: Option<String>,
) -> Wanted {
    Wanted {
        scopes: scopes.unwrap_or_default(),
        all_projects: false,
        categories: categories.unwrap_or_default(),
        since,
        until,
        superseded: Superseded::Hidden,
    }
}
