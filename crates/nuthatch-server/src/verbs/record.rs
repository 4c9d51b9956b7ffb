//! `record`: what was said in a conversation is kept, and found by its words at once.
//!
//! Saying the same again changes nothing, so a caller who does not know whether it arrived
//! sends it once more.

use std::collections::BTreeMap;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::id::SessionId;
use nuthatch::record::{RecordRequest, Recorded};
use nuthatch::session::{Role, Session, Turn};
use nuthatch::{Place, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Places in a conversation: as many as every reader of JSON can count.
const MOST_TURNS: u64 = (1 << 53) - 1;

/// What was said.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordArgs {
    /// The id of the conversation.
    pub id: String,
    /// What was said, in any order; each replaces what is known of its place.
    pub turns: Vec<Said>,
    /// What is to be known of the conversation; what is left out stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
}

/// One thing that was said.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Its place in the conversation, from 0.
    pub seq: u64,
    /// Who spoke.
    pub role: Role,
    /// What was said; secrets in it are struck out.
    pub text: String,
    /// When. Default now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A conversation, in the caller's words.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The product whose conversation it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// A line that says what it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Anything else, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
}

/// Keeps it.
///
/// # Errors
/// `invalid` when nothing was said; as [`nuthatch::Engine::record`].
pub async fn record(place: &Place, args: RecordArgs) -> Result<Recorded> {
    if args.turns.is_empty() {
        return Err(Error::invalid("nothing was said")
            .with_hint("`turns` is a list of {\"seq\", \"role\", \"text\"}"));
    }
    if args.turns.iter().any(|said| said.seq > MOST_TURNS) {
        return Err(Error::invalid(format!("a place in a conversation is at most {MOST_TURNS}")));
    }
    let id = SessionId::new(args.id)?;
    let now = place.engine().now();
    let About { agent, title, metadata } = args.about.unwrap_or_default();
    // Where a memory would go that names no scope.
    let project = match place.home() {
        Scope::Project(project) => Some(project.clone()),
        _ => None,
    };
    let metadata = metadata.unwrap_or_default();
    let session = Session { agent, title, project, metadata, ..Session::new(id.clone(), now) };
    let turn = |said: Said| Turn {
        session: id.clone(),
        seq: said.seq,
        at: said.at.unwrap_or(now),
        role: said.role,
        text: said.text,
        asked: None,
    };
    let turns = args.turns.into_iter().map(turn).collect();
    place.engine().record(RecordRequest::new(session, turns), &|_, _| ()).await
}
