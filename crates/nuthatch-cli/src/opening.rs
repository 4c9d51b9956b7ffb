//! Opens a store for a command, and makes none for one that only reads.
//!
//! A mistyped path must not become a new, empty store: what is not there is answered for as
//! if it were empty, and stays away until something is remembered.

use std::io::ErrorKind;
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
use nuthatch_stores::{InMemoryStore, StoreUrl};

use crate::cli::Globals;
use crate::config::{env, keys};
use crate::output::Output;
use crate::wiring::Site;

/// What a command does with its stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// May begin a store.
    #[default]
    Write,
    /// Needs what is there, and makes nothing.
    Read,
}

/// Opens a store, or an empty one in its place where reading finds none.
pub async fn open(site: &Site, url: &StoreUrl, access: Access) -> Result<Arc<dyn Store>> {
    if access == Access::Read && is_absent(url) {
        return Ok(Arc::new(NoStoreYet { url: url.clone(), empty: InMemoryStore::default() }));
    }
    site.open(url).await
}

/// Says that the store somebody named is not there, since that is often a slip.
pub fn note_absence(globals: &Globals, out: &mut Output) -> Result<()> {
    let is_set = |name: &String| std::env::var_os(name).is_some();
    let by_variable =
        || keys::find("stores.default").is_some_and(|key| env::variables(key).iter().any(is_set));
    if globals.access != Access::Read || !(globals.store.is_some() || by_variable()) {
        return Ok(());
    }
    match Site::find(globals)?.store_urls(globals)?.default {
        url if is_absent(&url) => out.note(format_args!("note: there is no store at {url} yet")),
        _ => Ok(()),
    }
}

/// Whether nothing is there. What merely cannot be reached is left to fail when opened.
fn is_absent(url: &StoreUrl) -> bool {
    let missing = |path: &PathBuf| {
        path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
    };
    match url {
        // Whether a server has tables for it is found out by opening it.
        StoreUrl::Memory | StoreUrl::Postgres(_) => false,
        StoreUrl::Sqlite(path) | StoreUrl::Markdown(path) => missing(path),
        StoreUrl::Json(path) => {
            // A write that was cut short can leave the folder of its state behind alone.
            let mut state = path.clone().into_os_string();
            state.push(".nuthatch");
            missing(path) && missing(&PathBuf::from(state))
        }
    }
}

/// The empty store that stands for one that is not there.
struct NoStoreYet {
    url: StoreUrl,
    empty: InMemoryStore,
}

#[async_trait]
impl Store for NoStoreYet {
    fn describe(&self) -> Description {
        Description { backend: self.url.backend().to_owned(), url: self.url.to_string() }
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        self.empty.apply(set).await
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        self.empty.rehearse(set).await
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        self.empty.memories(ids).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        self.empty.list(filter, page).await
    }

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        self.empty.versions(ids).await
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        self.empty.tombstones(after, limit).await
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        self.empty.search_text(query).await
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        self.empty.words(filter, beginning).await
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        self.empty.search_vectors(query).await
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        self.empty.cosines(query, docs).await
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        self.empty.unembedded(model, after, limit).await
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        self.empty.put_vectors(model, items).await
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        self.empty.drop_vectors(keep).await
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.empty.sessions(page).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        self.empty.turns(session, page).await
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        self.empty.around(turns, reach).await
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        self.empty.said(ids).await
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        self.empty.jobs().await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        self.empty.job(key).await
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        self.empty.swap_job(swap).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        self.empty.stats().await
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        self.empty.check().await
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        self.empty.reindex(progress).await
    }
}
