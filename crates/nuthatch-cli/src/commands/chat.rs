//! `nuthatch chat`: a conversation with an agent that remembers.
//!
//! On a terminal lines are edited and answers stream; Ctrl-C stops an answer, Ctrl-D ends the
//! conversation. Elsewhere each line of the input is something said. What a line that begins
//! with `/` means is in `slash`, what the agent may do is in `hands`, how it goes on in `talk`.

mod editor;
mod hands;
mod slash;
mod talk;

use clap::Args;
use nuthatch::context::Format as ContextFormat;
use nuthatch::error::Result;
use nuthatch::invocation::Invocation;
use nuthatch_workspace::{Agent, Chat, Engines as _, History};

use crate::cli::Globals;
use crate::opening::Access;
use crate::output::Output;
use crate::workbench::{self, Consent, Workbench};
use talk::Talk;

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
