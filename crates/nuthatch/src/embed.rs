//! Giving documents their vectors, after they are stored.
//!
//! Never inside a transaction: what is remembered is durable and found by its words at once,
//! and by its meaning when its vector is there. Whoever is stopped in the middle leaves the
//! rest waiting, and the next one goes on; nothing is embedded twice for it.

use std::ops::Range;

use crate::embedder::{Embedder, Purpose};
use crate::error::{Error, Result};
use crate::id::{ContentHash, DocId};
use crate::memory::Memory;
use crate::store::{Embedded, EmbeddedPassage, Store, Unembedded};
use crate::text::passages;

/// Documents read and kept at a time: enough for a model to work in batches, little enough
/// to lose when stopped.
const BATCH: usize = 64;

/// What is embedded of a document: each passage with its place. A key stands in front of what
/// it names, and a question in front of its answer; in front of a long speech it would only
/// be repeated, so there it is left out.
#[must_use]
pub fn texts(document: &Unembedded) -> Vec<(Range<usize>, String)> {
    let ranges = passages(&document.text);
    let is_turn = document.doc.turn().is_some();
    let key = document.key.as_deref().filter(|_| !is_turn || ranges.len() == 1);
    let text = |range: &Range<usize>| {
        let part = &document.text[range.clone()];
        key.map_or_else(|| part.to_owned(), |key| format!("{key}\n{part}"))
    };
    ranges.iter().map(|range| (range.clone(), text(range))).collect()
}

/// A memory as something that waits.
pub(crate) fn unembedded(memory: &Memory) -> Unembedded {
    Unembedded {
        doc: DocId::Memory(memory.id),
        key: memory.key.clone(),
        text: memory.content.clone(),
        hash: ContentHash::of(memory.key.as_deref(), &memory.content),
    }
}

/// Embeds documents and keeps their vectors; says of how many.
///
/// # Errors
/// `unavailable`, when the model cannot be asked; whatever the store says.
pub(crate) async fn embed(
    store: &dyn Store,
    embedder: &dyn Embedder,
    documents: &[Unembedded],
) -> Result<u64> {
    let parts: Vec<Vec<(Range<usize>, String)>> = documents.iter().map(texts).collect();
    let every: Vec<&str> = parts.iter().flatten().map(|(_, text)| text.as_str()).collect();
    let vectors = if every.is_empty() {
        Vec::new()
    } else {
        embedder.embed(Purpose::Passage, &every).await?
    };
    if vectors.len() != every.len() {
        return Err(Error::internal("the embedder did not give a vector for each text"));
    }
    let mut vectors = vectors.into_iter();
    let embedded = |(document, parts): (&Unembedded, Vec<(Range<usize>, String)>)| Embedded {
        doc: document.doc.clone(),
        hash: document.hash,
        passages: parts
            .into_iter()
            .zip(&mut vectors)
            .map(|((range, _), vector)| EmbeddedPassage { range, vector })
            .collect(),
    };
    let items: Vec<Embedded> = documents.iter().zip(parts).map(embedded).collect();
    store.put_vectors(&embedder.info().id, &items).await
}

/// How many documents wait for this embedder. A model that the store has never heard of is
/// waited for by everything.
pub(crate) async fn waiting(store: &dyn Store, embedder: &dyn Embedder) -> Result<u64> {
    let model = embedder.info().id;
    let stats = store.stats().await?;
    let known = stats.vectors.iter().find(|usage| usage.model == model);
    Ok(known.map_or(stats.memories + stats.turns, |usage| usage.pending))
}

/// Embeds everything that waits; says how many there were. `progress` is told how many of
/// how many are done.
///
/// # Errors
/// As [`embed`]: what was done stays done.
pub(crate) async fn pending(
    store: &dyn Store,
    embedder: &dyn Embedder,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<u64> {
    let model = embedder.info().id;
    let total = waiting(store, embedder).await?;
    let mut done = 0;
    let mut after: Option<DocId> = None;
    loop {
        let batch = store.unembedded(&model, after.as_ref(), BATCH).await?;
        let Some(last) = batch.last() else { break };
        after = Some(last.doc.clone());
        done += embed(store, embedder, &batch).await?;
        progress(done.min(total.max(done)), total.max(done));
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{SessionId, TurnId};

    fn turn(asked: Option<&str>, text: &str) -> Unembedded {
        let session = SessionId::new("chat").unwrap();
        Unembedded {
            doc: DocId::Turn(TurnId { session, seq: 1 }),
            key: asked.map(str::to_owned),
            text: text.to_owned(),
            hash: ContentHash::of(asked, text),
        }
    }

    #[test]
    fn a_short_answer_is_embedded_with_its_question() {
        let found = texts(&turn(Some("When?"), "Last Tuesday."));
        assert_eq!(found, [(0..13, "When?\nLast Tuesday.".to_owned())]);
        assert_eq!(texts(&turn(None, " "))[..], []);
    }

    #[test]
    fn a_long_speech_is_embedded_in_passages_without_it() {
        let found = texts(&turn(Some("When?"), &"Some words, and more. ".repeat(100)));
        assert!(found.len() > 1 && found.iter().all(|(_, text)| !text.contains("When?")));
    }
}
