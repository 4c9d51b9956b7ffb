//! The lanes: each asks the store in its own way and says what it saw.
//!
//! A lane gives hits in its own order; `mod.rs` decides which lanes run.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::rank;
use super::request::{Evidence, Hit, HitKind, Lane, RecallRequest};
use crate::category::Category;
use crate::error::Result;
use crate::filter::{Filter, Include, Page};
use crate::limits::Retention;
use crate::memory::Memory;
use crate::store::{Store, TextQuery};
use crate::text::{Passage, analyse, passage};

/// Matches looked at for each hit wanted: the ranking sees more than BM25 does, so a match
/// further down can deserve the top.
const DEPTH: usize = 4;
/// Fewest matches looked at, for small limits.
const LEAST_DEPTH: usize = 50;
/// Memories read at a time when the newest are wanted.
const RECENT_BATCH: u64 = 100;

/// Memories that hold words of the query, best first.
pub async fn text(
    store: &dyn Store,
    request: &RecallRequest,
    terms: &[String],
) -> Result<Vec<Hit>> {
    let depth = (request.limit * DEPTH).max(LEAST_DEPTH);
    let filter = Filter { include: Include::Memories, ..request.filter.clone() };
    let found = store.search_text(&TextQuery::new(terms.to_vec(), filter, depth)).await?;
    let weights = found.corpus.rarities();
    let ids: Vec<_> = found.matches.iter().filter_map(|found| found.doc.memory()).collect();
    let scores: BTreeMap<_, _> =
        found.matches.iter().filter_map(|m| Some((m.doc.memory()?, m.bm25))).collect();
    let mut ranked = Vec::new();
    for memory in store.memories(&ids).await? {
        let bm25 = scores.get(&memory.id).copied().unwrap_or_default();
        let held = held_terms(&memory, terms);
        let score = rank::text_score(terms, &weights, &held, bm25);
        ranked.push((score, bm25, held, memory));
    }
    ranked.sort_by(|a, b| {
        b.0.total_cmp(&a.0).then_with(|| rank::tie_break(&b.3).cmp(&rank::tie_break(&a.3)))
    });
    let hits = ranked.into_iter().map(|(score, bm25, held, memory)| {
        let passage = passage(&memory.content, terms);
        hit(memory, passage, score, (Lane::Text, Evidence { raw: bm25, terms: held }))
    });
    Ok(hits.collect())
}

fn held_terms(memory: &Memory, terms: &[String]) -> Vec<String> {
    let texts = memory.key.as_deref().into_iter().chain([memory.content.as_str()]);
    let held: std::collections::BTreeSet<String> =
        texts.flat_map(analyse).map(|term| term.term).collect();
    terms.iter().filter(|term| held.contains(*term)).cloned().collect()
}

/// The newest memories. A day's log that is archived no longer counts as recent.
pub async fn recent(
    store: &dyn Store,
    request: &RecallRequest,
    now: Timestamp,
    retention: &Retention,
) -> Result<Vec<Hit>> {
    let archived = retention.archived_before(now);
    let is_archived = |memory: &Memory| {
        memory.category == Category::daily() && archived.is_some_and(|at| memory.created_at < at)
    };
    let mut hits = Vec::new();
    let mut offset = 0;
    loop {
        let page = Page { offset, limit: RECENT_BATCH };
        let listed = store.list(&request.filter, page).await?;
        offset += listed.memories.len() as u64;
        for memory in listed.memories.into_iter().filter(|memory| !is_archived(memory)) {
            let age_days = now.duration_since(memory.created_at).as_secs_f64() / 86_400.0;
            let evidence = Evidence { raw: age_days, terms: Vec::new() };
            let passage = passage(&memory.content, &[]);
            let score = rank::recency_score(age_days);
            hits.push(hit(memory, passage, score, (Lane::Recent, evidence)));
        }
        if hits.len() >= request.limit || offset >= listed.total {
            return Ok(hits);
        }
    }
}

fn hit(memory: Memory, passage: Passage, score: f64, (lane, evidence): (Lane, Evidence)) -> Hit {
    Hit {
        kind: HitKind::Memory,
        id: memory.id,
        key: memory.key,
        content: passage.text,
        cut: passage.cut,
        score,
        category: memory.category,
        scope: memory.scope,
        session_id: memory.session_id,
        trust: memory.trust,
        pinned: memory.pinned,
        created_at: memory.created_at,
        lanes: BTreeMap::from([(lane, evidence)]),
    }
}
