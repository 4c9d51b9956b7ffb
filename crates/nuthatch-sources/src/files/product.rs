//! Whose rules are followed: our own, or those of another agent.
//!
//! Agents disagree on names, levels, imports and limits. Each set of rules is data, so that
//! a user can see what that agent would load here. What `discover` and `import` do with them
//! is the same for all.

use super::import::{Beyond, CodeRule, HomeRule, ImportRules, Repeats};

/// An agent whose rules are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Product {
    /// Our own rules.
    Nuthatch,
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// OpenCode.
    OpenCode,
}

impl Product {
    /// All of them.
    pub const ALL: [Product; 5] = [
        Product::Nuthatch,
        Product::ClaudeCode,
        Product::Codex,
        Product::GeminiCli,
        Product::OpenCode,
    ];

    /// How it is named on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Product::Nuthatch => "nuthatch",
            Product::ClaudeCode => "claude-code",
            Product::Codex => "codex",
            Product::GeminiCli => "gemini-cli",
            Product::OpenCode => "opencode",
        }
    }

    /// The product of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Product> {
        Product::ALL.into_iter().find(|product| product.name() == name)
    }

    /// How it imports, if it does.
    pub(super) fn imports(self) -> Option<ImportRules> {
        let ours = ImportRules {
            depth: 5,
            code: CodeRule::CommonMark,
            repeats: Repeats::Once,
            beyond: Beyond::Said,
            home: HomeRule::Path,
        };
        match self {
            Product::Nuthatch => Some(ours),
            Product::ClaudeCode => Some(ImportRules { depth: 4, ..ours }),
            Product::GeminiCli => Some(ImportRules {
                depth: 5,
                code: CodeRule::Backticks,
                repeats: Repeats::Again,
                beyond: Beyond::Left,
                home: HomeRule::Text,
            }),
            Product::Codex | Product::OpenCode => None,
        }
    }

    /// The longest file it reads.
    pub(super) fn longest_file(self) -> u64 {
        match self {
            Product::Nuthatch => 1 << 20,
            _ => 4 << 20,
        }
    }

    /// How much of a project's files it takes in all.
    pub(super) fn most_bytes(self) -> Option<usize> {
        match self {
            Product::Nuthatch => Some(4 << 20),
            Product::Codex => Some(32 << 10),
            _ => None,
        }
    }
}
