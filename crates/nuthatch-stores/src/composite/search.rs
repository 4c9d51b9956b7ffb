//! One search over several stores.
//!
//! Memories are searched where their scopes are routed, turns in the default store alone,
//! whatever project they belong to. Rarity is counted over all of them together, so that a
//! small store does not make ordinary words look rare.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Include};
use nuthatch::id::{DocId, MemoryId, ModelId};
use nuthatch::store::{
    Embedded, TextMatch, TextMatches, TextQuery, Unembedded, VectorMatch, VectorMatches,
    VectorQuery,
};
use nuthatch::text::Corpus;

use super::CompositeStore;
use super::child::Child;

/// The searches that a filter comes to: which store is asked for what.
fn searches<'a>(composite: &'a CompositeStore, filter: &Filter) -> Vec<(&'a Child, Filter)> {
    let mut found = Vec::new();
    for child in &composite.children {
        let narrowed = child.narrowed(filter);
        // A store that is not asked cannot fail.
        if filter.include.memories() && !narrowed.scopes.is_empty() {
            found.push((child, Filter { include: Include::Memories, ..narrowed }));
        }
    }
    if filter.include.turns() && !filter.scopes.is_empty() {
        let turns = Filter { include: Include::Sessions, ..filter.clone() };
        found.push((&composite.children[0], turns));
    }
    found
}

/// When each of these documents was made, as far as it can be found.
async fn times(
    composite: &CompositeStore,
    docs: impl Iterator<Item = &DocId>,
) -> Result<BTreeMap<DocId, Timestamp>> {
    let (mut memories, mut turns) = (Vec::<MemoryId>::new(), Vec::new());
    for doc in docs {
        match doc {
            DocId::Memory(id) => memories.push(*id),
            DocId::Turn(id) => turns.push(id.clone()),
        }
    }
    let mut found = BTreeMap::new();
    for child in &composite.children {
        for memory in child.memories(&memories).await? {
            found.insert(DocId::Memory(memory.id), memory.created_at);
        }
    }
    for turn in composite.children[0].store.around(&turns, 0).await?.turns {
        found.insert(DocId::Turn(turn.id), turn.at);
    }
    Ok(found)
}

/// Best first, and of equal ones the newer first.
fn rank<T>(
    found: &mut [T],
    times: &BTreeMap<DocId, Timestamp>,
    score: impl Fn(&T) -> f64,
    doc: impl Fn(&T) -> &DocId,
) {
    found.sort_by(|a, b| {
        let newer = |one: &T| (times.get(doc(one)).copied(), doc(one).clone());
        score(b).total_cmp(&score(a)).then_with(|| newer(b).cmp(&newer(a)))
    });
}

/// First what is rare in all of them together, then the best of each by that.
pub async fn text(composite: &CompositeStore, query: &TextQuery) -> Result<TextMatches> {
    let searches = searches(composite, &query.filter);
    let corpus = match &query.corpus {
        Some(known) => known.clone(),
        None => corpus(&searches, query).await?,
    };
    let (mut matches, mut others) = (Vec::new(), Vec::new());
    for (child, filter) in searches {
        let corpus = Some(corpus.clone());
        let found = child.store.search_text(&TextQuery { filter, corpus, ..query.clone() }).await?;
        matches.extend(found.matches);
        others.extend(found.others);
    }
    let times = times(composite, matches.iter().map(|found| &found.doc)).await?;
    rank(&mut matches, &times, |found| found.bm25, |found| &found.doc);
    let below: Vec<TextMatch> = matches.split_off(matches.len().min(query.limit));
    let wanted = query.beside(&matches);
    let shown = |doc: &DocId| matches.iter().any(|found| found.doc == *doc);
    others.extend(below);
    others.retain(|found| wanted.contains(&found.doc) && !shown(&found.doc));
    others.sort_by(|a, b| a.doc.cmp(&b.doc));
    others.dedup_by(|a, b| a.doc == b.doc);
    Ok(TextMatches { corpus, matches, others })
}

async fn corpus(searches: &[(&Child, Filter)], query: &TextQuery) -> Result<Corpus> {
    let mut sum = Corpus { frequencies: vec![0; query.terms.len()], ..Corpus::default() };
    for (child, filter) in searches {
        let counting = TextQuery::new(query.terms.clone(), filter.clone(), 0);
        sum.add(&child.store.search_text(&counting).await?.corpus);
    }
    Ok(sum)
}

