//! What an engine does with a model: embeds what is stored, and builds anew what is derived.
//!
//! How a text becomes vectors is said in `embed.rs`; how they are compared, in `recall/`.

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use super::Engine;
use crate::embed;
use crate::embedder::{Embedder, EmbedderInfo};
use crate::error::{Error, Result};
use crate::id::{MemoryId, TurnId};
use crate::memory::Memory;
use crate::recall::Calibration;

/// Documents looked at for the one that waits longest: they come about in the order in which
/// they were stored.
const BACKLOG_SAMPLE: usize = 100;

/// What waits to be embedded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// So many documents.
    pub waiting: u64,
    /// When the oldest of them was said or changed.
    pub since: Option<Timestamp>,
}

/// A model, and what is known of it so far.
#[derive(Clone)]
pub(super) struct Meanings {
    pub embedder: Arc<dyn Embedder>,
    pub calibration: Arc<OnceLock<Calibration>>,
}

impl Engine {
    /// The same engine, with a model that compares meanings.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.meanings = Some(Meanings { embedder, calibration: Arc::default() });
        self
    }

    /// The model that compares meanings, if there is one.
    #[must_use]
    pub fn embedder(&self) -> Option<EmbedderInfo> {
        self.meanings.as_ref().map(|meanings| meanings.embedder.info())
    }

    /// How many documents wait for a vector of the present model; none without a model.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn waiting(&self) -> Result<u64> {
        match &self.meanings {
            Some(Meanings { embedder, .. }) => embed::waiting(&*self.store, &**embedder).await,
            None => Ok(0),
        }
    }

    /// Embeds everything that waits for it, telling `progress` how many of how many are done.
    /// Safe to stop at any time and to begin again: it goes on where it was.
    ///
    /// # Errors
    /// `unavailable`, when there is no model or it cannot be asked; whatever the store says.
    pub async fn embed_pending(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let Some(Meanings { embedder, .. }) = &self.meanings else {
            return Err(Error::unavailable("there is no embedding model")
                .with_hint("set embeddings.provider"));
        };
        embed::pending(&*self.store, &**embedder, progress).await
    }

    /// What waits to be embedded, and since when.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn backlog(&self) -> Result<Backlog> {
        let Some(EmbedderInfo { id, .. }) = self.embedder() else { return Ok(Backlog::default()) };
        let stats = self.store.stats().await?;
        let usage = stats.vectors.into_iter().find(|usage| usage.model == id);
        let waiting = usage.map_or(0, |usage| usage.pending);
        if waiting == 0 {
            return Ok(Backlog::default());
        }
        let docs = self.store.unembedded(&id, None, BACKLOG_SAMPLE).await?;
        let memories: Vec<MemoryId> = docs.iter().filter_map(|one| one.doc.memory()).collect();
        let turns: Vec<TurnId> = docs.iter().filter_map(|one| one.doc.turn().cloned()).collect();
        let memories = self.store.memories(&memories).await?;
        let turns = self.store.said(&turns).await?;
        let since = memories.iter().map(|memory| memory.updated_at);
        Ok(Backlog { waiting, since: since.chain(turns.iter().map(|turn| turn.at)).min() })
    }

    /// Builds everything derived anew, vectors included, telling `progress` how many of how
    /// many are done. Stopped while it embeds, [`embed_pending`](Engine::embed_pending) goes on.
    ///
    /// # Errors
    /// Whatever the store or the model says.
    pub async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let answer = self.rebuild(progress).await;
        let outcome = answer.as_ref().map_or_else(|error| error.kind().name(), |_| "done");
        // Nothing built out of nothing is no news.
        if !matches!(answer, Ok(0)) {
            self.auditor.note_one(self.now(), "reindex", None, &[], outcome);
        }
        answer
    }

    async fn rebuild(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let reindexed = self.store.reindex(progress).await?;
        if self.meanings.is_some() {
            self.store.drop_vectors(&[]).await?;
            self.embed_pending(progress).await?;
        }
        Ok(reindexed)
    }

    /// Removes the vectors of every model but the present one; says how many there were.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn drop_other_vectors(&self) -> Result<u64> {
        match self.embedder() {
            Some(info) => self.store.drop_vectors(&[info.id]).await,
            None => Ok(0),
        }
    }

    /// Embeds a memory right away. What cannot be embedded now waits, as everything else does
    /// whose model is away; the memory itself is stored already.
    pub(super) async fn embed_now(&self, memory: &Memory) {
        if let Some(Meanings { embedder, .. }) = &self.meanings {
            let document = embed::unembedded(memory);
            let _ = embed::embed(&*self.store, &**embedder, &[document]).await;
        }
    }
}
