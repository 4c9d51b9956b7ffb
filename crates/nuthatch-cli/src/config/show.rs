//! Writes the configuration down: for people, for programs, and as a reference.
//!
//! What is shown can end up in a bug report, so passwords inside addresses are masked.

use std::fmt::Write as _;

use serde_json::{Map, json};

use super::Config;
use super::env;
use super::keys::{Key, ProjectFile};
use super::layers::{Entry, Origin};
use super::shape::Shape;
use super::table::KEYS;
use super::value::Value;

/// The data folder of somebody who moved nothing.
pub const USUAL_DATA: &str = "~/.local/share/nuthatch";

/// Whether each value is shown with the place it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// The values alone.
    Values,
    /// The values and their origins.
    Origins,
}

impl Entry {
    /// The value as it may be shown to anyone.
    pub fn shown(&self) -> Option<Value> {
        match (self.key.shape, self.value.clone()?) {
            (Shape::Store | Shape::Url, Value::Text(text)) => Some(Value::Text(masked(&text))),
            (_, value) => Some(value),
        }
    }
}

impl Config {
    /// The configuration as JSON: nested by section, or flat with the origin of each key.
    pub fn to_json(&self, show: Show) -> serde_json::Value {
        let mut object = Map::new();
        for entry in self.entries() {
            let value = entry.shown().map_or(serde_json::Value::Null, |value| value.to_json());
            match show {
                Show::Origins => {
                    let shown = json!({ "value": value, "origin": entry.origin.to_string() });
                    object.insert(entry.key.name.to_owned(), shown);
                }
                Show::Values => nest(&mut object, entry.key, value),
            }
        }
        serde_json::Value::Object(object)
    }

    /// The configuration as a file would say it.
    pub fn to_text(&self, show: Show) -> String {
        let mut text = String::new();
        let mut section = "";
        for entry in self.entries() {
            if entry.key.section() != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                section = entry.key.section();
                let _ = writeln!(text, "{gap}[{section}]");
            }
            text.push_str(&line(entry, show));
        }
        text
    }
}

fn nest(object: &mut Map<String, serde_json::Value>, key: &Key, value: serde_json::Value) {
    let mut inner = object;
    for part in key.section().split('.') {
        let next = inner.entry(part).or_insert_with(|| json!({}));
        let serde_json::Value::Object(table) = next else { return };
        inner = table;
    }
    inner.insert(key.leaf().to_owned(), value);
}

fn line(entry: &Entry, show: Show) -> String {
    let Some(value) = entry.shown() else {
        return format!("# {} is not set\n", entry.key.leaf());
    };
    let origin = match (show, &entry.origin) {
        (Show::Values, _) => String::new(),
        (Show::Origins, Origin::Default) => "  # default".to_owned(),
        (Show::Origins, origin) => format!("  # from {origin}"),
    };
    format!("{} = {}{origin}\n", entry.key.leaf(), value.to_toml())
}

/// The address without the passwords in it.
fn masked(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, tail) = match rest.find(['/', '?', '#']) {
        Some(end) => rest.split_at(end),
        None => (rest, ""),
    };
    let authority = match authority.rsplit_once('@') {
        Some((login, host)) => match login.split_once(':') {
            Some((user, _)) => format!("{user}:***@{host}"),
            None => authority.to_owned(),
        },
        None => authority.to_owned(),
    };
    let Some((path, query)) = tail.split_once('?') else {
        return format!("{scheme}://{authority}{tail}");
    };
    let mask = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}=***"),
        _ => pair.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(mask).collect();
    format!("{scheme}://{authority}{path}?{}", query.join("&"))
}

fn is_secret(parameter: &str) -> bool {
    let parameter = parameter.to_ascii_lowercase();
    ["password", "token", "key", "secret"].iter().any(|word| parameter.contains(word))
}

/// The reference of all keys, as a Markdown table per section.
pub fn reference() -> String {
    let mut text = String::new();
    let mut section = "";
    for key in KEYS {
        if key.section() != section {
            let gap = if section.is_empty() { "" } else { "\n" };
            section = key.section();
            let _ = write!(
                text,
                "{gap}## [{section}]\n\n\
                 | key | what | takes | default | environment | in a project file |\n\
                 |---|---|---|---|---|---|\n"
            );
        }
        let default = match key.default {
            Some(default) => format!("`{}`", default.replace("{data}", USUAL_DATA)),
            None => "not set".to_owned(),
        };
        let variables: Vec<String> =
            env::variables(key).iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {default} | {} | {} |",
            key.leaf(),
            key.help,
            key.shape.expected(),
            variables.join(", "),
            allowed(key.project_file)
        );
    }
    text
}

fn allowed(rule: ProjectFile) -> &'static str {
    match rule {
        ProjectFile::MaySet => "yes",
        ProjectFile::MaySetInside => "inside the project",
        ProjectFile::MayNotSet => "no",
        ProjectFile::AloneMaySet => "only there",
    }
}
