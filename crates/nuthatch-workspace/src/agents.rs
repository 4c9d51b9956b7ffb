//! Agents: a description, a prompt, and what they run on.
//!
//! An agent is a file, `agents/<id>.toml`. It names a role of the user's models or a program;
//! it cannot bring keys, addresses or more of the environment than it lists. A program runs
//! only when the user trusts what [`Agent::content`] says.

use std::path::PathBuf;
use std::time::Duration;

use nuthatch::error::{Error, Result};
use nuthatch::id::AgentId;
use nuthatch_sources::within;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::layout::Workspace;

/// More than anybody writes by hand.
const LONGEST_FILE: u64 = 256 * 1024;
/// A script of a project is shorter; a longer one cannot be trusted by what it says.
const LONGEST_SCRIPT: u64 = 16 << 20;
/// Coding agents work for minutes.
const USUAL_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// An agent of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// Its name.
    pub id: AgentId,
    /// What it is for.
    pub description: String,
    /// Who it is to be.
    pub prompt: String,
    /// What it runs on.
    pub runs_on: RunsOn,
    /// The whole of its file.
    #[serde(skip)]
    source: String,
}

/// What an agent runs on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsOn {
    /// A role of the user's models.
    Model(String),
    /// A program.
    Command(Program),
}

/// A program that gets context and prompt on its input and prints its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// Variables of the environment that it gets.
    pub env: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentFile {
    #[serde(default)]
    description: String,
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    engine: EngineTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineTable {
    model: Option<String>,
    command: Option<Vec<String>>,
    timeout: Option<String>,
    env: Option<Vec<String>>,
}

impl Agent {
    /// Reads an agent.
    ///
    /// # Errors
    /// `not_found`, when there is none of that name; `invalid`, when its file is wrong.
    pub fn load(workspace: &Workspace, id: &AgentId) -> Result<Agent> {
        let path = workspace.agent(id);
        disk::refuse_links(workspace.root(), &path)?;
        let text = disk::read_text(&path, LONGEST_FILE)?.ok_or_else(|| {
            Error::not_found(format!("there is no agent {id}"))
                .with_hint(format!("describe it in .nuthatch/agents/{id}.toml"))
        })?;
        Agent::parse(id, &text)
    }

    /// Every agent there is, by name.
    ///
    /// # Errors
    /// Where the folder cannot be read. Files that are no agents are passed over.
    pub fn list(workspace: &Workspace) -> Result<Vec<AgentId>> {
        let names = disk::names(&workspace.agents())?;
        let stems = names.iter().filter_map(|name| name.strip_suffix(".toml"));
        Ok(stems.filter_map(|stem| AgentId::new(stem).ok()).collect())
    }

    /// What trust in it is about: its file, and the files of the project that words of its
    /// command line name.
    ///
    /// # Errors
    /// Where such a file cannot be read whole.
    pub fn content(&self, workspace: &Workspace) -> Result<Vec<u8>> {
        let mut content = self.source.clone().into_bytes();
        for (name, path) in self.scripts(workspace) {
            let Some(bytes) = disk::read(&path, LONGEST_SCRIPT)? else { continue };
            content.extend_from_slice(format!("\0{}\0{name}\0", bytes.len()).as_bytes());
            content.extend_from_slice(&bytes);
        }
        Ok(content)
    }

    /// The files of the project that words of its command line name, as they are written and
    /// where they really lie.
    #[must_use]
    pub fn scripts(&self, workspace: &Workspace) -> Vec<(String, PathBuf)> {
        let RunsOn::Command(program) = &self.runs_on else { return Vec::new() };
        let roots = [workspace.root().to_owned()];
        let real = |word: &String| {
            let (_, real) = within::resolve(&roots, &workspace.root().join(word)).ok()?;
            real.is_file().then(|| (word.clone(), real))
        };
        program.argv.iter().filter_map(real).collect()
    }

    /// The command line it runs, if it is a program, with nothing in it that steers a
    /// terminal.
    #[must_use]
    pub fn command_line(&self) -> Option<String> {
        let RunsOn::Command(program) = &self.runs_on else { return None };
        let word = |word: &String| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
            let is_plain = !word.is_empty() && word.chars().all(plain);
            if is_plain { word.clone() } else { format!("{word:?}") }
        };
        Some(program.argv.iter().map(word).collect::<Vec<_>>().join(" "))
    }

    fn parse(id: &AgentId, text: &str) -> Result<Agent> {
        let wrong = |what: String| Error::invalid(format!("agent {id}: {what}"));
        let file: AgentFile = toml::from_str(text).map_err(|error| wrong(one_line(&error)))?;
        let EngineTable { model, command, timeout, env } = file.engine;
        let runs_on = match (model, command) {
            (Some(_), Some(_)) => {
                return Err(wrong("the engine is a model or a command, not both".into()));
            }
            (role, None) => {
                if timeout.is_some() || env.is_some() {
                    return Err(wrong("timeout and env belong to a command".into()));
                }
                RunsOn::Model(role.unwrap_or_else(|| "default".into()))
            }
            (None, Some(argv)) => {
                if argv.first().is_none_or(|program| program.trim().is_empty()) {
                    return Err(wrong("the command names no program".into()));
                }
                let timeout = timeout.map_or(Ok(USUAL_TIMEOUT), |text| duration(&text));
                RunsOn::Command(Program {
                    argv,
                    timeout: timeout.map_err(|what| wrong(what.to_owned()))?,
                    env: env.unwrap_or_else(|| vec!["PATH".into(), "HOME".into()]),
                })
            }
        };
        let (description, prompt) = (file.description, file.prompt);
        Ok(Agent { id: id.clone(), description, prompt, runs_on, source: text.to_owned() })
    }
}

