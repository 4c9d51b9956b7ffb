//! The lanes: each asks the store in its own way and says what it saw.
//!
//! `gather` runs those that find by a query and puts together what they saw of each
//! document; `recent` needs no query. What is made of it is decided in `fuse.rs`.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::candidate::Candidate;
use super::request::{Lane, RecallRequest};
use super::when::Period;
use crate::category::Category;
use crate::error::Result;
use crate::filter::{Filter, Include, Page};
use crate::id::{DocId, ModelId, TurnId};
use crate::limits::Retention;
use crate::memory::Memory;
use crate::store::{Store, TextQuery, VectorQuery};
use crate::text::Corpus;
use crate::vector::Vector;

/// Documents each lane gives at least: what is far down in both can deserve the top, and a
/// conversation is judged by several of its turns.
const DEPTH: usize = 300;
/// Documents looked at for each hit wanted, for large limits.
const DEPTH_EACH: usize = 3;
/// The same, where the query speaks of a time, of what was said then.
const DEPTH_IN_PERIOD: usize = 50;
/// Memories read at a time when the newest are wanted.
const RECENT_BATCH: u64 = 100;

/// What a query is looked for by.
pub struct Sought<'a> {
    /// Its words; none where they are not asked for.
    pub terms: &'a [String],
    /// Its meaning, and the model that found it.
    pub meaning: Option<(ModelId, Vector)>,
    /// The time it speaks of.
    pub period: Option<Period>,
}

/// What the lanes saw.
#[derive(Default)]
pub struct Gathered {
    /// By document.
    pub candidates: Vec<Candidate>,
    /// The lanes that ran.
    pub lanes: Vec<Lane>,
    /// Documents with a vector of the model, and those that have none yet.
    pub indexed: u64,
    pub pending: u64,
    /// In how many documents each term of the query occurs, in a corpus of some size.
    pub corpus: Corpus,
}

/// Asks every lane that the query can be put to.
pub async fn gather(
    store: &dyn Store,
    request: &RecallRequest,
    sought: &Sought<'_>,
) -> Result<Gathered> {
    let depth = DEPTH.max(request.limit * DEPTH_EACH);
    let mut seen: BTreeMap<DocId, Candidate> = BTreeMap::new();
    let mut gathered = Gathered::default();
    let vectors = sought.meaning.as_ref().map(|(model, vector)| VectorQuery {
        model: model.clone(),
        vector: vector.clone(),
        filter: request.filter.clone(),
        limit: depth,
    });
    if let Some(query) = &vectors {
        let found = store.search_vectors(query).await?;
        (gathered.indexed, gathered.pending) = (found.indexed, found.pending);
        gathered.lanes.push(Lane::Vector);
        for found in found.matches {
            let one = candidate(&mut seen, found.doc);
            (one.cosine, one.passage) = (Some(found.cosine), Some(found.passage));
        }
    }
    if let Some(period) = sought.period {
        for doc in said_in(store, request, sought, period).await? {
            seen.entry(doc.clone())
                .or_insert_with(|| Candidate { only_by_time: true, ..Candidate::new(doc) });
        }
    }
    if !sought.terms.is_empty() {
        let also = seen.keys().cloned().collect();
        let query = TextQuery {
            also,
            ..TextQuery::new(sought.terms.to_vec(), request.filter.clone(), depth)
        };
        let found = store.search_text(&query).await?;
        gathered.lanes.push(Lane::Text);
        gathered.corpus = found.corpus.grown();
        for one in &found.matches {
            candidate(&mut seen, one.doc.clone()).only_by_time = false;
        }
        for one in found.matches.iter().chain(&found.others) {
            candidate(&mut seen, one.doc.clone()).see_words(one, sought.terms, &gathered.corpus);
        }
    }
    for memory in keyed(store, request).await? {
        gathered.lanes.push(Lane::Key);
        candidate(&mut seen, DocId::Memory(memory.id)).is_key = true;
    }
    gathered.lanes.sort();
    gathered.lanes.dedup();
    if let Some(query) = &vectors {
        add_cosines(store, query, &mut seen).await?;
    }
    gathered.candidates = described(store, seen).await?;
    Ok(gathered)
}

fn candidate(seen: &mut BTreeMap<DocId, Candidate>, doc: DocId) -> &mut Candidate {
    seen.entry(doc.clone()).or_insert_with(|| Candidate::new(doc))
}

