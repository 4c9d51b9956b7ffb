//! What autonomous memory needs from outside: sessions, models, receipts, and time that passes.
//!
//! Readers of sessions live in `nuthatch-sources`, queues in `nuthatch-workspace`; the command
//! wires them together behind [`Sessions`].

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::Result;
use crate::id::ProjectId;
use crate::model::{Ceiling, ChatModel, Ledger};
use crate::prompts::Prompts;
use crate::store::{JobKey, JobKind};
use crate::transcript::{Event, SessionHead, Skipped};

/// Something that can be learnt from, found and not yet read.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// A session of some agent, or what was completed here.
    pub kind: JobKind,
    /// What is known of it without reading it.
    pub head: SessionHead,
    /// The project it was about.
    pub project: Option<ProjectId>,
    /// Where it lies, for people.
    pub place: String,
    /// Changes when it goes on, and only then.
    pub watermark: String,
    /// When something last happened in it.
    pub active_at: Timestamp,
}

impl Candidate {
    /// The job that learns from it.
    ///
    /// # Errors
    /// `invalid`, when the product gave it a name that cannot be one.
    pub fn key(&self) -> Result<JobKey> {
        let name = match self.kind {
            JobKind::Writeback => self.head.id.clone(),
            _ => format!("{}:{}", self.head.agent, self.head.id),
        };
        JobKey::new(self.kind, name)
    }
}

/// What a look at all places found.
#[derive(Clone, Debug, Default)]
pub struct FoundSessions {
    /// Each once, in any order.
    pub candidates: Vec<Candidate>,
    /// What could not be looked at, by kind.
    pub skipped: Skipped,
}

/// Sees one event after the other, until it breaks off.
pub type Each = Box<dyn FnMut(Event) -> ControlFlow<()> + Send>;

/// What a reading came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What is known of the session now.
    pub head: SessionHead,
    /// What was passed over, by kind.
    pub skipped: Skipped,
}

/// The sessions there are.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Looks at all places, and reads nothing.
    ///
    /// # Errors
    /// Only when it cannot look at all.
    async fn find(&self) -> Result<FoundSessions>;

    /// Tells what happened in a session, from its beginning.
    ///
    /// # Errors
    /// `not_found` for one that is gone, `unavailable` for one that cannot be read.
    async fn tell(&self, candidate: &Candidate, each: Each) -> Result<Told>;

    /// Takes the turns of a session into the store, those that are not there yet, so that
    /// they can be found. What somebody forgot stays away.
    ///
    /// # Errors
    /// As `tell`, and whatever the store says.
    async fn take_in(&self, candidate: &Candidate, engine: &Engine) -> Result<()>;

    /// Takes what was learnt from out of its queue, where it stands in one.
    ///
    /// # Errors
    /// `unavailable`, when that fails; it is then found again.
    async fn settle(&self, candidate: &Candidate) -> Result<()>;
}

/// Models by what they do, none where rules do it, and what they may cost.
pub trait Minds: Send + Sync {
    /// Who reads sessions.
    ///
    /// # Errors
    /// When one is configured that cannot be opened.
    fn extraction(&self) -> Result<Option<Arc<dyn ChatModel>>>;

    /// Who words documents.
    ///
    /// # Errors
    /// When one is configured that cannot be opened.
    fn consolidation(&self) -> Result<Option<Arc<dyn ChatModel>>>;

    /// What they are told.
    ///
    /// # Errors
    /// When the user's own words cannot be used.
    fn prompts(&self) -> Result<Prompts>;

    /// What they may cost where they cost money.
    fn ceiling(&self) -> Ceiling;

    /// What they did cost.
    fn ledger(&self) -> Arc<dyn Ledger>;
}

/// What one call of a model cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// When.
    pub at: Timestamp,
    /// Whose model.
    pub provider: String,
    /// The provider's name for it.
    pub model: String,
    /// Whether its tokens may cost money.
    pub paid: bool,
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by it.
    pub output_tokens: u64,
}

impl Receipt {
    /// Tokens in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Keeps what models cost.
pub trait Receipts: Send + Sync {
    /// Every receipt that is kept, oldest first.
    ///
    /// # Errors
    /// `unavailable`, when they cannot be read.
    fn all(&self) -> Result<Vec<Receipt>>;
}

/// Lets time pass.
#[async_trait]
pub trait Pace: Send + Sync {
    /// Comes back after a while.
    async fn wait(&self, time: Duration);
}
