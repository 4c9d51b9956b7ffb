//! What kind of memory it is: an open set of snake_case names with some well-known ones.
//!
//! The well-known names decide three things elsewhere: which file of a Markdown store an
//! entry lives in, how long it is kept, and that a restriction is never pushed out.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Longest category name: it becomes a file name.
const CATEGORY_CHARS: usize = 64;

/// What kind of memory it is, for example `preference` or `core`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub struct Category(String);

impl Category {
    /// Long-lived facts about the user.
    pub const FACTS: [&'static str; 5] =
        ["preference", "personal_fact", "workflow", "restriction", "convention"];
    /// What a session found out.
    pub const FINDINGS: [&'static str; 5] =
        ["host_info", "environment", "working_directory", "service_state", "discovery"];
    /// Knowledge: facts and decisions, a day's log, short-lived talk.
    pub const KNOWLEDGE: [&'static str; 3] = ["core", "daily", "conversation"];

    /// Checks and wraps a name.
    ///
    /// # Errors
    /// Of kind `invalid`, when the name is not snake_case.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let starts_well = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
        if starts_well && name.chars().all(legal) && name.len() <= CATEGORY_CHARS {
            return Ok(Category(name));
        }
        Err(Error::invalid(format!(
            "not a category: {:?}",
            name.chars().take(CATEGORY_CHARS).collect::<String>()
        ))
        .with_hint("a category is snake_case, for example preference, core or release_notes"))
    }

    /// The nearest legal name to one that another tool wrote: `Personal Fact` is
    /// `personal_fact`. What has no letter at all becomes `core`.
    #[must_use]
    pub fn nearest(name: &str) -> Self {
        let mut legal = String::new();
        for c in name.trim().chars() {
            let lower = c.to_ascii_lowercase();
            if lower.is_ascii_lowercase() || (lower.is_ascii_digit() && !legal.is_empty()) {
                legal.push(lower);
            } else if !legal.is_empty() && !legal.ends_with('_') {
                legal.push('_');
            }
        }
        legal.truncate(CATEGORY_CHARS);
        Category::new(legal.trim_end_matches('_')).unwrap_or_default()
    }

    /// A restriction of the user: never pushed out by a limit.
    #[must_use]
    pub fn restriction() -> Self {
        Category("restriction".into())
    }

    /// A day's log.
    #[must_use]
    pub fn daily() -> Self {
        Category("daily".into())
    }

    /// Short-lived talk.
    #[must_use]
    pub fn conversation() -> Self {
        Category("conversation".into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Category {
    /// `core`: long-term facts and decisions.
    fn default() -> Self {
        Category("core".into())
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Category {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

impl TryFrom<String> for Category {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        Self::new(text)
    }
}

impl From<Category> for String {
    fn from(category: Category) -> String {
        category.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_names_are_legal() {
        for name in Category::FACTS.iter().chain(&Category::FINDINGS).chain(&Category::KNOWLEDGE) {
            assert!(Category::new(*name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_category_cannot_name_a_path_or_a_date() {
        for bad in ["", "A", "a b", "a/b", "..", "2026-01-01", "_x", "é", &"x".repeat(65)] {
            assert!(Category::new(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn foreign_names_become_the_nearest_legal_one() {
        for (foreign, ours) in [
            ("Personal Fact", "personal_fact"),
            ("preference", "preference"),
            ("  ", "core"),
            ("3rd-party!", "rd_party"),
            ("日本", "core"),
            ("A--B", "a_b"),
        ] {
            assert_eq!(Category::nearest(foreign).as_str(), ours, "{foreign:?}");
        }
    }
}
