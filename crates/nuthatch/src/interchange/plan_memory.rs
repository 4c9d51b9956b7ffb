//! What an agent left in the memory of a plan: `{agent_id, output, timestamp, metadata}`.
//!
//! One object a file, or several in an array. Which requirement it belongs to is said by the
//! folder, not by the file.

use std::io::BufRead;

use serde_json::Value;

use super::{Fact, Item, Telling, json};
use crate::error::{Error, Result};

/// Longest file: outputs are cut to two thousand characters.
const MOST_BYTES: u64 = 16 << 20;

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it holds no output of an agent.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    use std::io::Read as _;
    let document: Value = serde_json::from_reader(input.take(MOST_BYTES)).map_err(|error| {
        Error::invalid(format!("not JSON: line {}, column {}", error.line(), error.column()))
    })?;
    let entries = match document {
        Value::Array(entries) => entries,
        one => vec![one],
    };
    let mut found = false;
    for entry in &entries {
        let Some((agent, output)) =
            json::text(entry, &["agent_id"]).zip(json::text(entry, &["output"]))
        else {
            telling.skip("entries without an agent or an output");
            continue;
        };
        found = true;
        let mut fact = Fact::new(output);
        fact.key = Some(agent.to_owned());
        fact.requirement = json::text(entry, &["requirement_id", "requirement"]).map(str::to_owned);
        fact.created_at = json::time(entry, &["timestamp", "created_at"]);
        fact.metadata.push(("agent".to_owned(), agent.to_owned()));
        if let Some(Value::Object(metadata)) = entry.get("metadata") {
            let texts = metadata.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
            let short = texts.filter(|(_, text)| !text.is_empty() && text.len() <= 500);
            fact.metadata.extend(short.map(|(name, text)| (name.clone(), text.to_owned())));
        }
        telling.item(Item::Fact(Box::new(fact)))?;
    }
    match found || entries.is_empty() {
        true => Ok(()),
        false => Err(Error::invalid("it holds no output of an agent")
            .with_hint("an entry is {\"agent_id\", \"output\", \"timestamp\"}")),
    }
}
