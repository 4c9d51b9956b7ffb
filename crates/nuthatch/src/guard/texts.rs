//! The texts of what is stored, each with what it is: for looking at them again.
//!
//! As in `admit`, every value is taken apart without a rest pattern, so that a new field
//! cannot be overlooked here either. Nothing is changed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::memory::{Memory, Version};
use crate::scope::Scope;
use crate::session::{Session, Turn};
use crate::trust::Source;

/// What a text is, and the text.
pub type Part<'a> = (&'static str, Cow<'a, str>);

/// Every text of a memory.
#[must_use]
pub fn memory_texts(memory: &Memory) -> Vec<Part<'_>> {
    let Memory {
        id: _,
        key,
        content,
        category,
        scope,
        session_id,
        created_at: _,
        updated_at: _,
        origin: _,
        source,
        trust: _,
        pinned: _,
        importance: _,
        metadata,
        superseded_by: _,
        used: _,
        last_used_at: _,
    } = memory;
    let mut texts = vec![plain("text", content), plain("category", category.as_str())];
    if let Some(key) = key {
        texts.push(plain("key", key));
        texts.extend(named("text under its key", key, content));
    }
    match scope {
        Scope::Global | Scope::User | Scope::Project(_) | Scope::Plan { .. } => {}
        Scope::Session(session) => texts.push(plain("scope", session.as_str())),
    }
    texts.extend(session_id.iter().map(|session| plain("session", session.as_str())));
    if let Some(Source { session, turns: _, place }) = source {
        texts.extend(session.iter().map(|session| plain("source", session.as_str())));
        texts.extend(place.iter().map(|place| plain("source", place)));
    }
    texts.extend(metadata_texts(metadata));
    texts
}

/// Every text of a version.
#[must_use]
pub fn version_texts(version: &Version) -> Vec<Part<'_>> {
    let Version { memory_id: _, number: _, key, content, category, written_at: _, replaced_at: _ } =
        version;
    let mut texts = vec![plain("text", content), plain("category", category.as_str())];
    if let Some(key) = key {
        texts.push(plain("key", key));
        texts.extend(named("text under its key", key, content));
    }
    texts
}

/// Every text of a conversation, what was said in it aside.
#[must_use]
pub fn session_texts(session: &Session) -> Vec<Part<'_>> {
    let Session {
        id,
        channel,
        user,
        agent,
        project: _,
        title,
        started_at: _,
        last_active_at: _,
        metadata,
    } = session;
    let mut texts = vec![plain("id", id.as_str())];
    let some = [("channel", channel), ("user", user), ("agent", agent), ("title", title)];
    texts.extend(some.into_iter().filter_map(|(what, text)| Some(plain(what, text.as_ref()?))));
    texts.extend(metadata_texts(metadata));
    texts
}

/// The text of a turn, and the question it answers.
#[must_use]
pub fn turn_texts(turn: &Turn) -> Vec<Part<'_>> {
    let Turn { session: _, seq: _, at: _, role: _, text, asked } = turn;
    let asked = asked.iter().map(|asked| plain("question", asked));
    [plain("text", text)].into_iter().chain(asked).collect()
}

fn plain<'a>(what: &'static str, text: &'a str) -> Part<'a> {
    (what, Cow::Borrowed(text))
}

fn metadata_texts(metadata: &BTreeMap<String, String>) -> impl Iterator<Item = Part<'_>> {
    metadata.iter().flat_map(|(name, value)| {
        let mut texts = vec![plain("metadata name", name), plain("metadata value", value)];
        texts.extend(named("metadata", name, value));
        texts
    })
}

/// One word together with the name it goes by: it can be a secret only as the two.
pub(super) fn named<'a>(what: &'static str, name: &str, value: &str) -> Option<Part<'a>> {
    let value = value.trim();
    let is_word = !value.is_empty() && !value.contains(char::is_whitespace);
    is_word.then(|| (what, Cow::Owned(format!("{name}: {value}"))))
}
