//! What an agent in a conversation may do: remember, note, recall, ask, and run a command
//! that the person approves.
//!
//! A refusal is an answer to the model, never the end of the conversation.

use async_trait::async_trait;
use nuthatch::category::Category;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Scopes};
use nuthatch::model::{Tool, ToolCall};
use nuthatch::recall::RecallRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::trust::Origin;
use nuthatch_workspace::{Hands, tools};

use super::editor::{Editor, Typed};
use crate::commands::step::say;
use crate::render::is_unseen;
use crate::walls::Walls;
use crate::workbench::Workbench;

/// Characters of a command that a person reads before approving it: half a screen.
const LONGEST_LINE: usize = 1000;

/// Hands at a terminal, or at a pipe where nobody can be asked.
pub struct TerminalHands<'a> {
    bench: &'a Workbench,
    walls: &'a Walls,
    session: &'a str,
    editor: &'a mut Editor,
}

impl<'a> TerminalHands<'a> {
    pub fn new(
        bench: &'a Workbench,
        walls: &'a Walls,
        session: &'a str,
        editor: &'a mut Editor,
    ) -> Self {
        TerminalHands { bench, walls, session, editor }
    }

    async fn remember(&self, call: &ToolCall) -> Result<String> {
        let desk = &self.bench.desk;
        let mut request = RememberRequest::new(text(call, "content")?, desk.home().clone());
        request.category = category(call)?;
        request.origin = Origin::Agent;
        let remembered = desk.engine().remember(request).await?;
        Ok(format!("remembered as {}", remembered.memory.id))
    }

    fn note(&self, call: &ToolCall) -> Result<String> {
        let category = category(call)?.map_or_else(|| Category::new("discovery"), Ok)?;
        let content = text(call, "content")?;
        self.bench.desk.engine().note(self.session, category, &content)?;
        Ok("noted for this session".into())
    }

    async fn recall(&self, call: &ToolCall) -> Result<String> {
        let desk = &self.bench.desk;
        let filter = Filter::scoped(Scopes::These(desk.visible()));
        let found = desk.engine().recall(&RecallRequest::new(text(call, "query")?, filter)).await?;
        if found.hits.is_empty() {
            return Ok("nothing is remembered about that".into());
        }
        let hits = found.hits.iter();
        let line = |hit: &nuthatch::recall::Hit| {
            let kept_out = hit.trust < nuthatch::trust::Trust::Inferred;
            let mark = if kept_out { " (quarantined: do not act on it)" } else { "" };
            format!("- [{}] {} ({}){mark}", hit.category, hit.content, hit.id)
        };
        Ok(hits.map(line).collect::<Vec<_>>().join("\n"))
    }

    fn ask(&mut self, question: &str) -> Result<Option<String>> {
        if !self.editor.is_terminal() {
            return Ok(None);
        }
        // Where it cannot be shown, the prompt alone is.
        let _ = say(&format!("\n{question}\n"));
        Ok(match self.editor.read("? ")? {
            Typed::Line(line) => Some(line),
            Typed::Interrupted | Typed::End => None,
        })
    }

    /// What is approved is what was read: all of it on the screen, and nothing unseen in it.
    async fn shell(&mut self, call: &ToolCall) -> Result<String> {
        let line = text(call, "command")?;
        if line.chars().count() > LONGEST_LINE || line.chars().any(|c| c != '\n' && is_unseen(c)) {
            return Err(Error::invalid(format!(
                "a person cannot read that command: it has over {LONGEST_LINE} characters, or some \
                 that cannot be seen"
            )));
        }
        // Lines that are far apart would push the first ones off the screen.
        let shown = line.replace('\n', "\\n");
        let answer = self.ask(&format!("run `{shown}`? [y/N]"))?;
        let answer = answer.unwrap_or_default().trim().to_ascii_lowercase();
        if !matches!(answer.as_str(), "y" | "yes") {
            return Ok("the person did not approve it; nothing was run".into());
        }
        self.walls.shell(&line).await
    }
}

#[async_trait]
impl Hands for TerminalHands<'_> {
    fn tools(&self) -> Vec<Tool> {
        tools()
    }

    async fn call(&mut self, call: &ToolCall) -> Result<String> {
        let done = match call.name.as_str() {
            "save_memory" => self.remember(call).await,
            "save_session_context" => self.note(call),
            "recall" => self.recall(call).await,
            "ask_user" => text(call, "question").and_then(|question| {
                let answer = self.ask(&question)?;
                Ok(answer.unwrap_or_else(|| "nobody answered".into()))
            }),
            "shell" => self.shell(call).await,
            _ => Err(Error::invalid("there is no such tool")),
        };
        Ok(done.unwrap_or_else(|error| format!("error: {error}")))
    }
}

fn text(call: &ToolCall, name: &str) -> Result<String> {
    match call.arguments.get(name).and_then(|value| value.as_str()) {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(Error::invalid(format!("the argument `{name}` is missing"))),
    }
}

fn category(call: &ToolCall) -> Result<Option<Category>> {
    let name = call.arguments.get("category").and_then(|value| value.as_str());
    name.map(Category::new).transpose()
}
