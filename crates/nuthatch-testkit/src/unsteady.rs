//! A store behind a line that breaks: after so many requests everything fails.
//!
//! The request at which it breaks may still have been carried out, with its answer lost. Until
//! then it is the store behind it, to which somebody else may write in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use async_trait::async_trait;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{DocId, MemoryId, ModelId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{
    Around, Description, Embedded, Finding, Job, JobKey, JobSwap, Listed, Store, StoreStats,
    Swapped, TextMatches, TextQuery, Unembedded, VectorMatch, VectorMatches, VectorQuery,
};

/// A store that fails after so many requests.
pub struct Unsteady {
    inner: Arc<dyn Store>,
    left: Arc<AtomicI64>,
    meddler: Option<Meddler>,
}

/// Somebody who writes to the store while others are at work.
pub struct Meddler {
    /// How many requests it lets pass before.
    pub after: AtomicI64,
    /// What it writes.
    pub set: ChangeSet,
    /// Whether that was taken.
    pub wrote: Arc<AtomicBool>,
}

impl Unsteady {
    /// Fails once `left`, which several stores may share, is used up.
    #[must_use]
    pub fn new(inner: Arc<dyn Store>, left: Arc<AtomicI64>) -> Self {
        Unsteady { inner, left, meddler: None }
    }

    /// The same, with somebody who writes in between.
    #[must_use]
    pub fn meddled(mut self, meddler: Option<Meddler>) -> Self {
        self.meddler = meddler;
        self
    }

    async fn meddle(&self) {
        if let Some(meddler) = &self.meddler
            && meddler.after.fetch_sub(1, Ordering::SeqCst) == 0
        {
            let done = self.inner.apply(&meddler.set).await;
            meddler.wrote.store(done.is_ok(), Ordering::SeqCst);
        }
    }

    /// How many requests were left before this one.
    fn ask(&self) -> i64 {
        self.left.fetch_sub(1, Ordering::SeqCst)
    }

    /// Breaks before the request gets there.
    async fn reach(&self) -> Result<()> {
        self.meddle().await;
        if self.ask() > 0 { Ok(()) } else { Err(broken()) }
    }
}

fn broken() -> Error {
    Error::unavailable("the line is broken")
}

#[async_trait]
impl Store for Unsteady {
    fn describe(&self) -> Description {
        self.inner.describe()
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        self.meddle().await;
        let left = self.ask();
        // At the very end it happens, and nobody hears of it.
        match left {
            ..0 => Err(broken()),
            0 => self.inner.apply(set).await.and(Err(broken())),
            _ => self.inner.apply(set).await,
        }
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        self.reach().await?;
        self.inner.rehearse(set).await
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.reach().await?;
        self.inner.memories(ids).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        self.reach().await?;
        self.inner.list(filter, page).await
    }

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        self.reach().await?;
        self.inner.versions(ids).await
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        self.reach().await?;
        self.inner.tombstones(after, limit).await
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        self.reach().await?;
        self.inner.search_text(query).await
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        self.reach().await?;
        self.inner.words(filter, beginning).await
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        self.reach().await?;
        self.inner.search_vectors(query).await
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        self.reach().await?;
        self.inner.cosines(query, docs).await
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.reach().await?;
        self.inner.unembedded(model, after, limit).await
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        self.reach().await?;
        self.inner.put_vectors(model, items).await
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        self.reach().await?;
        self.inner.drop_vectors(keep).await
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.reach().await?;
        self.inner.sessions(page).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        self.reach().await?;
        self.inner.turns(session, page).await
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        self.reach().await?;
        self.inner.around(turns, reach).await
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        self.reach().await?;
        self.inner.said(ids).await
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        self.reach().await?;
        self.inner.jobs().await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        self.reach().await?;
        self.inner.job(key).await
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        self.reach().await?;
        self.inner.swap_job(swap).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        self.reach().await?;
        self.inner.stats().await
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        self.reach().await?;
        self.inner.check().await
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        self.reach().await?;
        self.inner.reindex(progress).await
    }
}
