//! What happened in a session of some agent, as its readers report it.
//!
//! One model of events for every product: who spoke, what was called, what came of it. What
//! is not the user's own words is marked as such. Readers live in `nuthatch-sources`; what is
//! worth keeping of it is decided by `extract`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::model::Usage;
use crate::session::{Role, Turn};

/// Longest text of a call in a turn: the command, not the file it writes.
const LONGEST_CALL: usize = 300;
/// Longest text of a failure in a turn.
const LONGEST_FAILURE: usize = 600;
/// Before a turn that is beside the line of talk that counts.
pub const ASIDE: &str = "(aside) ";

/// What is known of a session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionHead {
    /// The product's own id of the session.
    pub id: String,
    /// The product, for example `claude-code`.
    pub agent: String,
    /// The folder it worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The branch checked out there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The remote of the repository, where the product notes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// A line that says what it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The session it is a part of, for a sub-agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When something last happened in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Where a text of the user's side comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The person typed it.
    Person,
    /// The host, a hook, a command or another agent put it there.
    Host,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum What {
    /// Something on the user's side.
    User {
        /// Whose words these are.
        voice: Voice,
        /// The words.
        text: String,
    },
    /// The model said something to the user.
    Assistant {
        /// What it said.
        text: String,
    },
    /// The model called a tool.
    ToolCall {
        /// Names the call.
        id: String,
        /// The tool, as the product calls it.
        name: String,
        /// Its arguments, as JSON or text; long ones are cut.
        input: String,
    },
    /// What came of a call.
    ToolResult {
        /// The call.
        id: String,
        /// Whether the tool, or the command it ran, failed.
        failed: bool,
        /// What it said; long ones are cut.
        output: String,
    },
    /// The product's own summary of what went before: derived, never the user's words.
    Summary {
        /// The summary.
        text: String,
    },
}

/// One event of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the session: never changes once given, and grows.
    pub seq: u64,
    /// When it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The model, for what a model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost, counted once for each answer of a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether it is on a branch of the session that was left again, or in a side-chain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// What happened.
    pub what: What,
}

impl Event {
    /// It as a turn that can be found again: what the person and the model said, what was
    /// called, what failed. What a host said, summaries and what tools answer when all is well
    /// are no turns. An event without a time has `otherwise`; one that is aside begins with
    /// [`ASIDE`], so that nobody takes a branch that was left for what was agreed.
    #[must_use]
    pub fn turn(&self, session: &SessionId, otherwise: Timestamp) -> Option<Turn> {
        let first = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        let (role, text) = match &self.what {
            What::User { voice: Voice::Person, text } => (Role::User, text.clone()),
            What::Assistant { text } => (Role::Assistant, text.clone()),
            What::ToolCall { name, input, .. } => {
                (Role::Assistant, format!("{name}: {}", first(input, LONGEST_CALL)))
            }
            What::ToolResult { failed: true, output, .. } if !output.trim().is_empty() => {
                (Role::Tool, first(output, LONGEST_FAILURE))
            }
            What::User { .. } | What::ToolResult { .. } | What::Summary { .. } => return None,
        };
        let text = if self.aside { format!("{ASIDE}{text}") } else { text };
        let (session, seq, at) = (session.clone(), self.seq, self.at.unwrap_or(otherwise));
        Some(Turn { session, seq, at, role, text, asked: None })
    }
}

/// What could not be read, by kind, for example `not json` or `unknown type: foo`.
pub type Skipped = BTreeMap<String, u64>;
