//! Autonomous memory: sessions of agents become memories, and memories become documents.
//!
//! `pick` decides which sessions are learnt from, `extraction` does that, `documents` makes
//! the documents of a project, `run` puts them together under leases that `pulse` keeps alive.
//! What is worth keeping is decided by [`crate::extract`], what documents say by
//! [`crate::consolidate`]; sessions, files and models come in through ports.

mod documents;
mod extraction;
mod forgetting;
pub mod pick;
pub mod ports;
mod pulse;
pub mod report;
mod run;
mod standing;

use std::sync::Arc;

use jiff::SignedDuration;
use uuid::Uuid;

use crate::consolidate::Artifacts;
use crate::engine::Engine;
use crate::error::Result;
use crate::id::ProjectId;
use crate::shelf::{self, Documents, Shelf};

use self::ports::{Minds, Pace, Receipts, Sessions};

pub use self::forgetting::Afterwards;
pub use self::run::{RunMode, RunRequest, Running};

/// What the user decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether it works by itself.
    pub enabled: bool,
    /// Sessions older than this are skipped.
    pub max_session_age_days: i64,
    /// Sessions active more recently are skipped.
    pub min_idle_hours: i64,
    /// Sessions learnt from in one run.
    pub max_sessions_per_run: usize,
    /// Tokens of the summary.
    pub summary_tokens: usize,
    /// Sessions read at once.
    pub concurrency: usize,
    /// How long a job belongs to its worker without a sign of life.
    pub lease: SignedDuration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            enabled: false,
            max_session_age_days: 30,
            min_idle_hours: 12,
            max_sessions_per_run: 64,
            summary_tokens: 5000,
            concurrency: 4,
            lease: SignedDuration::from_secs(120),
        }
    }
}

/// What is outside.
#[derive(Clone)]
pub struct Outside {
    /// Sessions of agents.
    pub sessions: Arc<dyn Sessions>,
    /// Where documents are kept.
    pub shelf: Arc<dyn Shelf>,
    /// Models, and what they may cost.
    pub minds: Arc<dyn Minds>,
    /// What models did cost.
    pub receipts: Arc<dyn Receipts>,
    /// Lets time pass.
    pub pace: Arc<dyn Pace>,
}

/// Autonomous memory of a place. Cheap to clone.
#[derive(Clone)]
pub struct Autonomy {
    engine: Engine,
    project: ProjectId,
    outside: Outside,
    settings: Settings,
}

impl Autonomy {
    /// Autonomous memory that works in one project unless it is told otherwise.
    #[must_use]
    pub fn new(engine: Engine, project: ProjectId, outside: Outside, settings: Settings) -> Self {
        Autonomy { engine, project, outside, settings }
    }

    /// What the user decided.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The project here.
    #[must_use]
    pub fn project(&self) -> &ProjectId {
        &self.project
    }

    /// A token that nobody else has.
    fn token(&self) -> Uuid {
        self.engine.fresh()
    }

    /// One document of this project, by its name below `memory://root/`.
    ///
    /// # Errors
    /// `not_found`, when there is none.
    pub fn document(&self, name: &str) -> Result<String> {
        self.outside.shelf.document(&self.project, name)
    }

    /// The documents of a project that are there, and the set they are of.
    fn present(&self, project: &ProjectId) -> Result<shelf::Present> {
        self.outside.shelf.present(project)
    }
}

/// Documents as consolidation knows them.
fn artifacts(documents: &Documents) -> Artifacts {
    let text = |name: &str| documents.get(name).cloned().unwrap_or_default();
    let skills = documents.iter().filter_map(|(name, text)| {
        shelf::skill_of(name).map(|skill| (skill.to_owned(), text.clone()))
    });
    Artifacts {
        memory_md: text(shelf::MEMORY),
        summary_md: text(shelf::SUMMARY),
        skills: skills.collect(),
    }
}

/// Documents as they are kept: what is empty is none.
fn documents_of(artifacts: &Artifacts) -> Documents {
    let fixed = [(shelf::MEMORY, &artifacts.memory_md), (shelf::SUMMARY, &artifacts.summary_md)];
    let fixed = fixed.into_iter().map(|(name, text)| (name.to_owned(), text.clone()));
    let skills = artifacts.skills.iter().map(|(name, text)| (shelf::skill(name), text.clone()));
    fixed.chain(skills).filter(|(_, text)| !text.trim().is_empty()).collect()
}
