//! An agent of Letta in a file: its blocks of memory, and what was said with it.
//!
//! The blocks become memories under their labels; messages become a conversation for each
//! agent. Tools, files and settings are not memory, and are passed over.

use std::io::BufRead;

use jiff::Timestamp;
use serde_json::Value;

use super::json::{self, elements};
use super::{Fact, Item, Telling};
use crate::error::Result;
use crate::id::SessionId;
use crate::record::Conversation;
use crate::scope::Scope;
use crate::session::{Role, Session, Turn};

/// Turns told at a time.
const PART: usize = 1000;

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it is no such document.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let fields = ["blocks", "core_memory", "agents", "messages", "name", "id"];
    let mut alone = Talk::named("agent");
    elements(input, &fields, &mut |field, element| match field {
        "blocks" | "core_memory" => block(&element, telling),
        "agents" => agent(&element, telling),
        "messages" => alone.take(&element, telling),
        "name" => {
            alone.rename(element.as_str().unwrap_or_default());
            Ok(())
        }
        _ => Ok(()),
    })?;
    alone.tell(telling)
}

fn block(block: &Value, telling: &mut Telling<'_>) -> Result<()> {
    let Some(value) = json::text(block, &["value"]) else {
        telling.skip("empty blocks");
        return Ok(());
    };
    let mut fact = Fact::new(value);
    fact.key = json::text(block, &["label"]).map(str::to_owned);
    if fact.key.as_deref() == Some("human") {
        fact.scope = Some(Scope::User);
    }
    fact.created_at = json::time(block, &["created_at"]);
    let about = json::text(block, &["description"]).filter(|text| text.chars().count() <= 500);
    fact.metadata.extend(about.map(|text| ("description".to_owned(), text.to_owned())));
    telling.item(Item::Fact(Box::new(fact)))
}

fn agent(agent: &Value, telling: &mut Telling<'_>) -> Result<()> {
    for name in ["blocks", "core_memory"] {
        for one in agent.get(name).and_then(Value::as_array).into_iter().flatten() {
            block(one, telling)?;
        }
    }
    let mut talk = Talk::named(json::text(agent, &["id", "name"]).unwrap_or("agent"));
    for message in agent.get("messages").and_then(Value::as_array).into_iter().flatten() {
        talk.take(message, telling)?;
    }
    talk.tell(telling)
}

struct Talk {
    name: String,
    seq: u64,
    at: Timestamp,
    turns: Vec<Turn>,
}

impl Talk {
    fn named(name: &str) -> Talk {
        Talk { name: name.to_owned(), seq: 0, at: Timestamp::UNIX_EPOCH, turns: Vec::new() }
    }

    fn rename(&mut self, name: &str) {
        if !name.is_empty() && self.turns.is_empty() && self.seq == 0 {
            name.clone_into(&mut self.name);
        }
    }

    fn session(&self) -> Result<SessionId> {
        SessionId::new(format!("letta:{}", self.name.replace(char::is_control, " ")))
    }

    fn take(&mut self, message: &Value, telling: &mut Telling<'_>) -> Result<()> {
        let role = match json::text(message, &["role"]) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => {
                telling.skip("messages of the system");
                return Ok(());
            }
        };
        let text = said(message);
        if text.trim().is_empty() {
            telling.skip("messages without a text");
            return Ok(());
        }
        self.at = json::time(message, &["created_at", "date"]).unwrap_or(self.at);
        let (session, seq, at) = (self.session()?, self.seq, self.at);
        self.turns.push(Turn { session, seq, at, role, text, asked: None });
        self.seq += 1;
        if self.turns.len() >= PART { self.tell(telling) } else { Ok(()) }
    }

    fn tell(&mut self, telling: &mut Telling<'_>) -> Result<()> {
        let turns = std::mem::take(&mut self.turns);
        let Some(first) = turns.first() else { return Ok(()) };
        let mut session = Session::new(self.session()?, first.at);
        session.agent = Some("letta".to_owned());
        session.title = Some(self.name.clone());
        telling.item(Item::Talk(Box::new(Conversation { session, turns })))
    }
}

/// What a message says: a text, or parts of which some are texts.
pub(super) fn said(message: &Value) -> String {
    let part = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        part => json::text(part, &["text"]).map(str::to_owned),
    };
    match message.get("content") {
        Some(Value::Array(parts)) => parts.iter().filter_map(part).collect::<Vec<_>>().join("\n\n"),
        Some(Value::String(text)) => text.clone(),
        _ => json::text(message, &["text"]).unwrap_or_default().to_owned(),
    }
}
