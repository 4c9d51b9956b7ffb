//! Conversations and what was said in them.
//!
//! Ours and other products' alike: ids are whatever the product calls them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::id::{ProjectId, SessionId, TurnId};
use crate::scope::Scope;
use crate::trust::{Origin, Trust};

/// One conversation of one agent, ours or another product's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Names it.
    pub id: SessionId,
    /// Where it takes place, for example `telegram`; together with `user` it is unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// With whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The product whose conversation it is, for example `claude-code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The project it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// A line that says what it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When something last happened in it.
    pub last_active_at: Timestamp,
    /// Anything else, as text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

impl Session {
    /// A conversation that begins now, with nothing else known.
    #[must_use]
    pub fn new(id: SessionId, at: Timestamp) -> Self {
        Session {
            id,
            channel: None,
            user: None,
            agent: None,
            project: None,
            title: None,
            started_at: at,
            last_active_at: at,
            metadata: BTreeMap::new(),
        }
    }

    /// This conversation with what is known of it later: what is not said again stays, and
    /// the times only widen.
    #[must_use]
    pub fn renewed(self, later: Session) -> Session {
        let Session {
            id,
            channel,
            user,
            agent,
            project,
            title,
            started_at,
            last_active_at,
            mut metadata,
        } = self;
        metadata.extend(later.metadata);
        Session {
            id,
            channel: later.channel.or(channel),
            user: later.user.or(user),
            agent: later.agent.or(agent),
            project: later.project.or(project),
            title: later.title.or(title),
            started_at: started_at.min(later.started_at),
            last_active_at: last_active_at.max(later.last_active_at),
            metadata,
        }
    }

    /// Where its turns are found: in its project, or, without one, in the global scope.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.project.clone().map_or(Scope::Global, Scope::Project)
    }
}

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's output.
    Tool,
    /// The host.
    System,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 4] = [Role::User, Role::Assistant, Role::Tool, Role::System];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::System => "system",
        }
    }

    /// How far what such a speaker said may be believed: nobody confirmed it as a memory, and
    /// a tool repeats whatever a page or a file says.
    #[must_use]
    pub fn trust(self) -> Trust {
        match self {
            Role::User | Role::Assistant | Role::System => Origin::Agent.usual_trust(),
            Role::Tool => Origin::Tool.usual_trust(),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Role::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| {
            Error::invalid("unknown role").with_hint("user, assistant, tool or system")
        })
    }
}

/// One thing said in a conversation. Session and `seq` together name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Turn {
    /// The conversation.
    pub session: SessionId,
    /// Its place in the conversation.
    pub seq: u64,
    /// When it was said.
    pub at: Timestamp,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// The question it answers, in the words of whoever spoke before: "Yes, last Tuesday"
    /// is found by what was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

impl Turn {
    /// What names it.
    #[must_use]
    pub fn id(&self) -> TurnId {
        TurnId { session: self.session.clone(), seq: self.seq }
    }
}
