//! What a project's memories become: a document, a summary, and skills.
//!
//! The store is the truth; [`Artifacts`] are made from it and can be made again. An entry
//! names the memories it was made of, and as long as they say the same it keeps its bytes,
//! whoever worded it, so a run with nothing new changes nothing and asks nobody. A model may
//! word and merge; it can neither add nor lose anything. Reading and writing the files is the
//! caller's business.

mod by_model;
mod current;
mod diff;
mod document;
mod entry;
mod grounded;
mod skills;
mod summary;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::extract::Synopsis;
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::model::Usage;

pub use by_model::{by_model, estimate};
pub use diff::diff;
pub use skills::is_generated;

use self::current::Current;

/// Most tokens of the summary, by our estimate.
pub const SUMMARY_TOKENS: usize = 5000;

/// The generated files of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifacts {
    /// `MEMORY.md`, the document.
    pub memory_md: String,
    /// `memory_summary.md`, what goes into a session's start.
    pub summary_md: String,
    /// `skills/<name>/SKILL.md` by name. Those that people wrote are given, too, so that
    /// nothing takes their names.
    pub skills: BTreeMap<String, String>,
}

/// What there is to consolidate.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// What the store holds for the project, in any order: replaced ones, too.
    pub memories: &'a [Memory],
    /// What its sessions were about.
    pub synopses: &'a [Synopsis],
    /// The time it is.
    pub now: Timestamp,
    /// Most tokens of the summary; [`SUMMARY_TOKENS`] as a rule.
    pub summary_tokens: usize,
}

impl<'a> Given<'a> {
    /// Memories and synopses at a time, with the usual room for the summary.
    #[must_use]
    pub fn new(memories: &'a [Memory], synopses: &'a [Synopsis], now: Timestamp) -> Self {
        Given { memories, synopses, now, summary_tokens: SUMMARY_TOKENS }
    }

    /// Names what is given, without the time: a caller that saw it before has nothing to do.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut lines: Vec<String> = self.memories.iter().map(entry::telling).collect();
        lines.extend(self.synopses.iter().map(|one| format!("{one:?}")));
        lines.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.summary_tokens.to_le_bytes());
        for line in &lines {
            hasher.update(&(line.len() as u64).to_le_bytes());
            hasher.update(line.as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}

/// What consolidation did, for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// An entry that was not in the document.
    Added {
        /// What it says.
        text: String,
    },
    /// An entry that is not in the document any more, because what it was made of is gone.
    Removed {
        /// What it said.
        text: String,
    },
    /// A memory that another contradicts; it is kept as history.
    Replaced {
        /// The memory.
        id: MemoryId,
        /// The one that holds.
        by: MemoryId,
    },
    /// A memory that nobody used or confirmed for long; it stays in the store.
    Faded {
        /// The memory.
        id: MemoryId,
    },
    /// A skill that was written or written anew.
    Skill {
        /// Its name.
        name: String,
    },
    /// A generated skill that nothing stands behind any more.
    Pruned {
        /// Its name.
        name: String,
    },
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Consolidated {
    /// The files as they should be; skills that people wrote are among them, untouched.
    pub artifacts: Artifacts,
    /// What is different, in a fixed order.
    pub changes: Vec<Change>,
    /// What a reader should know: a model whose answer could not be used, a name taken.
    pub notes: Vec<String>,
    /// What a model cost; nothing by rules.
    #[serde(default)]
    pub usage: Usage,
}

/// Makes the files by rules alone.
#[must_use]
pub fn by_rules(present: &Artifacts, given: Given<'_>) -> Consolidated {
    let current = Current::of(given);
    let kept = entry::kept(&present.memory_md, &current);
    let covered: BTreeSet<MemoryId> = kept.iter().flat_map(|one| one.sources.clone()).collect();
    let mut entries = kept;
    entries.extend(entry::plain(&current, &covered));
    let playbooks = skills::kept(&present.skills, &current);
    render(present, &current, entries, playbooks)
}

/// The files out of entries and playbooks, and what is different about them.
fn render(
    present: &Artifacts,
    current: &Current<'_>,
    entries: Vec<entry::Entry>,
    playbooks: Vec<skills::Playbook>,
) -> Consolidated {
    let mut notes = Vec::new();
    let workflows = workflow::recurring(current);
    let skills = skills::all(present, current, &workflows, playbooks, &mut notes);
    let sections = document::sections(current, entries);
    let memory_md = document::render(current, &sections, &workflows);
    let summary_md = summary::render(current, &sections, &workflows, &skills);
    let artifacts = Artifacts { memory_md, summary_md, skills };
    let changes = diff::changes(present, &artifacts, current);
    Consolidated { artifacts, changes, notes, usage: Usage::default() }
}

#[cfg(test)]
mod tests;
