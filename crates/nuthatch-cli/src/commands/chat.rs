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
use nuthatch_workspace::hooks::{Moment, Watch as _};
use nuthatch_workspace::{Agent, Chat, Engines as _, History};

use crate::cli::Globals;
use crate::opening::Access;
use crate::output::Output;
use crate::workbench::{AgentArgs, Workbench};
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
    #[command(flatten)]
    who: AgentArgs,
    /// Go on with this session, or begin one of this name
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

/// Talks until the end.
pub async fn run(args: &ChatArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let invocation: Invocation = args.who.agent.parse()?;
    let plan = args.who.plan()?;
    let bench = Workbench::open(globals, Access::Write).await?;
    let agent = Agent::load(&bench.workspace, &invocation.agent)?;
    let session = args.session.clone().unwrap_or_else(|| bench.fresh().1.to_string());
    let mut history = History::load(&bench.workspace, &session)?;
    history.agent_id = agent.id.to_string();
    let (engines, sources) = (bench.engines(args.who.consent)?, bench.sources());
    let walls = engines.walls()?;
    let workshop = bench.workshop(&engines, &sources, args.who.budget);
    let event = workshop.about(&agent, "");
    walls.ask(&event).await?;
    let context =
        workshop.context(&invocation, plan.as_ref(), None, ContextFormat::Markdown).await?;
    let model = engines.open(&agent)?;
    let chat = Chat::new(system(&agent, &context.text, &history));
    let format = out.format();
    let mut talk = Talk { bench: &bench, walls, model: &*model, chat, history, format };
    let ended = talk.go_on(&session, out).await;
    bench.desk.engine().end_thread(&session);
    let event = event.ended(Moment::AfterStep, ended.is_ok(), talk.last_answer());
    for trouble in walls.tell(&event).await {
        out.warn(trouble)?;
    }
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
