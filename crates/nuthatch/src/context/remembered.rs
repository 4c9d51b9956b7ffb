//! What the store brings into a context: memories, lessons, and the summary of sessions.
//!
//! Memories come in the order a preamble has them, those that a query finds first; what is
//! quarantined or replaced never comes.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use super::item::{Cut, Form, Item, Section};
use super::{ContextRequest, ContextSource, Gathered};
use crate::address::Address;
use crate::autonomy::Autonomy;
use crate::engine::Engine;
use crate::error::Result;
use crate::filter::{Filter, Include, Scopes};
use crate::id::MemoryId;
use crate::learn::{self, Lesson};
use crate::memory::Memory;
use crate::preamble::PreambleRequest;
use crate::recall::RecallRequest;
use crate::shelf::SUMMARY;
use crate::trust::Trust;

/// What a query finds before everything else.
const FOUND: usize = 20;
/// Lessons that go into a context.
const LESSONS: usize = 5;

/// Memories of some scopes.
pub struct MemorySource {
    /// Where they are.
    pub engine: Engine,
    /// Whose.
    pub scopes: Scopes,
}

#[async_trait]
impl ContextSource for MemorySource {
    fn name(&self) -> &str {
        "memory"
    }

    async fn gather(&self, request: &ContextRequest) -> Result<Gathered> {
        let mut ids = self.found(request).await?;
        let preamble = PreambleRequest {
            scopes: self.scopes.clone(),
            thread: None,
            query: request.query.clone(),
            budget_tokens: request.memory_tokens,
        };
        let preamble = self.engine.preamble(&preamble).await?;
        ids.extend(preamble.included);
        ids.extend(preamble.dropped);
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
        let mut items = Vec::new();
        for memory in in_order(&self.engine, &ids).await? {
            if Lesson::of(&memory).is_none() {
                items.push(item(Section::Memory, &memory));
            }
        }
        Ok(Gathered { items, notes: Vec::new() })
    }
}

impl MemorySource {
    async fn found(&self, request: &ContextRequest) -> Result<Vec<MemoryId>> {
        let Some(query) = &request.query else { return Ok(Vec::new()) };
        let mut filter = Filter::scoped(self.scopes.clone());
        filter.include = Include::Memories;
        filter.min_trust = Some(Trust::Inferred);
        let mut recall = RecallRequest::new(query.as_str(), filter);
        recall.limit = FOUND;
        let found = self.engine.recall(&recall).await?;
        Ok(found.hits.iter().filter_map(|hit| hit.id.parse().ok()).collect())
    }
}

/// The summary of what was learnt from sessions here, where there is one. It comes last, because
/// much of it are memories that stand before it.
pub struct SummarySource {
    /// Who made it.
    pub autonomy: Autonomy,
}

#[async_trait]
impl ContextSource for SummarySource {
    fn name(&self) -> &str {
        "memory summary"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let address = Address::Document(SUMMARY.to_owned()).to_string();
        let item = |text| Item::new(Section::Memory, address, text, Form::Verbatim).cut(Cut::End);
        let items = self.autonomy.summary()?.map(item).into_iter().collect();
        Ok(Gathered { items, notes: Vec::new() })
    }
}

/// The most helpful lessons of some scopes.
pub struct LearningSource {
    /// Where they are.
    pub engine: Engine,
    /// Whose.
    pub scopes: Scopes,
}

#[async_trait]
impl ContextSource for LearningSource {
    fn name(&self) -> &str {
        "learning"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let lessons = learn::lessons(&self.engine, self.scopes.clone()).await?;
        let best = lessons.iter().take(LESSONS);
        let items = best.map(|memory| item(Section::Learning, memory)).collect();
        Ok(Gathered { items, notes: Vec::new() })
    }
}

fn item(section: Section, memory: &Memory) -> Item {
    let text = format!("[{}] {}", memory.category, memory.content);
    Item::new(section, memory.id.to_string(), text, Form::Data)
}

/// The memories of ids, in the order of the ids.
async fn in_order(engine: &Engine, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let places: BTreeMap<MemoryId, usize> = ids.iter().copied().zip(0..).collect();
    let mut found = engine.store().memories(ids).await?;
    found.sort_by_key(|memory| places.get(&memory.id).copied());
    Ok(found)
}
