//! What Claude exports: conversations, and what it remembers of them.
//!
//! `memories.json` holds one text for all conversations and one for each project; they are
//! split into entries like any Markdown. Attachments are counted and passed over.

use std::io::BufRead;

use jiff::Timestamp;
use serde_json::Value;

use super::json::{self, elements};
use super::{Item, Telling, letta, markdown};
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::record::Conversation;
use crate::session::{Role, Session, Turn};

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it is no such document.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let (mut good, mut bad) = (false, false);
    let fields = ["conversations", "conversations_memory", "project_memories"];
    elements(input, &fields, &mut |field, element| {
        if field == "conversations_memory" {
            good = true;
            return remembered(element.as_str().unwrap_or_default(), telling);
        }
        if field == "project_memories" {
            good = true;
            return of_projects(&element).try_for_each(|text| remembered(text, telling));
        }
        if element.get("chat_messages").is_some() {
            good = true;
            return conversation(&element, telling);
        }
        let projects = element.get("project_memories");
        let own = json::text(&element, &["conversations_memory"]);
        if own.is_none() && projects.is_none() {
            bad = true;
            telling.skip("entries that are no conversation");
            return Ok(());
        }
        good = true;
        let texts = projects.into_iter().flat_map(of_projects);
        own.into_iter().chain(texts).try_for_each(|text| remembered(text, telling))
    })?;
    match good || !bad {
        true => Ok(()),
        false => Err(Error::invalid("it holds no conversation of Claude")),
    }
}

/// What is remembered of each project.
fn of_projects(projects: &Value) -> impl Iterator<Item = &str> {
    projects.as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str())
}

fn remembered(text: &str, telling: &mut Telling<'_>) -> Result<()> {
    markdown::read(&mut text.as_bytes(), telling)
}

fn conversation(whole: &Value, telling: &mut Telling<'_>) -> Result<()> {
    let Some(id) = json::text(whole, &["uuid", "id"]) else {
        telling.skip("conversations without an id");
        return Ok(());
    };
    let id = SessionId::new(format!("claude:{id}"))?;
    let began = json::time(whole, &["created_at"]).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut session = Session::new(id.clone(), began);
    session.last_active_at = json::time(whole, &["updated_at"]).unwrap_or(began);
    session.agent = Some("claude".to_owned());
    session.title = json::text(whole, &["name"]).map(str::to_owned);
    let mut turns = Vec::new();
    let mut at = began;
    for message in whole.get("chat_messages").and_then(Value::as_array).into_iter().flatten() {
        for name in ["attachments", "files"] {
            let attached = message.get(name).and_then(Value::as_array);
            attached.into_iter().flatten().for_each(|_| telling.skip("attachments"));
        }
        let text = match letta::said(message) {
            text if text.trim().is_empty() => {
                json::text(message, &["text"]).unwrap_or_default().to_owned()
            }
            text => text,
        };
        if text.trim().is_empty() {
            telling.skip("messages without a text");
            continue;
        }
        let role = match json::text(message, &["sender"]) {
            Some("human") => Role::User,
            _ => Role::Assistant,
        };
        at = json::time(message, &["created_at"]).unwrap_or(at);
        let seq = turns.len() as u64;
        turns.push(Turn { session: id.clone(), seq, at, role, text, asked: None });
    }
    if turns.is_empty() {
        telling.skip("conversations without a text");
        return Ok(());
    }
    telling.item(Item::Talk(Box::new(Conversation { session, turns })))
}
