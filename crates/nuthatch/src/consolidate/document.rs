//! `MEMORY.md`: sections in a fixed order, entries oldest first, history at the end.
//!
//! Nothing in it depends on when it is written or how often a memory was used, so that it
//! changes only where memory changed.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::extract::LEARNED_AS;
use crate::id::MemoryId;
use crate::memory::Memory;

use super::current::Current;
use super::entry::{Entry, day, line};
use super::workflow::Workflow;

/// Replaced memories shown: older ones are in the store.
const MOST_HISTORY: usize = 50;

const HEADER: &str = "# Memory\n\n\
    What earlier work taught about this project. Made by nuthatch from its store: change memories \
    there\n(`nuthatch edit`, `nuthatch forget`), because this file is written anew.\n";

/// What an entry is about, in the order of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Restrictions,
    Preferences,
    Conventions,
    Workflows,
    Decisions,
    Fixes,
    Environment,
    Person,
}

impl Section {
    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Section::Restrictions => "Restrictions",
            Section::Preferences => "Preferences",
            Section::Conventions => "Conventions",
            Section::Workflows => "Workflows",
            Section::Decisions => "Facts and decisions",
            Section::Fixes => "What fails, and what works instead",
            Section::Environment => "Environment",
            Section::Person => "About the user",
        }
    }

    /// Where a memory belongs.
    pub fn of(memory: &Memory) -> Section {
        if is_fix(memory) {
            return Section::Fixes;
        }
        match memory.category.as_str() {
            "restriction" => Section::Restrictions,
            "preference" => Section::Preferences,
            "convention" => Section::Conventions,
            "workflow" | "strategy" => Section::Workflows,
            "personal_fact" => Section::Person,
            "environment" | "host_info" | "service_state" | "discovery" => Section::Environment,
            "mistake" => Section::Fixes,
            _ => Section::Decisions,
        }
    }
}

/// Whether a memory says which command fails and which one works.
pub fn is_fix(memory: &Memory) -> bool {
    memory.metadata.get(LEARNED_AS).is_some_and(|kind| kind == "command_fix")
}

/// Entries by section, each section in the order in which things became known.
pub type Sections = BTreeMap<Section, Vec<Entry>>;

/// Sorts entries into sections.
pub fn sections(current: &Current<'_>, entries: Vec<Entry>) -> Sections {
    let mut sections = Sections::new();
    for entry in entries {
        let of = entry.sources.iter().filter_map(|id| current.find(*id)).map(Section::of).min();
        sections.entry(of.unwrap_or(Section::Decisions)).or_default().push(entry);
    }
    for entries in sections.values_mut() {
        entries.sort_by_cached_key(|entry| known_since(current, entry));
    }
    sections
}

fn known_since(current: &Current<'_>, entry: &Entry) -> Option<(Timestamp, MemoryId)> {
    let sources = entry.sources.iter().filter_map(|id| current.find(*id));
    sources.map(|memory| (memory.created_at, memory.id)).min()
}

/// The whole document; nothing at all where there is nothing to say.
pub fn render(current: &Current<'_>, sections: &Sections, workflows: &[Workflow]) -> String {
    let history = history(current);
    if sections.is_empty() && workflows.is_empty() && history.is_empty() {
        return String::new();
    }
    let mut text = HEADER.to_owned();
    for (section, entries) in sections {
        heading(&mut text, section.title());
        for entry in entries {
            text.push_str(&entry.render(current));
            text.push('\n');
        }
    }
    let recurring: Vec<String> = workflows.iter().map(Workflow::render).collect();
    for (title, lines) in [("Commands that recur", recurring), ("Replaced", history)] {
        if !lines.is_empty() {
            heading(&mut text, title);
            for line in lines {
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
    text
}

fn heading(text: &mut String, title: &str) {
    text.push_str("\n## ");
    text.push_str(title);
    text.push_str("\n\n");
}

/// What held once and what holds instead, as far as that is known and may be shown.
fn history(current: &Current<'_>) -> Vec<String> {
    let shown = current.replaced.len().saturating_sub(MOST_HISTORY);
    let told = current.replaced[shown..].iter().map(|(old, by)| {
        let new = current.find(*by).map(|new| format!(" Now: {}", line(&new.content)));
        format!("- Until {}: {}{}", day(old), line(&old.content), new.unwrap_or_default())
    });
    told.collect()
}
