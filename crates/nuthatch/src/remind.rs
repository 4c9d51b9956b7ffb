//! What an agent should be reminded of: at the start of a session, or by what was just said.
//!
//! Never what the session was given already, and nothing rather than something vague: at a
//! prompt only memories that recall is sure of. The block is that of `preamble`, so whoever
//! reads transcripts knows our own words again.

use std::collections::BTreeSet;

use crate::category::Category;
use crate::engine::Engine;
use crate::error::Result;
use crate::filter::{Filter, Include, Page, Scopes};
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::preamble::{self, Preamble, PreambleRequest};
use crate::recall::{Mode, RecallRequest, asks_nothing};
use crate::trust::Trust;

/// Reminders at a prompt: a few, because each costs the reader attention at every turn.
const MOST_AT_PROMPT: usize = 5;
/// Below this a hit is a guess, and a guess in a prompt does harm.
const SURE: f64 = 0.5;
/// Characters of a prompt that are looked for: its beginning says what it is about.
const QUERY_CHARS: usize = 600;
/// Restrictions that are looked at, however old they are.
const RESTRICTIONS: u64 = 200;

/// What is asked.
#[derive(Clone, Debug)]
pub struct RemindRequest {
    /// Whose memories.
    pub scopes: Scopes,
    /// What was said; nothing at the start of a session.
    pub prompt: Option<String>,
    /// What the session has been given already.
    pub given: BTreeSet<MemoryId>,
    /// Most tokens of the block.
    pub budget_tokens: usize,
    /// How a prompt is looked for: by words and meaning, or by words alone where that is sooner.
    pub mode: Mode,
}

impl Engine {
    /// The block of what an agent should be reminded of now; empty where there is nothing.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn remind(&self, request: &RemindRequest) -> Result<Preamble> {
        let mut memories = match &request.prompt {
            Some(prompt) => self.called_to_mind(request, prompt).await?,
            None => self.to_begin_with(request).await?,
        };
        memories.retain(|memory| !request.given.contains(&memory.id));
        Ok(preamble::of(&memories, request.budget_tokens))
    }

    async fn called_to_mind(&self, request: &RemindRequest, prompt: &str) -> Result<Vec<Memory>> {
        if asks_nothing(prompt) {
            return Ok(Vec::new());
        }
        let mut filter = Filter::scoped(request.scopes.clone());
        filter.include = Include::Memories;
        filter.min_trust = Some(Trust::Inferred);
        let query: String = prompt.chars().take(QUERY_CHARS).collect();
        let mut recall = RecallRequest::new(query, filter);
        // What was given already takes no place away from what is new.
        recall.limit = MOST_AT_PROMPT + request.given.len().min(100);
        recall.min_score = SURE;
        recall.mode = request.mode;
        let found = self.recall(&recall).await?;
        let ids: Vec<MemoryId> = found.hits.iter().filter_map(|hit| hit.id.parse().ok()).collect();
        let new: Vec<MemoryId> = ids.into_iter().filter(|id| !request.given.contains(id)).collect();
        let new = &new[..new.len().min(MOST_AT_PROMPT)];
        let mut memories = self.store().memories(new).await?;
        memories.sort_by_key(|memory| new.iter().position(|id| *id == memory.id));
        Ok(memories)
    }

    /// Restrictions and pins before everything else, then as a preamble has them.
    async fn to_begin_with(&self, request: &RemindRequest) -> Result<Vec<Memory>> {
        let mut filter = Filter::scoped(request.scopes.clone());
        filter.min_trust = Some(Trust::Inferred);
        filter.categories = vec![Category::new("restriction")?];
        let mut memories = self.store().list(&filter, Page::first(RESTRICTIONS)).await?.memories;
        let usual = PreambleRequest {
            scopes: request.scopes.clone(),
            thread: None,
            query: None,
            budget_tokens: request.budget_tokens,
        };
        let seen: BTreeSet<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let others = preamble::candidates(self.store(), &usual).await?;
        memories.extend(others.into_iter().filter(|memory| !seen.contains(&memory.id)));
        memories.sort_by_key(|memory| !(memory.pinned || seen.contains(&memory.id)));
        Ok(memories)
    }
}
