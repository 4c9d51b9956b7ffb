//! The only way anything is altered: a set of changes, applied whole or not at all.
//!
//! A change says what is wanted, not how; what it does is the same in every store, and is
//! written down as cases of the conformance suite. Applying a set again changes nothing and
//! names the same memories: a store knows the last thousand sets, for the caller who did not
//! hear the first answer. (A store of files forgets them with its index.) Stores take a
//! [`ChangeSet`] and nothing else, and only `admit` makes one: what has not passed the gate
//! cannot be stored.

mod admit;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::id::{ChangeSetId, ContentHash, MemoryId, SessionId};
use crate::limits::ScopeLimits;
use crate::memory::{Importance, Memory, Record, Tombstone};
use crate::scope::Scope;
use crate::session::{Session, Turn};
use crate::trust::{Origin, Trust};

pub use admit::Flagged;
pub(crate) use admit::{Moving, Wish};

/// Changes that happen together or not at all, every text of which has passed the gate.
///
/// A set cannot be put together by hand, nor read from anywhere; the engine's methods make
/// it, through the gate. Reading one is free:
///
/// ```
/// use nuthatch::change::{Change, ChangeSet};
///
/// fn count(set: &ChangeSet) -> usize {
///     let changes: &[Change] = set.changes();
///     changes.len()
/// }
/// ```
///
/// A write path that leaves the gate out does not compile:
///
/// ```compile_fail,E0451
/// use nuthatch::change::{Change, ChangeSet};
/// use nuthatch::id::ChangeSetId;
///
/// fn smuggle(id: ChangeSetId, at: jiff::Timestamp, changes: Vec<Change>) -> ChangeSet {
///     ChangeSet { id, at, changes }
/// }
/// ```
///
/// Nor does one that alters a set on its way, or one that reads it from bytes:
///
/// ```compile_fail,E0616
/// fn add(set: &mut nuthatch::change::ChangeSet, change: nuthatch::change::Change) {
///     set.changes.push(change);
/// }
/// ```
///
/// ```compile_fail,E0277
/// fn read(bytes: &[u8]) -> nuthatch::change::ChangeSet {
///     serde_json::from_slice(bytes).unwrap()
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSet {
    id: ChangeSetId,
    at: Timestamp,
    changes: Vec<Change>,
}

impl ChangeSet {
    /// Names the set: applying it again does nothing more.
    #[must_use]
    pub fn id(&self) -> ChangeSetId {
        self.id
    }

    /// When it happens.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// What happens, in order.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// A part of this set under an id of its own: for stores that share it out.
    #[must_use]
    pub fn part(&self, id: ChangeSetId, picks: &[Pick]) -> ChangeSet {
        let change = |pick: &Pick| match pick {
            Pick::Same(place) => self.changes[*place].clone(),
            Pick::Use(ids) => Change::Use { ids: ids.clone() },
            Pick::Forget(ids) => Change::Forget { ids: ids.clone() },
            Pick::Release(ids) => Change::Release { ids: ids.clone() },
            Pick::Bury(tombstones) => Change::Bury { tombstones: tombstones.clone() },
        };
        ChangeSet { id, at: self.at, changes: picks.iter().map(change).collect() }
    }

    /// A set that no gate has seen: for tests of stores, which promise to keep whatever they
    /// are given. Only the feature `testing` has it, and nothing that ships turns that on.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn unguarded(id: ChangeSetId, at: Timestamp, changes: Vec<Change>) -> ChangeSet {
        ChangeSet { id, at, changes }
    }
}

