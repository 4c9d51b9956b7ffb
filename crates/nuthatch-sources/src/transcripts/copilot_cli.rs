//! GitHub Copilot CLI: `session-state/<session>/events.jsonl`.
//!
//! Most events are the product's own; what a sub-agent does stands among them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::transcript::Event;

use super::environment::Environment;
use super::folder;
use super::json::{self, Object};
use super::stream::{Stream, Teller};
use super::telling::{Beside, Telling};
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "copilot-cli";
const DEPTH: usize = 3;
/// Events that say nothing of what was said.
const BOOKS: &[&str] = &[
    "abort",
    "assistant.intent",
    "assistant.reasoning",
    "assistant.turn_end",
    "assistant.turn_start",
    "assistant.usage",
    "system.message",
    "system.notification",
];
/// Families of such events.
const FAMILIES: &[&str] = &["hook.", "permission.", "session.", "skill.", "subagent."];

/// Reads the sessions of Copilot CLI.
#[derive(Debug)]
pub struct CopilotCli {
    root: Option<PathBuf>,
}

impl CopilotCli {
    /// With the root that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        CopilotCli { root: environment.root("COPILOT_HOME", ".copilot") }
    }
}

impl Transcripts for CopilotCli {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        for place in ["session-state", "history-session-state"] {
            if let Some(root) = &self.root {
                below(&root.join(place), &mut found);
            }
        }
        found.newest_only()
    }

    fn at(&self, path: &Path) -> Found {
        let mut found = Found::default();
        below(path, &mut found);
        found.newest_only()
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        let stream = Stream::open(session, from)?;
        stream.read(None, each, &mut Events { model: None })
    }
}

fn below(root: &Path, found: &mut Found) {
    for (path, metadata) in folder::ending(root, DEPTH, "jsonl", found) {
        let beginning = folder::beginning(&path);
        let head = beginning.lines().take(50).find_map(|line| {
            let line = Object::parse(line).ok()?;
            (line.text("type").as_deref() == Some("session.start")).then_some(())?;
            let data = line.object("data")?;
            Some((data.said("sessionId")?, data.inner("context").said("cwd")))
        });
        let Some((id, cwd)) = head else { continue };
        let mut located = folder::located(AGENT, id, path, &metadata);
        located.head.folder = cwd;
        found.sessions.push(located);
    }
}

struct Events {
    model: Option<String>,
}

impl Teller for Events {
    fn line(
        &mut self,
        _: usize,
        line: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str> {
        let Some(kind) = line.text("type") else { return Err("no type") };
        let data = line.inner("data");
        let at = line.time("timestamp");
        telling.seen(at);
        // What a sub-agent does stands in the same file.
        let aside = data.raw("parentToolCallId").is_some();
        let model = data.said("model").or(self.model.clone());
        let beside = Beside { at, aside, ..Beside::default() };
        let by_model = Beside { model, ..beside.clone() };
        let id = data.text("toolCallId").unwrap_or_default();
        match &*kind {
            "session.start" | "session.resume" | "session.context_changed" => {
                let context = data.object("context");
                let context = context.as_ref().unwrap_or(&data);
                let head = &mut telling.head;
                head.folder = head.folder.take().or_else(|| context.said("cwd"));
                head.branch = context.said("branch").or(head.branch.take());
                head.remote = context.said("repository").or(head.remote.take());
            }
            "session.model_change" => self.model = data.said("newModel").or(self.model.take()),
            "session.compaction_complete" => {
                telling.summary(&beside, &data.text("summaryContent").unwrap_or_default());
            }
            "user.message" => user(&data, &beside, telling),
            "assistant.message" => {
                telling.assistant(&by_model, &data.text("content").unwrap_or_default());
                telling.cost(data.usage(&["inputTokens"], &["outputTokens"]));
            }
            "tool.execution_start" => {
                let input = data.raw("arguments").map_or("", |input| input.get());
                telling.call(&by_model, &id, &data.text("toolName").unwrap_or_default(), input);
            }
            "tool.execution_complete" => {
                let failed = data.raw("success").is_some_and(|success| success.get() == "false");
                let result = data.inner("result");
                let error = data.inner("error").said("message");
                let output = result.raw("content").map(json::texts).or(error);
                telling.result(&beside, &id, failed, &output.unwrap_or_default());
            }
            kind if BOOKS.contains(&kind) => {}
            kind if FAMILIES.iter().any(|family| kind.starts_with(family)) => {}
            kind => telling.unknown("type", Some(kind)),
        }
        Ok(())
    }
}

/// The user's side. What the product adds names its source; the person's words have none.
fn user(data: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
    let text = data.text("content").unwrap_or_default();
    let source = data.said("source").filter(|source| source != "user");
    if text.trim().is_empty() {
        return;
    }
    if source.is_some() || beside.aside {
        telling.host(beside, &text);
    } else {
        telling.user(beside, &text);
        telling.entitle(&text);
    }
}
