//! Which memories and turns are meant: one filter for list, recall, count and forget.
//!
//! A filter is data that every store turns into its own query; `matches` and `matches_turn`
//! are its meaning, and what the conformance suite holds the stores to. Scopes are in
//! `filter/scopes.rs`.

mod scopes;

pub use scopes::{Region, Scopes};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::id::{MemoryId, SessionId};
use crate::memory::Memory;
use crate::scope::Scope;
use crate::session::{Session, Turn};
use crate::trust::Trust;

/// Whether memories that were replaced by others are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Superseded {
    /// Only current memories.
    #[default]
    Hidden,
    /// Current and replaced ones.
    Shown,
}

/// What is looked through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Include {
    /// Memories and the turns of conversations.
    #[default]
    Both,
    /// Memories alone.
    Memories,
    /// Turns of conversations alone.
    Sessions,
}

impl Include {
    /// Whether memories are looked through.
    #[must_use]
    pub fn memories(self) -> bool {
        self != Include::Sessions
    }

    /// Whether turns are looked through.
    #[must_use]
    pub fn turns(self) -> bool {
        self != Include::Memories
    }

    /// What is in both.
    #[must_use]
    pub fn narrowed(self, other: Include) -> Option<Include> {
        match (self, other) {
            (Include::Both, rest) | (rest, Include::Both) => Some(rest),
            (one, two) => (one == two).then_some(one),
        }
    }
}

/// Which memories and turns are meant. Every condition must hold. What only a memory can
/// have (a key, a category, a pin, a place in a list) no turn has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// In one of these scopes; a turn is in the one of its conversation.
    pub scopes: Scopes,
    /// What is looked through.
    #[serde(default)]
    pub include: Include,
    /// With exactly this key.
    pub key: Option<String>,
    /// With exactly one of these contents; empty means any.
    pub contents: Vec<String>,
    /// Of one of these categories; empty means any.
    pub categories: Vec<Category>,
    /// Stored from, extracted from, belonging to, or said in one of these conversations; empty
    /// means any.
    pub sessions: Vec<SessionId>,
    /// From this place, or from below it: a page, a site, a file, a folder. No turn is.
    pub source: Option<String>,
    /// Created or said at or after.
    pub since: Option<Timestamp>,
    /// Created or said at or before.
    pub until: Option<Timestamp>,
    /// At least this much trusted; a turn as much as its speaker is.
    pub min_trust: Option<Trust>,
    /// At most this much trusted: memories that somebody should look at. No turn is one.
    pub max_trust: Option<Trust>,
    /// Only pinned ones, or only others.
    pub pinned: Option<bool>,
    /// Whether replaced memories are wanted.
    pub superseded: Superseded,
    /// After this one in the order of a list: how a long list is read in parts while
    /// memories come and go.
    pub after: Option<Cursor>,
}

impl Filter {
    /// Everything current in these scopes.
    #[must_use]
    pub fn scoped(scopes: Scopes) -> Self {
        Filter {
            scopes,
            include: Include::Both,
            key: None,
            contents: Vec::new(),
            categories: Vec::new(),
            sessions: Vec::new(),
            source: None,
            since: None,
            until: None,
            min_trust: None,
            max_trust: None,
            pinned: None,
            superseded: Superseded::Hidden,
            after: None,
        }
    }

    /// Everything there is, replaced memories included.
    #[must_use]
    pub fn everything() -> Self {
        Filter { superseded: Superseded::Shown, ..Filter::scoped(Scopes::All) }
    }

    /// Whether `memory` is meant.
    #[must_use]
    pub fn matches(&self, memory: &Memory) -> bool {
        let same = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        self.include.memories()
            && self.scopes.contains(&memory.scope)
            && same(&self.key, memory.key.as_deref())
            && (self.contents.is_empty() || self.contents.contains(&memory.content))
            && (self.categories.is_empty() || self.categories.contains(&memory.category))
            && (self.sessions.is_empty()
                || self.sessions.iter().any(|session| belongs_to(memory, session)))
            && self.source.as_ref().is_none_or(|source| came_from(memory, source))
            && self.since.is_none_or(|since| memory.created_at >= since)
            && self.until.is_none_or(|until| memory.created_at <= until)
            && self.min_trust.is_none_or(|trust| memory.trust >= trust)
            && self.max_trust.is_none_or(|trust| memory.trust <= trust)
            && self.pinned.is_none_or(|pinned| memory.pinned == pinned)
            && (self.superseded == Superseded::Shown || memory.is_current())
            && self.after.is_none_or(|after| Cursor::at(memory) < after)
    }

    /// Whether any turn at all can be meant.
    #[must_use]
    pub fn admits_turns(&self) -> bool {
        self.include.turns()
            && self.key.is_none()
            && self.contents.is_empty()
            && self.categories.is_empty()
            && self.source.is_none()
            && self.max_trust.is_none()
            && self.pinned != Some(true)
            && self.after.is_none()
    }

    /// Whether `turn` of `session` is meant.
    #[must_use]
    pub fn matches_turn(&self, session: &Session, turn: &Turn) -> bool {
        self.admits_turns()
            && self.scopes.contains(&session.scope())
            && (self.sessions.is_empty() || self.sessions.contains(&turn.session))
            && self.since.is_none_or(|since| turn.at >= since)
            && self.until.is_none_or(|until| turn.at <= until)
            && self.min_trust.is_none_or(|trust| turn.role.trust() >= trust)
    }
}

fn belongs_to(memory: &Memory, session: &SessionId) -> bool {
    let source = memory.source.as_ref().and_then(|source| source.session.as_ref());
    memory.session_id.as_ref() == Some(session)
        || source == Some(session)
        || matches!(&memory.scope, Scope::Session(own) if own == session)
}

/// What may follow a place where something below it begins.
pub const BELOW: [char; 4] = ['/', '#', '?', ':'];

/// A place without the slashes at its end, which name the same place.
#[must_use]
pub fn place_of(source: &str) -> &str {
    match source.trim_end_matches('/') {
        "" => source,
        place => place,
    }
}

fn came_from(memory: &Memory, source: &str) -> bool {
    let Some(place) = memory.source.as_ref().and_then(|source| source.place.as_deref()) else {
        return false;
    };
    let rest = place.strip_prefix(place_of(source));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(BELOW))
}

/// A part of a longer answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// How many to skip.
    pub offset: u64,
    /// How many to give at most.
    pub limit: u64,
}

impl Page {
    /// The first `limit`.
    #[must_use]
    pub fn first(limit: u64) -> Self {
        Page { offset: 0, limit }
    }
}

/// A place in the order of a list. Newer memories have greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cursor {
    /// When the memory of that place was created.
    pub created_at: Timestamp,
    /// Its id.
    pub id: MemoryId,
}

impl Cursor {
    /// The place of a memory.
    #[must_use]
    pub fn at(memory: &Memory) -> Self {
        Cursor { created_at: memory.created_at, id: memory.id }
    }
}

/// Memories newest first: by creation, then by id, so that every store agrees.
#[must_use]
pub fn newest_first(a: &Memory, b: &Memory) -> std::cmp::Ordering {
    Cursor::at(b).cmp(&Cursor::at(a))
}