/// `90s`, `5m`, `1h`.
fn duration(text: &str) -> Result<Duration, &'static str> {
    let wrong = "a timeout looks like 90s, 5m or 1h";
    let span: jiff::SignedDuration = text.parse().map_err(|_| wrong)?;
    Duration::try_from(span).ok().filter(|span| !span.is_zero()).ok_or(wrong)
}

/// What a parser of TOML says, on one line.
pub(crate) fn one_line(error: &toml::de::Error) -> String {
    error.message().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Agent> {
        Agent::parse(&AgentId::new("a").unwrap(), text)
    }

    #[test]
    fn an_agent_runs_on_a_model_unless_it_says_otherwise() {
        let agent = parsed("prompt = \"You review.\"").unwrap();
        assert_eq!(agent.runs_on, RunsOn::Model("default".into()));
        let text = "engine = { command = [\"cat\"], timeout = \"5m\", env = [\"PATH\"] }";
        let RunsOn::Command(program) = parsed(text).unwrap().runs_on else { panic!() };
        assert_eq!((program.timeout, program.env), (Duration::from_secs(300), vec!["PATH".into()]));
    }

    #[test]
    fn trust_is_about_the_file_and_the_scripts_it_names() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::new(dir.path());
        let agent = parsed("engine = { command = [\"sh\", \"tools/work.sh\", \"../x\"] }").unwrap();
        let bare = agent.content(&workspace).unwrap();
        assert_eq!(bare, agent.source.as_bytes());
        std::fs::create_dir(dir.path().join("tools")).unwrap();
        std::fs::write(dir.path().join("tools/work.sh"), b"one\xFF").unwrap();
        let first = agent.content(&workspace).unwrap();
        std::fs::write(dir.path().join("tools/work.sh"), b"two\xFE").unwrap();
        let second = agent.content(&workspace).unwrap();
        assert!(bare != first && first != second);
        assert_eq!(agent.scripts(&workspace)[0].0, "tools/work.sh");
        assert_eq!(agent.command_line().as_deref(), Some("sh tools/work.sh ../x"));
    }

    #[test]
    fn what_cannot_be_right_is_refused_with_the_agents_name() {
        for (text, what) in [
            ("promt = \"x\"", "unknown field"),
            ("engine = { model = \"a\", command = [\"b\"] }", "not both"),
            ("engine = { model = \"a\", env = [] }", "belong to a command"),
            ("engine = { command = [] }", "no program"),
            ("engine = { command = [\"a\"], timeout = \"soon\" }", "a timeout looks like"),
            ("engine = { command = [\"a\"], timeout = \"-5m\" }", "a timeout looks like"),
            ("engine = \"x", ""),
        ] {
            let message = parsed(text).unwrap_err().to_string();
            assert!(message.starts_with("agent a: ") && message.contains(what), "{message}");
        }
    }
}
