//! Durable work: what is to be done, who is at it, what came of it.
//!
//! A store keeps jobs and exchanges one for another only if nobody else did so meanwhile;
//! what leases, tries and watermarks mean is decided once, over that, in [`crate::jobs`].
//! A job holds names, times, counts and hashes, and never what a session said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::id::ProjectId;

/// Longest name of a job: an agent and the longest session id.
const NAME_CHARS: usize = 640;

/// What kind of work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum JobKind {
    /// A session becomes memories.
    Extract,
    /// The memories of a project become its documents.
    Consolidate,
    /// What a step, a craft or a chat completed becomes memories.
    Writeback,
}

impl JobKind {
    /// Every kind.
    pub const ALL: [JobKind; 3] = [JobKind::Extract, JobKind::Consolidate, JobKind::Writeback];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Extract => "extract",
            JobKind::Consolidate => "consolidate",
            JobKind::Writeback => "writeback",
        }
    }
}

impl FromStr for JobKind {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        JobKind::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| Error::invalid("unknown kind of job"))
    }
}

/// Names one job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobKey {
    /// What kind of work.
    pub kind: JobKind,
    /// On what: a session, a project, an entry of a queue.
    pub name: String,
}

impl JobKey {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// Of kind `invalid`, when it is empty, too long or holds control characters.
    pub fn new(kind: JobKind, name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let long = name.chars().count() > NAME_CHARS;
        if name.trim().is_empty() || long || name.chars().any(char::is_control) {
            return Err(Error::invalid("a job needs a name without control characters")
                .with_hint("at most 640 characters"));
        }
        Ok(JobKey { kind, name })
    }
}

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.name)
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum JobState {
    /// Waits for somebody to do it.
    Pending,
    /// Somebody is at it, or was when they vanished.
    Running,
    /// Done for the input it was last given.
    Done,
    /// Given up after its last try.
    Error,
}

impl JobState {
    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            JobState::Pending => "pending",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Error => "error",
        }
    }
}

/// One piece of durable work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Job {
    /// Names it.
    #[serde(flatten)]
    pub key: JobKey,
    /// The project it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// How far it is.
    pub state: JobState,
    /// The input it is to be done for; equal means that nothing changed.
    pub watermark: String,
    /// The input it was last done for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_watermark: Option<String>,
    /// Who is at it: whoever knows this token, and nobody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub owner: Option<Uuid>,
    /// Until when nobody else may take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Timestamp>,
    /// How often it was begun for this input.
    pub tries: u32,
    /// Not before this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Why the last try failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// When it was first wanted.
    pub created_at: Timestamp,
    /// When anything about it last changed.
    pub updated_at: Timestamp,
    /// When it was last done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Hashes of what was already learnt by it, so that what was forgotten stays away.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub marks: BTreeSet<String>,
    /// Counts and names that say what came of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
    /// Grows with every exchange.
    pub revision: u64,
}

impl Job {
    /// A job that waits for its first try.
    #[must_use]
    pub fn new(key: JobKey, watermark: impl Into<String>, at: Timestamp) -> Self {
        Job {
            key,
            project: None,
            state: JobState::Pending,
            watermark: watermark.into(),
            done_watermark: None,
            owner: None,
            lease_until: None,
            tries: 0,
            retry_at: None,
            last_error: None,
            created_at: at,
            updated_at: at,
            finished_at: None,
            marks: BTreeSet::new(),
            notes: BTreeMap::new(),
            revision: 0,
        }
    }
}

/// An exchange of one state of a job for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSwap {
    /// Which job.
    pub key: JobKey,
    /// The revision that was seen; none, if there was no such job.
    pub seen: Option<u64>,
    /// What takes its place; none removes it. Its revision is the store's business.
    pub job: Option<Job>,
}

impl JobSwap {
    /// The exchange of what was seen for `job`.
    #[must_use]
    pub fn of(seen: Option<&Job>, job: Job) -> Self {
        JobSwap { key: job.key.clone(), seen: seen.map(|seen| seen.revision), job: Some(job) }
    }

    /// The end of a job that was seen.
    #[must_use]
    pub fn removal(seen: &Job) -> Self {
        JobSwap { key: seen.key.clone(), seen: Some(seen.revision), job: None }
    }

    /// What is stored: the job under the revision that follows what was seen.
    #[must_use]
    pub fn stored(&self) -> Option<Job> {
        let revision = self.seen.map_or(1, |seen| seen.saturating_add(1));
        self.job.clone().map(|job| Job { key: self.key.clone(), revision, ..job })
    }
}

/// What came of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swapped {
    /// It is as was wanted.
    Yes,
    /// Somebody else was faster, and nothing changed.
    Overtaken,
}
