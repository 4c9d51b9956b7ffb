//! What each product is to know of Nuthatch, and in which file.
//!
//! The formats are the products' own; a server is always called `nuthatch`. For one user the
//! program is named by its path, because programs with windows do not have the path of a
//! shell; in a repository by its name alone, because others have it elsewhere.

mod hooks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::agent::Agent;
use crate::document::{Entry, Format, What};
use crate::tree::Tree;

/// What a file that is wholly ours says of itself.
pub(crate) const MARK: &str = "Made by `nuthatch install`";

/// The plugin of OpenCode, which has no other way to run a hook.
const OPENCODE_PLUGIN: &str = include_str!("recipe/opencode.js");

/// For whom a product is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// For the user, in every project.
    User,
    /// For everyone in a project.
    Project,
}

/// Where products keep their files.
#[derive(Clone, Debug)]
pub struct Homes {
    /// The user's home.
    pub home: PathBuf,
    /// The root of the project.
    pub project: PathBuf,
    /// The environment, for products that can be moved by it.
    pub variables: BTreeMap<String, String>,
}

/// The program that products start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program(pub String);

/// One file of a product.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where it lies.
    pub file: PathBuf,
    pub(crate) content: Content,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Entries among other people's.
    Entries(Format, Vec<Entry>),
    /// A file of our own.
    Whole(String),
}

impl Homes {
    fn folder(&self, variable: &str, usual: &str) -> PathBuf {
        let set = self.variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        set.unwrap_or_else(|| self.home.join(usual))
    }

    /// Where programs keep their configuration on this system.
    fn config(&self) -> PathBuf {
        self.folder("XDG_CONFIG_HOME", ".config")
    }

    fn vscode(&self) -> PathBuf {
        if cfg!(target_os = "macos") {
            return self.home.join("Library/Application Support/Code/User");
        }
        self.config().join("Code/User")
    }

    fn goose(&self) -> PathBuf {
        match self.variables.get("GOOSE_PATH_ROOT").map(PathBuf::from) {
            Some(root) if root.is_absolute() => root.join("config"),
            _ => self.config().join("goose"),
        }
    }

    /// The file of Claude Code's servers, which moves into its folder where that is named.
    fn claude_servers(&self) -> PathBuf {
        match self.variables.contains_key("CLAUDE_CONFIG_DIR") {
            true => self.folder("CLAUDE_CONFIG_DIR", ".claude").join(".claude.json"),
            false => self.home.join(".claude.json"),
        }
    }

    /// Whether a product seems to be used on this machine.
    #[must_use]
    pub fn has(&self, agent: Agent) -> bool {
        let places = match agent {
            Agent::ClaudeCode => {
                vec![self.folder("CLAUDE_CONFIG_DIR", ".claude"), self.claude_servers()]
            }
            Agent::Codex => vec![self.folder("CODEX_HOME", ".codex")],
            Agent::GeminiCli => vec![self.home.join(".gemini")],
            Agent::OpenCode => vec![self.config().join("opencode")],
            Agent::Cursor => vec![self.home.join(".cursor")],
            Agent::VsCode => vec![self.vscode()],
            Agent::Goose => vec![self.goose()],
        };
        places.iter().any(|place| place.exists())
    }
}

/// The words that start the server.
#[must_use]
pub fn server_words() -> Vec<String> {
    vec!["mcp".to_owned()]
}

/// The words that start the hook of a product.
#[must_use]
pub fn hook_words(agent: Agent) -> Vec<String> {
    vec!["hook".to_owned(), agent.name().to_owned()]
}

