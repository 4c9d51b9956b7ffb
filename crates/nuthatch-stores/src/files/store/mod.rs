//! A store whose truth is files, with a derived index beside them.
//!
//! The files are canonical: memories in the layout's own format, versions, conversations
//! and turns as JSON lines in a folder of their own. The index is an ordinary SQLite store
//! that can be deleted at any time; whenever a file is not as the index knows it, it is read
//! again. Writers hold an operating system lock from reading to replacing.

mod apply;
mod changes;
mod codec;
mod jobs;
mod journal;
mod keys;
mod ledger;
mod lock;
mod open;
mod read;
mod refresh;
mod render;
mod stamp;
mod take_in;
mod text;

use std::path::PathBuf;
use std::sync::Arc;

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

pub use open::Place;

use crate::files::layout::Layout;
use crate::sqlite::{SqliteStore, blocking};

/// A store in files of some layout.
#[derive(Clone)]
pub struct FileStore {
    shared: Arc<Shared>,
}

/// Where everything is.
pub(super) struct Shared {
    layout: Box<dyn Layout>,
    /// How to open the store again.
    url: String,
    /// The folder that paths of the layout are relative to.
    root: PathBuf,
    /// The folder of everything that is not for people.
    state: PathBuf,
    /// Derived from the files.
    index: SqliteStore,
}

impl FileStore {
    /// Runs `work` off the async threads.
    async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let shared = Arc::clone(&self.shared);
        blocking(move || work(&shared)).await
    }

    /// Asks the index, once it agrees with the files. A damaged one is made anew first.
    async fn ask<R, A>(&self, question: impl Fn(SqliteStore) -> A) -> Result<R>
    where
        A: Future<Output = Result<R>>,
    {
        match self.ask_once(&question).await {
            Err(error) if open::is_damage(&error) => {
                self.run(open::rebuild_index).await?;
                self.ask_once(&question).await
            }
            answer => answer,
        }
    }

    async fn ask_once<R, A>(&self, question: &impl Fn(SqliteStore) -> A) -> Result<R>
    where
        A: Future<Output = Result<R>>,
    {
        self.run(read::ensure_fresh).await?;
        question(self.shared.index.clone()).await
    }

    /// Runs work that writes; if the index turns out to be damaged, once more with a new one.
    async fn write<R: Send + 'static>(
        &self,
        work: impl Fn(&Shared) -> Result<R> + Send + Sync + 'static,
    ) -> Result<R> {
        self.run(move |shared| match work(shared) {
            Err(error) if open::is_damage(&error) => {
                open::rebuild_index(shared)?;
                work(shared)
            }
            answer => answer,
        })
        .await
    }
}

#[async_trait]
impl Store for FileStore {
    fn describe(&self) -> Description {
        let backend = self.shared.layout.backend().to_owned();
        Description { backend, url: self.shared.url.clone() }
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        let set = set.clone();
        self.write(move |shared| apply::apply(shared, &set)).await
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        let set = set.clone();
        self.write(move |shared| apply::rehearse(shared, &set)).await
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.ask(async |index| index.memories(ids).await).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        self.ask(async |index| index.list(filter, page).await).await
    }

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        self.ask(async |index| index.versions(ids).await).await
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        self.ask(async |index| index.tombstones(after, limit).await).await
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        self.ask(async |index| index.search_text(query).await).await
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        self.ask(async |index| index.words(filter, beginning).await).await
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        self.ask(async |index| index.search_vectors(query).await).await
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        self.ask(async |index| index.cosines(query, docs).await).await
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.ask(async |index| index.unembedded(model, after, limit).await).await
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        self.ask(async |index| index.put_vectors(model, items).await).await
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        self.ask(async |index| index.drop_vectors(keep).await).await
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.ask(async |index| index.sessions(page).await).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        self.ask(async |index| index.turns(session, page).await).await
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        self.ask(async |index| index.around(turns, reach).await).await
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        self.ask(async |index| index.said(ids).await).await
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        self.run(jobs::all).await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        let key = key.clone();
        self.run(move |shared| jobs::one(shared, &key)).await
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        let swap = swap.clone();
        self.run(move |shared| jobs::swap(shared, &swap)).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        let mut stats = self.ask(async |index| index.stats().await).await?;
        stats.bytes = self.run(|shared| Ok(read::bytes(shared))).await?;
        Ok(stats)
    }

    async fn wipe(&self) -> Result<Vec<String>> {
        self.write(|shared| {
            let _guard = shared.lock()?;
            shared.index.shared().with_writer(crate::sqlite::wipe)
        })
        .await
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        let mut findings = self.run(|shared| Ok(read::check(shared))).await?;
        if findings.iter().all(|finding| finding.severity != nuthatch::store::Severity::Failure) {
            findings.extend(self.ask(async |index| index.check().await).await?);
        }
        Ok(findings)
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        self.write(text::reread).await?;
        self.shared.index.reindex(progress).await
    }
}
