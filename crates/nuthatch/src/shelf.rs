//! The port behind which a project's generated documents are kept.
//!
//! Documents change as one set, in generations: a new one is staged where nobody sees it and
//! published at once, the old ones stay. What people wrote beside them is theirs. Files are
//! the business of `nuthatch-stores`; what the documents say is that of `consolidate`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::id::ProjectId;

/// Texts by their address below `memory://root/`, for example `MEMORY.md`.
pub type Documents = BTreeMap<String, String>;

/// The curated document.
pub const MEMORY: &str = "MEMORY.md";
/// What is put in at the start of a session.
pub const SUMMARY: &str = "memory_summary.md";

/// The document of a skill.
#[must_use]
pub fn skill(name: &str) -> String {
    format!("skills/{name}/SKILL.md")
}

/// The name of the skill whose document it is.
#[must_use]
pub fn skill_of(document: &str) -> Option<&str> {
    let name = document.strip_prefix("skills/")?.strip_suffix("/SKILL.md")?;
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    (!name.is_empty() && name.len() <= 64 && name.chars().all(legal)).then_some(name)
}

/// Whether it is one of the documents there can be.
#[must_use]
pub fn is_document(name: &str) -> bool {
    name == MEMORY || name == SUMMARY || skill_of(name).is_some()
}

/// What stands on a shelf now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// The generation that was last published; none before the first.
    pub generation: Option<u64>,
    /// Everything that is there, by people too.
    pub documents: Documents,
    /// Those of them that are not as they were published: people wrote or changed them.
    pub by_hand: Vec<String>,
}

/// One published set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Generation {
    /// Counts up from 1.
    pub number: u64,
    /// When it was published.
    pub at: Timestamp,
    /// What it came from.
    pub why: String,
    /// How many documents it has.
    pub documents: u64,
    /// Characters of all of them.
    pub chars: u64,
}

/// A set that is written out and seen by nobody yet. It ends unpublished if it is dropped.
pub trait Staged: Send {
    /// Puts it in the place of what is there, whole, and gives its number.
    ///
    /// # Errors
    /// `conflict`, when another set was published since this one was begun.
    fn publish(self: Box<Self>) -> Result<u64>;
}

/// What a set is to be.
#[derive(Clone, Debug)]
pub struct Edition<'a> {
    /// The generation it was made out of.
    pub seen: Option<u64>,
    /// Its documents; a generated one that is missing here goes.
    pub documents: &'a Documents,
    /// When it happens.
    pub at: Timestamp,
    /// What it comes from.
    pub why: &'a str,
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cleared {
    /// Documents.
    pub documents: u64,
    /// Generations.
    pub generations: u64,
}

/// Keeps the documents of projects.
pub trait Shelf: Send + Sync {
    /// What is there.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be read.
    fn present(&self, project: &ProjectId) -> Result<Present>;

    /// The generations that are kept, newest first.
    ///
    /// # Errors
    /// `unavailable`, when they cannot be read.
    fn log(&self, project: &ProjectId) -> Result<Vec<Generation>>;

    /// The documents of a generation.
    ///
    /// # Errors
    /// `not_found`, when it is not kept.
    fn generation(&self, project: &ProjectId, number: u64) -> Result<Documents>;

    /// Writes a set out, durably, where nobody sees it.
    ///
    /// # Errors
    /// `invalid` for a document there cannot be, `conflict` when another set was published.
    fn stage(&self, project: &ProjectId, edition: &Edition<'_>) -> Result<Box<dyn Staged>>;

    /// The text of a document. Nothing outside of the project's own place is ever read.
    ///
    /// # Errors
    /// `not_found`, when there is no such document.
    fn document(&self, project: &ProjectId, name: &str) -> Result<String>;

    /// Projects whose documents, of any generation, hold one of these words.
    ///
    /// # Errors
    /// `unavailable`, when they cannot be read.
    fn mentioning(&self, words: &[String]) -> Result<Vec<ProjectId>>;

    /// Lets every generation go but the published one.
    ///
    /// # Errors
    /// `unavailable`, when something could not be removed.
    fn forget_earlier(&self, project: &ProjectId) -> Result<()>;

    /// Removes what was generated, every generation included. What people wrote stays.
    ///
    /// # Errors
    /// `unavailable`, when something could not be removed.
    fn clear(&self, project: &ProjectId) -> Result<Cleared>;

    /// Where the documents of a project are, for people.
    fn place(&self, project: &ProjectId) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documents_have_names_of_documents() {
        for name in [MEMORY, SUMMARY, "skills/run-tests/SKILL.md"] {
            assert!(is_document(name), "{name}");
        }
        for name in [
            "",
            "memory.md",
            "../MEMORY.md",
            "skills/SKILL.md",
            "skills/../SKILL.md",
            "skills/a/b/SKILL.md",
            "skills/a/notes.md",
            "skills//SKILL.md",
        ] {
            assert!(!is_document(name), "{name}");
        }
        assert_eq!(skill_of(&skill("run-tests")), Some("run-tests"));
    }
}
