//! What readers need to know of the machine, as a value.
//!
//! Whoever runs the program looks at the machine; nothing here does.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the user's things lie.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Variables that move the folders of products, for example `CODEX_HOME`.
    pub variables: BTreeMap<String, PathBuf>,
    /// Folders of projects: some products keep sessions there.
    pub projects: Vec<PathBuf>,
}

/// Every variable that some reader asks for.
const VARIABLES: &[&str] = &[
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "GOOSE_PATH_ROOT",
    "OPENCODE_DATA_DIR",
    "PI_CODING_AGENT_DIR",
    "XDG_DATA_HOME",
];

impl Environment {
    /// The environment as `look` tells it: of every variable that matters here.
    pub fn of(
        home: Option<PathBuf>,
        look: impl Fn(&str) -> Option<PathBuf>,
        projects: Vec<PathBuf>,
    ) -> Environment {
        let set = |name: &&str| {
            let value = look(name).filter(|value| !value.as_os_str().is_empty())?;
            Some(((*name).to_owned(), value))
        };
        Environment { home, variables: VARIABLES.iter().filter_map(set).collect(), projects }
    }

    /// The folder that a variable names, or the one below the home folder.
    pub(crate) fn root(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.variables.get(variable).cloned();
        named.or_else(|| self.home.as_ref().map(|home| home.join(below_home)))
    }

    /// The folder of a product below the user's data folder.
    pub(crate) fn data(&self, product: &str) -> Option<PathBuf> {
        self.root("XDG_DATA_HOME", ".local/share").map(|data| data.join(product))
    }
}
