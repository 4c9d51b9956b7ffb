//! The Memory Interchange Format, 2.x: one JSON document with an array of memories.
//!
//! What the format has no field for stands in its `metadata`, under names of ours, and is read
//! back from there. Conversations have no place in it.

use std::io::BufRead;

use serde_json::{Map, Value, json};

use super::facts::labelled;
use super::json::{self, elements};
use super::{Fact, Item, Telling};
use crate::Memory;
use crate::category::Category;
use crate::error::{Error, Result};
use crate::memory::Importance;

/// The version that is written.
const VERSION: &str = "2.0";
/// Names of ours in the metadata of a memory.
const KEY: &str = "nuthatch_key";
const SCOPE: &str = "nuthatch_scope";
const IMPORTANCE: &str = "nuthatch_importance";
const PINNED: &str = "nuthatch_pinned";

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it is no such document.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let mut is_mif = false;
    elements(input, &["mif_version", "memories"], &mut |field, element| {
        if field == "mif_version" {
            is_mif = element.as_str().is_some_and(|version| version.starts_with("2."));
            return match is_mif {
                true => Ok(()),
                false => {
                    Err(Error::invalid("this version of MIF is not known").with_hint("2.x is read"))
                }
            };
        }
        match fact(&element) {
            Some(fact) => telling.item(Item::Fact(Box::new(fact))),
            None => {
                telling.skip("entries without a text");
                Ok(())
            }
        }
    })?;
    match is_mif {
        true => Ok(()),
        false => {
            Err(Error::invalid("it does not say that it is MIF")
                .with_hint("`mif_version` is missing"))
        }
    }
}

fn fact(element: &Value) -> Option<Fact> {
    let mut fact = Fact::new(json::text(element, &["content"])?);
    fact.category = json::text(element, &["memory_type"]).map(Category::nearest);
    fact.created_at = json::time(element, &["created_at"]);
    fact.updated_at = json::time(element, &["updated_at"]);
    let metadata = element.get("metadata").and_then(Value::as_object);
    for (name, value) in metadata.into_iter().flatten() {
        let text = value.as_str().unwrap_or_default();
        match name.as_str() {
            KEY => fact.key = value.as_str().map(str::to_owned),
            SCOPE => fact.scope = text.parse().ok(),
            IMPORTANCE => {
                fact.importance = text.parse().ok().and_then(|n: f64| Importance::new(n).ok());
            }
            PINNED => fact.pinned = text == "true",
            _ => fact.metadata.extend(labelled((name, value))),
        }
    }
    let tags = element.get("tags").and_then(Value::as_array);
    let tags: Vec<&str> = tags.into_iter().flatten().filter_map(Value::as_str).collect();
    if !tags.is_empty() {
        fact.metadata.push(("tags".to_owned(), tags.join(", ")));
    }
    Some(fact)
}

/// What stands before the first memory.
pub(crate) fn begin(exported_at: jiff::Timestamp, into: &mut Vec<u8>) {
    let generator = json!({"name": "nuthatch", "version": env!("CARGO_PKG_VERSION")});
    let meta = json!({"created_at": exported_at.to_string()});
    let text = format!(
        "{{\"mif_version\":\"{VERSION}\",\"generator\":{generator},\"export_meta\":{meta},\"memories\":["
    );
    into.extend_from_slice(text.as_bytes());
}

/// What stands behind the last one.
pub(crate) fn end(into: &mut Vec<u8>) {
    into.extend_from_slice(b"\n]}\n");
}

/// A memory; the first has no comma before it.
pub(crate) fn write(memory: &Memory, is_first: bool, into: &mut Vec<u8>) -> Result<()> {
    let mut metadata: Map<String, Value> = Map::new();
    metadata.extend(memory.metadata.iter().map(|(name, value)| (name.clone(), json!(value))));
    metadata.extend(memory.key.iter().map(|key| (KEY.to_owned(), json!(key))));
    metadata.insert(SCOPE.to_owned(), json!(memory.scope.to_string()));
    metadata.insert(IMPORTANCE.to_owned(), json!(memory.importance.value().to_string()));
    if memory.pinned {
        metadata.insert(PINNED.to_owned(), json!("true"));
    }
    metadata.insert("nuthatch_trust".to_owned(), json!(memory.trust.name()));
    let entry = json!({
        "id": memory.id.to_string(),
        "content": memory.content,
        "memory_type": memory.category.as_str(),
        "created_at": memory.created_at.to_string(),
        "updated_at": memory.updated_at.to_string(),
        "metadata": metadata,
        "source": {"source_type": memory.origin.name()},
    });
    into.extend_from_slice(if is_first { b"\n" } else { b",\n" });
    serde_json::to_writer(into, &entry)
        .map_err(|error| Error::internal("a memory cannot be written").with_source(error))
}
