//! Taking in what others, or an earlier self, wrote out.
//!
//! Everything passes the gate: what holds a secret is refused, or redacted where it was said in
//! a conversation, and what is suspicious is quarantined. What is there already stays as it is,
//! so doing it twice changes nothing. Limits push nothing out here; the next write holds them.
//! Reading formats is in [`crate::interchange`].

mod batch;
mod fact;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::filter::Page;
use crate::id::{MemoryId, ProjectId, SessionId};
use crate::interchange::Item;
use crate::interchange::jsonl::Amount;
use crate::scope::Scope;
use crate::session::Session;
use crate::transcript::Skipped;

/// Different reasons that are told apart.
const MOST_REASONS: usize = 50;

/// Whose word it is that comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// One's own export: origin, trust and pins are as they were.
    Own,
    /// Anybody's: its origin is `imported`, and it is trusted no more than what an agent says.
    Others,
}

/// What all that comes in has in common.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// What names where it comes from, for example a file.
    pub source: String,
    /// Where facts go that name no scope.
    pub home: Scope,
    /// The project of plans.
    pub project: Option<ProjectId>,
    /// Whose word it is.
    pub whose: Whose,
    /// Only say what would become of it.
    pub dry_run: bool,
}

/// What became of what came in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imported {
    /// What was stored.
    pub taken: Amount,
    /// What was there already, and stays as it is.
    pub already: Amount,
    /// Memories that were stored, and wait for a person to look at them.
    pub quarantined: u64,
    /// Turns that were stored without the secrets in them.
    pub redacted: u64,
    /// Memories that were forgotten here, and stay so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forgotten: u64,
    /// What was not stored, by the reason.
    pub refused: BTreeMap<String, u64>,
    /// What was no memory or could not be read, by kind.
    pub skipped: Skipped,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Imported {
    fn refuse(&mut self, error: &Error) {
        let reason = match error.kind() {
            // Names of others would make a reason of each.
            Kind::Conflict => "its key is taken by another memory".to_owned(),
            Kind::NotFound => "its conversation is missing".to_owned(),
            _ => error.to_string(),
        };
        let known = self.refused.len() < MOST_REASONS || self.refused.contains_key(&reason);
        let reason = if known { reason } else { "other reasons".to_owned() };
        *self.refused.entry(reason).or_default() += 1;
    }
}

/// Takes things in, a batch at a time.
pub struct Importer<'e> {
    engine: &'e Engine,
    request: ImportRequest,
    imported: Imported,
    /// Conversations of the store, once they were asked for.
    sessions: Option<BTreeMap<SessionId, Session>>,
    /// What was taken in, or would have been: the same again is there already.
    seen: BTreeSet<MemoryId>,
}

impl<'e> Importer<'e> {
    pub(crate) fn new(engine: &'e Engine, request: ImportRequest) -> Self {
        let (imported, seen) = (Imported::default(), BTreeSet::new());
        Importer { engine, request, imported, sessions: None, seen }
    }

    /// How much has come so far.
    #[must_use]
    pub fn so_far(&self) -> &Imported {
        &self.imported
    }

    /// What became of everything, with what readers passed over.
    #[must_use]
    pub fn finish(self, skipped: Skipped) -> Imported {
        Imported { skipped, ..self.imported }
    }

    /// The conversations of the store, by id.
    async fn sessions(&mut self) -> Result<&mut BTreeMap<SessionId, Session>> {
        if self.sessions.is_none() {
            let all = self.engine.store().sessions(Page::first(u64::MAX)).await?;
            let all = all.into_iter().map(|session| (session.id.clone(), session));
            self.sessions = Some(all.collect());
        }
        Ok(self.sessions.get_or_insert_default())
    }

    /// Takes things in, in order; each is stored or counted.
    ///
    /// # Errors
    /// When the store cannot be used. What was stored before stays.
    pub async fn take(&mut self, items: Vec<Item>) -> Result<()> {
        let mut records = Vec::new();
        for item in items {
            match item {
                Item::Record(record) => records.push(self.as_theirs(*record)),
                Item::Fact(fact) => match self.record_of(*fact) {
                    Ok(record) => records.push(record),
                    Err(error) => self.imported.refuse(&error),
                },
                Item::Session(session) => self.take_session(*session).await?,
                Item::Turns(turns) => self.take_turns(turns).await?,
                Item::Talk(talk) => self.take_talk(*talk).await?,
            }
        }
        self.take_records(records).await
    }
}
