//! `remind`: what an agent's hook would say at a prompt, and why.
//!
//! The very block that `nuthatch hook` gives a session that was given nothing yet.

use nuthatch::Place;
use nuthatch::error::{Error, Result};
use nuthatch::id::MemoryId;
use nuthatch::recall::Mode;
use nuthatch::remind::{PROMPT_TOKENS, RemindRequest, Reminded, START_TOKENS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::preamble::MOST_TOKENS;
use super::wanted;

/// What was said, and to whom.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemindArgs {
    /// What the user said; nothing for the start of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Most tokens of the block. Default what hooks have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<usize>,
    /// The ids of memories that the session was given already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<MemoryId>>,
    /// Only these scopes: project, global, user. Default all that can be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
}

/// Finds it, and says why.
///
/// # Errors
/// `invalid` for more tokens than any block has; whatever the store says.
pub async fn remind(place: &Place, args: RemindArgs) -> Result<Reminded> {
    let usual = if args.prompt.is_some() { PROMPT_TOKENS } else { START_TOKENS };
    let budget_tokens = args.budget_tokens.unwrap_or(usual);
    if budget_tokens > MOST_TOKENS {
        return Err(Error::invalid(format!("a block has at most {MOST_TOKENS} tokens")));
    }
    let request = RemindRequest {
        scopes: place.scopes(&wanted(args.scopes, None, None, None), None)?,
        prompt: args.prompt,
        given: args.given.unwrap_or_default().into_iter().collect(),
        budget_tokens,
        mode: Mode::Hybrid,
    };
    place.engine().reminded(&request).await
}