/// The words of all that begin so, in order.
pub async fn words(
    composite: &CompositeStore,
    filter: &Filter,
    beginning: &str,
) -> Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for (child, filter) in searches(composite, filter) {
        found.extend(child.store.words(&filter, beginning).await?);
    }
    Ok(found.into_iter().collect())
}

/// The nearest of all.
pub async fn vectors(composite: &CompositeStore, query: &VectorQuery) -> Result<VectorMatches> {
    let mut all = VectorMatches::default();
    for (child, filter) in searches(composite, &query.filter) {
        let found = child.store.search_vectors(&VectorQuery { filter, ..query.clone() }).await?;
        all.indexed += found.indexed;
        all.pending += found.pending;
        all.matches.extend(found.matches);
    }
    let times = times(composite, all.matches.iter().map(|found| &found.doc)).await?;
    rank(&mut all.matches, &times, |found| found.cosine, |found| &found.doc);
    all.matches.truncate(query.limit);
    Ok(all)
}

/// Which documents are which store's; what is nobody's is left out.
async fn by_store<'a>(
    composite: &CompositeStore,
    docs: &'a [DocId],
) -> Result<Vec<Vec<&'a DocId>>> {
    let ids: Vec<MemoryId> = docs.iter().filter_map(DocId::memory).collect();
    let mut homes = vec![Vec::new(); composite.children.len()];
    homes[0].extend(docs.iter().filter(|doc| doc.turn().is_some()));
    for (number, child) in composite.children.iter().enumerate() {
        let held = child.memories(&ids).await?;
        let is_held = |doc: &&DocId| held.iter().any(|memory| doc.memory() == Some(memory.id));
        homes[number].extend(docs.iter().filter(is_held));
    }
    Ok(homes)
}

/// How near these are, in the order asked for.
pub async fn cosines(
    composite: &CompositeStore,
    query: &VectorQuery,
    docs: &[DocId],
) -> Result<Vec<VectorMatch>> {
    let mut found: BTreeMap<DocId, VectorMatch> = BTreeMap::new();
    for (child, docs) in composite.children.iter().zip(by_store(composite, docs).await?) {
        let docs: Vec<DocId> = docs.into_iter().cloned().collect();
        for one in child.store.cosines(query, &docs).await? {
            found.insert(one.doc.clone(), one);
        }
    }
    Ok(docs.iter().filter_map(|doc| found.remove(doc)).collect())
}

/// What waits, store after store. Memories that a store is not asked for wait for nobody.
pub async fn unembedded(
    composite: &CompositeStore,
    model: &ModelId,
    after: Option<&DocId>,
    limit: usize,
) -> Result<Vec<Unembedded>> {
    let first = match after {
        Some(after) => {
            let homes = by_store(composite, std::slice::from_ref(after)).await?;
            homes.iter().position(|docs| !docs.is_empty()).unwrap_or(0)
        }
        None => 0,
    };
    let mut found = Vec::new();
    for (number, child) in composite.children.iter().enumerate().skip(first) {
        let mut from = after.filter(|_| number == first).cloned();
        while found.len() < limit {
            let some = child.store.unembedded(model, from.as_ref(), limit).await?;
            let Some(last) = some.last() else { break };
            from = Some(last.doc.clone());
            let docs: Vec<DocId> = some.iter().map(|one| one.doc.clone()).collect();
            let ours = by_store(composite, &docs).await?.swap_remove(number);
            found.extend(some.iter().filter(|one| ours.contains(&&one.doc)).cloned());
        }
    }
    found.truncate(limit);
    Ok(found)
}

/// Vectors, each where its document is.
pub async fn put_vectors(
    composite: &CompositeStore,
    model: &ModelId,
    items: &[Embedded],
) -> Result<u64> {
    let docs: Vec<DocId> = items.iter().map(|item| item.doc.clone()).collect();
    let mut stored = 0;
    for (child, docs) in composite.children.iter().zip(by_store(composite, &docs).await?) {
        let ours: Vec<Embedded> =
            items.iter().filter(|item| docs.contains(&&item.doc)).cloned().collect();
        if !ours.is_empty() {
            stored += child.store.put_vectors(model, &ours).await?;
        }
    }
    Ok(stored)
}
