//! Paths under `/memories`: names in a tree that exists nowhere but in keys.
//!
//! A path is taken only as it stands. What could mean another path to anybody, by dots,
//! backslashes, escapes, empty parts or characters that do not survive, is refused.

use std::fmt;

use super::Refused;
use crate::guard::sanitise_label;

/// Where everything lies.
const ROOT: &str = "/memories";
/// Longest path, in characters.
const PATH_CHARS: usize = 512;

/// A path under the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePath(String);

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FilePath {
    /// Reads a path as the model wrote it; a slash at its end is a habit, not a name.
    pub(super) fn parse(text: &str) -> Result<FilePath, Refused> {
        let shown: String = text.chars().take(PATH_CHARS).collect();
        let refuse = |why: &str| Err(Refused(format!("Error: Invalid path {shown}: {why}")));
        let path = text.strip_suffix('/').unwrap_or(text);
        if path == ROOT {
            return Ok(FilePath(path.to_owned()));
        }
        let Some(inside) = path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')) else {
            return refuse("it must start with /memories/");
        };
        if inside.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
            return refuse("its parts must be names");
        }
        let lower = inside.to_ascii_lowercase();
        if inside.contains('\\')
            || ["%2e", "%2f", "%5c", "%00", "%25"].iter().any(|e| lower.contains(e))
        {
            return refuse("it must not be escaped");
        }
        // What a key would lose on its way is no part of a name.
        if sanitise_label("path", path).ok().as_deref() != Some(path) {
            return refuse("it has characters that cannot be kept");
        }
        if path.chars().count() > PATH_CHARS {
            return refuse("it is too long");
        }
        Ok(FilePath(path.to_owned()))
    }

    /// A path that was stored before.
    pub(super) fn stored(key: &str) -> Option<FilePath> {
        FilePath::parse(key).ok().filter(|path| path.0 == key && !path.is_root())
    }

    pub(super) fn is_root(&self) -> bool {
        self.0 == ROOT
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this path, or lies below it.
    pub(super) fn contains(&self, other: &FilePath) -> bool {
        self == other || self.inside(other).is_some()
    }

    /// The way from here down to `other`.
    pub(super) fn inside<'a>(&self, other: &'a FilePath) -> Option<&'a str> {
        other.0.strip_prefix(&self.0)?.strip_prefix('/')
    }

    /// The folders it lies in, the root left out.
    pub(super) fn parents(&self) -> Vec<FilePath> {
        let slashes = self.0.match_indices('/').map(|(at, _)| at);
        slashes.filter(|at| *at > ROOT.len()).map(|at| FilePath(self.0[..at].to_owned())).collect()
    }

    /// Where this lies after `from` became `to`.
    pub(super) fn moved(&self, from: &FilePath, to: &FilePath) -> Result<FilePath, Refused> {
        match from.inside(self) {
            Some(rest) => FilePath::parse(&format!("{to}/{rest}")),
            None => Ok(to.clone()),
        }
    }
}
