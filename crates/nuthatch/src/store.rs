//! The port behind which memories are kept.
//!
//! A store is canonical state plus an index of words. It knows nothing of ranking, gates or
//! doors; [`Store::apply`] is its only write. What each method promises is spelled out as
//! the conformance suite of `nuthatch-testkit`, which every backend passes whole.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::change::{Applied, ChangeSet};
use crate::error::Result;
use crate::filter::{Filter, Page};
use crate::id::{MemoryId, SessionId};
use crate::memory::{Memory, Version};
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

    /// What a memory said before, oldest first.
    async fn versions(&self, id: MemoryId) -> Result<Vec<Version>>;

    /// Memories that contain at least one of the terms, best first.
    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches>;

    /// Conversations, last active first.
    async fn sessions(&self, page: Page) -> Result<Vec<Session>>;

    /// What was said in a conversation, in order, from a place on.
    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>>;

    /// What is in it.
    async fn stats(&self) -> Result<StoreStats>;

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

/// Words to look for. Terms come out of [`crate::text::analyse`]: a store compares them
/// and never interprets them.
#[derive(Clone, Debug, PartialEq)]
pub struct TextQuery {
    /// Any of these.
    pub terms: Vec<String>,
    /// Only memories that pass.
    pub filter: Filter,
    /// At most so many.
    pub limit: usize,
}

/// Raw evidence of a text search; the library makes scores of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextMatches {
    /// How many memories the index holds.
    pub indexed: u64,
    /// For each term of the query, in how many of them it occurs.
    pub frequencies: Vec<u64>,
    /// The matches, best first.
    pub matches: Vec<TextMatch>,
}

/// One memory that contains a term.
#[derive(Clone, Debug, PartialEq)]
pub struct TextMatch {
    /// Which.
    pub id: MemoryId,
    /// Its BM25 score: higher is better, comparable within one answer only.
    pub bm25: f64,
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
