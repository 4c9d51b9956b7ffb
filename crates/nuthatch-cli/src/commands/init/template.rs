//! The text of a new project's configuration file: what is set, and the rest as examples.
//!
//! Pure; whether it can be read again is checked by whoever writes it.

use std::fmt::Write as _;

use super::questions::Wishes;
use crate::config::Value;

/// What every project file begins with.
const HEAD: &str = "\
# Settings of this project for Nuthatch, shared with everyone who works on it.
# `nuthatch config keys` describes every key.
";
/// Where a project's memory lies in its repository.
const IN_REPOSITORY: &str = "markdown:.nuthatch/memory";

/// What is set, and the rest as examples.
pub fn text(key: Option<&str>, store: Option<&str>, wishes: Wishes) -> String {
    let mut text = HEAD.to_owned();
    let mut section = |name: &str, key: &str, value: Option<&str>, example: &str| {
        let line = match value {
            Some(value) => format!("{key} = {}", Value::Text(value.trim().to_owned()).to_toml()),
            None => format!("# {key} = {example}"),
        };
        let _ = write!(text, "\n[{name}]\n{line}\n");
    };
    let store = store.or(wishes.in_repository.then_some(IN_REPOSITORY));
    section("project", "key", key, "\"my-project\"");
    section("stores", "project", store, "\"markdown:.nuthatch/memory\"");
    section("limits", "facts", None, "200");
    section("recall", "limit", None, "10");
    if wishes.learn {
        text.push_str("\n[memories]\nenabled = true\n");
    }
    text
}
