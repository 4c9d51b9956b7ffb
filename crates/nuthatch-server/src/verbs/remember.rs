//! `remember`: stores a memory.
//!
//! Who speaks through these doors is an agent, never the user.

use std::collections::BTreeMap;

use nuthatch::Place;
use nuthatch::category::Category;
use nuthatch::error::Result;
use nuthatch::guard::Form;
use nuthatch::id::SessionId;
use nuthatch::memory::Importance;
use nuthatch::remember::{RememberRequest, Remembered};
use nuthatch::trust::Origin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who says it. What the user types is said through the command; what comes through a
/// program was said by an agent, or seen by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The agent itself.
    Agent,
    /// The output of a tool, a web page, a file.
    Tool,
}

impl From<Speaker> for Origin {
    fn from(speaker: Speaker) -> Origin {
        match speaker {
            Speaker::Agent => Origin::Agent,
            Speaker::Tool => Origin::Tool,
        }
    }
}

/// What is to be remembered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberArgs {
    /// What to remember: one self-contained fact in plain words, e.g. "The staging database
    /// listens on port 5433".
    pub content: String,
    /// Kind of memory: preference, personal_fact, workflow, restriction, convention, mistake
    /// (with what mends it), strategy, core, or a snake_case name of your own. Default core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// A stable name such as "editor". Saving the same key again replaces the text and keeps
    /// the old one as a version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whose memory: project (this repository), global (every project) or user (the person).
    /// Default project inside a repository, else global.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Never let a limit push it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// How much it matters, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
    /// Keep line breaks as they are; otherwise the text becomes one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<bool>,
    /// Ids or keys of memories that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<Vec<String>>,
    /// Anything else worth keeping with it: names and short texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// The id of the conversation it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// "tool" if the text was found in a tool's output, a file or a web page rather than
    /// said or concluded; it is then kept apart until a person approves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Speaker>,
}

/// Stores it.
///
/// # Errors
/// As [`nuthatch::Engine::remember`].
pub async fn remember(place: &Place, args: RememberArgs) -> Result<Remembered> {
    let scope = match &args.scope {
        Some(scope) => place.scope(scope)?,
        None => place.home().clone(),
    };
    let mut supersedes = Vec::new();
    for name in args.supersedes.iter().flatten() {
        let scopes = [place.visible(), vec![scope.clone()]].concat();
        supersedes.push(place.find(name, scopes).await?.id);
    }
    let request = RememberRequest {
        form: if args.note == Some(true) { Form::Note } else { Form::Fact },
        key: args.key,
        category: args.category.map(Category::new).transpose()?,
        session: args.session,
        origin: args.origin.unwrap_or(Speaker::Agent).into(),
        pinned: args.pinned.unwrap_or_default(),
        importance: args.importance,
        metadata: args.metadata.unwrap_or_default(),
        supersedes,
        ..RememberRequest::new(args.content, scope)
    };
    place.engine().remember(request).await
}
