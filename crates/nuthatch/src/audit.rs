//! Who did what to which memory, and how it ended: never what a memory says.
//!
//! The engine records every change it asks a store for, whatever the door; a door only says
//! who stands before it. Where records are kept is behind the port [`Audit`]. A record that
//! cannot be kept loses nobody's write: the engine remembers the failure for the door to tell.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::{Applied, Change, Outcome, Patch};
use crate::error::{Error, Result};
use crate::id::MemoryId;
use crate::trust::{Origin, Trust};

/// Ids in one record: a line that is easily written at once.
const IDS: usize = 100;

/// One thing that was done, or tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// By which door, for example `cli`.
    pub door: String,
    /// Who stood before it, as far as the door knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Whose word it was, where it was somebody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What was done, for example `remember` or `forget`.
    pub operation: String,
    /// The memories or conversations it was done to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// `done`, or the kind of error it ended with, for example `denied`.
    pub outcome: String,
}

/// Keeps records.
pub trait Audit: Send + Sync {
    /// Keeps one, after those that were kept before.
    ///
    /// # Errors
    /// When it cannot be kept; nothing else is lost by that.
    fn keep(&self, event: &Event) -> Result<()>;
}

/// Keeps nothing: for engines nobody has to answer for, such as those of tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unaudited;

impl Audit for Unaudited {
    fn keep(&self, _: &Event) -> Result<()> {
        Ok(())
    }
}

/// Who stands before the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The door, for example `cli`.
    pub door: String,
    /// The user or the agent, as far as the door knows.
    pub who: Option<String>,
}

/// What an engine writes its records with.
#[derive(Clone)]
pub struct Auditor {
    log: Arc<dyn Audit>,
    actor: Actor,
    trouble: Arc<Mutex<Option<Error>>>,
}

impl Default for Auditor {
    fn default() -> Self {
        Auditor::new(Arc::new(Unaudited), Actor { door: "library".into(), who: None })
    }
}

impl Auditor {
    /// Records in `log` what this actor does.
    pub fn new(log: Arc<dyn Audit>, actor: Actor) -> Self {
        Auditor { log, actor, trouble: Arc::default() }
    }

    /// Records what was asked for and what came of it.
    pub(crate) fn note(&self, at: Timestamp, asked: &[Asked], answer: Result<&Applied, &Error>) {
        for (place, asked) in asked.iter().enumerate() {
            let outcome = answer.ok().and_then(|applied| applied.outcomes.get(place));
            let (ids, ended) = match answer {
                Ok(_) => (told(outcome, asked), "done"),
                Err(error) => (asked.memories(), error.kind().name()),
            };
            // What was done to nothing is no news, nor what would have ended by itself.
            if (ids.is_empty() && answer.is_ok()) || (asked.by_itself && answer.is_err()) {
                continue;
            }
            self.note_one(at, asked.operation, asked.origin, &ids, ended);
            if let Some(Outcome::Remembered(stored) | Outcome::Edited(stored)) = outcome
                && !stored.evicted.is_empty()
            {
                self.note_one(at, "evict", None, &texts(&stored.evicted), "done");
            }
        }
    }

    /// Records something that is no change set.
    pub(crate) fn note_one(
        &self,
        at: Timestamp,
        operation: &str,
        origin: Option<Origin>,
        ids: &[String],
        outcome: &str,
    ) {
        let parts: Vec<&[String]> =
            if ids.is_empty() { vec![ids] } else { ids.chunks(IDS).collect() };
        for ids in parts {
            let Actor { door, who } = self.actor.clone();
            let (operation, outcome) = (operation.to_owned(), outcome.to_owned());
            let ids = ids.to_vec();
            let event = Event { at, door, who, origin, operation, ids, outcome };
            if let Err(error) = self.log.keep(&event) {
                *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        }
    }

    /// The last failure to keep a record, told once.
    #[must_use]
    pub fn trouble(&self) -> Option<Error> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What is recorded of a change before it is made.
pub(crate) struct Asked {
    operation: &'static str,
    origin: Option<Origin>,
    ids: Vec<String>,
    by_itself: bool,
}

impl Asked {
    /// The memories among the ids. Other names were not let in, and may be what must not be
    /// written down.
    fn memories(&self) -> Vec<String> {
        self.ids.iter().filter(|id| id.parse::<MemoryId>().is_ok()).cloned().collect()
    }

    /// Every kind of change is listed: a new one does not compile before it has a name here.
    pub(crate) fn of(change: &Change) -> Asked {
        let by_ids =
            |operation, ids: Vec<String>| Asked { operation, origin: None, ids, by_itself: false };
        match change {
            Change::Remember(remember) => Asked {
                origin: Some(remember.memory.origin),
                ..by_ids("remember", vec![remember.memory.id.to_string()])
            },
            Change::Edit(edit) => Asked {
                origin: edit.patch.origin,
                ..by_ids(name_of(&edit.patch), vec![edit.id.to_string()])
            },
            Change::Supersede { old, .. } => by_ids("supersede", vec![old.to_string()]),
            Change::Use { ids } => by_ids("use", texts(ids)),
            Change::Forget { ids } => by_ids("forget", texts(ids)),
            Change::Release { ids } => by_ids("release", texts(ids)),
            Change::Bury { tombstones } => {
                by_ids("forget", tombstones.iter().map(|one| one.id.to_string()).collect())
            }
            Change::Adopt(adopt) => by_ids("adopt", vec![adopt.record.memory.id.to_string()]),
            Change::Expire { .. } => Asked { by_itself: true, ..by_ids("expire", Vec::new()) },
            Change::Restore(record) => by_ids("restore", vec![record.memory.id.to_string()]),
            Change::OpenSession { fresh, .. } => by_ids("session", vec![fresh.to_string()]),
            Change::PutSession(session) | Change::RenewSession(session) => {
                by_ids("put_session", vec![session.id.to_string()])
            }
            Change::PutTurns { turns } => {
                let mut ids: Vec<String> = turns.iter().map(|t| t.session.to_string()).collect();
                ids.dedup();
                by_ids("record", ids)
            }
            Change::ForgetSession { id } => by_ids("forget_session", vec![id.to_string()]),
            Change::ExpireSessions { .. } => {
                Asked { by_itself: true, ..by_ids("expire_sessions", Vec::new()) }
            }
        }
    }
}

fn texts(ids: &[MemoryId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// An edit of nothing but trust, upwards, is an approval.
fn name_of(patch: &Patch) -> &'static str {
    let approval =
        Patch { trust: Some(Trust::Confirmed), origin: patch.origin, ..Patch::default() };
    if *patch == approval { "approve" } else { "edit" }
}

/// The ids that a change was in truth done to.
fn told(outcome: Option<&Outcome>, asked: &Asked) -> Vec<String> {
    match outcome {
        Some(Outcome::Remembered(stored) | Outcome::Edited(stored)) => {
            vec![stored.memory.id.to_string()]
        }
        Some(Outcome::Touched { ids }) => texts(ids),
        Some(Outcome::Session(session)) => vec![session.id.to_string()],
        Some(Outcome::SessionsGone { ids }) => ids.iter().map(ToString::to_string).collect(),
        Some(Outcome::Forgotten { .. }) => Vec::new(),
        Some(Outcome::Done) | None => asked.ids.clone(),
    }
}
