//! Where agents are put to work: one at a time (`step`), or by a plan (`craft`).
//!
//! A [`Workshop`] has everything that does not change from task to task. What an agent is
//! asked is its prompt, the context in the order of precedence, and the task; what it says is
//! kept for those who come after.

mod craft;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nuthatch::clock::{Clock, Ids};
use nuthatch::context::{self, Context, ContextRequest, ContextSource, Format, Shares};
use nuthatch::error::{Error, Result};
use nuthatch::id::{AgentId, RequirementId};
use nuthatch::invocation::Invocation;
use nuthatch::model::{ChatModel, ChatRequest, Message, Stop, Usage};
use serde::Serialize;

pub use craft::{CraftRequest, Crafted, Progress, TaskReport, TaskResult};

use crate::agents::Agent;
use crate::hooks::{Event, Moment, Watch};
use crate::layout::Workspace;
use crate::outputs::{Output, Outputs};
use crate::plan::Plan;
use crate::sources::{ArchitectureSource, InjectedSource, OutputsSource, PlanSource};
use crate::writeback::{self, Completed, Writeback};

/// What is asked of an agent that is given no task of its own.
const BEGIN: &str = "Begin.";

/// Opens what agents run on.
pub trait Engines: Send + Sync {
    /// The model of an agent's role, or its program once that may run.
    ///
    /// # Errors
    /// `invalid` where nothing of that kind is configured, `denied` where a program may not
    /// run.
    fn open(&self, agent: &Agent) -> Result<Arc<dyn ChatModel>>;
}

/// How much goes into a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Tokens of the whole.
    pub budget_tokens: usize,
    /// Tokens of the memory section.
    pub memory_tokens: usize,
}

/// Where agents work.
pub struct Workshop<'a> {
    /// Whose files.
    pub workspace: &'a Workspace,
    /// What agents run on.
    pub engines: &'a dyn Engines,
    /// Who is asked before they work.
    pub watch: &'a dyn Watch,
    /// Sources of context beyond the workspace's own.
    pub sources: Vec<&'a dyn ContextSource>,
    /// How much goes into a context.
    pub room: Room,
    /// What time it is.
    pub clock: &'a dyn Clock,
    /// Names for what is queued.
    pub ids: &'a dyn Ids,
}

/// What is asked of one agent.
#[derive(Clone, Debug)]
pub struct StepRequest {
    /// Who, with what.
    pub invocation: Invocation,
    /// The plan it belongs to.
    pub plan: Option<RequirementId>,
    /// The task; the agent's own prompt alone where it is empty.
    pub prompt: String,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stepped {
    /// Who.
    pub agent: AgentId,
    /// Everything it said.
    pub output: String,
    /// What is kept of it.
    pub kept: Output,
    /// What it cost.
    pub usage: Usage,
    /// Whether the output was cut by the model's own limit.
    pub cut: bool,
    /// Tokens of context, and how many items did not fit.
    pub context_tokens: usize,
    /// What did not fit.
    pub dropped: Vec<context::Dropped>,
    /// What could not be had.
    pub notes: Vec<context::Note>,
}

/// What one agent is to see of a plan.
pub(crate) struct View<'a> {
    plan: Option<&'a Plan>,
    visible: Option<BTreeSet<AgentId>>,
    task: Option<&'a str>,
}

