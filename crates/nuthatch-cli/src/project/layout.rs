//! Reads what git keeps in plain files, without running git.
//!
//! Enough to know whether anything changed since the last look: where the repository's
//! folders are, which commit is checked out, whether its settings were touched. What
//! cannot be read this way is left for [`super::git`].

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// Symbolic refs rarely point to another one; a longer chain is a loop.
const MOST_HOPS: usize = 5;

/// The folders of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Of this worktree.
    git_dir: PathBuf,
    /// Of the repository that all its worktrees share, with links resolved.
    pub common_dir: PathBuf,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// This commit.
    At(String),
    /// A branch without commits.
    Unborn,
    /// Only git itself can tell.
    Unknown,
}

/// Changes when the repository's settings do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    seconds: u64,
    nanoseconds: u32,
    size: u64,
    /// Whether the first commits are missing.
    pub shallow: bool,
}

impl Layout {
    /// The folders of the repository whose worktree begins at `top`; `None` if broken.
    pub fn of_worktree(top: &Path) -> Option<Layout> {
        let dot_git = top.join(".git");
        let git_dir = if dot_git.is_dir() {
            dot_git
        } else {
            let text = fs::read_to_string(&dot_git).ok()?;
            top.join(text.trim_end().strip_prefix("gitdir: ")?)
        };
        Layout::of_git_dir(&git_dir)
    }

    /// The folders of a repository that is nothing but its git folder.
    pub fn of_bare(folder: &Path) -> Option<Layout> {
        Layout::of_git_dir(folder).filter(|layout| layout.common_dir.join("refs").is_dir())
    }

    /// What a remote that is a path names, tried in the order git does.
    pub fn of_remote(path: &Path) -> Option<Layout> {
        let mut suffixed = path.as_os_str().to_owned();
        suffixed.push(".git");
        [path, Path::new(&suffixed)]
            .into_iter()
            .find_map(|path| Layout::of_worktree(path).or_else(|| Layout::of_bare(path)))
    }

    fn of_git_dir(git_dir: &Path) -> Option<Layout> {
        let git_dir = git_dir.canonicalize().ok()?;
        let common_dir = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(text) => git_dir.join(text.trim_end()).canonicalize().ok()?,
            Err(_) => git_dir.clone(),
        };
        let whole = git_dir.join("HEAD").is_file() && common_dir.join("objects").is_dir();
        whole.then_some(Layout { git_dir, common_dir })
    }

    /// The file of the repository's settings.
    pub fn config_file(&self) -> PathBuf {
        self.common_dir.join("config")
    }

    /// The folder that relative remotes are relative to.
    pub fn base(&self) -> &Path {
        match self.common_dir.parent() {
            Some(top) if self.common_dir.ends_with(".git") => top,
            _ => &self.common_dir,
        }
    }

    /// The state of the settings now.
    pub fn stamp(&self) -> Stamp {
        let shallow = self.common_dir.join("shallow").is_file();
        let Ok(found) = fs::metadata(self.config_file()) else {
            return Stamp { shallow, ..Stamp::default() };
        };
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Stamp {
            seconds: modified.map_or(0, |since| since.as_secs()),
            nanoseconds: modified.map_or(0, |since| since.subsec_nanos()),
            size: found.len(),
            shallow,
        }
    }

    /// What is checked out in this worktree.
    pub fn head(&self) -> Head {
        let mut name = "HEAD".to_owned();
        for _ in 0..MOST_HOPS {
            let Some(content) = self.loose(&name) else {
                return self.packed(&name);
            };
            match content.strip_prefix("ref: ") {
                Some(target) if is_safe(target) => name = target.to_owned(),
                None if is_commit(&content) => return Head::At(content),
                _ => return Head::Unknown,
            }
        }
        Head::Unknown
    }

    /// A ref in a file of its own: of this worktree, else of the repository.
    fn loose(&self, name: &str) -> Option<String> {
        [&self.git_dir, &self.common_dir]
            .iter()
            .find_map(|folder| fs::read_to_string(folder.join(name)).ok())
            .map(|content| content.trim_end().to_owned())
    }

    fn packed(&self, name: &str) -> Head {
        let packed = fs::read_to_string(self.common_dir.join("packed-refs")).unwrap_or_default();
        let commit = packed.lines().find_map(|line| {
            let (commit, packed_name) = line.split_once(' ')?;
            (packed_name == name && is_commit(commit)).then_some(commit)
        });
        match commit {
            Some(commit) => Head::At(commit.to_owned()),
            // The newer format keeps its refs in tables that only git reads.
            None if self.common_dir.join("reftable").is_dir() => Head::Unknown,
            None => Head::Unborn,
        }
    }
}

/// A ref's name becomes part of a path.
fn is_safe(name: &str) -> bool {
    name.starts_with("refs/") && !name.split('/').any(|part| part == ".." || part.is_empty())
}

/// Whether `text` is a commit id, in either of git's two hashes.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
