//! Which project this is: by explicit key, else by git, else by path.
//!
//! A project is a repository, not a folder: worktrees, clones and moved folders of one
//! repository have one id. [`root`] finds where a project begins, [`repository`] works
//! out a repository's id and keeps it stable, and [`registry`] remembers ids so that an
//! ordinary start runs no program at all.

pub mod git;
pub mod layout;
pub mod registry;
pub mod remote;
pub mod repository;
pub mod root;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use git::Git;
pub use root::{Root, find_root};

/// How many characters of a hash make an id: 64 bits, far beyond any number of projects.
const ID_LENGTH: usize = 16;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Project {
    /// The same for every clone, worktree and place of one repository.
    pub id: String,
    /// The folder it begins at, with links resolved.
    pub root: PathBuf,
    /// What the id was made from.
    pub how: How,
    /// What could not be done as well as it should, for a person.
    pub note: Option<String>,
}

/// What a project's id was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The key in its configuration.
    Key,
    /// Its first commit and its remote.
    Git,
    /// The folder it lies in.
    Path,
}

/// The project that begins at `root`, with the git program to ask.
///
/// `registry` is the file that remembers ids, made when it is missing; without one, git
/// is asked every time.
pub fn identify_root(
    root: &Root,
    explicit_key: Option<&str>,
    registry: Option<&Path>,
    git: &Git,
) -> Project {
    let project = |id: String, how, note| Project { id, root: root.folder.clone(), how, note };
    if let Some(key) = explicit_key {
        return project(key.to_owned(), How::Key, None);
    }
    let by_path = |note| project(path_id(&root.folder), How::Path, note);
    match &root.repository {
        None if layout::Layout::of_bare(&root.folder).is_some() => {
            by_path(Some("a bare repository is known by its path".to_owned()))
        }
        None => by_path(None),
        Some(top) => match repository::identify(top, registry, git) {
            Ok(found) => project(found.id, How::Git, found.note),
            Err(obstacle) => {
                let project = by_path(Some(format!("known by its path, because {obstacle}")));
                if obstacle == repository::Obstacle::NoCommits {
                    repository::note_beginning(top, registry, &project.id);
                }
                project
            }
        },
    }
}

/// The id of a folder that is no repository.
pub fn path_id(folder: &Path) -> String {
    hashed(&[b"path", folder.as_os_str().as_encoded_bytes()])
}

/// The first characters of the hash over `parts`, which are kept apart by a zero byte.
fn hashed(parts: &[&[u8]]) -> String {
    let hash = blake3::hash(&parts.join(&0));
    hash.to_hex()[..ID_LENGTH].to_owned()
}
