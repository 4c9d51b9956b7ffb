//! Which scopes are looked at, and how two such wishes are brought together.
//!
//! A caller names scopes one by one; a store that keeps only some kinds of scope is held to
//! regions. What both allow is again a set of scopes, so a narrowed filter stays a filter.

use serde::{Deserialize, Serialize};

use crate::id::ProjectId;
use crate::scope::{Scope, ScopeKind};

/// Which scopes are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scopes {
    /// These and no others. An empty list matches nothing.
    These(Vec<Scope>),
    /// Every scope of every project: only ever by the user's own wish.
    All,
    /// Every scope in one of the regions `of` and in none of `but`.
    Regions {
        /// Where it may lie.
        of: Vec<Region>,
        /// Where it must not lie.
        but: Vec<Region>,
    },
}

/// Scopes of one kind: all of them, or those of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Their kind.
    pub kind: ScopeKind,
    /// Only this project's. Kinds that belong to no project have no such scopes.
    pub project: Option<ProjectId>,
}

impl Region {
    /// Every scope of a kind.
    #[must_use]
    pub fn kind(kind: ScopeKind) -> Self {
        Region { kind, project: None }
    }

    /// Whether `scope` lies in it.
    #[must_use]
    pub fn contains(&self, scope: &Scope) -> bool {
        let project = match scope {
            Scope::Project(project) | Scope::Plan { project, .. } => Some(project),
            Scope::Global | Scope::User | Scope::Session(_) => None,
        };
        self.kind == scope.kind() && (self.project.is_none() || self.project.as_ref() == project)
    }

    /// What lies in both, if anything can.
    fn common(&self, other: &Region) -> Option<Region> {
        let project = match (&self.project, &other.project) {
            (Some(one), Some(two)) if one != two => return None,
            (one, two) => one.as_ref().or(two.as_ref()).cloned(),
        };
        (self.kind == other.kind).then_some(Region { kind: self.kind, project })
    }
}

impl Scopes {
    /// Every scope of these kinds.
    #[must_use]
    pub fn kinds(kinds: &[ScopeKind]) -> Self {
        Scopes::within(kinds.iter().copied().map(Region::kind).collect())
    }

    /// Every scope in one of these regions.
    #[must_use]
    pub fn within(regions: Vec<Region>) -> Self {
        Scopes::Regions { of: regions, but: Vec::new() }
    }

    /// Every scope in none of these regions.
    #[must_use]
    pub fn outside(regions: Vec<Region>) -> Self {
        Scopes::Regions { of: everywhere(), but: regions }
    }

    /// Whether `scope` is one of them.
    #[must_use]
    pub fn contains(&self, scope: &Scope) -> bool {
        match self {
            Scopes::These(scopes) => scopes.contains(scope),
            Scopes::All => true,
            Scopes::Regions { of, but } => {
                let lies_in = |regions: &[Region]| regions.iter().any(|r| r.contains(scope));
                lies_in(of) && !lies_in(but)
            }
        }
    }

    /// Those that are in `other` too.
    #[must_use]
    pub fn narrowed(&self, other: &Scopes) -> Self {
        match (self, other) {
            (Scopes::These(scopes), limit) | (limit, Scopes::These(scopes)) => {
                Scopes::These(scopes.iter().filter(|s| limit.contains(s)).cloned().collect())
            }
            (Scopes::All, rest) | (rest, Scopes::All) => rest.clone(),
            (Scopes::Regions { of, but }, Scopes::Regions { of: of_other, but: but_other }) => {
                let common = |one: &Region| {
                    of_other.iter().filter_map(|two| one.common(two)).collect::<Vec<_>>()
                };
                Scopes::Regions {
                    of: of.iter().flat_map(common).collect(),
                    but: but.iter().chain(but_other).cloned().collect(),
                }
            }
        }
    }

    /// Whether it is plain that no scope at all is meant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Scopes::These(scopes) => scopes.is_empty(),
            Scopes::All => false,
            Scopes::Regions { of, .. } => of.is_empty(),
        }
    }
}

fn everywhere() -> Vec<Region> {
    ScopeKind::ALL.into_iter().map(Region::kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes() -> Vec<Scope> {
        let texts =
            ["global", "user", "project:a", "project:b", "session:a", "plan:a:r", "plan:b:r"];
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn project(name: &str, kind: ScopeKind) -> Region {
        Region { kind, project: Some(ProjectId::new(name).unwrap()) }
    }

    #[test]
    fn a_region_of_a_project_holds_its_own_scopes_only() {
        let held = |region: Region| -> Vec<String> {
            scopes().iter().filter(|s| region.contains(s)).map(ToString::to_string).collect()
        };
        assert_eq!(held(Region::kind(ScopeKind::Project)), ["project:a", "project:b"]);
        assert_eq!(held(project("a", ScopeKind::Project)), ["project:a"]);
        assert_eq!(held(project("a", ScopeKind::Plan)), ["plan:a:r"]);
        assert!(held(project("a", ScopeKind::Session)).is_empty());
    }

    #[test]
    fn what_is_narrowed_is_in_both() {
        let regions = vec![project("a", ScopeKind::Project), Region::kind(ScopeKind::Plan)];
        let some = [
            Scopes::All,
            Scopes::These(vec![]),
            Scopes::These(scopes().into_iter().step_by(2).collect()),
            Scopes::kinds(&[ScopeKind::Global, ScopeKind::Project]),
            Scopes::within(regions.clone()),
            Scopes::outside(regions),
            Scopes::outside(vec![project("b", ScopeKind::Plan)]),
        ];
        for (one, two) in some.iter().flat_map(|one| some.iter().map(move |two| (one, two))) {
            let both = one.narrowed(two);
            for scope in scopes() {
                let expected = one.contains(&scope) && two.contains(&scope);
                assert_eq!(both.contains(&scope), expected, "{scope} in {one:?} and {two:?}");
                assert!(!(both.is_empty() && expected));
            }
        }
    }
}
