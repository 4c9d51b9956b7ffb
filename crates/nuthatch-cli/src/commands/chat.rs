//! `nuthatch chat`: a conversation with an agent that remembers.
//!
//! On a terminal lines are edited and answers stream; Ctrl-C stops an answer, Ctrl-D ends the
//! conversation. Elsewhere each line of the input is something said. What a line that begins
//! with `/` means is in `slash`, what the agent may do is in `hands`.

mod editor;
mod hands;
mod slash;

use clap::Args;
use nuthatch::context::Format as ContextFormat;
use nuthatch::error::Result;
use nuthatch::id::AgentId;
use nuthatch::invocation::Invocation;
use nuthatch::model::ChatModel;
use nuthatch_workspace::{
    Agent, Answered, Chat, Completed, Engines as _, History, Interaction, Writeback, queue,
};

use super::step::say;
use crate::cli::Globals;
use crate::opening::Access;
use crate::output::{Format, Output};
use crate::workbench::{self, Consent, Workbench};
use editor::{Editor, Typed};
use hands::TerminalHands;

const EXAMPLES: &str = "\
Examples:
  $ mkdir -p .nuthatch/agents && echo 'engine = { command = [\"cat\"] }' > .nuthatch/agents/echo.toml
  $ echo hello | nuthatch chat --yes echo
  $ echo hello again | nuthatch chat --yes --json --session monday echo";

/// Arguments of `chat`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ChatArgs {
    /// The agent, and what to put in: agent[input:FILE,FILE][tail:LINES]
    #[arg(value_name = "AGENT")]
    agent: String,
    /// Go on with this session, or begin one of this name
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// The plan it is about
    #[arg(long, value_name = "REQ")]
    plan: Option<String>,
    /// Most tokens of its context
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Let the agent run the program it names; shell commands are asked about all the same
    #[arg(long)]
    yes: bool,
}

/// One conversation.
struct Talk<'a> {
    bench: &'a Workbench,
    model: &'a dyn ChatModel,
    chat: Chat,
    history: History,
    format: Format,
}

/// Talks until the end.
pub async fn run(args: &ChatArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let invocation: Invocation = args.agent.parse()?;
    let plan = workbench::plan(args.plan.as_deref())?;
    let bench = Workbench::open(globals, Access::Write).await?;
    let agent = Agent::load(&bench.workspace, &invocation.agent)?;
    let session = args.session.clone().unwrap_or_else(|| bench.fresh().1.to_string());
    let mut history = History::load(&bench.workspace, &session)?;
    history.agent_id = agent.id.to_string();
    let engines = bench.engines(Consent::of(args.yes));
    let sources = bench.sources();
    let workshop = bench.workshop(&engines, &sources, args.budget);
    let context =
        workshop.context(&invocation, plan.as_ref(), None, ContextFormat::Markdown).await?;
    let model = engines.open(&agent.runs_on)?;
    let chat = Chat::new(system(&agent, &context.text, &history));
    let mut talk = Talk { bench: &bench, model: &*model, chat, history, format: out.format() };
    let ended = talk.go_on(&session, out).await;
    bench.desk.engine().end_thread(&session);
    talk.close(&agent.id, &session, out)?;
    ended
}

/// Who it is, what it should know, what was said before.
fn system(agent: &Agent, context: &str, history: &History) -> String {
    let before = match history.summary() {
        before if before.is_empty() => String::new(),
        before => format!("## Said before in this session\n\n{before}"),
    };
    let parts = [agent.prompt.trim(), context.trim(), before.trim()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

impl Talk<'_> {
    async fn go_on(&mut self, session: &str, out: &mut Output) -> Result<()> {
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
        let mut hands = TerminalHands::new(self.bench, session, editor);
        let is_streamed = self.format == Format::Human;
        let mut heard = |piece: &str| {
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
            Ok(answered) => self.keep(line, &answered, out),
            Err(error) => out.error(&error.to_string(), error.hint()),
        }
    }

    fn keep(&mut self, line: &str, answered: &Answered, out: &mut Output) -> Result<()> {
        let Answered { text, done } = answered;
        match self.format {
            Format::Human => out.line("")?,
            Format::Json => out.json(&serde_json::json!({"answer": text, "done": done}))?,
        }
        let interaction = Interaction {
            goal: line.to_owned(),
            plan: done.join(", "),
            output: text.clone(),
            timestamp: self.bench.fresh().0,
        };
        self.history.add(&self.bench.workspace, interaction)
    }

    /// Leaves word for whoever learns from it, and says how to go on.
    fn close(&self, agent: &AgentId, session: &str, out: &mut Output) -> Result<()> {
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
