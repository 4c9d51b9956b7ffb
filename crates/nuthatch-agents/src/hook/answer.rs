//! Writes an answer as a product's schema has it.
//!
//! Silence is an answer, too: nothing at all where a product takes that for consent, an empty
//! object where it reads whatever comes as JSON. Context goes out only with events that can
//! carry it; an event that cannot would make the whole answer invalid.

use serde_json::{Value, json};

use super::event::{Event, Moment};
use crate::agent::Agent;

/// Most characters of context: below what Claude Code (10,000 characters) and Codex (some
/// 2,500 tokens) take as it is, instead of putting it into a file.
pub const MOST_CHARS: usize = 8000;

/// The answer to an event, with context or without.
#[must_use]
pub fn answer(event: &Event, context: &str) -> String {
    let fits = !context.trim().is_empty() && context.chars().count() <= MOST_CHARS;
    if !fits || !carries(event) {
        return silence(event.agent, &event.name);
    }
    let value = match event.agent {
        Agent::Cursor | Agent::OpenCode => json!({"additional_context": context}),
        _ => json!({"hookSpecificOutput": {
            "hookEventName": event.name,
            "additionalContext": context,
        }}),
    };
    value.to_string()
}

/// The answer to what was not understood.
#[must_use]
pub fn nothing(agent: Option<Agent>) -> String {
    agent.map_or_else(String::new, |agent| silence(agent, ""))
}

/// Whether an event can carry context.
fn carries(event: &Event) -> bool {
    match event.moment {
        Moment::Start | Moment::Resume | Moment::Compacted => true,
        Moment::Prompt(_) => event.agent != Agent::Cursor,
        _ => false,
    }
}

fn silence(agent: Agent, name: &str) -> String {
    match agent {
        Agent::Cursor if name == "beforeSubmitPrompt" => json!({"continue": true}).to_string(),
        Agent::Cursor | Agent::GeminiCli | Agent::OpenCode => {
            Value::Object(serde_json::Map::default()).to_string()
        }
        Agent::ClaudeCode | Agent::Codex | Agent::VsCode | Agent::Goose => String::new(),
    }
}
