//! Where agents work: a project's folder, its store, the user's models.
//!
//! The commands `context`, `step`, `craft` and `chat` stand at it. A program that a
//! repository names as an agent runs only with the user's consent.

use std::path::Path;
use std::sync::Arc;

use nuthatch::context::{ContextSource, LearningSource, MemorySource};
use nuthatch::error::{Error, Kind, Result};
use nuthatch::filter::Scopes;
use nuthatch::id::RequirementId;
use nuthatch::model::ChatModel;
use nuthatch_stores::{SystemClock, SystemIds};
use nuthatch_workspace::hooks::Moment;
use nuthatch_workspace::{Engines, Program, Room, RunsOn, Workshop, Workspace};

use crate::ask::{self, Reply};
use crate::cli::Globals;
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
        vec![
            Box::new(outside::files_source(&self.site)),
            Box::new(outside::outside_source(&self.site)),
            Box::new(MemorySource { engine: engine.clone(), scopes: scopes.clone() }),
            Box::new(LearningSource { engine: engine.clone(), scopes }),
        ]
    }

    /// Where agents work, with these sources and this much room.
    pub fn workshop<'a>(
        &'a self,
        engines: &'a dyn Engines,
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
            sources: sources.iter().map(|source| &**source).collect(),
            room,
            clock: &self.clock,
            ids: &self.ids,
        }
    }

    /// What agents run on here.
    pub fn engines(&self, consent: Consent) -> Configured<'_> {
        Configured { bench: self, consent }
    }

    /// Runs a shell command that the person approved, walled in.
    ///
    /// # Errors
    /// As [`Walls::shell`]: nothing is run then.
    pub fn run_shell(&self, line: &str) -> Result<String> {
        Walls::of(&self.site)?.shell(line)
    }

    /// Now, and a name that sorts by it.
    pub fn fresh(&self) -> (jiff::Timestamp, uuid::Uuid) {
        use nuthatch::clock::{Clock as _, Ids as _};
        let now = self.clock.now();
        (now, self.ids.fresh(now))
    }
}

/// Whether programs of a repository may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// The user said so in advance.
    Given,
    /// The user is asked each time, where there is one.
    Asked,
}

impl Consent {
    /// What `--yes` means.
    pub fn of(yes: bool) -> Consent {
        if yes { Consent::Given } else { Consent::Asked }
    }
}

/// The user's models, and programs with consent.
pub struct Configured<'a> {
    bench: &'a Workbench,
    consent: Consent,
}

impl Engines for Configured<'_> {
    fn open(&self, runs_on: &RunsOn) -> Result<Arc<dyn ChatModel>> {
        let config = &self.bench.site.config;
        match runs_on {
            RunsOn::Model(role) => Ok(models::of_role(config, role)?),
            RunsOn::Command(program) => {
                self.permit(program)?;
                let folder: &Path = self.bench.workspace.root();
                let Program { argv, timeout, env } = program.clone();
                let model = models::program(argv, env, timeout, folder)?;
                Ok(Arc::new(models::guarded(config, model)))
            }
        }
    }
}

impl Configured<'_> {
    fn permit(&self, program: &Program) -> Result<()> {
        let walls = Walls::of(&self.bench.site)?;
        walls.ask(Moment::BeforeStep, &program.argv[0], vec![shown(&program.argv)])?;
        if self.consent == Consent::Given {
            return Ok(());
        }
        let line = shown(&program.argv);
        if ask::can_ask() && ask::confirm(&format!("run {line}?"))? == Reply::Yes {
            return Ok(());
        }
        Err(Error::new(Kind::Denied, format!("the agent runs {line}, and nobody allowed that"))
            .with_hint("look at it, and allow it with --yes"))
    }
}

/// A command line as a person reads it, with nothing in it that steers a terminal.
fn shown(argv: &[String]) -> String {
    let word = |word: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        let is_plain = !word.is_empty() && word.chars().all(plain);
        if is_plain { word.clone() } else { format!("{word:?}") }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The id of a plan, where one is named.
pub fn plan(name: Option<&str>) -> Result<Option<RequirementId>> {
    name.map(RequirementId::new).transpose()
}
