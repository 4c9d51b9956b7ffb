//! Where everything lies below a project's root.
//!
//! Names that become paths are typed: an [`AgentId`] or a [`RequirementId`] cannot hold a
//! separator or lead upwards, so no path made here leaves the folder it belongs to.

use std::path::{Path, PathBuf};

use nuthatch::id::{AgentId, RequirementId};

/// The folder of a project that belongs to us.
const FOLDER: &str = ".nuthatch";

/// A project's root and the paths below its `.nuthatch/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace of the project at `root`; nothing is made or read.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Workspace { root: root.into() }
    }

    /// The project's root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `.nuthatch/`.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    /// `architecture.md`, which goes into every context.
    #[must_use]
    pub fn architecture(&self) -> PathBuf {
        self.folder().join("architecture.md")
    }

    /// `agents/`.
    #[must_use]
    pub fn agents(&self) -> PathBuf {
        self.folder().join("agents")
    }

    /// The file that describes an agent.
    #[must_use]
    pub fn agent(&self, id: &AgentId) -> PathBuf {
        self.agents().join(format!("{id}.toml"))
    }

    /// `plan/`.
    #[must_use]
    pub fn plans(&self) -> PathBuf {
        self.folder().join("plan")
    }

    /// The folder of one requirement's plan.
    #[must_use]
    pub fn plan(&self, id: &RequirementId) -> PathBuf {
        self.plans().join(id.as_str())
    }

    /// `commands/`, which holds custom commands.
    #[must_use]
    pub fn commands(&self) -> PathBuf {
        self.folder().join("commands")
    }

    /// `hooks.toml`, which says what may approve, deny or observe.
    #[must_use]
    pub fn hooks(&self) -> PathBuf {
        self.folder().join("hooks.toml")
    }

    /// `_internals/`, which holds what people do not edit.
    #[must_use]
    pub fn internals(&self) -> PathBuf {
        self.folder().join("_internals")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_lies_below_the_folder() {
        let workspace = Workspace::new("/p");
        let agent = AgentId::new("code-agent").unwrap();
        let plan = RequirementId::new("REQ-069").unwrap();
        assert_eq!(workspace.agent(&agent), Path::new("/p/.nuthatch/agents/code-agent.toml"));
        assert_eq!(workspace.plan(&plan), Path::new("/p/.nuthatch/plan/REQ-069"));
        for path in [workspace.architecture(), workspace.commands(), workspace.hooks()] {
            assert!(path.starts_with("/p/.nuthatch"), "{path:?}");
        }
    }
}
