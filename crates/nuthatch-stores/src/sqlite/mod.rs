//! Everything in one SQLite file: the default store.
//!
//! One writer at a time, any number of readers, in any number of processes. Words are
//! indexed by FTS5, which is given finished terms and only compares them.

mod apply;
mod codec;
mod open;
mod read;
mod text;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{DocId, MemoryId, ModelId, SessionId, TurnId};
use nuthatch::memory::{Memory, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{
    Around, Description, Embedded, Finding, Listed, Store, StoreStats, TextMatches, TextQuery,
    Unembedded, VectorMatch, VectorMatches, VectorQuery,
};
use rusqlite::Connection;

pub(crate) use apply::{SqliteTx, forgets, wipe};
pub(crate) use codec::sql_error;
pub(crate) use open::{Role, busy, permissions, place, write_transaction};
pub(crate) use read::{all_versions, memories, sessions, turns};

/// Idle reading connections kept: as many as ever read at once on a small machine.
const IDLE_READERS: usize = 4;

/// A store in one SQLite file.
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    path: PathBuf,
    role: Role,
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteStore {
    /// Runs `work` on the one writing connection of this handle.
    async fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let shared = Arc::clone(&self.shared);
        blocking(move || shared.with_writer(work)).await
    }

    /// Runs `work` on a reading connection, inside one snapshot.
    async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let shared = Arc::clone(&self.shared);
        blocking(move || shared.with_reader(work)).await
    }
}

impl Shared {
    pub(crate) fn with_writer<R>(&self, work: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match &mut *writer {
            Some(connection) => connection,
            empty => empty.insert(open::connect(&self.path, self.role)?),
        };
        work(connection)
    }

    /// Gives up every connection, then lets `renew` put another database in place.
    pub(crate) fn replace(&self, renew: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        *writer = None;
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        renew(&self.path)
    }

    pub(crate) fn with_reader<R>(&self, work: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::connect(&self.path, self.role)?,
        };
        let result = open::snapshot(&connection, work);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(connection);
        }
        result
    }
}

/// Runs blocking work off the async threads.
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R> + Send + 'static,
) -> Result<R> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::internal("a store task ended early").with_source(error)),
    }
}

#[async_trait]
impl Store for SqliteStore {
    fn describe(&self) -> Description {
        let url = format!("sqlite:{}", self.shared.path.display());
        Description { backend: "sqlite".into(), url }
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        let set = set.clone();
        self.write(move |connection| apply::apply(connection, &set)).await
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        let set = set.clone();
        self.write(move |connection| apply::rehearse(connection, &set)).await
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let ids = ids.to_vec();
        self.read(move |connection| read::memories(connection, &ids)).await
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        let filter = filter.clone();
        self.read(move |connection| read::list(connection, &filter, page)).await
    }

    async fn versions(&self, id: MemoryId) -> Result<Vec<Version>> {
        self.read(move |connection| read::versions(connection, id)).await
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        let query = query.clone();
        self.read(move |connection| text::search(connection, &query)).await
    }

    async fn search_vectors(&self, _query: &VectorQuery) -> Result<VectorMatches> {
        Err(Error::unavailable("vectors are not kept by this store yet"))
    }

    async fn cosines(&self, _query: &VectorQuery, _docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        Err(Error::unavailable("vectors are not kept by this store yet"))
    }

    async fn unembedded(
        &self,
        _model: &ModelId,
        _after: Option<&DocId>,
        _limit: usize,
    ) -> Result<Vec<Unembedded>> {
        Err(Error::unavailable("vectors are not kept by this store yet"))
    }

    async fn put_vectors(&self, _model: &ModelId, _items: &[Embedded]) -> Result<u64> {
        Err(Error::unavailable("vectors are not kept by this store yet"))
    }

    async fn drop_vectors(&self, _keep: &[ModelId]) -> Result<u64> {
        Err(Error::unavailable("vectors are not kept by this store yet"))
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        let turns = turns.to_vec();
        self.read(move |connection| text::whole(connection)?.around(&turns, reach)).await
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        let ids = ids.to_vec();
        self.read(move |connection| text::whole(connection)?.said(&ids)).await
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.read(move |connection| read::sessions(connection, page)).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        let session = session.clone();
        self.read(move |connection| read::turns(connection, &session, page)).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        let path = self.shared.path.clone();
        self.read(move |connection| read::stats(connection, &path)).await
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        let (path, role) = (self.shared.path.clone(), self.shared.role);
        blocking(move || open::check(&path, role)).await
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let total = self.write(text::begin_reindex).await?;
        progress(0, total);
        let mut after = None;
        let mut done = 0;
        loop {
            let batch =
                self.write(move |connection| text::reindex_batch(connection, after)).await?;
            done += batch.done;
            progress(done, total.max(done));
            after = batch.last;
            if after.is_none() {
                return Ok(done);
            }
        }
    }
}
