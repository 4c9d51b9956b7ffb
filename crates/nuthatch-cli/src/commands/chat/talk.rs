//! One conversation: what is said, what is answered, what is kept of it.
//!
//! What goes wrong is told, and the conversation goes on; an answer that was stopped counts as
//! never said.

use nuthatch::error::Result;
use nuthatch::id::AgentId;
use nuthatch::model::ChatModel;
use nuthatch_workspace::{Answered, Chat, Completed, History, Interaction, Writeback, queue};

use super::editor::{Editor, Typed};
use super::hands::TerminalHands;
use super::slash;
use crate::commands::step::say;
use crate::output::{Format, Output};
use crate::walls::Walls;
use crate::workbench::Workbench;

/// One conversation.
pub struct Talk<'a> {
    pub bench: &'a Workbench,
    pub walls: &'a Walls,
    pub model: &'a dyn ChatModel,
    pub chat: Chat,
    pub history: History,
    pub format: Format,
}

impl Talk<'_> {
    /// Reads what is said and answers it, until the end.
    pub async fn go_on(&mut self, session: &str, out: &mut Output) -> Result<()> {
        let mut editor = Editor::open()?;
        if editor.is_terminal() {
            out.note("/help lists what else can be typed; Ctrl-D ends")?;
        }
        loop {
            let line = match editor.read("> ")? {
                Typed::Line(line) => line,
                Typed::Interrupted => {
                    out.note("Ctrl-D or /quit ends")?;
                    continue;
                }
                Typed::End => return Ok(()),
            };
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if line.starts_with('/') {
                if slash::run(line, &self.bench.desk, out).await? == slash::Then::End {
                    return Ok(());
                }
                continue;
            }
            self.exchange(line, session, &mut editor, out).await?;
        }
    }

    /// One thing said, and its answer. What goes wrong is told, and the conversation goes on.
    async fn exchange(
        &mut self,
        line: &str,
        session: &str,
        editor: &mut Editor,
        out: &mut Output,
    ) -> Result<()> {
        let engine = self.bench.desk.engine();
        self.chat.note(&notes(&engine.notes(session)));
        let mut hands = TerminalHands::new(self.bench, self.walls, session, editor);
        let is_streamed = self.format == Format::Human;
        let mut last = None;
        let mut heard = |piece: &str| {
            last = piece.chars().last().or(last);
            if is_streamed {
                // A reader that went away is no failure of the agent.
                let _ = say(piece);
            }
        };
        let answered = tokio::select! {
            answered = self.chat.say(line, self.model, &mut hands, &mut heard) => answered,
            _ = tokio::signal::ctrl_c() => {
                out.line("")?;
                return out.note("stopped; it counts as never said");
            }
        };
        match answered {
            Ok(answered) => {
                if is_streamed && last != Some('\n') {
                    out.line("")?;
                }
                self.keep(line, &answered, out)
            }
            Err(error) => out.error(&error.to_string(), error.hint()),
        }
    }

    fn keep(&mut self, line: &str, answered: &Answered, out: &mut Output) -> Result<()> {
        let Answered { text, done } = answered;
        if self.format == Format::Json {
            out.json(&serde_json::json!({"answer": text, "done": done}))?;
        }
        let interaction = Interaction {
            goal: line.to_owned(),
            plan: done.join(", "),
            output: text.clone(),
            timestamp: self.bench.fresh().0,
        };
        self.history.add(&self.bench.workspace, interaction)
    }

    /// What was answered last.
    pub fn last_answer(&self) -> String {
        let last = self.history.interactions.last();
        last.map(|last| last.output.clone()).unwrap_or_default()
    }

    /// Leaves word for whoever learns from it, and says how to go on.
    pub fn close(&self, agent: &AgentId, session: &str, out: &mut Output) -> Result<()> {
        if self.history.interactions.is_empty() {
            return Ok(());
        }
        let (at, id) = self.bench.fresh();
        let entry = Writeback {
            completed: Completed::Chat,
            at,
            plan: None,
            agent: Some(agent.to_string()),
            session: Some(session.to_owned()),
        };
        queue(&self.bench.workspace, id, &entry)?;
        out.note(format_args!("session {session}; go on with --session {session}"))
    }
}

/// What was noted in this session, nearest to what is asked.
fn notes(entries: &[nuthatch::session_context::SessionEntry]) -> String {
    let lines: Vec<String> =
        entries.iter().map(|entry| format!("- [{}] {}", entry.category, entry.content)).collect();
    match lines.as_slice() {
        [] => String::new(),
        lines => format!("## Found out in this session\n\n{}", lines.join("\n")),
    }
}
