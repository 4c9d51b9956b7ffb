//! Everything in PostgreSQL: one database for many machines and tenants.
//!
//! Any number of processes share it. None of them keeps anything of a memory, so nothing can be
//! stale; those who believe tokens are told of changes (`listen.rs`).
//! Writers of one tenant queue on its row, tenants do not wait for each other, readers never wait.
//! The tenant is the first column of every key and the first parameter of every statement, and
//! row security holds the same line a second time. Words are in `index.rs`, `words.rs` and `text.rs`, vectors
//! in `embedded.rs` and `vector.rs`; connections and their failures in `connect.rs`.

mod address;
mod apply;
mod codec;
mod connect;
mod embedded;
mod filter;
mod grants;
mod index;
mod jobs;
mod listen;
mod open;
mod questions;
mod read;
mod rebuild;
mod text;
mod turns;
mod vector;
mod words;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

pub use address::PostgresAddress;

use apply::PostgresTx;
use connect::{Conn, Link, Mode, patiently};
use open::Pgvector;

use crate::semantics;

/// A store in PostgreSQL, of one tenant.
#[derive(Clone)]
pub struct PostgresStore {
    link: Arc<Link>,
    vectors: Option<Pgvector>,
}

impl PostgresStore {
    /// The store of another tenant in the same database, over the same connections.
    ///
    /// # Errors
    /// Of kind `invalid`, when that is no name of a tenant.
    pub fn of_tenant(&self, tenant: &str) -> Result<PostgresStore> {
        let link = Arc::new(self.link.of_tenant(tenant)?);
        Ok(PostgresStore { link, vectors: self.vectors.clone() })
    }

    /// Whose memory it is.
    #[must_use]
    pub fn tenant(&self) -> &str {
        self.link.address.tenant()
    }

    /// Runs `work` in a transaction, again where a failure passes.
    async fn transact<R, W, F>(&self, mode: Mode, work: W) -> Result<R>
    where
        R: Send + 'static,
        W: Fn(Arc<Conn>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
    {
        patiently(Arc::clone(&self.link), self.vectors.clone(), mode, work).await
    }

    async fn apply_as(&self, mode: Mode, set: &ChangeSet) -> Result<Applied> {
        let set = Arc::new(set.clone());
        let work = move |conn: Arc<Conn>| {
            let set = Arc::clone(&set);
            async move {
                let mut tx = PostgresTx::new(conn);
                let applied = semantics::apply(&mut tx, &set).await?;
                tx.finish().await.map(|()| applied)
            }
        };
        self.transact(mode, work).await
    }
}

/// A read of these values, which are cloned for every try.
macro_rules! read {
    ($store:ident, |$conn:ident $(, $value:ident)*| $work:expr) => {{
        let work = move |$conn: Arc<Conn>| {
            $(let $value = $value.clone();)*
            async move { $work.await }
        };
        $store.transact(Mode::Read, work).await
    }};
}

#[async_trait]
impl Store for PostgresStore {
    fn describe(&self) -> Description {
        Description { backend: "postgres".into(), url: self.link.address.to_string() }
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        self.apply_as(Mode::Write, set).await
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        self.apply_as(Mode::Rehearse, set).await
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let ids = ids.to_vec();
        read!(self, |conn, ids| read::memories(&conn, &ids))
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        let filter = filter.clone();
        read!(self, |conn, filter| read::list(&conn, &filter, page))
    }

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        let ids = ids.to_vec();
        read!(self, |conn, ids| read::versions_of(&conn, &ids))
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        read!(self, |conn| read::tombstones(&conn, after, limit))
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        let query = query.clone();
        read!(self, |conn, query| text::search(&conn, &query))
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        let (filter, beginning) = (filter.clone(), beginning.to_owned());
        read!(self, |conn, filter, beginning| words::beginning(&conn, &filter, &beginning))
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        let query = query.clone();
        read!(self, |conn, query| vector::search(&conn, &query))
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        let (query, docs) = (query.clone(), docs.to_vec());
        read!(self, |conn, query, docs| vector::cosines(&conn, &query, &docs))
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        if self.vectors.is_none() {
            return Ok(Vec::new());
        }
        let (model, after) = (model.clone(), after.cloned());
        let known = {
            let model = model.clone();
            read!(self, |conn, model| embedded::is_known(&conn, &model))?
        };
        if !known {
            let model = model.clone();
            let work = move |conn: Arc<Conn>| {
                let model = model.clone();
                async move { embedded::introduce(&conn, &model).await }
            };
            self.transact(Mode::Write, work).await?;
        }
        read!(self, |conn, model, after| embedded::unembedded(&conn, &model, after.as_ref(), limit))
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        let (model, items) = (model.clone(), Arc::new(items.to_vec()));
        let work = move |conn: Arc<Conn>| {
            let (model, items) = (model.clone(), Arc::clone(&items));
            async move { embedded::put(&conn, &model, &items).await }
        };
        self.transact(Mode::Write, work).await
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        let keep = keep.to_vec();
        let work = move |conn: Arc<Conn>| {
            let keep = keep.clone();
            async move { embedded::drop_all_but(&conn, &keep).await }
        };
        let dropped = self.transact(Mode::Write, work).await?;
        // Asked for when everything is embedded: now it is known what an index is worth.
        rebuild::make_indexes(self).await?;
        Ok(dropped)
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        read!(self, |conn| read::sessions(&conn, page))
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        let session = session.clone();
        read!(self, |conn, session| read::turns(&conn, &session, page))
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        let turns = turns.to_vec();
        read!(self, |conn, turns| read::around(&conn, &turns, reach))
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        let ids = ids.to_vec();
        read!(self, |conn, ids| read::said(&conn, &ids))
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        read!(self, |conn| jobs::all(&conn))
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        let key = key.clone();
        read!(self, |conn, key| jobs::one(&conn, &key))
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        let (swap, tried) = (swap.clone(), Arc::new(AtomicBool::new(false)));
        let work = move |conn: Arc<Conn>| {
            let (swap, again) = (swap.clone(), tried.swap(true, Ordering::SeqCst));
            async move {
                if again && jobs::happened(&conn, &swap).await? {
                    return Ok(Swapped::Yes);
                }
                jobs::swap(&conn, &swap).await
            }
        };
        self.transact(Mode::Beside, work).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        read!(self, |conn| read::stats(&conn))
    }

    async fn wipe(&self) -> Result<Vec<String>> {
        rebuild::wipe(Arc::clone(&self.link)).await
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        read!(self, |conn| open::check(&conn))
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        rebuild::reindex(self, progress).await
    }
}
