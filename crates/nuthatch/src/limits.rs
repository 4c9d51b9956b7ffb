//! How much is kept, and for how long.
//!
//! Values only: stores enforce limits inside the write that would break them
//! (see [`crate::change`]), and retention at the next write.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::scope::Scope;

/// A bound, or none. Zero is a bound: nothing is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// No bound.
    None,
    /// At most so many.
    At(u64),
}

impl Limit {
    /// By how much `used` is over the bound.
    #[must_use]
    pub fn excess(self, used: u64) -> u64 {
        match self {
            Limit::None => 0,
            Limit::At(limit) => used.saturating_sub(limit),
        }
    }

    /// The bound as a number, where there is one.
    #[must_use]
    pub fn bound(self) -> Option<u64> {
        match self {
            Limit::None => None,
            Limit::At(limit) => Some(limit),
        }
    }
}

/// What happens when a character limit is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overflow {
    /// The write is refused, saying used, limit and needed.
    #[default]
    Refuse,
    /// The oldest go, until it fits.
    Evict,
}

/// The limits of one scope, as they hold for one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeLimits {
    /// Most entries; beyond it the oldest evictable ones go.
    pub entries: Limit,
    /// Most characters of content.
    pub chars: Limit,
    /// What happens when `chars` would be exceeded.
    pub overflow: Overflow,
}

impl ScopeLimits {
    /// No limit at all.
    pub const NONE: ScopeLimits =
        ScopeLimits { entries: Limit::None, chars: Limit::None, overflow: Overflow::Refuse };
}

impl Overflow {
    /// Both.
    pub const ALL: [Overflow; 2] = [Overflow::Refuse, Overflow::Evict];
    /// The words for them, in the order of [`Overflow::ALL`].
    pub const NAMES: [&'static str; 2] = ["refuse", "evict"];
}

/// The rules an engine works by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// How much of the user's own memory is kept: the scopes global and user.
    pub own: Limits,
    /// How much is kept of each project, session and plan. Apart from `own`, because a
    /// repository may set these and must not shrink what the user keeps elsewhere.
    pub project: Limits,
    /// For how long.
    pub retention: Retention,
}

impl Rules {
    /// The same limits everywhere, and the usual retention.
    #[must_use]
    pub fn limited(limits: Limits) -> Self {
        Rules { own: limits, project: limits, retention: Retention::default() }
    }

    /// What holds for one scope.
    #[must_use]
    pub fn limits_of(&self, scope: &Scope) -> ScopeLimits {
        match scope {
            Scope::Global | Scope::User => self.own.of(scope),
            Scope::Project(_) | Scope::Session(_) | Scope::Plan { .. } => self.project.of(scope),
        }
    }
}

/// Limits of some scopes; which of them holds depends on the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries of each scope.
    pub facts: Limit,
    /// Characters of each project.
    pub project_chars: Limit,
    /// Characters of the user profile.
    pub user_chars: Limit,
    /// What happens when characters run out.
    pub overflow: Overflow,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            facts: Limit::At(200),
            project_chars: Limit::At(50_000),
            user_chars: Limit::At(10_000),
            overflow: Overflow::Refuse,
        }
    }
}

impl Limits {
    /// No limit anywhere.
    pub const NONE: Limits = Limits {
        facts: Limit::None,
        project_chars: Limit::None,
        user_chars: Limit::None,
        overflow: Overflow::Refuse,
    };

    /// What holds for one scope.
    #[must_use]
    pub fn of(&self, scope: &Scope) -> ScopeLimits {
        let chars = match scope {
            Scope::Project(_) => self.project_chars,
            Scope::User => self.user_chars,
            Scope::Global | Scope::Session(_) | Scope::Plan { .. } => Limit::None,
        };
        ScopeLimits { entries: self.facts, chars, overflow: self.overflow }
    }
}

/// How long the short-lived categories are kept; `None` is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// `conversation` memories, and conversations nobody continued.
    pub conversation_days: Option<u32>,
    /// `daily` memories older than this no longer count as recent.
    pub daily_archive_days: Option<u32>,
    /// `daily` memories older than this are removed.
    pub daily_purge_days: Option<u32>,
}

impl Default for Retention {
    fn default() -> Self {
        Retention {
            conversation_days: Some(30),
            daily_archive_days: Some(7),
            daily_purge_days: Some(30),
        }
    }
}

impl Retention {
    /// The categories that end, with the time before which they have ended.
    pub fn ends(&self, now: Timestamp) -> impl Iterator<Item = (Category, Timestamp)> {
        [
            (Category::conversation(), self.conversation_days),
            (Category::daily(), self.daily_purge_days),
        ]
        .into_iter()
        .filter_map(move |(category, days)| Some((category, days_before(now, days?)?)))
    }

    /// The time before which a conversation nobody continued has ended.
    #[must_use]
    pub fn idle_since(&self, now: Timestamp) -> Option<Timestamp> {
        days_before(now, self.conversation_days?)
    }

    /// The time before which a day's log is archived: found by search, but not recent.
    #[must_use]
    pub fn archived_before(&self, now: Timestamp) -> Option<Timestamp> {
        days_before(now, self.daily_archive_days?)
    }
}

fn days_before(now: Timestamp, days: u32) -> Option<Timestamp> {
    now.checked_sub(SignedDuration::from_hours(24 * i64::from(days))).ok()
}
