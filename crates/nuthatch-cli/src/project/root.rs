//! Finds the folder that a project begins at.
//!
//! Looks at names only and reads no file, because the configuration is not known yet.

use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};

/// Where a project begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The folder, with links resolved.
    pub folder: PathBuf,
    /// Its configuration file, where there is one that counts.
    pub config_file: Option<PathBuf>,
    /// The folder that holds `.git`: the root itself, or one around it.
    pub repository: Option<PathBuf>,
}

/// The root of the project around `start`; `start` itself where there is none.
pub fn find_root(start: &Path) -> Result<Root> {
    find_root_in(start, std::env::var_os("HOME").map(PathBuf::from).as_deref())
}

/// The same for a given home folder.
pub fn find_root_in(start: &Path, home: Option<&Path>) -> Result<Root> {
    let start = start.canonicalize().map_err(|error| {
        Error::not_found(format!("cannot find the folder {}: {error}", start.display()))
            .with_hint("change into a folder that exists, or name one with --project")
            .with_source(error)
    })?;
    let home = home.and_then(|home| home.canonicalize().ok());
    // A file in the home folder, or above it, would speak for every project below.
    let is_common = |folder: &Path| home.as_ref().is_some_and(|home| home.starts_with(folder));
    let config_of = |folder: &Path| {
        Some(folder.join(".nuthatch/config.toml"))
            .filter(|file| !is_common(folder) && file.is_file())
    };
    let start = if start.is_dir() { &start } else { start.parent().unwrap_or(&start) };
    let folder = start
        .ancestors()
        .find(|folder| has_git(folder) || config_of(folder).is_some())
        .unwrap_or(start);
    let around = |top: &&Path| has_git(top) && (*top == folder || !is_common(top));
    Ok(Root {
        folder: folder.to_owned(),
        config_file: config_of(folder),
        repository: folder.ancestors().find(around).map(Path::to_owned),
    })
}

/// A folder in an ordinary repository, a file in worktrees and submodules.
fn has_git(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.is_dir() || git.is_file()
}
