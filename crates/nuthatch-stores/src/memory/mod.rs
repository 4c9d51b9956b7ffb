//! A store in RAM: for tests and trials, gone with the process.
//!
//! It keeps everything in ordered maps and looks through all of it for every answer,
//! without regard to how the other stores do it, so that it can bear witness against them.

mod apply;
mod jobs;
mod open;
mod read;
mod text;
mod vector;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{DocId, MemoryId, ModelId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{
    Around, Description, Embedded, Finding, Job, JobKey, JobSwap, Listed, Store, StoreStats,
    Swapped, TextMatches, TextQuery, Unembedded, VectorMatch, VectorMatches, VectorQuery,
};

use open::State;

/// A store in RAM. Clones share what they hold, as two processes share a file.
#[derive(Clone, Default)]
pub struct InMemoryStore {
    state: Arc<Mutex<State>>,
}

impl InMemoryStore {
    /// A panic in a caller cannot leave a half-applied set, so a poisoned lock is still good:
    /// sets that do not finish are undone before the lock is given up.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for InMemoryStore {
    fn describe(&self) -> Description {
        Description { backend: "memory".into(), url: "memory:".into() }
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        apply::apply(&mut self.state(), set)
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        apply::rehearse(&mut self.state(), set)
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        Ok(read::memories(&self.state(), ids))
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        Ok(read::list(&self.state(), filter, page))
    }

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        let (state, ids) = (self.state(), ids.iter().copied().collect::<BTreeSet<_>>());
        Ok(ids.into_iter().flat_map(|id| read::versions(&state, id)).collect())
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        Ok(read::tombstones(&self.state(), after, limit))
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        Ok(text::search(&self.state(), query))
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        Ok(text::words(&self.state(), filter, beginning))
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        Ok(vector::search(&self.state(), query))
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        Ok(vector::cosines(&self.state(), query, docs))
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        Ok(vector::unembedded(&self.state(), model, after, limit))
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        Ok(vector::put(&mut self.state(), model, items))
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        Ok(vector::drop_all_but(&mut self.state(), keep))
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        Ok(read::sessions(&self.state(), page))
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        Ok(read::turns(&self.state(), session, page))
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        Ok(read::around(&self.state(), turns, reach))
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        Ok(read::said(&self.state(), ids))
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        Ok(jobs::all(&self.state()))
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        Ok(jobs::one(&self.state(), key))
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        Ok(jobs::swap(&mut self.state(), swap))
    }

    async fn stats(&self) -> Result<StoreStats> {
        Ok(read::stats(&self.state()))
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        Ok(vec![Finding::ok("memory", "nothing is on disk")])
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let mut state = self.state();
        let total = (state.memories.len() + state.turns.len()) as u64;
        progress(0, total);
        state.rebuild_words();
        progress(total, total);
        Ok(total)
    }
}
