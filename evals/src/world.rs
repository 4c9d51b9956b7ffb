//! An engine as a user's machine would have it: a store of any kind, a model, and a clock
//! that can be set to the time at which a question was asked.
//!
//! Without a URL the store is an SQLite file in a folder that goes with the process.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use nuthatch::clock::Clock;
use nuthatch::embedder::{Embedder, Purpose};
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::{DocId, MemoryId};
use nuthatch::limits::Limits;
use nuthatch::recall::{Mode, RecallRequest, Recalled};
use nuthatch::record::{Conversation, RecordRequest};
use nuthatch::store::{TextQuery, VectorQuery};
use nuthatch::text::query_terms;
use nuthatch::{Engine, Rules};
use nuthatch_stores::{StoreUrl, SystemIds};
use tempfile::TempDir;

use crate::embedding::{self, Choice};
use crate::retrieval::Found;

/// A clock that stands where it was set, and runs with the machine until then.
#[derive(Debug, Default)]
pub(crate) struct SetClock {
    at: Mutex<Option<Timestamp>>,
}

impl SetClock {
    /// Stands still at `at`, or runs again.
    pub(crate) fn set(&self, at: Option<Timestamp>) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        self.at.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(Timestamp::now)
    }
}

/// An engine, its clock and where its data lies.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) clock: Arc<SetClock>,
    /// What the store is, for the head of a report.
    pub(crate) store: StoreUrl,
    embedder: Option<Arc<dyn Embedder>>,
    /// Where a store without a URL lies: deleted with the world.
    _folder: TempDir,
}

impl World {
    /// Opens the store of a URL, or a fresh one.
    pub(crate) async fn open(url: Option<&str>, embedder: &Choice) -> anyhow::Result<World> {
        let folder = tempfile::tempdir()?;
        let store = match url {
            Some(url) => StoreUrl::parse(url, folder.path())?,
            None => StoreUrl::Sqlite(folder.path().join("memory.db")),
        };
        let clock = Arc::new(SetClock::default());
        let opened = nuthatch_stores::open(&store).await?;
        // A data set is larger than what one person's notes may be.
        let rules = Rules::limited(Limits::NONE);
        let ids = Arc::<SystemIds>::default();
        let mut engine = Engine::new(opened, Arc::clone(&clock) as Arc<dyn Clock>, ids, rules);
        let embedder = embedding::open(embedder)?;
        if let Some(embedder) = &embedder {
            engine = engine.with_embedder(Arc::clone(embedder));
        }
        Ok(World { engine, clock, store, embedder, _folder: folder })
    }

    /// What embeds, for the head of a report.
    pub(crate) fn embedder(&self) -> String {
        self.embedder.as_ref().map_or_else(|| "none".to_owned(), |one| one.info().id.to_string())
    }

    /// Lets everything that follows behind a write catch up; says how many were embedded.
    pub(crate) async fn settle(&self) -> anyhow::Result<u64> {
        match &self.embedder {
            Some(_) => Ok(self.engine.embed_pending(&|_, _| {}).await?),
            None => Ok(0),
        }
    }

    /// Records conversations, as one command would.
    pub(crate) async fn record(&self, conversations: Vec<Conversation>) -> anyhow::Result<()> {
        let request = RecordRequest { conversations };
        self.engine.record(request, &|_, _| {}).await?;
        Ok(())
    }

    /// The turns or sessions that a recall finds, best first.
    pub(crate) async fn found(&self, request: &RecallRequest) -> anyhow::Result<Vec<Found>> {
        let hits = self.engine.recall(request).await?.hits;
        let found = hits
            .into_iter()
            .filter_map(|hit| Some(Found { session: hit.session_id?, seq: hit.seq }));
        Ok(found.collect())
    }

    /// The first turns of each lane by itself, whatever recall would make of them.
    pub(crate) async fn seen(&self, request: &RecallRequest) -> anyhow::Result<Vec<Found>> {
        let mut seen: Vec<DocId> = Vec::new();
        let store = self.engine.store();
        if request.mode != Mode::Vector {
            let terms = query_terms(&request.query);
            let query = TextQuery::new(terms, request.filter.clone(), request.limit);
            let found = store.search_text(&query).await?.matches;
            seen.extend(found.into_iter().map(|found| found.doc));
        }
        if let Some(embedder) = self.embedder.as_ref().filter(|_| request.mode != Mode::Text) {
            let vectors = embedder.embed(Purpose::Query, &[request.query.as_str()]).await?;
            for vector in vectors {
                let (model, filter) = (embedder.info().id, request.filter.clone());
                let query = VectorQuery { model, vector, filter, limit: request.limit };
                let found = store.search_vectors(&query).await?.matches;
                seen.extend(found.into_iter().map(|found| found.doc));
            }
        }
        let turns = seen.into_iter().filter_map(|doc| match doc {
            DocId::Turn(turn) => Some(Found { session: turn.session, seq: Some(turn.seq) }),
            DocId::Memory(_) => None,
        });
        Ok(turns.collect())
    }

    /// A recall with nothing but a query said; the filter is the caller's to set.
    pub(crate) fn recall_request(query: &str) -> RecallRequest {
        RecallRequest::new(query, Filter::scoped(Scopes::These(Vec::new())))
    }

    /// The memories of an answer, best first.
    pub(crate) fn memories_of(recalled: &Recalled) -> impl Iterator<Item = MemoryId> {
        recalled.hits.iter().filter_map(nuthatch::recall::Hit::memory)
    }
}

/// Runs one future to its end, on this thread.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
