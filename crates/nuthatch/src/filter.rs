//! Which memories are meant: one filter for list, recall, count and forget.
//!
//! A filter is data that every store turns into its own query; `matches` is its meaning,
//! and what the conformance suite holds the stores to. Scopes are in `filter/scopes.rs`.

mod scopes;

pub use scopes::{Region, Scopes};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::id::{MemoryId, SessionId};
use crate::memory::Memory;
use crate::scope::Scope;
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

/// Which memories are meant. Every condition must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// In one of these scopes.
    pub scopes: Scopes,
    /// With exactly this key.
    pub key: Option<String>,
    /// With exactly this content.
    pub content: Option<String>,
    /// Of one of these categories; empty means any.
    pub categories: Vec<Category>,
    /// Stored from, extracted from, or belonging to this conversation.
    pub session: Option<SessionId>,
    /// From this place, or from below it: a page, a site, a file, a folder.
    pub source: Option<String>,
    /// Created at or after.
    pub since: Option<Timestamp>,
    /// Created at or before.
    pub until: Option<Timestamp>,
    /// At least this much trusted.
    pub min_trust: Option<Trust>,
    /// At most this much trusted.
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
            key: None,
            content: None,
            categories: Vec::new(),
            session: None,
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
        self.scopes.contains(&memory.scope)
            && same(&self.key, memory.key.as_deref())
            && same(&self.content, Some(&memory.content))
            && (self.categories.is_empty() || self.categories.contains(&memory.category))
            && self.session.as_ref().is_none_or(|session| belongs_to(memory, session))
            && self.source.as_ref().is_none_or(|source| came_from(memory, source))
            && self.since.is_none_or(|since| memory.created_at >= since)
            && self.until.is_none_or(|until| memory.created_at <= until)
            && self.min_trust.is_none_or(|trust| memory.trust >= trust)
            && self.max_trust.is_none_or(|trust| memory.trust <= trust)
            && self.pinned.is_none_or(|pinned| memory.pinned == pinned)
            && (self.superseded == Superseded::Shown || memory.is_current())
            && self.after.is_none_or(|after| Cursor::at(memory) < after)
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
