//! Everything in one SQLite file: the default store.
//!
//! One writer at a time, any number of readers, in any number of processes. Words and
//! vectors are in tables of the same file, written in the same transaction as what they are
//! made of: postings in `words.rs`, vectors in `embedded.rs` and `sketch.rs`.

mod admit;
mod apply;
mod cache;
mod codec;
mod embedded;
mod jobs;
mod kernel;
mod open;
mod piles;
mod read;
mod rebuild;
mod repack;
mod sketch;
mod text;
mod turns;
mod vector;
mod words;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
use rusqlite::Connection;

pub(crate) use apply::{SqliteTx, forgets, wipe};
pub(crate) use codec::sql_error;
pub(crate) use open::{Role, busy, permissions, place, write_transaction};
pub(crate) use read::{all_versions, memories, sessions, tombstones, turns as turns_of};
pub(crate) use turns::{remove_turns, retain_sessions, retain_turns};

use cache::Cache;
use open::Reader;
use rebuild::Stage;

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
    readers: Mutex<Vec<Reader>>,
    reads: AtomicU64,
    sketches: Cache,
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
        self.sketches.clear();
        renew(&self.path)
    }

    pub(crate) fn with_reader<R>(&self, work: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        let reader = match idle {
            Some(reader) => reader.aged(&self.path, reads)?,
            None => Reader::connect(&self.path, self.role, reads)?,
        };
        let result = open::snapshot(&reader.connection, work);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(reader);
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

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        let ids = ids.to_vec();
        self.read(move |connection| read::versions(connection, &ids)).await
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        self.read(move |connection| read::tombstones(connection, after, limit)).await
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        let query = query.clone();
        self.read(move |connection| text::search(connection, &query)).await
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        let (filter, beginning) = (filter.clone(), beginning.to_owned());
        self.read(move |connection| text::words(connection, &filter, &beginning)).await
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        let (query, shared) = (query.clone(), Arc::clone(&self.shared));
        self.read(move |connection| vector::search(connection, &shared.sketches, &query)).await
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        let (query, docs) = (query.clone(), docs.to_vec());
        self.read(move |connection| vector::cosines(connection, &query, &docs)).await
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        let (id, after) = (model.clone(), after.cloned());
        let known = self.read(move |connection| vector::model_number(connection, &id)).await?;
        if known.is_none() {
            let id = model.clone();
            self.write(move |connection| embedded::introduce_alone(connection, &id)).await?;
        }
        let id = model.clone();
        self.read(move |connection| embedded::unembedded(connection, &id, after.as_ref(), limit))
            .await
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        let (model, items) = (model.clone(), items.to_vec());
        self.write(move |connection| embedded::put(connection, &model, &items)).await
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        let keep = keep.to_vec();
        self.write(move |connection| embedded::drop_all_but(connection, &keep)).await
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        let turns = turns.to_vec();
        self.read(move |connection| read::around(connection, &turns, reach)).await
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        let ids = ids.to_vec();
        self.read(move |connection| read::said(connection, &ids)).await
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.read(move |connection| read::sessions(connection, page)).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        let session = session.clone();
        self.read(move |connection| read::turns(connection, &session, page)).await
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        self.read(jobs::all).await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        let key = key.clone();
        self.read(move |connection| jobs::one(connection, &key)).await
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        let swap = swap.clone();
        self.write(move |connection| jobs::swap(connection, &swap)).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        let path = self.shared.path.clone();
        self.read(move |connection| read::stats(connection, &path)).await
    }

    async fn wipe(&self) -> Result<Vec<String>> {
        self.write(apply::wipe).await
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        let (path, role) = (self.shared.path.clone(), self.shared.role);
        blocking(move || open::check(&path, role)).await
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let total = self.read(rebuild::total).await?;
        progress(0, total);
        let (mut stage, mut done) = (Stage::Shelves, 0);
        while !matches!(stage, Stage::Done) {
            let some;
            (stage, some) = self.write(move |connection| rebuild::step(connection, stage)).await?;
            done += some;
            progress(done, total.max(done));
        }
        Ok(total.max(done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_stays_lets_the_mapped_file_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let store = SqliteStore::open_as(&path, Role::Truth).unwrap();
        let mapped = || {
            let read = |connection: &Connection| -> Result<i64> {
                let asked = connection.query_row("PRAGMA mmap_size", [], |row| row.get(0));
                asked.map_err(|error| sql_error(&path, error))
            };
            store.shared().with_reader(read).unwrap()
        };
        assert!(mapped() > 0);
        for _ in 0..open::MAPPED_READS {
            mapped();
        }
        assert_eq!(mapped(), 0);
    }
}
