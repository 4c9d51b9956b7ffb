//! Storing a memory: the request is completed and becomes wishes for one change set.
//!
//! Sanitising and scanning are the gate's business, on the way into the set; deduplication, keys and limits are the store's business, inside its transaction: see
//! [`crate::change::Remember`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::change::{Change, Outcome, Remember, Said, Stored, Wish};
use crate::error::{Error, Result};
use crate::guard::Form;
use crate::id::{MemoryId, SessionId};
use crate::limits::Rules;
use crate::memory::{Importance, Memory};
use crate::scope::Scope;
use crate::trust::{Origin, Source, Trust};

/// What is to be remembered.
#[derive(Clone, Debug)]
pub struct RememberRequest {
    /// The text.
    pub content: String,
    /// One line, or a note that keeps its lines.
    pub form: Form,
    /// A name of the user's own.
    pub key: Option<String>,
    /// What kind of memory; if not said, as it is known, and `core` for a new one.
    pub category: Option<Category>,
    /// Whose memory.
    pub scope: Scope,
    /// The conversation it is stored from.
    pub session: Option<SessionId>,
    /// Who says it.
    pub origin: Origin,
    /// Where exactly it comes from.
    pub source: Option<Source>,
    /// How far it may be believed; as usual for its origin if not said.
    pub trust: Option<Trust>,
    /// Kept whatever the limits.
    pub pinned: bool,
    /// How much it matters; if not said, as it is known, and the middle for a new one.
    pub importance: Option<Importance>,
    /// Anything else, as text.
    pub metadata: BTreeMap<String, String>,
    /// Memories it replaces.
    pub supersedes: Vec<MemoryId>,
}

impl RememberRequest {
    /// Something the user says, as a fact, with nothing else known.
    pub fn new(content: impl Into<String>, scope: Scope) -> Self {
        RememberRequest {
            content: content.into(),
            form: Form::Fact,
            key: None,
            category: None,
            scope,
            session: None,
            origin: Origin::User,
            source: None,
            trust: None,
            pinned: false,
            importance: None,
            metadata: BTreeMap::new(),
            supersedes: Vec::new(),
        }
    }
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remembered {
    /// The memory as it is now.
    pub memory: Memory,
    /// Whether it was known already.
    pub duplicate: bool,
    /// What the limit pushed out; its own id if there was no room for it.
    pub evicted: Vec<MemoryId>,
    /// What it replaced.
    pub superseded: Vec<MemoryId>,
    /// What retention ended at this write: memories whose time was over.
    #[serde(default)]
    pub expired: Vec<MemoryId>,
}

impl Remembered {
    /// Whether there was room: a limit of zero, or one full of pinned memories, leaves none.
    #[must_use]
    pub fn kept(&self) -> bool {
        !self.evicted.contains(&self.memory.id)
    }
}

/// The wishes that store a request: what retention ends first, then the memory.
pub(crate) fn wishes(
    request: RememberRequest,
    id: MemoryId,
    at: Timestamp,
    rules: &Rules,
) -> Vec<Wish> {
    let ended = rules.retention.ends(at);
    let mut wishes: Vec<Wish> =
        ended.map(|(category, before)| Change::Expire { category, before }.into()).collect();
    let (supersedes, form) = (request.supersedes.clone(), request.form);
    let said =
        Said { category: request.category.is_some(), importance: request.importance.is_some() };
    let memory = complete(request, id, at);
    let limits = rules.limits_of(&memory.scope);
    let remember = Remember { memory, limits, supersedes, said };
    wishes.push(Wish::new(Change::Remember(Box::new(remember)), form));
    wishes
}

fn complete(request: RememberRequest, id: MemoryId, at: Timestamp) -> Memory {
    let mut memory = Memory::new(id, request.content, request.scope, at);
    memory.key = request.key;
    memory.category = request.category.unwrap_or_default();
    memory.session_id = request.session;
    memory.origin = request.origin;
    memory.source = request.source;
    memory.trust = request.trust.unwrap_or_else(|| request.origin.usual_trust());
    memory.pinned = request.pinned;
    memory.importance = request.importance.unwrap_or_default();
    memory.metadata = request.metadata;
    memory
}

/// The answer out of the outcomes of [`wishes`].
pub(crate) fn answer(mut outcomes: Vec<Outcome>) -> Result<Remembered> {
    let Some(Outcome::Remembered(stored)) = outcomes.pop() else {
        return Err(Error::internal("the store did not say what became of the memory"));
    };
    let Stored { memory, duplicate, evicted, superseded } = *stored;
    let mut expired = Vec::new();
    for outcome in outcomes {
        if let Outcome::Touched { ids } = outcome {
            expired.extend(ids);
        }
    }
    Ok(Remembered { memory, duplicate, evicted, superseded, expired })
}
