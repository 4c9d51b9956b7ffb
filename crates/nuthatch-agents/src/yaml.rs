//! Our server in a YAML file: a mapping in a mapping at the top of the document.
//!
//! Works on lines, so that everything foreign keeps its bytes. What it cannot follow, such as
//! mappings in braces, tabs and several documents, is refused: the check in `document` reads
//! every result. Only servers are kept in YAML.

use nuthatch::error::{Error, Result};
use serde_json::Value;

use crate::disk::newline;
use crate::document::{Entry, Presence, What, misshapen, presence, taken};
use crate::tree::{Tree, quoted};

/// What the text says; an empty one is an empty mapping.
pub(crate) fn read(text: &str) -> Result<Value> {
    let only_remarks = text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
    if only_remarks {
        return Ok(Value::Object(serde_json::Map::default()));
    }
    let value: Value = serde_saphyr::from_str(text).map_err(|error| {
        let told = error.to_string();
        let first = told.lines().next().unwrap_or_default().to_owned();
        Error::invalid(format!("not YAML: {first}"))
            .with_hint("mend the file in an editor; nothing was changed")
    })?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(misshapen("the whole file", "a mapping")),
    }
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
            (Presence::Different, _) => text = renewed(&text, entry, tree)?,
            (Presence::Absent, Some(_)) => return Err(taken(&entry.name())),
            (Presence::Absent, None) => text = added(&text, entry, tree)?,
        }
    }
    Ok(text)
}

/// The text without the entries, and without a mapping that was made for them.
pub(crate) fn without(
    text: &str,
    entries: &[Entry],
    keep: &dyn Fn(&[String]) -> bool,
) -> Result<String> {
    let mut text = text.to_owned();
    for entry in entries {
        if presence(&read(&text)?, entry) == Presence::Absent {
            continue;
        }
        let (outer, inner) = keys(entry)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let top = block(&lines, 0..lines.len(), outer, 0);
        let ours = top.as_ref().and_then(|top| {
            let indent = indent_inside(&lines, top)?;
            block(&lines, top.start + 1..top.end, inner, indent)
        });
        let (Some(top), Some(ours)) = (top, ours) else {
            return Err(misshapen(&entry.name(), "a mapping of its own"));
        };
        let alone =
            (top.start + 1..top.end).all(|at| ours.contains(&at) || says_nothing(lines[at]));
        let gone = if alone && !keep(&entry.path[..1]) { top } else { ours };
        let kept = lines.iter().enumerate().filter(|(at, _)| !gone.contains(at));
        text = kept.map(|(_, line)| *line).collect();
    }
    Ok(text)
}

fn keys(entry: &Entry) -> Result<(&str, &str)> {
    match entry.path.as_slice() {
        [outer, inner] => Ok((outer, inner)),
        _ => Err(Error::internal("an entry in YAML has a path of two keys")),
    }
}

fn says_nothing(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether a line begins the value of a key at an indentation.
fn is_key(line: &str, key: &str, at: usize) -> bool {
    let text = line.trim_start_matches(' ');
    let bare = [key.to_owned(), quoted(key), format!("'{key}'")];
    let rest = bare.iter().find_map(|key| text.strip_prefix(key.as_str()));
    indent(line) == at && rest.is_some_and(|rest| rest.trim_start_matches(' ').starts_with(':'))
}

/// The lines of a key with everything below it; blank lines and remarks at its end are not.
fn block(
    lines: &[&str],
    within: std::ops::Range<usize>,
    key: &str,
    at: usize,
) -> Option<std::ops::Range<usize>> {
    let start = within.clone().find(|line| is_key(lines[*line], key, at))?;
    let below = |line: &usize| {
        let text = lines[*line];
        // Elements of a list may stand as far left as the key that they belong to.
        says_nothing(text)
            || indent(text) > at
            || (indent(text) == at && text.trim_start().starts_with("- "))
    };
    let mut end = (start + 1..within.end).find(|line| !below(line)).unwrap_or(within.end);
    while end > start + 1 && says_nothing(lines[end - 1]) {
        end -= 1;
    }
    Some(start..end)
}

/// How far what is inside of a block is indented.
fn indent_inside(lines: &[&str], block: &std::ops::Range<usize>) -> Option<usize> {
    let first = (block.start + 1..block.end).find(|at| !says_nothing(lines[*at]))?;
    Some(indent(lines[first]))
}

fn added(text: &str, entry: &Entry, tree: &Tree) -> Result<String> {
    let (outer, inner) = keys(entry)?;
    let newline = newline(text);
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let views: Vec<&str> = lines.iter().map(String::as_str).collect();
    let Some(top) = block(&views, 0..views.len(), outer, 0) else {
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            last.push_str(newline);
        }
        lines.push(format!("{outer}:{newline}"));
        lines.push(rendered(inner, tree, 2, newline));
        return Ok(lines.concat());
    };
    let depth = indent_inside(&views, &top);
    let (key, says) = views[top.start].split_once(':').unwrap_or_default();
    let says = says.split(" #").next().unwrap_or_default().trim();
    match (depth, says) {
        (Some(depth), "") => {
            let last = &mut lines[top.end - 1];
            if !last.ends_with('\n') {
                last.push_str(newline);
            }
            lines.insert(top.end, rendered(inner, tree, depth, newline));
        }
        (None, "" | "{}" | "null" | "~") => {
            let said = format!("{key}: {says}");
            lines[top.start] = lines[top.start].replacen(&said, &format!("{key}:"), 1);
            if !lines[top.start].ends_with('\n') {
                lines[top.start].push_str(newline);
            }
            lines.insert(top.start + 1, rendered(inner, tree, 2, newline));
        }
        _ => return Err(misshapen(outer, "a mapping with a line for each key")),
    }
    Ok(lines.concat())
}

/// Our mapping with another command; whatever else it says stays.
fn renewed(text: &str, entry: &Entry, tree: &Tree) -> Result<String> {
    let (outer, inner) = keys(entry)?;
    let newline = newline(text);
    let mut text = text.to_owned();
    let Tree::Object(members) = tree else { return Err(misshapen(inner, "a mapping")) };
    for (key, value) in members {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let ours = block(&lines, 0..lines.len(), outer, 0).and_then(|top| {
            let depth = indent_inside(&lines, &top)?;
            block(&lines, top.start + 1..top.end, inner, depth)
        });
        let found = ours.and_then(|ours| Some((indent_inside(&lines, &ours)?, ours)));
        let Some((depth, ours)) = found else {
            return Err(misshapen(&entry.name(), "a mapping of its own"));
        };
        let old = block(&lines, ours.start + 1..ours.end, key, depth);
        let old = old.unwrap_or(ours.end..ours.end);
        let mut new: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        new.splice(old, [rendered(key, value, depth, newline)]);
        text = new.concat();
    }
    Ok(text)
}

/// A key with its value, each line at its indentation.
fn rendered(key: &str, tree: &Tree, depth: usize, newline: &str) -> String {
    let indent = " ".repeat(depth);
    match tree {
        Tree::Object(members) if !members.is_empty() => {
            let inside = members.iter().map(|(key, tree)| rendered(key, tree, depth + 2, newline));
            format!("{indent}{key}:{newline}{}", inside.collect::<String>())
        }
        Tree::Array(elements) if !elements.is_empty() => {
            let inside =
                elements.iter().map(|tree| format!("{indent}- {}{newline}", tree.inline()));
            format!("{indent}{key}:{newline}{}", inside.collect::<String>())
        }
        flat => format!("{indent}{key}: {}{newline}", flat.inline()),
    }
}

#[cfg(test)]
mod tests;
