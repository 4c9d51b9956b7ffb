//! What autonomous memory says about itself.
//!
//! Plain values: doors print them or send them as JSON, and decide nothing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Settings;
use super::pick::Skip;
use super::ports::{Candidate, Receipt};
use crate::id::ProjectId;
use crate::shelf::Cleared;
use crate::store::Job;

/// One session, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionLine {
    /// The product's own id.
    pub id: String,
    /// The product.
    pub agent: String,
    /// The project it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// Where it lies.
    pub path: String,
    /// When something last happened in it.
    pub updated_at: Timestamp,
    /// `due` or `skipped`.
    pub state: String,
    /// Why it is skipped: `too_old`, `too_fresh`, `running`, `over_cap`, `done`, `waiting`,
    /// `given_up`, `forgotten`, `part` or `unnamed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl SessionLine {
    /// A session, with what speaks against learning from it now.
    #[must_use]
    pub fn of(candidate: &Candidate, skip: Option<&Skip>, settings: &Settings) -> Self {
        SessionLine {
            id: candidate.head.id.clone(),
            agent: candidate.head.agent.clone(),
            project: candidate.project.clone(),
            path: candidate.place.clone(),
            updated_at: candidate.active_at,
            state: if skip.is_some() { "skipped" } else { "due" }.to_owned(),
            reason: skip.map(|skip| skip.name().to_owned()),
            why: skip.map(|skip| skip.told(settings)),
        }
    }
}

/// Which models are asked, and what they may cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Means {
    /// Who extracts: a model, or `rules`.
    pub extraction: String,
    /// Who consolidates: a model, or `rules`.
    pub consolidation: String,
    /// Tokens that paid models may cost in a run.
    pub tokens_per_run: u64,
    /// Tokens that paid models may cost in a day.
    pub tokens_per_day: u64,
    /// Tokens of paid models that were spent today.
    pub spent_today: u64,
}

/// How autonomous memory stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    /// Whether it works by itself.
    pub enabled: bool,
    /// The project here.
    pub project: ProjectId,
    /// Where its documents are.
    pub documents: String,
    /// The set that is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// Who works, and for how much.
    pub means: Means,
    /// Every job, of every project.
    pub jobs: Vec<Job>,
    /// Every session that was found, newest first.
    pub sessions: Vec<SessionLine>,
    /// What could not be looked at, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u64>,
}

/// What came of one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Learnt {
    /// The product's own id.
    pub id: String,
    /// The product.
    pub agent: String,
    /// Memories that were stored.
    pub stored: u64,
    /// Memories that were known already.
    pub known: u64,
    /// What was left out, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u64>,
    /// Tokens that it cost.
    pub tokens: u64,
    /// What it would cost, where nothing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<u64>,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What became of the documents of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rewritten {
    /// The project.
    pub project: ProjectId,
    /// `published`, `unchanged`, `skipped`, `failed`, or `due` where nothing was done.
    pub state: String,
    /// The set that is published now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// What is different, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// What a reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Tokens that it cost.
    pub tokens: u64,
    /// What it would cost, where nothing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<u64>,
}

/// What a run did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ran {
    /// Whether it only looked.
    pub dry_run: bool,
    /// Sessions that were learnt from.
    pub sessions: Vec<Learnt>,
    /// Sessions that were not, each with its reason.
    pub skipped: Vec<SessionLine>,
    /// Documents.
    pub projects: Vec<Rewritten>,
    /// Tokens that all of it cost.
    pub tokens: u64,
    /// What it would cost, where nothing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<u64>,
    /// Why it ended early, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// What would be put in at the start of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Viewed {
    /// The project.
    pub project: ProjectId,
    /// The set it comes from; none, where there is nothing to put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// The block, exactly; empty where there is nothing.
    pub text: String,
    /// About how many tokens it takes.
    pub tokens: usize,
}

/// What clearing a project removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Emptied {
    /// The project.
    pub project: ProjectId,
    /// Memories that were extracted.
    pub memories: u64,
    /// Documents and their generations.
    #[serde(flatten)]
    pub shelf: Cleared,
    /// Jobs that begin anew.
    pub jobs: u64,
    /// Files in which something can still be read, because somebody is reading them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lingers: Vec<String>,
}

/// What models cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spent {
    /// Who may cost what.
    pub means: Means,
    /// By day and model, newest first.
    pub days: Vec<DaySpent>,
    /// The last calls, newest first.
    pub receipts: Vec<Receipt>,
}

/// What one model cost in one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DaySpent {
    /// The day, in UTC.
    pub day: String,
    /// The model.
    pub model: String,
    /// Whether its tokens may cost money.
    pub paid: bool,
    /// Calls.
    pub calls: u64,
    /// Tokens.
    pub tokens: u64,
}
