//! What ChatGPT exports: conversations as trees, of which the branch that was last seen counts.
//!
//! Custom instructions and what the model was told to remember stand inside conversations;
//! they become memories. Pictures, files and what no person saw are counted and passed over.

use std::collections::BTreeSet;
use std::io::BufRead;

use jiff::Timestamp;
use serde_json::Value;

use super::json::{self, elements};
use super::{Fact, Item, Telling};
use crate::category::Category;
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::record::Conversation;
use crate::scope::Scope;
use crate::session::{Role, Session, Turn};

/// Fields of hidden messages that hold what the user asked to be known.
const INSTRUCTIONS: &[&str] = &["user_profile", "user_instructions", "model_set_context", "text"];

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it is no such document.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let (mut good, mut bad) = (false, false);
    elements(input, &["conversations"], &mut |_, element| {
        if element.get("mapping").is_none() {
            bad = true;
            telling.skip("entries that are no conversation");
            return Ok(());
        }
        good = true;
        conversation(&element, telling)
    })?;
    match good || !bad {
        true => Ok(()),
        false => Err(Error::invalid("it holds no conversation of ChatGPT")),
    }
}

fn conversation(whole: &Value, telling: &mut Telling<'_>) -> Result<()> {
    let Some(id) = json::text(whole, &["conversation_id", "id"]).map(str::to_owned).or_else(|| {
        // Old exports name none: when it began does.
        json::time(whole, &["create_time"]).map(|at| at.as_microsecond().to_string())
    }) else {
        telling.skip("conversations without an id");
        return Ok(());
    };
    let id = SessionId::new(format!("chatgpt:{id}"))?;
    let began = json::time(whole, &["create_time"]).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut session = Session::new(id.clone(), began);
    session.last_active_at = json::time(whole, &["update_time"]).unwrap_or(began);
    session.agent = Some("chatgpt".to_owned());
    session.title = json::text(whole, &["title"]).map(str::to_owned);
    let mut turns = Vec::new();
    let mut at = began;
    for message in branch(whole) {
        at = json::time(message, &["create_time"]).unwrap_or(at);
        if let Some((role, text)) = heard(message, at, telling)? {
            let seq = turns.len() as u64;
            turns.push(Turn { session: id.clone(), seq, at, role, text, asked: None });
        }
    }
    if turns.is_empty() {
        telling.skip("conversations without a text");
        return Ok(());
    }
    telling.item(Item::Talk(Box::new(Conversation { session, turns })))
}

/// The messages from the first to the one that was last seen.
fn branch(whole: &Value) -> Vec<&Value> {
    let Some(mapping) = whole.get("mapping").and_then(Value::as_object) else { return Vec::new() };
    let leaf = || {
        let ends = mapping.iter().filter(|(_, node)| {
            node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty)
        });
        ends.map(|(id, _)| id.as_str()).next_back()
    };
    let mut at = json::text(whole, &["current_node"]).or_else(leaf);
    let mut seen = BTreeSet::new();
    let mut messages = Vec::new();
    // A circle is no tree, but a file may hold one.
    while let Some(node) = at.filter(|id| seen.insert(*id)).and_then(|id| mapping.get(id)) {
        messages.extend(node.get("message").filter(|message| !message.is_null()));
        at = node.get("parent").and_then(Value::as_str);
    }
    messages.reverse();
    messages
}

/// Who said what, where a person could see it.
fn heard(
    message: &Value,
    at: Timestamp,
    telling: &mut Telling<'_>,
) -> Result<Option<(Role, String)>> {
    let content = message.get("content").unwrap_or(&Value::Null);
    let kind = json::text(content, &["content_type"]).unwrap_or("text");
    if matches!(kind, "user_editable_context" | "model_editable_context") {
        instructions(content, at, telling)?;
        return Ok(None);
    }
    let role = match message.get("author").and_then(|author| json::text(author, &["role"])) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => {
            telling.skip("messages of the system");
            return Ok(None);
        }
    };
    let parts = content.get("parts").and_then(Value::as_array);
    let part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        part => json::text(part, &["text"]).map(str::to_owned),
    };
    let text = match parts {
        Some(parts) => parts.iter().filter_map(part).collect::<Vec<_>>().join("\n\n"),
        None => json::text(content, &["text", "result"]).unwrap_or_default().to_owned(),
    };
    if text.trim().is_empty() {
        telling.skip("messages without a text");
        return Ok(None);
    }
    Ok(Some((role, text)))
}

/// They stand in every conversation; the same text twice is one memory.
fn instructions(content: &Value, at: Timestamp, telling: &mut Telling<'_>) -> Result<()> {
    for name in INSTRUCTIONS {
        let Some(text) = json::text(content, &[*name]) else { continue };
        let mut fact = Fact::new(text);
        fact.scope = Some(Scope::User);
        fact.category = Category::new("preference").ok();
        fact.created_at = Some(at);
        telling.item(Item::Fact(Box::new(fact)))?;
    }
    Ok(())
}
