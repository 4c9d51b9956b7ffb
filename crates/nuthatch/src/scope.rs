//! Whose memory it is.
//!
//! A scope is written `global`, `user`, `project:<id>`, `session:<id>` or
//! `plan:<project>:<requirement>`; the text form is the wire form and parses back.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::id::{ProjectId, RequirementId, SessionId};

/// Whose memory it is. A recall sees only the scopes it names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
pub enum Scope {
    /// The user's, in every project.
    Global,
    /// The profile of the person: role, preferences, expertise.
    User,
    /// One project's, by identity and not by path.
    Project(ProjectId),
    /// One conversation's.
    Session(SessionId),
    /// One requirement of a project.
    Plan {
        /// The project the requirement belongs to.
        project: ProjectId,
        /// The requirement.
        requirement: RequirementId,
    },
}

/// The five kinds of scope, without whose: what a store can be chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeKind {
    /// See [`Scope::Global`].
    Global,
    /// See [`Scope::User`].
    User,
    /// See [`Scope::Project`].
    Project,
    /// See [`Scope::Session`].
    Session,
    /// See [`Scope::Plan`].
    Plan,
}

impl ScopeKind {
    /// Every kind, in order of reach.
    pub const ALL: [ScopeKind; 5] = [
        ScopeKind::Global,
        ScopeKind::User,
        ScopeKind::Project,
        ScopeKind::Session,
        ScopeKind::Plan,
    ];

    /// The word for it, as in configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ScopeKind::Global => "global",
            ScopeKind::User => "user",
            ScopeKind::Project => "project",
            ScopeKind::Session => "session",
            ScopeKind::Plan => "plan",
        }
    }
}

impl Scope {
    /// Which of the five kinds this is.
    #[must_use]
    pub fn kind(&self) -> ScopeKind {
        match self {
            Scope::Global => ScopeKind::Global,
            Scope::User => ScopeKind::User,
            Scope::Project(_) => ScopeKind::Project,
            Scope::Session(_) => ScopeKind::Session,
            Scope::Plan { .. } => ScopeKind::Plan,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Global => f.write_str("global"),
            Scope::User => f.write_str("user"),
            Scope::Project(id) => write!(f, "project:{id}"),
            Scope::Session(id) => write!(f, "session:{id}"),
            Scope::Plan { project, requirement } => write!(f, "plan:{project}:{requirement}"),
        }
    }
}

impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("global", "") => Ok(Scope::Global),
            ("user", "") => Ok(Scope::User),
            ("project", id) => Ok(Scope::Project(ProjectId::new(id)?)),
            ("session", id) => Ok(Scope::Session(SessionId::new(id)?)),
            ("plan", rest) => {
                let (project, requirement) =
                    rest.split_once(':').ok_or_else(|| unknown_scope(text))?;
                Ok(Scope::Plan {
                    project: ProjectId::new(project)?,
                    requirement: RequirementId::new(requirement)?,
                })
            }
            _ => Err(unknown_scope(text)),
        }
    }
}

fn unknown_scope(text: &str) -> Error {
    /// Enough to recognise what was written; longer text hides the message around it.
    const MOST_QUOTED: usize = 64;
    let shown: String = text.chars().take(MOST_QUOTED).collect();
    Error::invalid(format!("not a scope: {shown:?}")).with_hint(
        "a scope is global, user, project:<id>, session:<id> or plan:<project>:<requirement>",
    )
}

impl TryFrom<String> for Scope {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> String {
        scope.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_parses_back() {
        for text in ["global", "user", "project:abc", "session:chan:user/1", "plan:abc:REQ-069"] {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn half_a_scope_is_refused() {
        for text in
            ["", "globe", "global:x", "user:x", "project:", "session:", "plan:abc", "plan::"]
        {
            assert!(text.parse::<Scope>().is_err(), "{text:?} was accepted");
        }
    }
}
