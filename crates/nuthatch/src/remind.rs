//! What an agent should be reminded of: at the start of a session, or by what was just said.
//!
//! Never what the session was given already, and nothing rather than something vague: at a
//! prompt only memories that recall is sure of. The block is that of `preamble`, so whoever
//! reads transcripts knows our own words again. [`Reminded`] says of every memory that was
//! thought of why it is in the block, or why not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::engine::Engine;
use crate::error::Result;
use crate::filter::{Filter, Include, Page, Scopes};
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::preamble::{self, Line, Preamble, PreambleRequest};
use crate::recall::{Evidence, Hit, Lane, Mode, RecallRequest, asks_nothing};
use crate::trust::Trust;

/// Tokens of what is said at a prompt, unless asked otherwise.
pub const PROMPT_TOKENS: usize = 500;
/// The same at the start of a session; what agents accept in characters binds before it does.
pub const START_TOKENS: usize = 1800;
/// Reminders at a prompt: a few, because each costs the reader attention at every turn.
const MOST_AT_PROMPT: usize = 5;
/// Below this a hit is a guess, and a guess in a prompt does harm.
const SURE: f64 = 0.5;
/// Characters of a prompt that are looked for: its beginning says what it is about.
const QUERY_CHARS: usize = 600;
/// Restrictions that are looked at, however old they are.
const RESTRICTIONS: u64 = 200;
/// Memories that were thought of and left out, of which it is told why.
const MOST_LEFT_OUT: usize = 20;

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

/// Why a memory is in the block, or why it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Because {
    /// In: recall is sure that the prompt is about it.
    Sure,
    /// In: the user pinned it, and a session begins with that.
    Pinned,
    /// In: it says what must not be done, and a session begins with that.
    Restriction,
    /// In: there was room for it.
    Room,
    /// Out: it may be about something else.
    Unsure,
    /// Out: enough others are nearer.
    Enough,
    /// Out: the session was given it already.
    Given,
    /// Out: it did not fit the budget.
    Budget,
}

impl Because {
    /// Whether it is in the block.
    #[must_use]
    pub fn is_in(self) -> bool {
        matches!(self, Because::Sure | Because::Pinned | Because::Restriction | Because::Room)
    }
}

/// A memory that was thought of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Considered {
    /// Which.
    pub id: MemoryId,
    /// What it says, or the part of it that matched.
    pub content: String,
    /// What became of it.
    pub because: Because,
    /// How near it is to the prompt, from 0 to 1; 0.5 is sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What each lane that found it saw.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lanes: BTreeMap<Lane, Evidence>,
}

/// What an agent would be reminded of, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reminded {
    /// The very block.
    #[serde(flatten)]
    pub block: Preamble,
    /// It line by line.
    pub lines: Vec<Line>,
    /// Most tokens it might have had.
    pub budget_tokens: usize,
    /// The memories that were thought of: first those of the block, in its order, then some of
    /// those that were left out.
    pub considered: Vec<Considered>,
}

/// What is thought of, best first, before budget and session have their say.
struct Thought {
    memory: Memory,
    because: Because,
    seen: Option<Hit>,
}

impl Engine {
    /// The block of what an agent should be reminded of now; empty where there is nothing.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn remind(&self, request: &RemindRequest) -> Result<Preamble> {
        let thoughts = self.thoughts(request, 0).await?;
        Ok(block_of(&thoughts, request))
    }

    /// The same block, with the reason for each memory in it and for some that are not.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn reminded(&self, request: &RemindRequest) -> Result<Reminded> {
        let mut thoughts = self.thoughts(request, MOST_LEFT_OUT).await?;
        let block = block_of(&thoughts, request);
        let placed: HashMap<MemoryId, usize> =
            block.included.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        for thought in thoughts.iter_mut().filter(|thought| thought.because.is_in()) {
            if !placed.contains_key(&thought.memory.id) {
                thought.because = Because::Budget;
            }
        }
        thoughts.sort_by_key(|one| placed.get(&one.memory.id).copied().unwrap_or(usize::MAX));
        let most = placed.len() + MOST_LEFT_OUT;
        let considered = thoughts.into_iter().take(most).map(Thought::told).collect();
        let (lines, budget_tokens) = (block.lines(), request.budget_tokens);
        Ok(Reminded { block, lines, budget_tokens, considered })
    }

    /// What comes to mind: what deserves a place, and up to `more` of what does not.
    async fn thoughts(&self, request: &RemindRequest, more: usize) -> Result<Vec<Thought>> {
        let mut thoughts = match &request.prompt {
            Some(prompt) => self.called_to_mind(request, prompt, more).await?,
            None => self.to_begin_with(request).await?,
        };
        for thought in &mut thoughts {
            if request.given.contains(&thought.memory.id) {
                thought.because = Because::Given;
            }
        }
        Ok(thoughts)
    }

    async fn called_to_mind(
        &self,
        request: &RemindRequest,
        prompt: &str,
        more: usize,
    ) -> Result<Vec<Thought>> {
        if asks_nothing(prompt) {
            return Ok(Vec::new());
        }
        let mut filter = Filter::scoped(request.scopes.clone());
        filter.include = Include::Memories;
        filter.min_trust = Some(Trust::Inferred);
        let query: String = prompt.chars().take(QUERY_CHARS).collect();
        let mut recall = RecallRequest::new(query, filter);
        // What was given already takes no place away from what is new.
        recall.limit = MOST_AT_PROMPT + request.given.len().min(100) + more;
        recall.min_score = if more > 0 { 0.0 } else { SURE };
        recall.mode = request.mode;
        let hits = self.recall(&recall).await?.hits;
        let ids: Vec<MemoryId> = hits.iter().filter_map(Hit::memory).collect();
        let memories = self.store().memories(&ids).await?;
        let mut memories: HashMap<MemoryId, Memory> =
            memories.into_iter().map(|memory| (memory.id, memory)).collect();
        let mut places = MOST_AT_PROMPT;
        let thought = |hit: Hit| {
            let memory = memories.remove(&hit.memory()?)?;
            let is_given = request.given.contains(&memory.id);
            let because = match hit.score {
                score if score < SURE => Because::Unsure,
                _ if is_given => Because::Given,
                _ if places == 0 => Because::Enough,
                _ => Because::Sure,
            };
            places -= usize::from(because == Because::Sure);
            Some(Thought { memory, because, seen: Some(hit) })
        };
        Ok(hits.into_iter().filter_map(thought).collect())
    }

    /// Restrictions and pins before everything else, then as a preamble has them.
    async fn to_begin_with(&self, request: &RemindRequest) -> Result<Vec<Thought>> {
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
        let thought = |memory: Memory| {
            let because = match (seen.contains(&memory.id), memory.pinned) {
                (true, _) => Because::Restriction,
                (false, true) => Because::Pinned,
                (false, false) => Because::Room,
            };
            Thought { memory, because, seen: None }
        };
        Ok(memories.into_iter().map(thought).collect())
    }
}

impl Thought {
    fn told(self) -> Considered {
        let Thought { memory, because, seen } = self;
        let id = memory.id;
        match seen {
            Some(Hit { content, score, lanes, .. }) => {
                Considered { id, content, because, score: Some(score), lanes }
            }
            None => {
                let content = memory.content;
                Considered { id, content, because, score: None, lanes: BTreeMap::new() }
            }
        }
    }
}

fn block_of(thoughts: &[Thought], request: &RemindRequest) -> Preamble {
    let chosen = thoughts.iter().filter(|thought| thought.because.is_in());
    preamble::of(chosen.map(|thought| &thought.memory), request.budget_tokens)
}
