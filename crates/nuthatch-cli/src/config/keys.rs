//! What a configuration key is: its name, its shape, its default, who may set it.
//!
//! The keys themselves are data in [`super::table`]. Everything that knows about keys
//! (files, environment, flags, `config show`, the reference) reads that one table, so
//! that a key added there exists everywhere at once.

use super::shape::Shape;
use super::table::KEYS;
use super::wording;

/// One setting. Keys live for ever, in [`KEYS`].
#[derive(Debug)]
pub struct Key {
    /// The dotted name, for example `limits.facts`.
    pub name: &'static str,
    /// What values it takes.
    pub shape: Shape,
    /// The default as one would write it in the environment; `{data}` is the data folder.
    pub default: Option<&'static str>,
    /// One line for people.
    pub help: &'static str,
    /// Whether a repository may set it.
    pub project_file: ProjectFile,
    /// Other environment variables that set it, strongest first.
    pub aliases: &'static [&'static str],
}

/// What a project file, which comes from a repository, may do with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectFile {
    /// Set it.
    MaySet,
    /// Set it, as long as the store it names stays inside the project.
    MaySetInside,
    /// Nothing: it belongs to the user.
    MayNotSet,
    /// It alone may set it; the user file may not.
    AloneMaySet,
}

impl Key {
    /// A key that a project file may set and no other variable names.
    pub const fn new(
        name: &'static str,
        shape: Shape,
        default: Option<&'static str>,
        help: &'static str,
    ) -> Self {
        Key { name, shape, default, help, project_file: ProjectFile::MaySet, aliases: &[] }
    }

    /// Changes what a project file may do with it.
    pub const fn project_file(mut self, rule: ProjectFile) -> Self {
        self.project_file = rule;
        self
    }

    /// Adds environment variables that set it too, strongest first.
    pub const fn aliases(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// The section it stands in, for example `models.default`.
    pub fn section(&self) -> &'static str {
        self.name.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// Its name inside the section.
    pub fn leaf(&self) -> &'static str {
        self.name.rsplit_once('.').map_or(self.name, |(_, leaf)| leaf)
    }

    /// The environment variable that sets it, for example `NUTHATCH_LIMITS_FACTS`.
    pub fn variable(&self) -> String {
        format!("NUTHATCH_{}", self.name.replace('.', "_").to_ascii_uppercase())
    }
}

/// The key of that dotted name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether `name` is a section, or the front part of one (`models`).
pub fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| {
        key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')) && !name.is_empty()
    })
}

/// The section that an unknown one most likely meant.
pub fn section_suggestion(unknown: &str) -> Option<&'static str> {
    wording::nearest(unknown, KEYS.iter().map(Key::section))
}

/// The key that an unknown dotted name most likely meant.
pub fn suggestion(unknown: &str) -> Option<&'static str> {
    let (section, leaf) = unknown.rsplit_once('.').unwrap_or(("", unknown));
    let siblings = || KEYS.iter().filter(|key| key.section() == section);
    if let Some(near) = wording::nearest(leaf, siblings().map(Key::leaf)) {
        return siblings().find(|key| key.leaf() == near).map(|key| key.name);
    }
    if let Some(elsewhere) = KEYS.iter().find(|key| key.leaf() == leaf) {
        return Some(elsewhere.name);
    }
    wording::nearest(unknown, KEYS.iter().map(|key| key.name))
}
