//! Which quarantined memories are meant, and whether the user wants them decided about.
//!
//! Named ones are taken at their word; a whole source, conversation or everything is shown
//! first, and takes `--yes` where nobody can be asked.

use clap::Args;
use nuthatch::Memory;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Superseded};
use nuthatch::id::MemoryId;
use nuthatch::review::Waiting;

use crate::ask::{self, Reply};
use crate::output::{Format, Output};
use crate::select::{self, ScopeArgs};
use crate::wiring::Desk;
use crate::{input, render};

/// Which of those that wait.
#[derive(Debug, Default, Args)]
pub struct Which {
    /// Only what came from this page, site, file or folder
    #[arg(long, value_name = "PLACE")]
    source: Option<String>,
    /// Only what came from this conversation
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// In every scope of every project
    #[arg(long)]
    all_projects: bool,
}

/// Which of them are decided about.
#[derive(Debug, Args)]
pub struct Decision {
    /// Which memories
    #[arg(value_name = "ID|KEY", value_parser = input::word, conflicts_with_all = ["Which", "all"])]
    names: Vec<String>,
    #[command(flatten)]
    which: Which,
    /// Everything that waits
    #[arg(long)]
    all: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl Which {
    /// What waits of what these options mean.
    pub async fn waiting(&self, desk: &Desk) -> Result<Vec<Waiting>> {
        let session = select::session(self.session.as_deref())?;
        let all_projects = self.all_projects || session.is_some() || self.source.is_some();
        let scopes = ScopeArgs { scopes: Vec::new(), all_projects };
        let mut filter = Filter::scoped(scopes.scopes(desk, None)?);
        filter.superseded = Superseded::Shown;
        filter.source.clone_from(&self.source);
        filter.sessions = session.into_iter().collect();
        desk.engine().review(&filter).await
    }
}

impl Decision {
    /// The memories to decide about; none when the user changed their mind.
    pub async fn ids(
        &self,
        verb: &str,
        desk: &Desk,
        out: &mut Output,
    ) -> Result<Option<Vec<MemoryId>>> {
        let Decision { names, which, all, yes } = self;
        let mut ids = Vec::new();
        for name in names {
            ids.push(desk.find(name, desk.visible()).await?.id);
        }
        if !names.is_empty() {
            return Ok(Some(ids));
        }
        if !all && which.source.is_none() && which.session.is_none() {
            return Err(Error::invalid(format!("say what to {verb}"))
                .with_hint("name memories by id or key, or use --source, --session or --all"));
        }
        let meant = which.waiting(desk).await?;
        if *yes || meant.is_empty() {
            return Ok(Some(meant.iter().map(|one| one.memory.id).collect()));
        }
        if out.format() == Format::Human {
            meant.iter().try_for_each(|one| line(&one.memory, desk, out))?;
        }
        let count = render::memories(meant.len() as u64);
        if !ask::can_ask() {
            return Err(Error::invalid(format!(
                "this would {verb} {count}, and nobody can be asked"
            ))
            .with_hint("--yes goes ahead"));
        }
        let agreed = ask::confirm(&format!("{verb} {count}?"))? == Reply::Yes;
        Ok(agreed.then(|| meant.iter().map(|one| one.memory.id).collect()))
    }
}

/// One memory on one line.
pub fn line(memory: &Memory, desk: &Desk, out: &mut Output) -> Result<()> {
    out.line(render::line(memory, desk.project(), out.width()))
}
