//! Our server in a TOML file: a table of its own at the end.
//!
//! Works on lines, so that everything foreign keeps its bytes, line ends included. A header
//! inside a text of several lines would mislead it; the check in `document` sees that and
//! refuses. Only servers are kept in TOML.

use nuthatch::error::{Error, Result};
use serde_json::Value;

use crate::disk::newline;
use crate::document::{Entry, Presence, What, misshapen, presence, taken};
use crate::tree::Tree;

/// What the text says.
pub(crate) fn read(text: &str) -> Result<Value> {
    let table: ::toml::Table =
        text.trim_start_matches('\u{feff}').parse().map_err(|error: ::toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
            Error::invalid(format!("not TOML at line {line}: {}", error.message()))
                .with_hint("mend the file in an editor; nothing was changed")
        })?;
    serde_json::to_value(table)
        .map_err(|error| Error::invalid("the file says what JSON cannot").with_source(error))
}

/// The text with every entry in it.
pub(crate) fn with(text: &str, entries: &[Entry]) -> Result<String> {
    let mut text = text.to_owned();
    for entry in entries {
        let value = read(&text)?;
        let found = entry.path.iter().try_fold(&value, |value, key| value.get(key));
        let What::Server(tree) = &entry.what else { continue };
        match (presence(&value, entry), found) {
            (Presence::Same, _) => {}
            (Presence::Different, _) => text = renewed(&text, &entry.path, tree)?,
            (Presence::Absent, Some(_)) => return Err(taken(&entry.name())),
            (Presence::Absent, None) => text = appended(&text, &entry.path, tree)?,
        }
    }
    Ok(text)
}

/// The text without the entries: their tables, those below them, and the blank line that
/// parts them from what is before.
pub(crate) fn without(text: &str, entries: &[Entry]) -> Result<String> {
    let mut text = text.to_owned();
    for entry in entries {
        let value = read(&text)?;
        if presence(&value, entry) == Presence::Absent {
            continue;
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut kept: Vec<&str> = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            if !begins(lines[at], &entry.path) {
                kept.push(lines[at]);
                at += 1;
                continue;
            }
            if kept.last().is_some_and(|line| line.trim().is_empty()) {
                kept.pop();
            }
            at = end_of_table(&lines, at);
        }
        text = kept.concat();
    }
    Ok(text)
}

/// Behind the last line of a table that holds something; what follows, blank lines and
/// remarks, belongs to the next one.
fn end_of_table(lines: &[&str], start: usize) -> usize {
    let after = lines[start + 1..].iter().position(|line| header(line).is_some());
    let mut end = after.map_or(lines.len(), |after| start + 1 + after);
    while end > start + 1 {
        let line = lines[end - 1].trim();
        if !line.is_empty() && !line.starts_with('#') {
            break;
        }
        end -= 1;
    }
    end
}

/// The keys of a header such as `[a."b c"]`.
fn header(line: &str) -> Option<Vec<String>> {
    if !line.trim_start().starts_with('[') {
        return None;
    }
    let table: ::toml::Table = line.parse().ok()?;
    let mut keys = Vec::new();
    let mut table = &table;
    while let Some((key, value)) = table.iter().next() {
        keys.push(key.clone());
        match value {
            ::toml::Value::Table(inner) => table = inner,
            _ => break,
        }
    }
    Some(keys)
}

fn begins(line: &str, path: &[String]) -> bool {
    header(line).is_some_and(|keys| keys.starts_with(path))
}

fn appended(text: &str, path: &[String], tree: &Tree) -> Result<String> {
    let newline = newline(text);
    let mut new = text.to_owned();
    if !new.is_empty() {
        if !new.ends_with('\n') {
            new.push_str(newline);
        }
        new.push_str(newline);
    }
    new.push_str(&format!("[{}]{newline}", path.join(".")));
    for (key, value) in members(tree)? {
        new.push_str(&format!("{key} = {}{newline}", value.inline()));
    }
    Ok(new)
}

/// Our table with another command; whatever else it says stays.
fn renewed(text: &str, path: &[String], tree: &Tree) -> Result<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(start) = lines.iter().position(|line| header(line).as_deref() == Some(path)) else {
        return Err(misshapen(&path.join("."), "a table of its own"));
    };
    let end = end_of_table(&lines, start);
    let newline = newline(text);
    let mut new: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    for (key, value) in members(tree)?.iter().rev() {
        let line = format!("{key} = {}{newline}", value.inline());
        let is_it = |line: &&str| line.split_once('=').is_some_and(|(name, _)| name.trim() == key);
        match lines[start + 1..end].iter().position(is_it) {
            Some(at) => new[start + 1 + at] = line,
            None => new[start].push_str(&line),
        }
    }
    Ok(new.concat())
}

fn members(tree: &Tree) -> Result<&[(String, Tree)]> {
    match tree {
        Tree::Object(members) => Ok(members),
        _ => Err(misshapen("the entry", "a table")),
    }
}

#[cfg(test)]
mod tests;
