//! Reads an event of any product.
//!
//! Products name the same things differently, and add fields as they please: every field is
//! optional but the name of the event, and what is not known is passed over.

use std::path::PathBuf;

use nuthatch::error::{Error, Result};
use serde_json::Value;

use crate::agent::Agent;

/// Something happened in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// In which product.
    pub agent: Agent,
    /// The product's own name for it, which answers repeat.
    pub name: String,
    /// What it means.
    pub moment: Moment,
    /// The session's id.
    pub session: Option<String>,
    /// Where the session works.
    pub folder: Option<PathBuf>,
    /// The file the product keeps the session in.
    pub transcript: Option<PathBuf>,
}

/// What an event means to a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A session begins with an empty context.
    Start,
    /// A session goes on with the context it had.
    Resume,
    /// A session goes on with a context that was made shorter.
    Compacted,
    /// A person said something.
    Prompt(String),
    /// The context is about to be made shorter.
    Compacting,
    /// The agent has answered.
    Stop,
    /// The session is over.
    End,
    /// Nothing that a memory has to do with.
    Other,
}

/// Reads an event. A product that is named is believed; otherwise its fields tell.
///
/// # Errors
/// `invalid` for what is no event.
pub fn understand(bytes: &[u8], named: Option<Agent>) -> Result<Event> {
    if bytes.trim_ascii().is_empty() {
        return Err(Error::invalid("there is no event on standard input"));
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Error::invalid(format!("the event is not JSON: {}", place(&error))))?;
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| value.get(name)?.as_str());
        found.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name = text(&["hook_event_name", "hookEventName"]);
    let name = name.ok_or_else(|| Error::invalid("the event has no name"))?;
    let root = value.get("workspace_roots").and_then(|roots| roots.get(0)?.as_str());
    Ok(Event {
        agent: named.unwrap_or_else(|| recognise(&value, &name)),
        moment: moment(&value, &name),
        session: text(&["session_id", "sessionId", "conversation_id"]),
        folder: text(&["cwd"]).or_else(|| root.map(str::to_owned)).map(PathBuf::from),
        transcript: text(&["transcript_path"]).map(PathBuf::from),
        name,
    })
}

/// Where JSON is broken, without what stands there.
fn place(error: &serde_json::Error) -> String {
    if error.is_eof() { "it ends early".to_owned() } else { format!("column {}", error.column()) }
}

fn moment(value: &Value, name: &str) -> Moment {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    match name {
        "SessionStart" | "sessionStart" => match text("source") {
            "compact" => Moment::Compacted,
            "resume" | "fork" => Moment::Resume,
            _ => Moment::Start,
        },
        "UserPromptSubmit" | "BeforeAgent" | "beforeSubmitPrompt" => {
            // Wake-ups and schedules speak in the user's place; they are no persons.
            let by_person = matches!(text("source"), "" | "user");
            let prompt = text("prompt").trim();
            match by_person && !prompt.is_empty() && !prompt.starts_with('/') {
                true => Moment::Prompt(prompt.to_owned()),
                false => Moment::Other,
            }
        }
        "PreCompact" | "preCompact" | "PreCompress" => Moment::Compacting,
        "PostCompact" => Moment::Other,
        "Stop" | "stop" | "AfterAgent" => Moment::Stop,
        "SessionEnd" | "sessionEnd" => Moment::End,
        _ => Moment::Other,
    }
}

/// Tells products apart by what only they say. Those that look alike are answered alike.
fn recognise(value: &Value, name: &str) -> Agent {
    let has = |field: &str| value.get(field).is_some();
    let transcript = value.get("transcript_path").and_then(Value::as_str).unwrap_or_default();
    let file = transcript.rsplit(['/', '\\']).next().unwrap_or_default();
    if has("cursor_version") || has("generation_id") || has("workspace_roots") {
        Agent::Cursor
    } else if has("hookEventName") || has("sessionId") {
        Agent::VsCode
    } else if matches!(name, "BeforeAgent" | "AfterAgent" | "PreCompress") || has("timestamp") {
        Agent::GeminiCli
    } else if has("turn_id")
        || file.starts_with("rollout-")
        || value.get("transcript_path").is_some_and(Value::is_null)
    {
        Agent::Codex
    } else {
        Agent::ClaudeCode
    }
}
