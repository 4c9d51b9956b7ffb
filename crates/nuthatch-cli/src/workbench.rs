//! Where agents work: a project's folder, its store, the user's models.
//!
//! The commands `context`, `step`, `craft` and `chat` stand at it. A program that a
//! repository names as an agent runs only with the user's consent (`consent`), and hooks are
//! asked before any agent works (`walls`).

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use clap::Args;
use nuthatch::context::{ContextSource, LearningSource, MemorySource, SummarySource};
use nuthatch::error::{Error, Result};
use nuthatch::filter::Scopes;
use nuthatch::id::RequirementId;
use nuthatch::model::ChatModel;
use nuthatch_stores::{SystemClock, SystemIds};
use nuthatch_workspace::hooks::{Event, Watch};
use nuthatch_workspace::{Agent, Engines, Program, Room, RunsOn, Workshop, Workspace};

use crate::cli::Globals;
use crate::consent::{self, ConsentArgs};
use crate::models;
use crate::opening::Access;
use crate::outside;
use crate::walls::Walls;
use crate::wiring::{Desk, Site};

/// A context is this many times its memory part, where nothing else is said.
const WHOLE_PER_MEMORY: usize = 4;

/// Everything an agent works with.
pub struct Workbench {
    pub site: Site,
    pub desk: Desk,
    pub workspace: Workspace,
    clock: SystemClock,
    ids: SystemIds,
}

impl Workbench {
    /// Opens the place a command was started in.
    pub async fn open(globals: &Globals, access: Access) -> Result<Workbench> {
        let globals = Globals { access, ..globals.clone() };
        let site = Site::find(&globals)?;
        let desk = Desk::open(&globals).await?;
        let workspace = Workspace::new(site.root.folder.clone());
        Ok(Workbench { site, desk, workspace, clock: SystemClock, ids: SystemIds::default() })
    }

    /// Sources of context beyond the workspace's own.
    pub fn sources(&self) -> Vec<Box<dyn ContextSource>> {
        let scopes = Scopes::These(self.desk.visible());
        let engine = self.desk.engine();
        let autonomy = self.desk.autonomy().ok().cloned();
        let summary = autonomy.map(|autonomy| Box::new(SummarySource { autonomy }) as Box<_>);
        let mut sources: Vec<Box<dyn ContextSource>> = vec![
            Box::new(outside::files_source(&self.site)),
            Box::new(outside::outside_source(&self.site)),
            Box::new(MemorySource { engine: engine.clone(), scopes: scopes.clone() }),
            Box::new(LearningSource { engine: engine.clone(), scopes }),
        ];
        sources.extend(summary);
        sources
    }

    /// Where agents work, with these sources and this much room.
    pub fn workshop<'a>(
        &'a self,
        engines: &'a Configured<'a>,
        sources: &'a [Box<dyn ContextSource>],
        budget: Option<usize>,
    ) -> Workshop<'a> {
        let memory = self.desk.usual().budget_tokens;
        let room = Room {
            budget_tokens: budget.unwrap_or(memory.saturating_mul(WHOLE_PER_MEMORY)),
            memory_tokens: budget.map_or(memory, |budget| budget.min(memory)),
        };
        Workshop {
            workspace: &self.workspace,
            engines,
            watch: engines,
            sources: sources.iter().map(|source| &**source).collect(),
            room,
            clock: &self.clock,
            ids: &self.ids,
        }
    }

    /// What agents run on here, and who is asked before they do.
    ///
    /// # Errors
    /// `denied`, when the project has hooks that the user does not trust.
    pub fn engines(&self, consent: ConsentArgs) -> Result<Configured<'_>> {
        consent::trusted_hooks(&self.site, consent.trusting())?;
        Ok(Configured { bench: self, at_work: Some((consent, Walls::of(&self.site)?)) })
    }

    /// The same for whoever only looks and puts nobody to work.
    pub fn idle_engines(&self) -> Configured<'_> {
        Configured { bench: self, at_work: None }
    }

    /// Now, and a name that sorts by it.
    pub fn fresh(&self) -> (jiff::Timestamp, uuid::Uuid) {
        use nuthatch::clock::{Clock as _, Ids as _};
        let now = self.clock.now();
        (now, self.ids.fresh(now))
    }
}

/// The user's models, programs with consent, and the walls around what they run.
pub struct Configured<'a> {
    bench: &'a Workbench,
    at_work: Option<(ConsentArgs, Walls)>,
}

impl Configured<'_> {
    /// The walls around what agents run.
    ///
    /// # Errors
    /// Where nobody is put to work.
    pub fn walls(&self) -> Result<&Walls> {
        self.at_work().map(|(_, walls)| walls)
    }

    fn at_work(&self) -> Result<&(ConsentArgs, Walls)> {
        self.at_work.as_ref().ok_or_else(|| Error::internal("nobody is put to work here"))
    }
}

#[async_trait]
impl Watch for Configured<'_> {
    async fn ask(&self, event: &Event) -> Result<()> {
        self.walls()?.ask(event).await
    }

    async fn tell(&self, event: &Event) -> Vec<String> {
        match self.walls() {
            Ok(walls) => walls.tell(event).await,
            Err(error) => vec![error.to_string()],
        }
    }
}

impl Engines for Configured<'_> {
    fn open(&self, agent: &Agent) -> Result<Arc<dyn ChatModel>> {
        let site = &self.bench.site;
        match &agent.runs_on {
            RunsOn::Model(role) => Ok(models::of_role(&site.config, role)?),
            RunsOn::Command(program) => {
                self.at_work()?.0.permit(site, agent)?;
                let folder: &Path = self.bench.workspace.root();
                let Program { argv, timeout, env } = program.clone();
                let model = models::program(argv, env, timeout, folder)?;
                Ok(Arc::new(models::guarded(&site.config, model)))
            }
        }
    }
}

/// An agent, what it is put into, and what it may do.
#[derive(Debug, Args)]
pub struct AgentArgs {
    /// The agent, and what to put in: agent[input:FILE,FILE][tail:LINES]
    #[arg(value_name = "AGENT")]
    pub agent: String,
    /// The plan it works on: it sees what earlier agents said, and is seen by later ones
    #[arg(long, value_name = "REQ")]
    plan: Option<String>,
    /// Most tokens of its context
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    #[command(flatten)]
    pub consent: ConsentArgs,
}

impl AgentArgs {
    /// The plan, where one is named.
    pub fn plan(&self) -> Result<Option<RequirementId>> {
        plan(self.plan.as_deref())
    }
}

/// The id of a plan, where one is named.
pub fn plan(name: Option<&str>) -> Result<Option<RequirementId>> {
    name.map(RequirementId::new).transpose()
}
