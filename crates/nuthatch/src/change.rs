//! The only way anything is altered: a set of changes, applied whole or not at all.
//!
//! A change says what is wanted, not how; what it does is the same in every store, and is
//! written down as cases of the conformance suite. Applying a set again changes nothing and
//! names the same memories: a store knows the last thousand sets, for the caller who did not
//! hear the first answer. (A store of files forgets them with its index.)

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::id::{ChangeSetId, MemoryId, SessionId};
use crate::limits::ScopeLimits;
use crate::memory::{Importance, Memory, Record};
use crate::scope::Scope;
use crate::session::{Session, Turn};
use crate::trust::Trust;

/// Changes that happen together or not at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeSet {
    /// Names the set: applying it again does nothing more.
    pub id: ChangeSetId,
    /// When it happens.
    pub at: Timestamp,
    /// What happens, in order.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
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
    /// [`Change::Supersede`] with none makes it current.
    Forget {
        /// What goes.
        ids: Vec<MemoryId>,
    },
    /// Removes unpinned memories of a category that were created before a time.
    Expire {
        /// The category that ends.
        category: Category,
        /// Created before this.
        before: Timestamp,
    },
    /// Puts a memory and its versions back exactly as they are, whatever is there under
    /// that id. No limit, no dedup: what `migrate` moves must arrive.
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
/// - Then the limits of the scope hold: the oldest evictable memories go, all at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remember {
    /// What is stored.
    pub memory: Memory,
    /// What holds for its scope.
    pub limits: ScopeLimits,
    /// Memories it replaces; each must exist.
    pub supersedes: Vec<MemoryId>,
    /// What of the memory the speaker said; the rest is as usual for a new one, and leaves a
    /// known one as it is.
    #[serde(default)]
    pub said: Said,
}

/// Which fields of a memory are somebody's word, and not merely filled in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// A new text.
    pub content: Option<String>,
    /// A new key, or, inside, none at all.
    pub key: Option<Option<String>>,
    /// A new category.
    pub category: Option<Category>,
    /// Another level of trust.
    pub trust: Option<Trust>,
    /// Pinned or not.
    pub pinned: Option<bool>,
    /// Another weight.
    pub importance: Option<Importance>,
    /// Metadata to set; an empty value removes the name.
    pub metadata: BTreeMap<String, String>,
}

impl Patch {
    /// Whether nothing at all would change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Patch::default()
    }
}

/// What a set did, one outcome for each change, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// What each change did.
    pub outcomes: Vec<Outcome>,
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
            _ => None,
        }
    }
}