/// What a part of a set does at one place: what the whole does there, or something that
/// holds no text.
#[derive(Clone, Debug, PartialEq)]
pub enum Pick {
    /// The change of the whole at this place.
    Same(usize),
    /// Counts a use of some.
    Use(Vec<MemoryId>),
    /// Removes some; none at all is how a part leaves a place out.
    Forget(Vec<MemoryId>),
    /// Removes some that are kept elsewhere, or whose time is over.
    Release(Vec<MemoryId>),
    /// Tells of some that were forgotten elsewhere.
    Bury(Vec<Tombstone>),
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Stores a memory: see [`Remember`].
    Remember(Box<Remember>),
    /// Changes a memory and keeps what it said: see [`Edit`].
    Edit(Box<Edit>),
    /// Marks `old` as replaced by `by`, or, with none, as current again.
    Supersede {
        /// The memory that is replaced.
        old: MemoryId,
        /// What replaces it; none undoes.
        by: Option<MemoryId>,
    },
    /// Counts one use of each. Ids that do not exist are passed over.
    Use {
        /// What was used.
        ids: Vec<MemoryId>,
    },
    /// Removes memories with all their versions. Ids that do not exist are passed over. A
    /// memory that one of them replaced stays replaced, as it does when its replacement is
    /// pushed out or expires: what was once called outdated must not come back by itself.
    /// [`Change::Supersede`] with none makes it current. A [`Tombstone`] is left of each: nothing
    /// brings it back under its id.
    Forget {
        /// What goes.
        ids: Vec<MemoryId>,
    },
    /// Removes memories that are kept elsewhere from now on, or whose time is over: as
    /// [`Change::Forget`], but nothing is left that would keep them out.
    Release {
        /// What goes.
        ids: Vec<MemoryId>,
    },
    /// Forgets what was forgotten elsewhere: memories that the tombstones cover go, and the
    /// tombstones stay. Of two for one id the later counts.
    Bury {
        /// What was forgotten.
        tombstones: Vec<Tombstone>,
    },
    /// Puts a memory as two stores agreed on it: see [`Adopt`].
    Adopt(Box<Adopt>),
    /// Removes unpinned memories of a category that were created before a time.
    Expire {
        /// The category that ends.
        category: Category,
        /// Created before this.
        before: Timestamp,
    },
    /// Puts a memory and its versions back exactly as they are, whatever is there under
    /// that id. No limit, no dedup: what `migrate` moves must arrive. Only what was forgotten
    /// here stays out.
    Restore(Box<Record>),
    /// The conversation of this channel and user: renewed, or begun under the given id.
    OpenSession {
        /// Where it takes place.
        channel: String,
        /// With whom.
        user: String,
        /// Its id, if it does not exist yet.
        fresh: SessionId,
    },
    /// Stores a conversation exactly as it is, whatever is there under that id.
    PutSession(Box<Session>),
    /// A conversation as far as it is known now: begun if it is new. What was known of it and
    /// is not said this time stays, and its times only widen.
    RenewSession(Box<Session>),
    /// Stores turns, each replacing one of the same session and seq. The session must exist.
    PutTurns {
        /// What was said.
        turns: Vec<Turn>,
    },
    /// Removes a conversation, its turns, and the memories of its scope.
    ForgetSession {
        /// What goes.
        id: SessionId,
    },
    /// Removes conversations of channels that nobody continued since a time.
    ExpireSessions {
        /// Last active before this.
        idle_since: Timestamp,
    },
}

/// Stores a memory.
///
/// - A memory of the same key in the same scope gets the new content and keeps the old as a
///   version; its id and creation time stay. So do its pin, its metadata, and its category,
///   importance and conversation unless others were said. Origin and trust are those of the
///   new speaker, whose words they now are.
/// - A current memory of the same content in the same scope is that memory: its use is
///   renewed, its trust raised, and nothing is stored twice. A category or importance that
///   was said is taken over; another category keeps the old as a version. The conversation
///   stays the first that was named.
/// - Quarantine is neither left nor spread that way: a quarantined telling adds nothing to a
///   memory that is none, and a quarantined memory is raised only by the user's own word, and
///   only if nothing else about it is suspicious. What is quarantined replaces nothing that
///   is not.
/// - Then the limits of the scope hold: the oldest evictable memories go, all at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Remember {
    /// What is stored.
    pub memory: Memory,
    /// What holds for its scope.
    pub limits: ScopeLimits,
    /// Memories it replaces; each must exist.
    pub supersedes: Vec<MemoryId>,
    /// What of the memory the speaker said; the rest is as usual for a new one, and leaves a
    /// known one as it is.
    pub said: Said,
}

