//! Which events of each product run `nuthatch hook`, in the product's own shape.
//!
//! Limits of time stand far above the hook's own: it answers in a fraction of them, and what
//! the product ends early would only be lost. Gemini CLI counts in milliseconds, the others in
//! seconds.

use super::{Program, hook_words};
use crate::agent::Agent;
use crate::document::{Entry, What};
use crate::tree::Tree;

/// Seconds that a product waits at most.
const PATIENCE: u64 = 5;

/// The events that are asked for, by product.
fn events(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::ClaudeCode | Agent::Codex => {
            &["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"]
        }
        Agent::GeminiCli => {
            &["SessionStart", "BeforeAgent", "PreCompress", "AfterAgent", "SessionEnd"]
        }
        // A prompt cannot be given anything there.
        Agent::Cursor => &["sessionStart", "preCompact", "stop", "sessionEnd"],
        Agent::VsCode => &["SessionStart", "UserPromptSubmit", "PreCompact", "Stop"],
        Agent::OpenCode | Agent::Goose => &[],
    }
}

/// Entries for the file of a product's hooks.
pub(super) fn entries(agent: Agent, program: &Program) -> Vec<Entry> {
    let needs_version = matches!(agent, Agent::Cursor | Agent::VsCode);
    let version = needs_version.then(|| Entry::new(&["version"], What::Needed(Tree::Number(1))));
    let hooks = events(agent)
        .iter()
        .map(|event| Entry::new(&["hooks", event], What::Hook(hook(agent, event, program))));
    version.into_iter().chain(hooks).collect()
}

fn hook(agent: Agent, event: &str, program: &Program) -> Tree {
    let kind = ("type", Tree::text("command"));
    let line = ("command", Tree::text(command_line(agent, program)));
    let timeout = ("timeout", Tree::Number(PATIENCE));
    let group = |hook: Tree| Tree::object([("hooks", Tree::Array(vec![hook]))]);
    match agent {
        Agent::ClaudeCode => {
            // Without a shell in between nothing has to be quoted.
            let mut members = vec![
                ("type".to_owned(), kind.1),
                ("command".to_owned(), Tree::text(program.0.as_str())),
                ("args".to_owned(), Tree::texts(&hook_words(agent))),
                ("timeout".to_owned(), timeout.1),
            ];
            if event == "Stop" {
                members.push(("async".to_owned(), Tree::Bool(true)));
            }
            group(Tree::Object(members))
        }
        Agent::Codex => {
            // More than three seconds are not granted at the end of a session.
            let seconds = if event == "SessionEnd" { 3 } else { PATIENCE };
            group(Tree::object([kind, line, ("timeout", Tree::Number(seconds))]))
        }
        Agent::GeminiCli => group(Tree::object([
            ("name", Tree::text("nuthatch")),
            kind,
            line,
            ("timeout", Tree::Number(PATIENCE * 1000)),
        ])),
        Agent::Cursor => Tree::object([line, timeout]),
        _ => Tree::object([kind, line, timeout]),
    }
}

/// The hook as a line for a shell.
fn command_line(agent: Agent, program: &Program) -> String {
    format!("{} {}", shell_word(&program.0), hook_words(agent).join(" "))
}

/// A path as one word of a shell.
fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._+-:\\".contains(c);
    if path.chars().all(plain) {
        path.to_owned()
    } else if cfg!(windows) {
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::is_our_hook;

    #[test]
    fn a_path_with_blanks_and_quotes_stays_one_word_and_is_known_again() {
        assert_eq!(shell_word("/opt/nuthatch"), "/opt/nuthatch");
        assert_eq!(shell_word("/my apps/it's/nuthatch"), "'/my apps/it'\\''s/nuthatch'");
        let program = Program("/my apps/nuthatch".to_owned());
        for agent in Agent::ALL {
            for entry in entries(agent, &program) {
                let What::Hook(tree) = entry.what else { continue };
                assert!(crate::document::is_wholly_ours(&tree.value()), "{agent} {tree:?}");
            }
        }
        assert!(!is_our_hook(&serde_json::json!({"command": "echo nuthatch hook"})));
        assert!(!is_our_hook(&serde_json::json!({"command": "hook"})));
    }
}
