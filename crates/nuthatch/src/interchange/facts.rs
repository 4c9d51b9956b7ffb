//! A JSON array of facts, as `memory.json` files hold them.
//!
//! An element is a text, or an object with `fact`, `content`, `text` or `memory`, and
//! whatever else it says about it. An object around the array may call it `facts`, `memories` or
//! `results`, as mem0 does.

use std::io::BufRead;

use serde_json::Value;

use super::json::{self, elements};
use super::{Fact, Item, Telling};
use crate::category::Category;
use crate::error::Result;
use crate::memory::Importance;

/// What tools call the text itself.
const TEXTS: &[&str] = &["fact", "content", "text", "memory"];
/// What is known of a fact and stands elsewhere; the rest is metadata.
const KNOWN: &[&str] = &[
    "key",
    "name",
    "category",
    "memory_type",
    "type",
    "created_at",
    "timestamp",
    "updated_at",
    "pinned",
    "importance",
    "metadata",
    "id",
    "embedding",
    "score",
    "hash",
    "content_hash",
    "created_at_epoch",
];

/// What tools call the array, where it is not the whole document.
pub(super) const ARRAYS: &[&str] = &["facts", "memories", "results"];

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it is no such array.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    elements(input, ARRAYS, &mut |_, element| match fact(&element) {
        Some(fact) => telling.item(Item::Fact(Box::new(fact))),
        None => {
            telling.skip("entries without a text");
            Ok(())
        }
    })
}

/// A fact out of one element.
#[must_use]
pub fn fact(element: &Value) -> Option<Fact> {
    if let Value::String(text) = element {
        return Some(Fact::new(text));
    }
    let mut fact = Fact::new(json::text(element, TEXTS)?);
    fact.key = json::text(element, &["key", "name"]).map(str::to_owned);
    let kinds = ["category", "memory_type", "type"];
    // Some let whoever stores a fact say its kind among the labels.
    let labelled_kind = || element.get("metadata").and_then(|own| json::text(own, &kinds[..1]));
    fact.category = json::text(element, &kinds).or_else(labelled_kind).map(Category::nearest);
    fact.created_at = json::time(element, &["created_at", "timestamp"]);
    fact.updated_at = json::time(element, &["updated_at"]);
    fact.pinned = element.get("pinned").and_then(Value::as_bool).unwrap_or_default();
    fact.importance =
        element.get("importance").and_then(Value::as_f64).and_then(|n| Importance::new(n).ok());
    if let Some(Value::Object(metadata)) = element.get("metadata") {
        fact.metadata.extend(metadata.iter().filter_map(labelled));
    }
    let others = element.as_object().into_iter().flatten();
    let others = others.filter(|(name, _)| !KNOWN.contains(&name.as_str()));
    let others = others.filter(|(name, _)| !TEXTS.contains(&name.as_str()));
    fact.metadata.extend(others.filter_map(labelled));
    Some(fact)
}

/// A name and a short value; what is longer is no label.
pub(super) fn labelled((name, value): (&String, &Value)) -> Option<(String, String)> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(is) => is.to_string(),
        Value::Array(items) if !items.is_empty() => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            texts?.join(", ")
        }
        _ => return None,
    };
    let fits = !text.trim().is_empty() && text.chars().count() <= 500;
    fits.then(|| (name.clone(), text))
}
