//! `list` and `count`: memories that pass a filter, newest first, a page at a time.
//!
//! Nothing is searched or ranked here; that is `recall`.

use nuthatch::Place;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Page, Superseded};
use nuthatch::id::SessionId;
use nuthatch::store::Listed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wanted;

/// Most memories of one page: an answer has to fit a context and a body.
pub const MOST_LISTED: u64 = 1000;
/// A page, unless asked otherwise.
const USUAL: u64 = 20;

/// Which memories.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListArgs {
    /// At most so many. Default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Leave out so many first: the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Only these categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// Only these scopes: project, global, user, session:ID. Default all that can be seen
    /// from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Stored at or after: 7d, yesterday, 2026-03-01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Stored at or before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Only the memory of this key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Only pinned memories, or only others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Also memories that were replaced by others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<bool>,
    /// Only what was stored from, or belongs to, this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

impl ListArgs {
    /// The page that is asked for.
    ///
    /// # Errors
    /// `invalid`, when it is larger than any page.
    pub fn page(&self) -> Result<Page> {
        let limit = self.limit.unwrap_or(USUAL);
        if limit > MOST_LISTED {
            return Err(Error::invalid(format!("a page has at most {MOST_LISTED} memories"))
                .with_hint("ask for the rest with offset"));
        }
        // Stores count in signed numbers; no list is that long.
        let offset = self.offset.unwrap_or_default().min(i64::MAX as u64);
        Ok(Page { offset, limit })
    }
}

fn filter(place: &Place, args: ListArgs) -> Result<Filter> {
    let mut wanted = wanted(args.scopes, args.categories, args.since, args.until);
    if args.superseded == Some(true) {
        wanted.superseded = Superseded::Shown;
    }
    let mut filter = place.filter(&wanted, args.session.as_ref())?;
    filter.sessions = args.session.into_iter().collect();
    filter.key = args.key;
    filter.pinned = args.pinned;
    Ok(filter)
}

/// Lists them.
///
/// # Errors
/// Whatever the store says.
pub async fn list(place: &Place, args: ListArgs) -> Result<Listed> {
    let page = args.page()?;
    place.engine().list(&filter(place, args)?, page).await
}

/// How many there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    /// So many.
    pub count: u64,
}

/// Counts them.
///
/// # Errors
/// Whatever the store says.
pub async fn count(place: &Place, args: ListArgs) -> Result<Counted> {
    args.page()?;
    Ok(Counted { count: place.engine().count(&filter(place, args)?).await? })
}
