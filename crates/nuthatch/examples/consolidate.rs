//! Writes the generated files of a small project into a folder: what a few sessions taught, as
//! a document, a summary and skills.
//!
//! `cargo run -p nuthatch --example consolidate -- FOLDER`

use std::error::Error;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use nuthatch::Memory;
use nuthatch::consolidate::{self, Artifacts, Given};
use nuthatch::extract::{self, Synopsis};
use nuthatch::id::MemoryId;
use nuthatch::scope::Scope;
use nuthatch::transcript::{Event, SessionHead, Voice, What};
use nuthatch::trust::Origin;
use serde_json::json;

/// A line of a session: what a person says, or a command with whether it failed and what it
/// printed.
enum Line {
    Person(&'static str),
    Ran(&'static str, bool, &'static str),
}

const SESSIONS: [&[Line]; 3] = [
    &[
        Line::Person("Fix the login form. From now on use pnpm instead of npm."),
        Line::Ran("pytest", true, "bash: pytest: command not found"),
        Line::Ran("uv run pytest", false, "12 passed"),
        Line::Ran("mise run lint", false, "ok"),
    ],
    &[
        Line::Person("Never push to main! And run mise run lint when you are done."),
        Line::Ran("npm run tests", true, "npm error Missing script: \"tests\""),
        Line::Ran("npm run test:ci", false, "ok"),
        Line::Ran("mise run lint", false, "ok"),
    ],
    &[
        Line::Person("Whenever you add a migration, update the changelog. Then run mise run lint."),
        Line::Ran("mise run lint", false, "ok"),
    ],
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("say which folder to write into")?;
    let now: Timestamp = "2026-03-10T12:00:00Z".parse()?;
    let mut memories = Vec::new();
    let mut synopses: Vec<Synopsis> = Vec::new();
    for (nth, lines) in SESSIONS.iter().enumerate() {
        let head = SessionHead { id: format!("session-{nth}"), ..SessionHead::default() };
        let found = extract::by_rules(&head, &events(lines));
        for learned in &found.memories {
            let scope = Scope::Project("example".parse()?);
            let id = MemoryId::derived(&[&learned.text]);
            let mut memory = Memory::new(id, &learned.text, scope, now);
            memory.category = learned.category.clone();
            memory.trust = learned.trust;
            memory.origin = Origin::Extracted;
            memory.metadata = learned.details.clone();
            memories.push(memory);
        }
        synopses.push(found.synopsis);
    }
    let given = Given::new(&memories, &synopses, now);
    let made = consolidate::by_rules(&Artifacts::default(), given).artifacts;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("MEMORY.md"), &made.memory_md)?;
    fs::write(folder.join("memory_summary.md"), &made.summary_md)?;
    for (name, text) in &made.skills {
        let skill = folder.join("skills").join(name);
        fs::create_dir_all(&skill)?;
        fs::write(skill.join("SKILL.md"), text)?;
    }
    Ok(())
}

fn events(lines: &[Line]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut push = |what| {
        let seq = events.len() as u64;
        events.push(Event { seq, at: None, model: None, usage: None, aside: false, what });
    };
    for (nth, line) in lines.iter().enumerate() {
        match line {
            Line::Person(text) => {
                push(What::User { voice: Voice::Person, text: (*text).to_owned() });
            }
            Line::Ran(command, failed, output) => {
                let id = nth.to_string();
                let input = json!({"command": command}).to_string();
                push(What::ToolCall { id: id.clone(), name: "Bash".into(), input });
                push(What::ToolResult { id, failed: *failed, output: (*output).to_owned() });
            }
        }
    }
    events
}
