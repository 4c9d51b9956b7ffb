//! What is to stand in a configuration file, whatever its format, and whether it does.
//!
//! Every edit is checked by reading the result: without our entries it must say what the file
//! said before. An edit that fails this is not made.

use nuthatch::error::{Error, Result};
use serde_json::Value;

use crate::tree::Tree;
use crate::{json, toml, yaml};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON; comments and trailing commas are understood.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// Something of ours in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The keys that lead to it.
    pub path: Vec<String>,
    /// What it is.
    pub what: What,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The server, under our name.
    Server(Tree),
    /// A hook, in the list at the path.
    Hook(Tree),
    /// Something the product wants, whoever writes it; what is there stays.
    Needed(Tree),
}

impl Entry {
    /// An entry at a path.
    #[must_use]
    pub fn new(path: &[&str], what: What) -> Entry {
        Entry { path: path.iter().map(|key| (*key).to_owned()).collect(), what }
    }

    /// The path as people write it.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.join(".")
    }
}

/// Whether an entry stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// As it should.
    Same,
    /// Ours, but another command or other settings.
    Different,
    /// Not at all.
    Absent,
}

/// The text with every entry in it. An empty text is an empty document.
///
/// # Errors
/// `invalid` where the text is broken, `conflict` where somebody else has our place.
pub fn with(format: Format, text: &str, entries: &[Entry]) -> Result<String> {
    let after = match format {
        Format::Json => json::with(text, entries)?,
        Format::Toml => toml::with(text, entries)?,
        Format::Yaml => yaml::with(text, entries)?,
    };
    let says = |text: &str| read(format, text).map(|value| stripped(value, entries));
    if says(text)? != says(&after)? {
        return Err(unsure());
    }
    if entries.iter().any(|entry| presence(&after_value(format, &after), entry) == Presence::Absent)
    {
        return Err(unsure());
    }
    Ok(after)
}

/// The text without the entries. Empty containers on the way to them go, too, unless `keep`
/// says that they were there before.
///
/// # Errors
/// `invalid` where the text is broken.
pub fn without(
    format: Format,
    text: &str,
    entries: &[Entry],
    keep: &dyn Fn(&[String]) -> bool,
) -> Result<String> {
    let value = read(format, text)?;
    if entries.iter().all(|entry| !is_ours_there(&value, entry)) {
        return Ok(text.to_owned());
    }
    let after = match format {
        Format::Json => json::without(text, entries, keep)?,
        Format::Toml => toml::without(text, entries)?,
        Format::Yaml => yaml::without(text, entries, keep)?,
    };
    let says = |text: &str| read(format, text).map(|value| stripped(value, entries));
    if says(text)? != says(&after)? {
        return Err(unsure());
    }
    Ok(after)
}