/// The files of a product with what is to stand in them.
#[must_use]
pub fn targets(agent: Agent, reach: Reach, homes: &Homes, program: &Program) -> Vec<Target> {
    let in_project = |path: &str| homes.project.join(path);
    let by_user = reach == Reach::User;
    let at = |user: PathBuf, project: &str| if by_user { user } else { in_project(project) };
    let json = |file: PathBuf, entries: Vec<Entry>| Target {
        file,
        content: Content::Entries(Format::Json, entries),
    };
    let hooks = hooks::entries(agent, program);
    match agent {
        Agent::ClaudeCode => {
            let settings = homes.folder("CLAUDE_CONFIG_DIR", ".claude").join("settings.json");
            let server = vec![server(agent, &["mcpServers", "nuthatch"], program)];
            vec![
                json(at(homes.claude_servers(), ".mcp.json"), server),
                json(at(settings, ".claude/settings.json"), hooks),
            ]
        }
        Agent::Codex => {
            let home = homes.folder("CODEX_HOME", ".codex");
            let server = vec![server(agent, &["mcp_servers", "nuthatch"], program)];
            let config = at(home.join("config.toml"), ".codex/config.toml");
            vec![
                Target { file: config, content: Content::Entries(Format::Toml, server) },
                json(at(home.join("hooks.json"), ".codex/hooks.json"), hooks),
            ]
        }
        Agent::GeminiCli => {
            let settings = homes.home.join(".gemini/settings.json");
            let server = server(agent, &["mcpServers", "nuthatch"], program);
            let entries = std::iter::once(server).chain(hooks).collect();
            vec![json(at(settings, ".gemini/settings.json"), entries)]
        }
        Agent::OpenCode => {
            let folder = homes.config().join("opencode");
            let plugin = at(folder.join("plugins/nuthatch.js"), ".opencode/plugins/nuthatch.js");
            let config = opencode_config(if by_user { &folder } else { &homes.project });
            let plugin_text = OPENCODE_PLUGIN
                .replace("\"nuthatch\" /* program */", &crate::tree::quoted(&program.0));
            vec![
                json(config, vec![server(agent, &["mcp", "nuthatch"], program)]),
                Target { file: plugin, content: Content::Whole(plugin_text) },
            ]
        }
        Agent::Cursor => {
            let folder = homes.home.join(".cursor");
            let server = vec![server(agent, &["mcpServers", "nuthatch"], program)];
            vec![
                json(at(folder.join("mcp.json"), ".cursor/mcp.json"), server),
                json(at(folder.join("hooks.json"), ".cursor/hooks.json"), hooks),
            ]
        }
        Agent::VsCode => {
            let server = vec![server(agent, &["servers", "nuthatch"], program)];
            let hook_file = homes.home.join(".copilot/hooks/nuthatch.json");
            vec![
                json(at(homes.vscode().join("mcp.json"), ".vscode/mcp.json"), server),
                json(at(hook_file, ".github/hooks/nuthatch.json"), hooks),
            ]
        }
        Agent::Goose => {
            // It has no file in projects; whoever asks for one gets the user's.
            let server = vec![server(agent, &["extensions", "nuthatch"], program)];
            let file = homes.goose().join("config.yaml");
            vec![Target { file, content: Content::Entries(Format::Yaml, server) }]
        }
    }
}

/// OpenCode reads either name; the one that is there is the one in use.
fn opencode_config(folder: &Path) -> PathBuf {
    let with_comments = folder.join("opencode.jsonc");
    if with_comments.exists() { with_comments } else { folder.join("opencode.json") }
}

fn server(agent: Agent, path: &[&str], program: &Program) -> Entry {
    let command = Tree::text(program.0.as_str());
    let args = Tree::texts(&server_words());
    let tree = match agent {
        Agent::ClaudeCode | Agent::VsCode => {
            Tree::object([("type", Tree::text("stdio")), ("command", command), ("args", args)])
        }
        Agent::OpenCode => {
            let words: Vec<String> =
                std::iter::once(program.0.clone()).chain(server_words()).collect();
            Tree::object([
                ("type", Tree::text("local")),
                ("command", Tree::texts(&words)),
                ("enabled", Tree::Bool(true)),
            ])
        }
        Agent::Goose => Tree::object([
            ("name", Tree::text("nuthatch")),
            ("description", Tree::text("Long-term memory, shared by every agent")),
            ("enabled", Tree::Bool(true)),
            ("type", Tree::text("stdio")),
            ("cmd", command),
            ("args", args),
            ("timeout", Tree::Number(60)),
        ]),
        Agent::Codex | Agent::GeminiCli | Agent::Cursor => {
            Tree::object([("command", command), ("args", args)])
        }
    };
    Entry::new(path, What::Server(tree))
}
