//! The port behind which memories are kept.
//!
//! A store is canonical state plus an index of words and vectors. It knows nothing of
//! ranking, gates, models or doors; [`Store::apply`] is its only write of anything that
//! cannot be made again. What each method promises is spelled out as the conformance suite
//! of `nuthatch-testkit`, which every backend passes whole. What searches ask and answer is
//! in `store/search.rs`.

mod job;
mod saying;
mod search;

pub use job::{Job, JobKey, JobKind, JobState, JobSwap, Swapped};
pub(crate) use saying::saying;
pub use search::{
    Around, Embedded, EmbeddedPassage, SessionFacts, TextMatch, TextMatches, TextQuery, TurnFacts,
    Unembedded, VectorMatch, VectorMatches, VectorQuery,
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::change::{Applied, ChangeSet};
use crate::error::Result;
use crate::filter::{Filter, Page};
use crate::id::{DocId, MemoryId, ModelId, SessionId, TurnId};
use crate::memory::{Memory, Tombstone, Version};
use crate::scope::Scope;
use crate::session::{Session, Turn};

/// Keeps memories, their versions, conversations and turns.
#[async_trait]
pub trait Store: Send + Sync {
    /// What this is and where.
    fn describe(&self) -> Description;

    /// Applies a set whole or not at all. Once it returns, the change survives `kill -9`.
    async fn apply(&self, set: &ChangeSet) -> Result<Applied>;

    /// What [`apply`](Store::apply) would answer, leaving everything as it is.
    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied>;

    /// The memories of these ids that exist, in the order asked for.
    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>>;

    /// Memories that pass a filter, newest first.
    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed>;

    /// What these memories said before: in the order of their ids, of each the oldest first.
    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>>;

    /// What was forgotten, in the order of its ids, from after one of them on.
    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>>;

    /// Memories and turns that contain at least one of the terms, best first; of equal ones
    /// the newer first.
    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches>;

    /// The words, as they are indexed, of memories and turns in the scopes of a filter that begin
    /// with `beginning`, each once, in order. The filter's other conditions do not count.
    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>>;

    /// Memories and turns whose vectors of one model lie nearest, best first, each once with
    /// its best passage; of equal ones the newer first.
    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches>;

    /// How near these documents are, each with its best passage, in the order asked for.
    /// Those that have no vector of the model are left out. No filter: whoever names a
    /// document knows it already.
    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>>;

    /// Documents that have no vectors of a model yet, in a stable order, from after one of
    /// them on. What changes while they are being embedded is found again.
    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>>;

    /// Keeps vectors and says of how many documents. Those of a document that has changed or
    /// vanished since it was read are passed over.
    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64>;

    /// Removes the vectors of every model but these, and says how many there were.
    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64>;

    /// Conversations, last active first.
    async fn sessions(&self, page: Page) -> Result<Vec<Session>>;

    /// What was said in a conversation, in order, from a place on.
    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>>;

    /// These turns, and those up to `reach` places before and after each, once and in order,
    /// without what was said in them; with the conversations they are from.
    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around>;

    /// The turns of these ids that exist, in the order asked for.
    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>>;

    /// Every job, by kind and name.
    async fn jobs(&self) -> Result<Vec<Job>>;

    /// One job.
    async fn job(&self, key: &JobKey) -> Result<Option<Job>>;

    /// Exchanges a job for another state of it, unless it is no longer as it was seen. Of many
    /// at once, in however many processes, one is told yes; from then on it survives `kill -9`.
    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped>;

    /// What is in it.
    async fn stats(&self) -> Result<StoreStats>;

    /// Empties the places where what was removed can still be read, and names the files it
    /// could not empty because somebody is reading them. [`apply`](Store::apply) does so when
    /// something is forgotten; this finishes what it could not.
    async fn wipe(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Looks for damage; finds, never mends.
    async fn check(&self) -> Result<Vec<Finding>>;

    /// Builds everything derived anew from what is canonical. `progress` is called with how
    /// many of how many are done.
    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64>;
}

/// What a store is and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Description {
    /// The backend, for example `sqlite`.
    pub backend: String,
    /// How to open it again.
    pub url: String,
}

/// A page of memories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// This page.
    pub memories: Vec<Memory>,
    /// How many pass the filter in all.
    pub total: u64,
}

/// What is in a store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreStats {
    /// Memories, replaced ones included.
    pub memories: u64,
    /// Old versions of memories.
    pub versions: u64,
    /// Conversations.
    pub sessions: u64,
    /// Turns of conversations.
    pub turns: u64,
    /// Bytes on disk, everything derived included.
    pub bytes: u64,
    /// What each scope holds, by the scope's name.
    pub scopes: Vec<ScopeUsage>,
    /// How many memories of each category, by name.
    pub categories: Vec<(String, u64)>,
    /// What each model has embedded, by the model's id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vectors: Vec<VectorUsage>,
}

/// What one model has embedded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VectorUsage {
    /// Which.
    pub model: ModelId,
    /// Memories and turns that have vectors of it.
    pub documents: u64,
    /// Memories and turns that still wait for theirs.
    pub pending: u64,
    /// Vectors in all: a long text has several.
    pub passages: u64,
}

/// What one scope holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScopeUsage {
    /// Which.
    pub scope: Scope,
    /// Memories, replaced ones included.
    pub entries: u64,
    /// Characters of their content.
    pub chars: u64,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Works, but somebody should look.
    Warning,
    /// Does not work, or would lose something.
    Failure,
}

/// One thing a check looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What was looked at.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// What was found.
    pub detail: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    /// Something that is as it should be.
    pub fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Finding { name: name.into(), severity: Severity::Ok, detail: detail.into(), hint: None }
    }

    /// Something somebody should look at.
    pub fn warning(
        name: impl Into<String>,
        detail: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Finding {
            name: name.into(),
            severity: Severity::Warning,
            detail: detail.into(),
            hint: Some(hint.into()),
        }
    }

    /// Something that does not work.
    pub fn failure(
        name: impl Into<String>,
        detail: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Finding { severity: Severity::Failure, ..Finding::warning(name, detail, hint) }
    }
}
