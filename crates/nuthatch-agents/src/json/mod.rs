//! Our entries in a JSON file: put in, taken out.
//!
//! One step at a time: find where it goes, edit the text, read it again. Configuration files
//! are small, and nothing ever points into a text that has changed. `scan` reads, `edit` writes.

mod edit;
mod scan;
#[cfg(test)]
mod tests;

use nuthatch::error::Result;
use serde_json::Value;

use self::edit::Draft;
use self::scan::{Kind, Node, Scanned};
use crate::document::{
    Entry, Presence, What, holds_our_hook, is_our_hook, is_our_server, is_wholly_ours, misshapen,
    presence, taken,
};
use crate::tree::Tree;

/// What an empty document becomes before anything is put into it.
const EMPTY: &str = "{}\n";

/// What the text says; an empty one is an empty object.
pub(crate) fn read(text: &str) -> Result<Value> {
    Ok(scanned(text)?.root.value())
}

/// The text with every entry in it.
pub(crate) fn with(text: &str, entries: &[Entry]) -> Result<String> {
    let mut text = filled(text).to_owned();
    for entry in entries {
        let value = read(&text)?;
        match (presence(&value, entry), &entry.what) {
            (Presence::Same, _) => {}
            (Presence::Different, What::Server(tree)) => text = renewed(&text, entry, tree)?,
            (Presence::Different, What::Hook(tree)) => {
                text = add_hook(&without_hooks(&text, &entry.path)?, entry, tree)?;
            }
            (_, What::Hook(tree)) => text = add_hook(&text, entry, tree)?,
            (_, What::Server(tree) | What::Needed(tree)) => text = set(&text, &entry.path, tree)?,
        }
    }
    Ok(text)
}

/// The text without the entries.
pub(crate) fn without(
    text: &str,
    entries: &[Entry],
    keep: &dyn Fn(&[String]) -> bool,
) -> Result<String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let mut text = text.to_owned();
    for entry in entries {
        match &entry.what {
            What::Needed(_) => continue,
            What::Server(_) => text = without_server(&text, &entry.path)?,
            What::Hook(_) => text = without_hooks(&text, &entry.path)?,
        }
        let lists = matches!(entry.what, What::Hook(_));
        let deepest = if lists { entry.path.len() } else { entry.path.len() - 1 };
        for len in (1..=deepest).rev() {
            let path = &entry.path[..len];
            if keep(path) {
                break;
            }
            text = without_empty(&text, path)?;
        }
    }
    Ok(text)
}

fn filled(text: &str) -> &str {
    if text.trim_start_matches('\u{feff}').trim().is_empty() { EMPTY } else { text }
}

fn scanned(text: &str) -> Result<Scanned> {
    let scanned = scan::scan(filled(text))?;
    match scanned.root.kind {
        Kind::Object(_) => Ok(scanned),
        _ => Err(misshapen("the whole file", "an object")),
    }
}

/// The deepest container on the way that is there, and the keys that are left.
fn deepest<'a, 'p>(root: &'a Node, path: &'p [String]) -> Result<(&'a Node, &'p [String])> {
    let mut node = root;
    for (at, key) in path.iter().enumerate() {
        match node.member(key) {
            None => return Ok((node, &path[at..])),
            Some((_, item)) => node = &item.value,
        }
        let is_last = at + 1 == path.len();
        if !is_last && !matches!(node.kind, Kind::Object(_)) {
            return Err(misshapen(&path[..=at].join("."), "an object"));
        }
    }
    Ok((node, &[]))
}

fn at<'a>(root: &'a Node, path: &[String]) -> Option<&'a Node> {
    path.iter().try_fold(root, |node, key| node.member(key).map(|(_, item)| &item.value))
}

/// Puts a value where nothing is; a place that is taken is somebody else's.
fn set(text: &str, path: &[String], tree: &Tree) -> Result<String> {
    let scanned = scanned(text)?;
    let (node, left) = deepest(&scanned.root, path)?;
    let Some((key, rest)) = left.split_first() else { return Err(taken(&path.join("."))) };
    let nested =
        rest.iter().rev().fold(tree.clone(), |tree, key| Tree::Object(vec![(key.clone(), tree)]));
    Ok(Draft { text, scanned: &scanned }.insert(node, Some(key), &nested))
}

fn add_hook(text: &str, entry: &Entry, tree: &Tree) -> Result<String> {
    let scanned = scanned(text)?;
    match at(&scanned.root, &entry.path) {
        None => set(text, &entry.path, &Tree::Array(vec![tree.clone()])),
        Some(node) if matches!(node.kind, Kind::Array(_)) => {
            Ok(Draft { text, scanned: &scanned }.insert(node, None, tree))
        }
        Some(_) => Err(misshapen(&entry.name(), "a list")),
    }
}

/// Our server with another command; whatever else it says stays.
fn renewed(text: &str, entry: &Entry, tree: &Tree) -> Result<String> {
    let Tree::Object(members) = tree else { return Err(misshapen(&entry.name(), "an object")) };
    let mut text = text.to_owned();
    for (key, value) in members {
        let scanned = scanned(&text)?;
        let Some(server) = at(&scanned.root, &entry.path) else { break };
        let draft = Draft { text: &text, scanned: &scanned };
        text = match server.member(key) {
            Some((_, item)) if item.value.value() == value.value() => continue,
            Some((_, item)) => draft.replace(&item.value, value),
            None => draft.insert(server, Some(key), value),
        };
    }
    Ok(text)
}

fn without_server(text: &str, path: &[String]) -> Result<String> {
    let scanned = scanned(text)?;
    let Some((key, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let container = at(&scanned.root, above);
    let found = container.and_then(|node| Some((node, node.member(key)?)));
    match found {
        Some((node, (index, item))) if is_our_server(&item.value.value()) => {
            Ok(Draft { text, scanned: &scanned }.remove(node, index))
        }
        _ => Ok(text.to_owned()),
    }
}

fn without_hooks(text: &str, path: &[String]) -> Result<String> {
    let mut text = text.to_owned();
    loop {
        let scanned = scanned(&text)?;
        let Some(list) = at(&scanned.root, path) else { return Ok(text) };
        let Some((container, index)) = next_hook(list) else { return Ok(text) };
        text = Draft { text: &text, scanned: &scanned }.remove(container, index);
    }
}

/// The next thing of ours in a list of hooks: a whole element, or a part of a shared one.
fn next_hook(list: &Node) -> Option<(&Node, usize)> {
    for (index, item) in list.items().iter().enumerate() {
        let value = item.value.value();
        if is_wholly_ours(&value) {
            return Some((list, index));
        }
        if holds_our_hook(&value) {
            let (_, inner) = item.value.member("hooks")?;
            let ours = inner.value.items().iter().position(|hook| is_our_hook(&hook.value.value()));
            return ours.map(|index| (&inner.value, index));
        }
    }
    None
}

fn without_empty(text: &str, path: &[String]) -> Result<String> {
    let scanned = scanned(text)?;
    let Some((key, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(container) = at(&scanned.root, above) else { return Ok(text.to_owned()) };
    match container.member(key) {
        Some((index, item)) if is_empty(text, &scanned, &item.value) => {
            Ok(Draft { text, scanned: &scanned }.remove(container, index))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Whether a container holds nothing, not even a remark.
fn is_empty(text: &str, scanned: &Scanned, node: &Node) -> bool {
    let is_container = !matches!(node.kind, Kind::Scalar(_));
    let remarked = scanned.comments.iter().any(|comment| node.span.contains(&comment.start));
    is_container && node.items().is_empty() && !remarked && !text[node.span.clone()].is_empty()
}
