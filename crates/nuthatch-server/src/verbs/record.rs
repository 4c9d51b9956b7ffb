//! `record`: what was said in a conversation is kept, and found by its words at once.
//!
//! Saying the same again changes nothing, so a caller who does not know whether it arrived
//! sends it once more.

use std::collections::BTreeMap;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Page;
use nuthatch::id::SessionId;
use nuthatch::record::{RecordRequest, Recorded};
use nuthatch::session::{Role, Session, Turn};
use nuthatch::{Place, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Places in a conversation: as many as every reader of JSON can count.
const MOST_TURNS: u64 = (1 << 53) - 1;
/// Conversations looked through at a time for one that is known.
const BATCH: u64 = 1000;

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
    /// Whether it is about the current project; otherwise it is found from everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_project: Option<bool>,
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
    let session = known(place, &id).await?.unwrap_or_else(|| Session::new(id.clone(), now));
    let session = described(place, session, args.about.unwrap_or_default())?;
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

fn described(place: &Place, mut session: Session, about: About) -> Result<Session> {
    session.project = match (about.in_project, place.project()) {
        (None, _) => session.project,
        (Some(false), _) => None,
        (Some(true), Scope::Project(project)) => Some(project.clone()),
        (Some(true), _) => return Err(Error::invalid("there is no project here")),
    };
    session.agent = about.agent.or(session.agent);
    session.title = about.title.or(session.title);
    session.metadata.extend(about.metadata.unwrap_or_default());
    Ok(session)
}

async fn known(place: &Place, id: &SessionId) -> Result<Option<Session>> {
    let mut offset = 0;
    loop {
        let page = place.engine().sessions(Page { offset, limit: BATCH }).await?;
        let read = page.len() as u64;
        if let Some(found) = page.into_iter().find(|session| session.id == *id) {
            return Ok(Some(found));
        }
        if read < BATCH {
            return Ok(None);
        }
        offset += read;
    }
}
