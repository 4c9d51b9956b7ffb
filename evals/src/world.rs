//! An engine as a user's machine would have it: a store of any kind, and a clock that can be
//! set to the time at which a question was asked.
//!
//! Without a URL the store is an SQLite file in a folder that goes with the process.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use jiff::Timestamp;
use nuthatch::clock::Clock;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::{DocId, MemoryId};
use nuthatch::limits::Limits;
use nuthatch::recall::{Mode, RecallRequest, Recalled};
use nuthatch::record::{Conversation, RecordRequest};
use nuthatch::store::TextQuery;
use nuthatch::{Engine, Rules};
use nuthatch_stores::{StoreUrl, SystemIds};
use tempfile::TempDir;

use crate::embedding::{self, Choice};
use crate::retrieval::Found;
use crate::uniform::Level;

/// Hits of a recall that says nothing else: the product's own default.
pub(crate) const RECALL_LIMIT: usize = 10;

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
    /// Where a store without a URL lies: deleted with the world.
    _folder: TempDir,
}

impl World {
    /// Opens the store of a URL, or a fresh one.
    pub(crate) async fn open(url: Option<&str>, embedder: &Choice) -> anyhow::Result<World> {
        let _embedder = embedding::open(embedder)?;
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
        let engine = Engine::new(opened, Arc::clone(&clock) as Arc<dyn Clock>, ids, rules);
        Ok(World { engine, clock, store, _folder: folder })
    }

    /// Lets everything that follows behind a write catch up.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        Ok(())
    }

    /// What embeds, for the head of a report.
    pub(crate) fn embedder(&self) -> &str {
        "none"
    }

    /// Records conversations, as one command would.
    pub(crate) async fn record(&self, conversations: Vec<Conversation>) -> anyhow::Result<()> {
        let request = RecordRequest { conversations };
        self.engine.record(request, &|_, _| {}).await?;
        Ok(())
    }

    /// The turns or sessions that a recall finds, best first.
    pub(crate) async fn found(
        &self,
        request: RecallRequest,
        level: Level,
        floor: bool,
    ) -> anyhow::Result<Vec<Found>> {
        let _ = (level, floor);
        let terms = nuthatch::text::query_terms(&request.query);
        let query = TextQuery::new(terms, request.filter, request.limit * 4);
        let matches = self.engine.store().search_text(&query).await?.matches;
        let found = matches.into_iter().filter_map(|found| match found.doc {
            DocId::Turn(turn) => Some(Found { session: turn.session, seq: Some(turn.seq) }),
            DocId::Memory(_) => None,
        });
        Ok(found.collect())
    }

    /// A recall with nothing but a query said; the filter is the caller's to set.
    pub(crate) fn recall_request(query: &str, limit: usize) -> RecallRequest {
        let filter = Filter::scoped(Scopes::These(Vec::new()));
        RecallRequest { query: query.to_owned(), filter, limit, mode: Mode::default() }
    }

    /// The memories of an answer, best first.
    pub(crate) fn memories_of(recalled: &Recalled) -> impl Iterator<Item = MemoryId> {
        recalled.hits.iter().map(|hit| hit.id)
    }
}

/// Runs one future to its end, on a thread of its own making.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
