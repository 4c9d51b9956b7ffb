//! The file of MCP's reference memory server: entities with observations, and relations.
//!
//! An observation becomes a memory that says of what it is; a relation becomes a sentence.
//! Written, a memory is an entity of its own, named by its key or its id.

use std::io::BufRead;

use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::{Fact, Item, Telling};
use crate::Memory;
use crate::category::Category;
use crate::error::{Error, Result};
use crate::id::MemoryId;
use crate::scope::Scope;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Entity {
        name: String,
        #[serde(rename = "entityType", default)]
        entity_type: String,
        #[serde(default)]
        observations: Vec<String>,
    },
    Relation {
        from: String,
        to: String,
        #[serde(rename = "relationType")]
        relation_type: String,
    },
}

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when no line of it is an entity or a relation.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let mut lines = Lines::of(input);
    let (mut good, mut bad) = (false, false);
    while let Some(line) = lines.advance()? {
        let line = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => serde_json::from_str::<Line>(line).ok(),
            Err(_) => None,
        };
        let Some(line) = line else {
            bad = true;
            telling.skip("lines that cannot be read");
            continue;
        };
        good = true;
        tell(line, telling)?;
    }
    match good || !bad {
        true => Ok(()),
        false => Err(Error::invalid("no line of it is an entity or a relation")),
    }
}

fn tell(line: Line, telling: &mut Telling<'_>) -> Result<()> {
    match line {
        Line::Entity { observations, .. } if observations.is_empty() => {
            telling.skip("entities without observations");
            Ok(())
        }
        Line::Entity { name, entity_type, observations } => {
            for observation in observations {
                let mut fact = Fact::new(about(&name, &observation));
                fact.category = Some(category(&entity_type));
                fact.metadata.push(("entity".to_owned(), name.clone()));
                fact.metadata.push(("entity_type".to_owned(), entity_type.clone()));
                telling.item(Item::Fact(Box::new(fact)))?;
            }
            Ok(())
        }
        Line::Relation { from, to, relation_type } => {
            // What replaced what is said in ids, which mean nothing elsewhere.
            if from.parse::<MemoryId>().is_ok() && to.parse::<MemoryId>().is_ok() {
                telling.skip("relations between ids");
                return Ok(());
            }
            let said = relation_type.replace('_', " ");
            let mut fact = Fact::new(format!("{from} {said} {to}"));
            for (name, value) in [("from", from), ("relation", relation_type), ("to", to)] {
                fact.metadata.push((name.to_owned(), value));
            }
            telling.item(Item::Fact(Box::new(fact)))
        }
    }
}

/// An observation that says of what it is; one that does already, or whose name says nothing,
/// stays as it is.
fn about(name: &str, observation: &str) -> String {
    let says_so = observation.to_lowercase().contains(&name.replace('_', " ").to_lowercase())
        || observation.contains(name);
    match says_so || name.parse::<MemoryId>().is_ok() {
        true => observation.to_owned(),
        false => format!("{}: {observation}", name.replace('_', " ")),
    }
}

/// Names of kinds that are categories of ours; other kinds are kinds of things, not of
/// memories.
fn category(entity_type: &str) -> Category {
    let near = Category::nearest(entity_type);
    let known = Category::FACTS.iter().chain(&Category::FINDINGS).chain(&Category::KNOWLEDGE);
    if known.into_iter().any(|name| near.as_str() == *name) { near } else { Category::default() }
}

/// What a memory is called among entities: its key, told apart by its scope, or its id.
fn name(memory: &Memory) -> String {
    match (&memory.key, &memory.scope) {
        (Some(key), Scope::Global) => key.clone(),
        (Some(key), scope) => format!("{key} ({scope})"),
        (None, _) => memory.id.to_string(),
    }
}

/// The lines of a memory.
pub(crate) fn write(memory: &Memory, into: &mut Vec<u8>) -> Result<()> {
    let entity = Line::Entity {
        name: name(memory),
        entity_type: memory.category.to_string(),
        observations: vec![memory.content.clone()],
    };
    super::line(&entity, into)
}