impl Workshop<'_> {
    /// The context of an invocation.
    ///
    /// # Errors
    /// Where a file that is named cannot be put in, or the plan cannot be read.
    pub async fn context(
        &self,
        invocation: &Invocation,
        plan: Option<&RequirementId>,
        query: Option<String>,
        format: Format,
    ) -> Result<Context> {
        let loaded = self.plan_of(plan)?;
        let view = View { plan: loaded.as_ref(), visible: None, task: None };
        self.gather(invocation, plan, &view, query, format).await
    }

    /// Runs one agent and keeps what it says; `heard` is called with each piece of it.
    ///
    /// # Errors
    /// Whatever the agent's engine says, and what [`Workshop::context`] says.
    pub async fn step(
        &self,
        request: &StepRequest,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Stepped> {
        let loaded = self.plan_of(request.plan.as_ref())?;
        let view = View { plan: loaded.as_ref(), visible: None, task: None };
        let stepped = self.run(request, &view, heard).await?;
        self.queue(Completed::Step, request.plan.as_ref(), Some(&request.invocation.agent))?;
        Ok(stepped)
    }

    fn plan_of(&self, plan: Option<&RequirementId>) -> Result<Option<Plan>> {
        plan.map(|id| Plan::load(self.workspace, id)).transpose()
    }

    async fn gather(
        &self,
        invocation: &Invocation,
        plan: Option<&RequirementId>,
        view: &View<'_>,
        query: Option<String>,
        format: Format,
    ) -> Result<Context> {
        let outputs = Outputs::of(self.workspace, plan);
        let plan_source = view.plan.map(PlanSource);
        let architecture = ArchitectureSource(self.workspace);
        let earlier = OutputsSource { outputs: &outputs, visible: view.visible.clone() };
        let injected = InjectedSource { workspace: self.workspace, invocation, outputs: &outputs };
        let mut sources: Vec<&dyn ContextSource> = Vec::new();
        sources.extend(plan_source.as_ref().map(|source| source as &dyn ContextSource));
        sources.push(&architecture);
        // Steps without a plan have nothing to do with each other.
        if plan.is_some() {
            sources.push(&earlier);
        }
        sources.extend(self.sources.iter().copied());
        sources.push(&injected);
        let request = ContextRequest {
            query,
            budget_tokens: self.room.budget_tokens,
            memory_tokens: self.room.memory_tokens,
            shares: Shares::default(),
            format,
        };
        context::build(&sources, &request).await
    }

    /// One agent, between those who are asked before and told after.
    async fn run(
        &self,
        request: &StepRequest,
        view: &View<'_>,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Stepped> {
        let agent = Agent::load(self.workspace, &request.invocation.agent)?;
        let event = self.about(&agent, &request.prompt);
        self.watch.ask(&event).await?;
        let result = self.work(&agent, request, view, heard).await;
        self.tell(event, Moment::AfterStep, result).await
    }

    /// What is said of an agent that is about to work: its program, if it is one, and its
    /// task.
    #[must_use]
    pub fn about(&self, agent: &Agent, prompt: &str) -> Event {
        let task = Some(prompt.to_owned()).filter(|prompt| !prompt.trim().is_empty());
        let lines = agent.command_line().into_iter().chain(task).collect();
        Event::before(Moment::BeforeStep, agent.id.as_str(), lines, self.workspace.root())
    }

    /// Tells what came of something; what goes wrong with that is noted and changes nothing.
    async fn tell(&self, event: Event, moment: Moment, result: Result<Stepped>) -> Result<Stepped> {
        let output = match &result {
            Ok(stepped) => stepped.output.clone(),
            Err(error) => error.to_string(),
        };
        let troubles = self.watch.tell(&event.ended(moment, result.is_ok(), output)).await;
        let noted = |trouble: String| context::Note::new("hooks", trouble);
        result.map(|mut stepped| {
            stepped.notes.extend(troubles.iter().cloned().map(noted));
            stepped
        })
    }

    async fn work(
        &self,
        agent: &Agent,
        request: &StepRequest,
        view: &View<'_>,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Stepped> {
        let StepRequest { invocation, plan, prompt } = request;
        let query = if prompt.is_empty() { agent.prompt.clone() } else { prompt.clone() };
        let query = Some(query).filter(|query| !query.trim().is_empty());
        let context = self.gather(invocation, plan.as_ref(), view, query, Format::Markdown).await?;
        let model = self.engines.open(agent)?;
        let asked = asked(agent, &context.text, prompt);
        let reply = model.chat(&asked, heard).await?;
        if reply.text.trim().is_empty() {
            return Err(Error::unavailable(format!("agent {} said nothing", agent.id))
                .with_hint("nothing was kept; run it again, or look at its prompt"));
        }
        let info = model.info();
        let mut metadata = BTreeMap::from([
            ("engine".to_owned(), info.provider),
            ("model".to_owned(), info.name),
            ("tokens".to_owned(), reply.usage.total().to_string()),
        ]);
        metadata.extend(view.task.map(|task| ("task".to_owned(), task.to_owned())));
        let outputs = Outputs::of(self.workspace, plan.as_ref());
        let kept = outputs.keep(&agent.id, &reply.text, self.clock.now(), metadata)?;
        Ok(Stepped {
            agent: agent.id.clone(),
            output: reply.text,
            kept,
            usage: reply.usage,
            cut: reply.stop == Stop::Length,
            context_tokens: context.spent,
            dropped: context.dropped,
            notes: context.notes,
        })
    }

    fn queue(
        &self,
        completed: Completed,
        plan: Option<&RequirementId>,
        agent: Option<&AgentId>,
    ) -> Result<()> {
        let at = self.clock.now();
        let entry = Writeback {
            completed,
            at,
            plan: plan.map(ToString::to_string),
            agent: agent.map(ToString::to_string),
            session: None,
        };
        writeback::queue(self.workspace, self.ids.fresh(at), &entry)
    }
}

/// What a model is asked: who it is and what it should know first, the task last.
fn asked(agent: &Agent, context: &str, prompt: &str) -> ChatRequest {
    let parts = [agent.prompt.trim(), context.trim()];
    let system = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let task = if prompt.trim().is_empty() { BEGIN } else { prompt };
    ChatRequest {
        system: system.join("\n\n"),
        messages: vec![Message::user(task)],
        ..ChatRequest::default()
    }
}
