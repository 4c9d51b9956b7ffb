//! A transaction that remembers what it touched.
//!
//! A store of files needs to know which of them to render anew.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::error::Result;
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};

use crate::tx::{Tx, Usage};

/// What was touched.
#[derive(Default)]
pub struct Touched {
    /// Memories, as they were before.
    pub memories: BTreeMap<MemoryId, Option<Memory>>,
    /// Whether any version came or went.
    pub versions: bool,
    /// Whether a tombstone came.
    pub tombstones: bool,
    /// Conversations that came, changed or went.
    pub sessions: BTreeSet<SessionId>,
    /// Conversations whose turns came, changed or went.
    pub turns: BTreeSet<SessionId>,
}

/// Passes everything on, and takes notes.
pub struct Recorder<T> {
    inner: T,
    pub touched: Touched,
}

impl<T: Tx> Recorder<T> {
    pub fn new(inner: T) -> Self {
        Recorder { inner, touched: Touched::default() }
    }

    async fn note_memory(&mut self, id: MemoryId) -> Result<()> {
        if !self.touched.memories.contains_key(&id) {
            let before = self.inner.memory(id).await?;
            self.touched.memories.insert(id, before);
        }
        Ok(())
    }
}

impl<T: Tx> Tx for Recorder<T> {
    async fn seen(&mut self, id: ChangeSetId) -> Result<Option<String>> {
        self.inner.seen(id).await
    }

    async fn mark_seen(&mut self, id: ChangeSetId, receipt: &str) -> Result<()> {
        self.inner.mark_seen(id, receipt).await
    }

    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        self.inner.memory(id).await
    }

    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>> {
        self.inner.memory_of_key(scope, key).await
    }

    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>> {
        self.inner.memory_of_content(scope, content).await
    }

    async fn put_memory(&mut self, memory: &Memory) -> Result<()> {
        self.note_memory(memory.id).await?;
        self.inner.put_memory(memory).await
    }

    async fn remove_memory(&mut self, id: MemoryId) -> Result<()> {
        self.note_memory(id).await?;
        self.touched.versions |= !self.inner.versions(id).await?.is_empty();
        self.inner.remove_memory(id).await
    }

    async fn evictable(&mut self, scope: &Scope) -> Result<Vec<(MemoryId, u64)>> {
        self.inner.evictable(scope).await
    }

    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>> {
        self.inner.expired(category, before).await
    }

    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>> {
        self.inner.members(scope).await
    }

    async fn usage(&mut self, scope: &Scope) -> Result<Usage> {
        self.inner.usage(scope).await
    }

    async fn versions(&mut self, id: MemoryId) -> Result<Vec<Version>> {
        self.inner.versions(id).await
    }

    async fn put_version(&mut self, version: &Version) -> Result<()> {
        self.touched.versions = true;
        self.inner.put_version(version).await
    }

    async fn tombstone(&mut self, id: MemoryId) -> Result<Option<Tombstone>> {
        self.inner.tombstone(id).await
    }

    async fn put_tombstone(&mut self, tombstone: &Tombstone) -> Result<()> {
        self.touched.tombstones = true;
        self.inner.put_tombstone(tombstone).await
    }

    async fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        self.inner.session(id).await
    }

    async fn session_of(&mut self, channel: &str, user: &str) -> Result<Option<Session>> {
        self.inner.session_of(channel, user).await
    }

    async fn put_session(&mut self, session: &Session) -> Result<()> {
        self.touched.sessions.insert(session.id.clone());
        self.inner.put_session(session).await
    }

    async fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        self.touched.sessions.insert(id.clone());
        self.touched.turns.insert(id.clone());
        self.inner.remove_session(id).await
    }

    async fn idle_sessions(&mut self, since: Timestamp) -> Result<Vec<SessionId>> {
        self.inner.idle_sessions(since).await
    }

    async fn put_turns(&mut self, turns: &[Turn]) -> Result<()> {
        for turn in turns {
            if !self.touched.turns.contains(&turn.session) {
                self.touched.turns.insert(turn.session.clone());
            }
        }
        self.inner.put_turns(turns).await
    }
}
