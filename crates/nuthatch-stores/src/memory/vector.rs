//! Vectors in RAM: every one is compared, and what is stale is passed over.
//!
//! A vector is good for as long as its document says what it said: hashes are compared
//! wherever vectors are read, so that taking back a set brings back its vectors as well.

use std::collections::{BTreeMap, HashSet};

use nuthatch::filter::Filter;
use nuthatch::id::{ContentHash, DocId, ModelId};
use nuthatch::store::{Embedded, Unembedded, VectorMatch, VectorMatches, VectorQuery, VectorUsage};
use nuthatch::vector::Vector;

use super::open::State;
use super::text::documents;

/// The vectors of each model, by document.
pub type Vectors = BTreeMap<ModelId, BTreeMap<DocId, Embedded>>;

/// What a document says now.
fn present(state: &State, doc: &DocId) -> Option<Unembedded> {
    let (key, text) = match doc {
        DocId::Memory(id) => {
            let memory = state.memories.get(id)?;
            (memory.key.clone(), memory.content.clone())
        }
        DocId::Turn(id) => {
            let turn = state.turns.get(&(id.session.clone(), id.seq))?;
            (turn.asked.clone(), turn.text.clone())
        }
    };
    let hash = ContentHash::of(key.as_deref(), &text);
    Some(Unembedded { doc: doc.clone(), key, text, hash })
}

fn embedded<'a>(state: &'a State, model: &ModelId, doc: &DocId) -> Option<&'a Embedded> {
    let known = state.vectors.get(model)?.get(doc)?;
    present(state, doc).filter(|now| now.hash == known.hash).map(|_| known)
}

/// The nearest passage of a document.
fn nearest(known: &Embedded, vector: &Vector) -> Option<VectorMatch> {
    let mut best: Option<VectorMatch> = None;
    for passage in &known.passages {
        let cosine = passage.vector.cosine(vector);
        let same = passage.vector.dimensions() == vector.dimensions();
        if same && best.as_ref().is_none_or(|best| cosine > best.cosine) {
            let (doc, passage) = (known.doc.clone(), passage.range.clone());
            best = Some(VectorMatch { doc, passage, cosine });
        }
    }
    best
}

pub fn search(state: &State, query: &VectorQuery) -> VectorMatches {
    let mut answer = VectorMatches::default();
    let mut found = Vec::new();
    for document in documents(state, &query.filter) {
        let Some(known) = embedded(state, &query.model, &document.id) else {
            answer.pending += 1;
            continue;
        };
        answer.indexed += 1;
        if document.passes {
            found.extend(nearest(known, &query.vector).map(|best| (document.at, best)));
        }
    }
    found.sort_by(|(at, a), (other_at, b)| {
        b.cosine.total_cmp(&a.cosine).then_with(|| (other_at, &b.doc).cmp(&(at, &a.doc)))
    });
    found.truncate(query.limit);
    answer.matches = found.into_iter().map(|(_, best)| best).collect();
    answer
}

pub fn cosines(state: &State, query: &VectorQuery, docs: &[DocId]) -> Vec<VectorMatch> {
    let mut seen = HashSet::new();
    let fresh = docs.iter().filter(|doc| seen.insert(*doc));
    let known = fresh.filter_map(|doc| embedded(state, &query.model, doc));
    known.filter_map(|known| nearest(known, &query.vector)).collect()
}

pub fn unembedded(
    state: &State,
    model: &ModelId,
    after: Option<&DocId>,
    limit: usize,
) -> Vec<Unembedded> {
    let waits = |doc: &&DocId| {
        after.is_none_or(|after| *doc > after) && embedded(state, model, doc).is_none()
    };
    let mut docs: Vec<&DocId> = state.words.keys().filter(waits).collect();
    docs.sort();
    docs.into_iter().filter_map(|doc| present(state, doc)).take(limit).collect()
}

pub fn put(state: &mut State, model: &ModelId, items: &[Embedded]) -> u64 {
    let mut stored = 0;
    for item in items {
        if present(state, &item.doc).is_some_and(|now| now.hash == item.hash) {
            let of_model = state.vectors.entry(model.clone()).or_default();
            of_model.insert(item.doc.clone(), item.clone());
            stored += 1;
        }
    }
    stored
}

pub fn drop_all_but(state: &mut State, keep: &[ModelId]) -> u64 {
    let gone = state.vectors.iter().filter(|(model, _)| !keep.contains(model));
    let count = gone.flat_map(|(_, of)| of.values()).map(|known| known.passages.len() as u64).sum();
    state.vectors.retain(|model, _| keep.contains(model));
    count
}

/// Removes what its document no longer says.
pub fn drop_stale(state: &mut State, docs: &[DocId]) {
    for doc in docs {
        let now = present(state, doc).map(|now| now.hash);
        for of_model in state.vectors.values_mut() {
            if of_model.get(doc).is_some_and(|known| Some(known.hash) != now) {
                of_model.remove(doc);
            }
        }
    }
}

pub fn usage(state: &State) -> Vec<VectorUsage> {
    let all = documents(state, &Filter::everything()).len() as u64;
    let of_model = |(model, of): (&ModelId, &BTreeMap<DocId, Embedded>)| {
        let documents = of.len() as u64;
        let passages = of.values().map(|known| known.passages.len() as u64).sum();
        let pending = all.saturating_sub(documents);
        VectorUsage { model: model.clone(), documents, pending, passages }
    };
    state.vectors.iter().map(of_model).collect()
}
