//! The products that can be connected, and their names.
//!
//! What each of them is told, and where, is in `recipe`.

use std::fmt;
use std::str::FromStr;

use nuthatch::error::{Error, Result};
use serde::Serialize;

/// A product with a configuration of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// OpenCode.
    #[serde(rename = "opencode")]
    OpenCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    #[serde(rename = "vscode")]
    VsCode,
    /// goose.
    Goose,
}

impl Agent {
    /// Every product.
    pub const ALL: [Agent; 7] = [
        Agent::ClaudeCode,
        Agent::Codex,
        Agent::GeminiCli,
        Agent::OpenCode,
        Agent::Cursor,
        Agent::VsCode,
        Agent::Goose,
    ];

    /// The name that users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::GeminiCli => "gemini-cli",
            Agent::OpenCode => "opencode",
            Agent::Cursor => "cursor",
            Agent::VsCode => "vscode",
            Agent::Goose => "goose",
        }
    }

    /// The name that its makers give it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "Claude Code",
            Agent::Codex => "Codex",
            Agent::GeminiCli => "Gemini CLI",
            Agent::OpenCode => "OpenCode",
            Agent::Cursor => "Cursor",
            Agent::VsCode => "VS Code",
            Agent::Goose => "goose",
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Agent {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Agent::ALL.into_iter().find(|agent| agent.name() == text).ok_or_else(|| {
            let names = Agent::ALL.map(Agent::name).join(", ");
            Error::invalid(format!("no agent is called {text:?}")).with_hint(names)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_are_the_names_on_the_wire() {
        for agent in Agent::ALL {
            assert_eq!(agent.name().parse::<Agent>().unwrap(), agent);
            assert_eq!(serde_json::to_value(agent).unwrap(), agent.name());
        }
        assert!("emacs".parse::<Agent>().is_err());
    }
}