/// Puts a memory and its versions as two stores agreed on them, unless it is no longer as it was
/// seen: then it is a conflict, and whoever compares them looks again. No limit, no dedup. How
/// often it was used stays as it is, and what was forgotten here stays out.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopt {
    /// What was agreed on.
    pub record: Record,
    /// The fingerprint of the memory that was seen here; none if there was none.
    pub seen: Option<ContentHash>,
}

/// Which fields of a memory are somebody's word, and not merely filled in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Its category.
    pub category: bool,
    /// Its importance.
    pub importance: bool,
}

impl Said {
    /// All of it.
    pub const EVERYTHING: Said = Said { category: true, importance: true };
}

/// Changes a memory. A change of content, key or category keeps the old as a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Which memory.
    pub id: MemoryId,
    /// The `updated_at` the caller saw; if the memory has moved on, the edit is a conflict.
    pub expected: Option<Timestamp>,
    /// What holds for its scope.
    pub limits: ScopeLimits,
    /// What changes.
    pub patch: Patch,
}

/// What an edit changes; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// A new text.
    pub content: Option<String>,
    /// A new key, or, inside, none at all.
    pub key: Option<Option<String>>,
    /// A new category.
    pub category: Option<Category>,
    /// Another level of trust.
    pub trust: Option<Trust>,
    /// Who changes the text; not said, the one who said it. Somebody less trusted becomes its
    /// origin, and takes its trust down to the usual of theirs.
    pub origin: Option<Origin>,
    /// Pinned or not.
    pub pinned: Option<bool>,
    /// Another weight.
    pub importance: Option<Importance>,
    /// Metadata to set; an empty value removes the name.
    pub metadata: BTreeMap<String, String>,
}

impl Patch {
    /// Whether nothing at all would change. Who would change nothing does not matter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Patch { origin: self.origin, ..Patch::default() }
    }
}

/// What a set did, one outcome for each change, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// What each change did.
    pub outcomes: Vec<Outcome>,
    /// Files in which something that was removed can still be read, because somebody was
    /// reading it: [`Store::wipe`](crate::store::Store::wipe) empties them later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lingers: Vec<String>,
}

impl Applied {
    /// What each change did, with nothing left behind.
    #[must_use]
    pub fn new(outcomes: Vec<Outcome>) -> Self {
        Applied { outcomes, lingers: Vec::new() }
    }
}

/// What one change did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// Of [`Change::Remember`].
    Remembered(Box<Stored>),
    /// Of [`Change::Edit`] and [`Change::Supersede`]: the memory as it is now.
    Edited(Box<Stored>),
    /// Ids that were used, forgotten or expired.
    Touched {
        /// Those that existed.
        ids: Vec<MemoryId>,
    },
    /// Of [`Change::OpenSession`]: the conversation as it is now.
    Session(Box<Session>),
    /// Conversations that were removed.
    SessionsGone {
        /// Those that existed.
        ids: Vec<SessionId>,
    },
    /// Of [`Change::Restore`] and [`Change::Adopt`]: it was forgotten here, and stays so.
    Forgotten {
        /// What was not brought back.
        id: MemoryId,
    },
    /// There is nothing to say about it.
    Done,
}

/// A memory as a write left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// As it is now.
    pub memory: Memory,
    /// Whether it was there already.
    pub duplicate: bool,
    /// What the limit pushed out; holds the memory's own id if there was no room for it.
    pub evicted: Vec<MemoryId>,
    /// What it replaced.
    pub superseded: Vec<MemoryId>,
}

/// Which scopes a change names openly. Changes by id name none.
impl Change {
    /// The scope the change writes to, if it says.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Change::Remember(remember) => Some(&remember.memory.scope),
            Change::Restore(record) => Some(&record.memory.scope),
            Change::Adopt(adopt) => Some(&adopt.record.memory.scope),
            _ => None,
        }
    }
}
