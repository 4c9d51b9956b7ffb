//! `preamble`: the block of memory for a prompt.
//!
//! What enters it is decided in the library; here it is only asked for.

use nuthatch::Place;
use nuthatch::error::{Error, Result};
use nuthatch::preamble::{Line, Preamble, PreambleRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{note, wanted};

/// Largest block anybody gets: no model reads more.
pub(super) const MOST_TOKENS: usize = 200_000;

/// What the block is for.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreambleArgs {
    /// What the work is about; memories that match come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Most tokens of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<usize>,
    /// Only these scopes: project, global, user. Default all that can be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The name of your conversation, whose own findings are added. Default this connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// Builds it.
///
/// # Errors
/// Whatever the store says.
pub async fn preamble(
    place: &Place,
    args: PreambleArgs,
    connection: Option<&str>,
) -> Result<Preamble> {
    let budget_tokens = args.budget_tokens.unwrap_or(place.usual().budget_tokens);
    if budget_tokens > MOST_TOKENS {
        return Err(Error::invalid(format!("a block has at most {MOST_TOKENS} tokens")));
    }
    let thread = match (&args.thread, connection) {
        (None, None) => None,
        _ => Some(note::thread(args.thread, connection)?),
    };
    let scopes = place.scopes(&wanted(args.scopes, None, None, None), None)?;
    let request = PreambleRequest { scopes, thread, query: args.query, budget_tokens };
    place.engine().preamble(&request).await
}

/// The block, with what each line of it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Priced {
    /// The block.
    #[serde(flatten)]
    pub block: Preamble,
    /// It line by line.
    pub lines: Vec<Line>,
    /// Most tokens it might have had.
    pub budget_tokens: usize,
}

/// What would be put in front of a prompt, line by line with its price.
///
/// # Errors
/// Whatever the store says.
pub async fn priced(place: &Place, args: PreambleArgs) -> Result<Priced> {
    let budget_tokens = args.budget_tokens.unwrap_or(place.usual().budget_tokens);
    let block = preamble(place, args, None).await?;
    Ok(Priced { lines: block.lines(), block, budget_tokens })
}
