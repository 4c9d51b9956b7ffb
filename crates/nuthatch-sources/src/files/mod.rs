//! Context files: what a project's `AGENTS.md` and its kin say at one place.
//!
//! [`ContextFiles::load`] finds the files of every level (`discover`), puts what they import
//! in its place (`import`), leaves out twins and says what it could not do. The answer is
//! kept and given again as long as nothing it came from has changed. Nothing fails for the
//! sake of one file.

mod cache;
mod code;
mod discover;
mod disk;
pub mod import;
mod load;
mod product;
mod render;

use std::path::PathBuf;

use serde::Serialize;

pub use cache::ContextFiles;
pub use discover::Level;
pub use product::Product;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FilesRequest {
    /// Whose rules.
    pub product: Product,
    /// Names of our context files; other products have their own.
    pub names: Vec<String>,
    /// The project's root.
    pub root: PathBuf,
    /// The file or folder that is worked on.
    pub target: PathBuf,
    /// The folder of the user's own context files.
    pub user: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Further folders that may be imported from.
    pub allowed: Vec<PathBuf>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Loaded {
    /// The files, from the general to the particular.
    pub files: Vec<ContextFile>,
    /// What could not be done, or is worth knowing.
    pub notes: Vec<Note>,
}

/// One context file with all that it imports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextFile {
    /// Where it stands.
    pub path: PathBuf,
    /// How it is called: relative to the project where it lies in it.
    pub name: String,
    /// How far its word reaches.
    pub level: Level,
    /// What it says, imports in their places.
    pub text: String,
    /// The files it imports.
    pub imports: Vec<String>,
    /// Files that say the same and are left out.
    pub twins: Vec<String>,
}

/// Something worth knowing about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The file, as it is called.
    pub file: String,
    /// The line it is about, from 1, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What about it.
    pub text: String,
}
