//! Conversations: found or begun by channel and user, listed, read and forgotten.
//!
//! What is being said right now is no conversation of this kind; see `note`.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::filter::Page;
use nuthatch::forget::Forgotten;
use nuthatch::id::SessionId;
use nuthatch::session::{Session, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::ListArgs;

/// Whose conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionArgs {
    /// Where it takes place, e.g. "telegram".
    pub channel: String,
    /// Who takes part.
    pub user: String,
}

/// A part of a longer answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageArgs {
    /// At most so many. Default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Leave out so many first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl PageArgs {
    fn page(&self) -> Result<Page> {
        ListArgs { limit: self.limit, offset: self.offset, ..ListArgs::default() }.page()
    }
}

/// Conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sessions {
    /// Last active first.
    pub sessions: Vec<Session>,
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turns {
    /// In order.
    pub turns: Vec<Turn>,
}

/// The conversation of a channel and a user.
///
/// # Errors
/// `invalid` for an empty channel or user.
pub async fn session(place: &Place, args: SessionArgs) -> Result<Session> {
    place.engine().session(&args.channel, &args.user).await
}

/// Lists conversations.
///
/// # Errors
/// Whatever the store says.
pub async fn sessions(place: &Place, args: PageArgs) -> Result<Sessions> {
    Ok(Sessions { sessions: place.engine().sessions(args.page()?).await? })
}

/// What was said in one.
///
/// # Errors
/// Whatever the store says.
pub async fn turns(place: &Place, session: String, args: PageArgs) -> Result<Turns> {
    let session = SessionId::new(session)?;
    Ok(Turns { turns: place.engine().turns(&session, args.page()?).await? })
}

/// Removes one, its turns and the memories of its scope, and says where something of them
/// can still be read.
///
/// # Errors
/// `not_found`, when there is none of that id.
pub async fn forget_session(place: &Place, session: String) -> Result<Forgotten> {
    place.forget_session(SessionId::new(session)?).await
}
