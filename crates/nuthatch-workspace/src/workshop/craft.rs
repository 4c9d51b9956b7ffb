//! A plan, carried out: tasks in the order they depend on each other, several at a time.
//!
//! What is done is written down after each task, so that whatever ends the process, the next
//! run goes on from there. A task that fails stops those that depend on it, and nothing else.
//! Each agent sees the outputs of the tasks before it, however the others happen to be timed.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::id::{AgentId, RequirementId};
use serde::Serialize;

use super::{StepRequest, Stepped, View, Workshop};
use crate::hooks::{Event, Moment};
use crate::plan::{Plan, Task};
use crate::state::{Claim, PlanState, Stage};
use crate::writeback::Completed;

/// What is to be carried out.
#[derive(Clone, Debug)]
pub struct CraftRequest {
    /// Which plan.
    pub plan: RequirementId,
    /// How many tasks at a time.
    pub at_once: usize,
}

/// What happens while a plan is carried out.
#[derive(Debug)]
pub enum Progress<'a> {
    /// It was done before.
    Known(&'a Task),
    /// It begins.
    Begun(&'a Task),
    /// It is done.
    Done(&'a Task, &'a Stepped),
    /// It failed.
    Failed(&'a Task, &'a Error),
    /// It cannot begin, because of that one.
    Stopped(&'a Task, &'a str),
}

/// What came of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crafted {
    /// Which.
    pub plan: RequirementId,
    /// Every task, as the plan has them.
    pub tasks: Vec<TaskReport>,
    /// Tokens that were spent.
    pub tokens: u64,
}

impl Crafted {
    /// Why it is not finished, if it is not.
    #[must_use]
    pub fn failure(&self) -> Option<Kind> {
        let failed = self.tasks.iter().find_map(|task| match &task.result {
            TaskResult::Failed { kind, .. } => Some(*kind),
            _ => None,
        });
        let stopped = || self.tasks.iter().any(|t| matches!(t.result, TaskResult::Stopped { .. }));
        failed.or_else(|| stopped().then_some(Kind::Unavailable))
    }
}

/// What came of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskReport {
    /// Which.
    pub id: String,
    /// Who did it.
    pub agent: AgentId,
    /// What came of it.
    #[serde(flatten)]
    pub result: TaskResult,
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "result")]
pub enum TaskResult {
    /// Done now.
    Done,
    /// Done before.
    Known,
    /// Failed.
    Failed {
        /// What kind of failure.
        kind: Kind,
        /// What happened.
        error: String,
    },
    /// Never begun, because of another.
    Stopped {
        /// The task that failed.
        by: String,
    },
}

impl Workshop<'_> {
    /// Carries out what is left of a plan.
    ///
    /// # Errors
    /// `not_found` and `invalid` for the plan itself, `conflict` while another process is at
    /// it, `unavailable` when what was done cannot be written down. Failures of tasks are in
    /// the answer.
    pub async fn craft(
        &self,
        request: &CraftRequest,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<Crafted> {
        let plan = Plan::load(self.workspace, &request.plan)?;
        if plan.tasks.is_empty() {
            return Err(Error::invalid(format!("plan {} has no tasks", plan.id))
                .with_hint("add [[tasks]] with id, agent and prompt to its plan.toml"));
        }
        let _claim = Claim::take(self.workspace, &plan.id)?;
        let state = PlanState::load(self.workspace, &plan.id)?;
        let mut crafting = Crafting::new(&plan, state);
        for task in plan.tasks.iter().filter(|task| crafting.is_known(task)) {
            progress(Progress::Known(task));
        }
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < request.at_once.max(1) {
                let Some(task) = crafting.next() else { break };
                crafting.state.set(task, Stage::Running, self.clock.now(), None);
                crafting.state.save(self.workspace, &plan.id)?;
                progress(Progress::Begun(task));
                running.push(self.work_on(&plan, task));
            }
            let Some((task, result)) = running.next().await else { break };
            match &result {
                Ok(stepped) => progress(Progress::Done(task, stepped)),
                Err(error) => progress(Progress::Failed(task, error)),
            }
            let message = result.as_ref().err().map(ToString::to_string);
            let stage = if message.is_none() { Stage::Done } else { Stage::Failed };
            crafting.state.set(task, stage, self.clock.now(), message);
            crafting.state.save(self.workspace, &plan.id)?;
            crafting.finish(task, result);
        }
        for (task, by) in crafting.stopped() {
            progress(Progress::Stopped(task, by));
        }
        let report = crafting.report();
        // Where nothing new was done there is nothing to learn from.
        if report.tasks.iter().any(|task| task.result == TaskResult::Done) {
            self.queue(Completed::Craft, Some(&plan.id), None)?;
        }
        Ok(report)
    }

    async fn work_on<'t>(&self, plan: &Plan, task: &'t Task) -> (&'t Task, Result<Stepped>) {
        let before = plan.before();
        let before = &before[task.id.as_str()];
        let visible: BTreeSet<AgentId> = plan
            .tasks
            .iter()
            .filter(|one| before.contains(one.id.as_str()))
            .map(|one| one.agent.agent.clone())
            .collect();
        let view = View { plan: Some(plan), visible: Some(visible), task: Some(&task.id) };
        let request = StepRequest {
            invocation: task.agent.clone(),
            plan: Some(plan.id.clone()),
            prompt: task.prompt.clone(),
        };
        let lines = vec![task.agent.to_string(), task.prompt.clone()];
        let event = Event::before(Moment::BeforeTask, &task.id, lines, self.workspace.root());
        if let Err(denied) = self.watch.ask(&event).await {
            return (task, Err(denied));
        }
        let result = self.run(&request, &view, &mut |_| {}).await;
        (task, self.tell(event, Moment::AfterTask, result).await)
    }
}

