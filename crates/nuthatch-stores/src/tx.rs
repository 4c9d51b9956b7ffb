//! What a backend must be able to do inside a transaction, in the smallest steps.
//!
//! `semantics.rs` says once, over this trait, what every change means; a backend only
//! fetches and puts. The methods are async so that a backend across a network fits; local
//! ones are always ready at once.

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::ChangeSet;
use nuthatch::error::Result;
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};

/// What a scope holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Memories.
    pub entries: u64,
    /// Characters of their content.
    pub chars: u64,
}

/// One open transaction: everything in it happens, or nothing.
pub trait Tx {
    /// Says which set is about to be applied, so that what it will ask for can be read at once.
    async fn foresee(&mut self, _set: &ChangeSet) -> Result<()> {
        Ok(())
    }

    /// What was noted when a set of this id was applied.
    async fn seen(&mut self, id: ChangeSetId) -> Result<Option<String>>;
    /// Notes that a set was applied. Old notes may be dropped.
    async fn mark_seen(&mut self, id: ChangeSetId, receipt: &str) -> Result<()>;

    /// The memory of an id.
    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>>;
    /// The memory of a key in a scope.
    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>>;
    /// The oldest current memory of a content in a scope.
    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>>;
    /// Stores a memory under its id, with its words. One that says what it said before keeps
    /// its words and vectors.
    async fn put_memory(&mut self, memory: &Memory) -> Result<()>;
    /// Removes a memory, its words, its vectors and its versions.
    async fn remove_memory(&mut self, id: MemoryId) -> Result<()>;
    /// Ids and sizes of memories in a scope that a limit may push out, oldest first.
    async fn evictable(&mut self, scope: &Scope) -> Result<Vec<(MemoryId, u64)>>;
    /// Unpinned memories of a category created before a time.
    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>>;
    /// Every memory of a scope.
    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>>;
    /// What a scope holds.
    async fn usage(&mut self, scope: &Scope) -> Result<Usage>;

    /// The versions of a memory, oldest first.
    async fn versions(&mut self, id: MemoryId) -> Result<Vec<Version>>;
    /// Stores a version under its memory and number.
    async fn put_version(&mut self, version: &Version) -> Result<()>;

    /// What is left of a memory that was forgotten.
    async fn tombstone(&mut self, id: MemoryId) -> Result<Option<Tombstone>>;
    /// Keeps what is left of a memory that was forgotten, under its id.
    async fn put_tombstone(&mut self, tombstone: &Tombstone) -> Result<()>;

    /// The conversation of an id.
    async fn session(&mut self, id: &SessionId) -> Result<Option<Session>>;
    /// The last active conversation of a channel and user.
    async fn session_of(&mut self, channel: &str, user: &str) -> Result<Option<Session>>;
    /// Stores a conversation under its id; its turns are found where it belongs.
    async fn put_session(&mut self, session: &Session) -> Result<()>;
    /// Removes a conversation and its turns, their words and their vectors.
    async fn remove_session(&mut self, id: &SessionId) -> Result<()>;
    /// Conversations of channels last active before a time.
    async fn idle_sessions(&mut self, since: Timestamp) -> Result<Vec<SessionId>>;
    /// Stores turns under their sessions and places, with their words. One that says what it
    /// said before keeps its words and vectors.
    async fn put_turns(&mut self, turns: &[Turn]) -> Result<()>;
}
