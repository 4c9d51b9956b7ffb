//! Who said it, and how far it may be believed.
//!
//! Trust is ordered: `quarantined < inferred < observed < confirmed`. Origin and trust are
//! set at the door. Edits, repetitions and summaries can lower trust; only a person raises
//! it out of quarantine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::id::SessionId;

/// Who said it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Origin {
    /// The user.
    #[default]
    User,
    /// An agent, on its own account.
    Agent,
    /// Seen in a tool's output or on a web page.
    Tool,
    /// Extracted from a session.
    Extracted,
    /// Brought in from another system.
    Imported,
}

/// How far it may be believed; later variants outrank earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Trust {
    /// Suspicious, or only from tool output: never put into a prompt.
    Quarantined,
    /// Extracted from a session, by rules or a model.
    Inferred,
    /// An agent stored it.
    Observed,
    /// The user said or approved it.
    Confirmed,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Origin; 5] =
        [Origin::User, Origin::Agent, Origin::Tool, Origin::Extracted, Origin::Imported];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Agent => "agent",
            Origin::Tool => "tool",
            Origin::Extracted => "extracted",
            Origin::Imported => "imported",
        }
    }

    /// The trust a memory of this origin has, unless somebody says otherwise.
    #[must_use]
    pub fn usual_trust(self) -> Trust {
        match self {
            Origin::User => Trust::Confirmed,
            Origin::Agent | Origin::Imported => Trust::Observed,
            Origin::Extracted => Trust::Inferred,
            Origin::Tool => Trust::Quarantined,
        }
    }
}

impl Trust {
    /// Every level, lowest first.
    pub const ALL: [Trust; 4] =
        [Trust::Quarantined, Trust::Inferred, Trust::Observed, Trust::Confirmed];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Trust::Quarantined => "quarantined",
            Trust::Inferred => "inferred",
            Trust::Observed => "observed",
            Trust::Confirmed => "confirmed",
        }
    }

    /// The trust of something made out of others, a summary for example: what was not said
    /// but inferred, and never more than the least trusted of them. Nothing vouches for what
    /// is made out of nothing.
    pub fn derived_from(sources: impl IntoIterator<Item = Trust>) -> Trust {
        let least = sources.into_iter().min().unwrap_or(Trust::Quarantined);
        least.min(Trust::Inferred)
    }

    /// The trust that is left when somebody of this origin puts words into the mouth of a
    /// memory that had this trust.
    #[must_use]
    pub fn reworded_by(self, origin: Origin) -> Trust {
        self.min(origin.usual_trust())
    }
}

macro_rules! named {
    ($type:ident, $word:literal, $hint:literal) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self> {
                $type::ALL
                    .into_iter()
                    .find(|known| known.name() == text)
                    .ok_or_else(|| Error::invalid(concat!("unknown ", $word)).with_hint($hint))
            }
        }
    };
}

named!(Origin, "origin", "user, agent, tool, extracted or imported");
named!(Trust, "trust", "confirmed, observed, inferred or quarantined");

/// Where exactly a memory came from, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The conversation it was said in or extracted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The turns of that conversation that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u64>,
    /// A file, a page, another system: whatever names the place outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_made_out_of_nothing_is_quarantined() {
        assert_eq!(Trust::derived_from([]), Trust::Quarantined);
    }

    #[test]
    fn an_agent_that_rewords_the_user_is_not_the_user() {
        assert_eq!(Trust::Confirmed.reworded_by(Origin::Agent), Trust::Observed);
        assert_eq!(Trust::Confirmed.reworded_by(Origin::Tool), Trust::Quarantined);
        assert_eq!(Trust::Observed.reworded_by(Origin::User), Trust::Observed);
        assert_eq!(Trust::Quarantined.reworded_by(Origin::User), Trust::Quarantined);
    }

    proptest! {
        #[test]
        fn a_derived_memory_is_never_more_trusted_than_its_least_trusted_source(
            sources in prop::collection::vec(prop::sample::select(Trust::ALL.to_vec()), 1..8),
        ) {
            let derived = Trust::derived_from(sources.iter().copied());
            prop_assert!(sources.iter().all(|source| derived <= *source));
            prop_assert!(derived <= Trust::Inferred);
            // And however often it is derived from in turn.
            prop_assert!(Trust::derived_from([derived]) <= derived);
        }
    }
}