/// How far a run is.
struct Crafting<'p> {
    plan: &'p Plan,
    state: PlanState,
    begun: BTreeSet<&'p str>,
    results: BTreeMap<&'p str, TaskResult>,
    tokens: u64,
}

impl<'p> Crafting<'p> {
    fn new(plan: &'p Plan, state: PlanState) -> Self {
        let known = plan.tasks.iter().filter(|task| state.is_done(task));
        let results = known.map(|task| (task.id.as_str(), TaskResult::Known)).collect();
        Crafting { plan, state, begun: BTreeSet::new(), results, tokens: 0 }
    }

    fn is_known(&self, task: &Task) -> bool {
        self.results.contains_key(task.id.as_str())
    }

    /// The next task that everything it depends on is done for.
    fn next(&mut self) -> Option<&'p Task> {
        let is_done = |id: &String| {
            matches!(self.results.get(id.as_str()), Some(TaskResult::Done | TaskResult::Known))
        };
        let task = self.plan.tasks.iter().find(|task| {
            !self.begun.contains(task.id.as_str())
                && !self.is_known(task)
                && task.depends_on.iter().all(is_done)
        })?;
        self.begun.insert(&task.id);
        Some(task)
    }

    fn finish(&mut self, task: &'p Task, result: Result<Stepped>) {
        let result = match result {
            Ok(stepped) => {
                self.tokens += stepped.usage.total();
                TaskResult::Done
            }
            Err(error) => TaskResult::Failed { kind: error.kind(), error: error.to_string() },
        };
        self.results.insert(&task.id, result);
    }

    /// What cannot begin, and the task that failed.
    fn stopped(&mut self) -> Vec<(&'p Task, &'p str)> {
        let before = self.plan.before();
        let mut stopped = Vec::new();
        for task in &self.plan.tasks {
            if self.results.contains_key(task.id.as_str()) {
                continue;
            }
            let failed =
                |id: &&&str| matches!(self.results.get(**id), Some(TaskResult::Failed { .. }));
            let by = before[task.id.as_str()].iter().find(failed).copied().unwrap_or_default();
            stopped.push((task, by));
        }
        for (task, by) in &stopped {
            self.results.insert(&task.id, TaskResult::Stopped { by: (*by).to_owned() });
        }
        stopped
    }

    fn report(self) -> Crafted {
        let tasks = self.plan.tasks.iter().filter_map(|task| {
            let result = self.results.get(task.id.as_str())?.clone();
            Some(TaskReport { id: task.id.clone(), agent: task.agent.agent.clone(), result })
        });
        Crafted { plan: self.plan.id.clone(), tasks: tasks.collect(), tokens: self.tokens }
    }
}
