//! What a context is made of: items, each in a section and with a place to cite.
//!
//! Plain values: what makes them is in the sources, what becomes of them in `budget` and `render`.

use serde::Serialize;

/// The sections of a context, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Context files such as `AGENTS.md`.
    Files,
    /// The requirement, its status, its tasks.
    Plan,
    /// How the project is laid out.
    Architecture,
    /// Outputs of earlier agents, recalled memories, the summary.
    Memory,
    /// Past mistakes and what worked.
    Learning,
    /// Files and tails that the invocation names.
    Injected,
    /// What comes from outside the project.
    Sources,
}

impl Section {
    /// Every section, in order.
    pub const ALL: [Section; 7] = [
        Section::Files,
        Section::Plan,
        Section::Architecture,
        Section::Memory,
        Section::Learning,
        Section::Injected,
        Section::Sources,
    ];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Section::Files => "files",
            Section::Plan => "plan",
            Section::Architecture => "architecture",
            Section::Memory => "memory",
            Section::Learning => "learning",
            Section::Injected => "injected",
            Section::Sources => "sources",
        }
    }

    /// What stands above it, for people and models.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Section::Files => "Context files",
            Section::Plan => "Plan",
            Section::Architecture => "Architecture",
            Section::Memory => "Memory",
            Section::Learning => "Learned before",
            Section::Injected => "Named files and outputs",
            Section::Sources => "External sources",
        }
    }
}

/// How the text of an item is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The user's or the project's own words, as they are.
    Words,
    /// Somebody's text as it stands, in a block that it cannot close.
    Verbatim,
    /// A remembered line: data, disarmed, in the block of its section.
    Data,
}

/// Which end of an item may go when it is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// All or nothing.
    Never,
    /// The end goes.
    End,
    /// The beginning goes.
    Beginning,
}

/// One thing that may go into a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Where it stands.
    pub section: Section,
    /// Where it comes from: a path, an id, an address.
    pub citation: String,
    /// What it says.
    pub text: String,
    /// How it is to be taken.
    pub form: Form,
    /// Which end may go.
    pub cut: Cut,
}

impl Item {
    /// An item that is put in whole or not at all.
    pub fn new(
        section: Section,
        citation: impl Into<String>,
        text: impl Into<String>,
        form: Form,
    ) -> Self {
        Item { section, citation: citation.into(), text: text.into(), form, cut: Cut::Never }
    }

    /// The same, allowing a cut.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = cut;
        self
    }
}

/// What could not be had, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it is about.
    pub source: String,
    /// What happened.
    pub message: String,
}

impl Note {
    /// A note about `source`.
    pub fn new(source: impl Into<String>, message: impl Into<String>) -> Self {
        Note { source: source.into(), message: message.into() }
    }
}