/// What a text says.
///
/// # Errors
/// `invalid` where it is broken.
pub fn read(format: Format, text: &str) -> Result<Value> {
    match format {
        Format::Json => json::read(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

fn after_value(format: Format, text: &str) -> Value {
    read(format, text).unwrap_or_default()
}

/// Whether an entry stands in what a file says.
#[must_use]
pub fn presence(value: &Value, entry: &Entry) -> Presence {
    let found = entry.path.iter().try_fold(value, |value, key| value.get(key));
    let Some(found) = found else { return Presence::Absent };
    match &entry.what {
        What::Needed(_) => Presence::Same,
        What::Server(tree) if !is_our_server(found) => {
            if *found == tree.value() {
                Presence::Same
            } else {
                Presence::Absent
            }
        }
        What::Server(tree) => {
            // Settings that somebody added, such as an environment, are theirs.
            let wanted = tree.value();
            let same = wanted.as_object().is_some_and(|wanted| {
                wanted.iter().all(|(key, value)| found.get(key) == Some(value))
            });
            if same { Presence::Same } else { Presence::Different }
        }
        What::Hook(tree) => {
            let wanted = tree.value();
            let mut elements = found.as_array().into_iter().flatten().peekable();
            let mut ours = elements.by_ref().filter(|element| holds_our_hook(element)).peekable();
            if ours.peek().is_none() {
                return Presence::Absent;
            }
            if ours.any(|element| *element == wanted) {
                Presence::Same
            } else {
                Presence::Different
            }
        }
    }
}

fn is_ours_there(value: &Value, entry: &Entry) -> bool {
    !matches!(entry.what, What::Needed(_)) && presence(value, entry) != Presence::Absent
}

/// What is left of a document without our entries and without empty containers, which say
/// nothing: two texts that differ in ours alone have the same.
fn stripped(mut value: Value, entries: &[Entry]) -> Value {
    for entry in entries {
        strip(&mut value, &entry.path, &entry.what);
    }
    value
}

fn strip(value: &mut Value, path: &[String], what: &What) {
    let Some((key, rest)) = path.split_first() else { return };
    let Some(object) = value.as_object_mut() else { return };
    let Some(inner) = object.get_mut(key) else { return };
    if !rest.is_empty() {
        strip(inner, rest, what);
    } else {
        match what {
            What::Server(_) if is_our_server(inner) => *inner = Value::Null,
            What::Needed(tree) if *inner == tree.value() => *inner = Value::Null,
            What::Hook(_) => strip_hooks(inner),
            _ => {}
        }
    }
    let says_nothing = match inner {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => false,
    };
    if says_nothing {
        object.remove(key);
    }
}

fn strip_hooks(list: &mut Value) {
    let Some(elements) = list.as_array_mut() else { return };
    for element in elements.iter_mut() {
        if let Some(inner) = element.get_mut("hooks").and_then(Value::as_array_mut)
            && !inner.iter().all(is_our_hook)
        {
            inner.retain(|hook| !is_our_hook(hook));
        }
    }
    elements.retain(|element| !is_wholly_ours(element));
}

/// Whether an element of a list of hooks has one of ours in it.
pub(crate) fn holds_our_hook(element: &Value) -> bool {
    let inner = element.get("hooks").and_then(Value::as_array);
    is_our_hook(element) || inner.is_some_and(|inner| inner.iter().any(is_our_hook))
}

/// Whether an element is nothing but ours.
pub(crate) fn is_wholly_ours(element: &Value) -> bool {
    match element.get("hooks").and_then(Value::as_array) {
        Some(inner) => !inner.is_empty() && inner.iter().all(is_our_hook),
        None => is_our_hook(element),
    }
}

/// Whether a hook runs `nuthatch hook`.
pub(crate) fn is_our_hook(hook: &Value) -> bool {
    let Some(command) = hook.get("command").and_then(Value::as_str) else { return false };
    match hook.get("args").and_then(Value::as_array) {
        Some(args) => is_our_program(command) && args.first().is_some_and(|arg| arg == "hook"),
        None => command.split_once(" hook").is_some_and(|(program, rest)| {
            is_our_program(program) && (rest.is_empty() || rest.starts_with(' '))
        }),
    }
}

/// Whether a server is `nuthatch mcp`, in any of the shapes that products have for it.
pub(crate) fn is_our_server(server: &Value) -> bool {
    let words = |name: &str| match server.get(name) {
        Some(Value::String(word)) => vec![word.clone()],
        Some(Value::Array(words)) => {
            words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let words: Vec<String> =
        ["command", "cmd", "args"].iter().flat_map(|name| words(name)).collect();
    words.first().is_some_and(|program| is_our_program(program))
        && words.iter().skip(1).any(|word| word == "mcp")
}

/// Whether a program is called nuthatch, wherever it lies and however it is quoted.
fn is_our_program(program: &str) -> bool {
    let program = program.trim().trim_matches(['"', '\'']);
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "nuthatch" || name.eq_ignore_ascii_case("nuthatch.exe")
}

/// Somebody else has our name.
pub(crate) fn taken(name: &str) -> Error {
    Error::conflict(format!("{name} is there already, and it is not Nuthatch's"))
        .with_hint("rename or remove it; nothing was changed")
}

/// Something on the way to an entry is not what it should be.
pub(crate) fn misshapen(name: &str, wanted: &str) -> Error {
    Error::invalid(format!("{name} is not {wanted}"))
        .with_hint("mend the file in an editor; nothing was changed")
}

fn unsure() -> Error {
    Error::invalid("the file is laid out in a way that cannot be edited safely")
        .with_hint("add the entries by hand, as --dry-run shows them; nothing was changed")
}