/// The best of what was said in a period: among everything else it might not be seen.
async fn said_in(
    store: &dyn Store,
    request: &RecallRequest,
    sought: &Sought<'_>,
    period: Period,
) -> Result<Vec<DocId>> {
    let since = request.filter.since.map_or(period.from, |since| since.max(period.from));
    let until = request.filter.until.map_or(period.to, |until| until.min(period.to));
    if since > until {
        return Ok(Vec::new());
    }
    let filter = Filter { since: Some(since), until: Some(until), ..request.filter.clone() };
    let mut docs = Vec::new();
    if let Some((model, vector)) = &sought.meaning {
        let (model, vector) = (model.clone(), vector.clone());
        let query = VectorQuery { model, vector, filter: filter.clone(), limit: DEPTH_IN_PERIOD };
        docs.extend(store.search_vectors(&query).await?.matches.into_iter().map(|one| one.doc));
    }
    if !sought.terms.is_empty() {
        let query = TextQuery::new(sought.terms.to_vec(), filter, DEPTH_IN_PERIOD);
        docs.extend(store.search_text(&query).await?.matches.into_iter().map(|one| one.doc));
    }
    Ok(docs)
}

/// Memories whose key is the whole query.
async fn keyed(store: &dyn Store, request: &RecallRequest) -> Result<Vec<Memory>> {
    let key = request.query.trim();
    if !request.filter.include.memories() || key.is_empty() || request.filter.key.is_some() {
        return Ok(Vec::new());
    }
    let filter =
        Filter { key: Some(key.to_owned()), include: Include::Memories, ..request.filter.clone() };
    Ok(store.list(&filter, Page::first(10)).await?.memories)
}

/// How near those are that only words found.
async fn add_cosines(
    store: &dyn Store,
    query: &VectorQuery,
    seen: &mut BTreeMap<DocId, Candidate>,
) -> Result<()> {
    let unknown: Vec<DocId> =
        seen.values().filter(|one| one.cosine.is_none()).map(|one| one.doc.clone()).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    for found in store.cosines(query, &unknown).await? {
        let one = candidate(seen, found.doc);
        (one.cosine, one.passage) = (Some(found.cosine), Some(found.passage));
    }
    Ok(())
}

/// Adds what is known of each document. What vanished meanwhile is left out.
async fn described(store: &dyn Store, seen: BTreeMap<DocId, Candidate>) -> Result<Vec<Candidate>> {
    let ids: Vec<_> = seen.keys().filter_map(DocId::memory).collect();
    let turns: Vec<TurnId> = seen.keys().filter_map(DocId::turn).cloned().collect();
    let mut memories: HashMap<_, _> = HashMap::new();
    if !ids.is_empty() {
        memories.extend(store.memories(&ids).await?.into_iter().map(|memory| (memory.id, memory)));
    }
    let mut facts: HashMap<_, _> = HashMap::new();
    if !turns.is_empty() {
        let around = store.around(&turns, 0).await?;
        facts.extend(around.turns.into_iter().map(|turn| (turn.id.clone(), turn)));
    }
    let mut described = Vec::with_capacity(seen.len());
    for (doc, mut one) in seen {
        match doc {
            DocId::Memory(id) => {
                let Some(memory) = memories.remove(&id) else { continue };
                one.at = memory.updated_at;
                one.chars = memory.content.chars().count() as u64;
                one.memory = Some(memory);
            }
            DocId::Turn(id) => {
                let Some(turn) = facts.get(&id) else { continue };
                (one.at, one.chars, one.role) = (turn.at, turn.chars, Some(turn.role));
            }
        }
        described.push(one);
    }
    Ok(described)
}

/// The newest memories. A day's log that is archived no longer counts as recent.
pub async fn recent(
    store: &dyn Store,
    request: &RecallRequest,
    now: Timestamp,
    retention: &Retention,
) -> Result<Vec<Memory>> {
    let archived = retention.archived_before(now);
    let is_archived = |memory: &Memory| {
        memory.category == Category::daily() && archived.is_some_and(|at| memory.created_at < at)
    };
    let mut found = Vec::new();
    let mut offset = 0;
    loop {
        let page = Page { offset, limit: RECENT_BATCH };
        let listed = store.list(&request.filter, page).await?;
        offset += listed.memories.len() as u64;
        found.extend(listed.memories.into_iter().filter(|memory| !is_archived(memory)));
        if found.len() >= request.limit || offset >= listed.total {
            return Ok(found);
        }
    }
}
