//! Works out the id of a repository: from its first commit and where it comes from.
//!
//! Whatever the registry knows and the plain files confirm is taken as it is. Only when
//! something changed is git asked, and only for what changed. A repository that is known
//! keeps its id as long as its first commit is the same.

use std::fmt;
use std::path::Path;

use super::git::{Failure, Git};
use super::hashed;
use super::layout::{Head, Layout, Stamp};
use super::registry::{Identity, Known, Registry, Sighting};
use super::remote;

/// A repository's id.
#[derive(Debug)]
pub struct Found {
    pub id: String,
    pub note: Option<String>,
}

/// Why a repository cannot be told from its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// What should be its git folder is not.
    Broken,
    /// Nothing was committed yet.
    NoCommits,
    /// Neither the first commit nor a remote that others share is known.
    NoBeginning,
    /// Git gave no answer.
    Git(Failure),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Broken => f.write_str("its .git is broken"),
            Obstacle::NoCommits => f.write_str("it has no commits yet"),
            Obstacle::NoBeginning => {
                f.write_str("it is a shallow clone without a remote on another machine")
            }
            Obstacle::Git(failure) => failure.fmt(f),
        }
    }
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Self {
        Obstacle::Git(failure)
    }
}

/// The id of the repository whose worktree begins at `top`.
pub fn identify(top: &Path, registry: Option<&Path>, git: &Git) -> Result<Found, Obstacle> {
    let layout = Layout::of_worktree(top).ok_or(Obstacle::Broken)?;
    // The registry is text; a folder that is not is worked out anew each time.
    let entry = registry.zip(layout.common_dir.to_str());
    let known = entry.and_then(|(file, place)| Registry::read(file).known(place).cloned());
    let look = Look { top, layout: &layout, head: layout.head(), stamp: layout.stamp(), git };
    if let Some(known) = known.as_ref().filter(|known| look.confirms(known)) {
        return Ok(Found { id: known.id.clone(), note: look.shallow_note() });
    }
    let identity = match (look.identity(known.as_ref()), known) {
        (Ok(identity), _) => identity,
        // What was known is better than nothing as long as nothing speaks against it.
        (Err(obstacle), Some(known)) if obstacle != Obstacle::NoCommits => {
            return Ok(Found { id: known.id, note: Some(format!("not checked: {obstacle}")) });
        }
        (Err(obstacle), _) => return Err(obstacle),
    };
    let computed = id_of(&identity);
    let Some((file, place)) = entry else {
        return Ok(Found { id: computed, note: look.shallow_note() });
    };
    let seen = Sighting { identity, computed, stamp: look.stamp, head: look.commit() };
    let (id, written) = Registry::update(file, |registry| registry.settle(place, seen));
    let unwritten = written.err().map(|e| format!("cannot write {}: {e}", file.display()));
    Ok(Found { id, note: unwritten.or(look.shallow_note()) })
}

/// Remembers the id that a repository goes by until its first commit, so that it can keep
/// it then. What cannot be written is only not remembered.
pub fn note_beginning(top: &Path, registry: Option<&Path>, id: &str) {
    let layout = Layout::of_worktree(top);
    let place = layout.as_ref().and_then(|layout| layout.common_dir.to_str());
    if let Some((file, place)) = registry.zip(place)
        && Registry::read(file).beginning(place) != Some(id)
    {
        let (_, _unwritten) = Registry::update(file, |registry| registry.begin(place, id));
    }
}

/// Of nothing but what every clone has.
fn id_of(identity: &Identity) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    hashed(&[b"git", part(&identity.root).as_bytes(), part(&identity.remote).as_bytes()])
}

/// A repository as it lies there now.
struct Look<'a> {
    top: &'a Path,
    layout: &'a Layout,
    head: Head,
    stamp: Stamp,
    git: &'a Git,
}

impl Look<'_> {
    fn commit(&self) -> Option<String> {
        match &self.head {
            Head::At(commit) => Some(commit.clone()),
            Head::Unborn | Head::Unknown => None,
        }
    }

    /// Whether nothing changed since, as far as plain files tell.
    fn confirms(&self, known: &Known) -> bool {
        // A branch just begun in a repository that was not touched is still that one.
        self.stamp == known.stamp && (self.belongs_to(known) || self.head == Head::Unborn)
    }

    fn belongs_to(&self, known: &Known) -> bool {
        self.commit().is_some_and(|commit| known.heads.contains(&commit))
    }

    fn identity(&self, known: Option<&Known>) -> Result<Identity, Obstacle> {
        let had_commits = known.is_some_and(|known| known.identity.root.is_some());
        if self.head == Head::Unborn && !had_commits {
            return Err(Obstacle::NoCommits);
        }
        let remote = match known {
            Some(known) if known.stamp == self.stamp => known.identity.remote.clone(),
            _ => remote::resolve(self.git, self.layout)?,
        };
        if !self.stamp.shallow {
            return Ok(Identity { root: Some(self.root(known)?), remote });
        }
        match remote {
            Some(_) => Ok(Identity { root: None, remote }),
            None => Err(Obstacle::NoBeginning),
        }
    }

    /// The first commit; the smallest where there are several.
    fn root(&self, known: Option<&Known>) -> Result<String, Obstacle> {
        if let Some(known) = known
            && let Some(root) = &known.identity.root
            && self.still_descends(known, root)?
        {
            return Ok(root.clone());
        }
        if self.head == Head::Unborn {
            return Err(Obstacle::NoCommits);
        }
        let roots = self.git.roots(self.top)?;
        roots.into_iter().min().ok_or(Obstacle::Git(Failure::Unreadable))
    }

    /// Whether this is still the repository that began with `root`.
    fn still_descends(&self, known: &Known, root: &str) -> Result<bool, Failure> {
        if self.belongs_to(known) {
            return Ok(true);
        }
        if let Some(head) = known.heads.first()
            && self.git.adds_no_root_to(self.top, head) == Ok(true)
        {
            return Ok(true);
        }
        // Any branch will do: one that was begun anew is still in the same repository.
        match self.git.still_has(self.top, root) {
            Err(Failure::Unreadable) => Ok(false),
            answer => answer,
        }
    }

    fn shallow_note(&self) -> Option<String> {
        self.stamp.shallow.then(|| {
            "a shallow clone, known by its remote alone; `git fetch --unshallow` makes it whole"
                .to_owned()
        })
    }
}
