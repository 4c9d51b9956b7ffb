//! Hooks: commands that approve or deny what is about to run, and see what came of it.
//!
//! A hook is told by JSON on its standard input and runs in the sandbox like everything
//! else. It approves by exit code 0, unless it prints `{"decision": "deny"}`; whatever else
//! it does, crashing and taking too long included, denies. Hooks of a repository are used
//! only while the user trusts the file as it stands, and until then nothing is approved.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use nuthatch::error::{Error, Kind, Result};
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::sandbox::{Ended, Ran, RunLimits, Sandbox};
use crate::trust::{Subject, Trust};

/// A file of hooks is not longer than this.
const LONGEST: u64 = 64 << 10;

/// What a hook may say.
const MOST_WORDS: usize = 16 << 10;

/// What a hook has time for where it says nothing else.
const USUAL_SECONDS: u64 = 10;

/// More patience than this would be a hang.
const MOST_SECONDS: u64 = 600;

/// What is about to happen, or has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A custom command or a shell tool is about to run.
    BeforeCommand,
    /// It has run.
    AfterCommand,
    /// An agent is about to work.
    BeforeStep,
    /// It has worked.
    AfterStep,
    /// A task of a plan is about to begin.
    BeforeTask,
    /// It has ended.
    AfterTask,
}

/// What hooks are told.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// When.
    pub moment: Moment,
    /// What: the name of the command, the agent or the task.
    pub name: String,
    /// The command lines, or what is to be done.
    pub lines: Vec<String>,
    /// The project.
    pub root: PathBuf,
    /// How it ended, afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// What came of it, afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl Event {
    /// Something that is about to happen in the project at `root`.
    #[must_use]
    pub fn before(moment: Moment, name: &str, lines: Vec<String>, root: &Path) -> Event {
        let (name, root) = (name.to_owned(), root.to_owned());
        Event { moment, name, lines, root, ok: None, output: None }
    }

    /// The same, once it has happened.
    #[must_use]
    pub fn ended(self, moment: Moment, ok: bool, output: String) -> Event {
        Event { moment, ok: Some(ok), output: Some(output), ..self }
    }
}

/// Who is asked before agents work, and told what came of it.
#[async_trait]
pub trait Watch: Send + Sync {
    /// Whether nobody is against what is about to happen.
    ///
    /// # Errors
    /// `denied`, when somebody is, or cannot be asked.
    async fn ask(&self, event: &Event) -> Result<()>;

    /// Tells what has happened, and says what went wrong with that.
    async fn tell(&self, event: &Event) -> Vec<String>;
}

/// What hooks make of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nobody is against it.
    Approved,
    /// This one is.
    Denied {
        /// The name of the hook.
        hook: String,
        /// Why.
        reason: String,
    },
}

impl Decision {
    /// As a result, for those who stop at a denial.
    ///
    /// # Errors
    /// `denied`, with the hook's reason.
    pub fn into_result(self) -> Result<()> {
        match self {
            Decision::Approved => Ok(()),
            Decision::Denied { hook, reason } => {
                Err(Error::new(Kind::Denied, format!("the hook `{hook}` denies it: {reason}")))
            }
        }
    }
}

/// One hook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hook {
    name: String,
    on: Vec<Moment>,
    run: Vec<String>,
    #[serde(default = "usual_seconds")]
    timeout_seconds: u64,
}

fn usual_seconds() -> u64 {
    USUAL_SECONDS
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    hooks: Vec<Hook>,
}

/// The hooks that are asked at a place.
#[derive(Debug, Default)]
pub struct Hooks {
    hooks: Vec<Hook>,
    /// The project's own file, while it is not trusted.
    untrusted: Option<(PathBuf, Vec<u8>)>,
}

impl Hooks {
    /// What trust in a project's hooks is filed under.
    pub const SUBJECT: &'static str = "hooks";

    /// Reads the user's hooks and those of the project at `root`.
    ///
    /// # Errors
    /// When a file is there and cannot be used: a hook that is left out would approve.
    pub fn read(user: Option<&Path>, root: &Path, file: &Path, trust: &Trust) -> Result<Hooks> {
        let mut found = Hooks::default();
        if let Some(user) = user
            && let Some(content) = disk::read(user, LONGEST)?
        {
            found.hooks.extend(parse(user, &content)?);
        }
        if let Some(content) = disk::read(file, LONGEST)? {
            let hooks = parse(file, &content)?;
            let subject = Subject { root, what: Hooks::SUBJECT, content: &content };
            if hooks.is_empty() || trust.holds(subject)? {
                found.hooks.extend(hooks);
            } else {
                found.untrusted = Some((file.to_owned(), content));
            }
        }
        Ok(found)
    }

    /// The project's file of hooks, where the user has not trusted it yet.
    #[must_use]
    pub fn untrusted(&self) -> Option<(&Path, &[u8])> {
        self.untrusted.as_ref().map(|(path, content)| (path.as_path(), content.as_slice()))
    }

    /// Whether nobody is against what is about to happen.
    pub fn ask(&self, event: &Event, sandbox: &Sandbox) -> Decision {
        if let Some((path, _)) = &self.untrusted {
            return Decision::Denied {
                hook: path.display().to_string(),
                reason: "these hooks came with the repository and are not trusted yet".into(),
            };
        }
        for hook in self.on(event.moment) {
            if let Err(reason) = hook.call(event, sandbox) {
                return Decision::Denied { hook: hook.name.clone(), reason };
            }
        }
        Decision::Approved
    }

    /// Tells what has happened. What goes wrong is reported and changes nothing.
    pub fn tell(&self, event: &Event, sandbox: &Sandbox) -> Vec<String> {
        let calls = self.on(event.moment).map(|hook| (hook, hook.call(event, sandbox)));
        let failed = calls.filter_map(|(hook, said)| said.err().map(|why| (hook, why)));
        failed.map(|(hook, why)| format!("the hook `{}` failed: {why}", hook.name)).collect()
    }

    fn on(&self, moment: Moment) -> impl Iterator<Item = &Hook> {
        self.hooks.iter().filter(move |hook| hook.on.contains(&moment))
    }
}

impl Hook {
    /// Nothing, or the reason why not.
    fn call(&self, event: &Event, sandbox: &Sandbox) -> Result<(), String> {
        let input = serde_json::to_vec(event).map_err(|_| "it cannot be told".to_owned())?;
        let argv: Vec<OsString> = self.run.iter().map(OsString::from).collect();
        let limits =
            RunLimits { time: Duration::from_secs(self.timeout_seconds), bytes: MOST_WORDS };
        let ran = sandbox.run(&argv, &input, limits).map_err(|error| error.to_string())?;
        judge(&ran, self.timeout_seconds)
    }
}

#[derive(Deserialize)]
struct Answer {
    decision: Word,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Deny,
}

fn judge(ran: &Ran, seconds: u64) -> Result<(), String> {
    match ran.ended {
        Ended::TimedOut => return Err(format!("it did not answer in {seconds} s")),
        Ended::Killed(signal) => return Err(format!("it was ended by signal {signal}")),
        Ended::Exited(0) => {}
        Ended::Exited(code) => {
            let said = String::from_utf8_lossy(&ran.stderr);
            let line = said.lines().map(str::trim).find(|line| !line.is_empty());
            return Err(line.map_or_else(|| format!("exit code {code}"), str::to_owned));
        }
    }
    let said = ran.stdout.trim_ascii();
    if said.is_empty() {
        return Ok(());
    }
    match serde_json::from_slice(said) {
        Ok(Answer { decision: Word::Approve, .. }) => Ok(()),
        Ok(Answer { reason, .. }) if !reason.is_empty() => Err(reason),
        Ok(_) => Err("it gives no reason".to_owned()),
        Err(_) => Err("its answer is not understood".to_owned()),
    }
}

fn parse(path: &Path, content: &[u8]) -> Result<Vec<Hook>> {
    let wrong = |why: String| {
        Error::invalid(format!("{}: {why}", path.display()))
            .with_hint("a hook has `name`, `on` and `run`; `timeout_seconds` is optional")
    };
    let text = std::str::from_utf8(content).map_err(|_| wrong("it is not UTF-8 text".into()))?;
    let keys: Keys = toml::from_str(text).map_err(|error| wrong(error.message().to_owned()))?;
    for hook in &keys.hooks {
        if hook.run.is_empty() || hook.run[0].is_empty() {
            return Err(wrong(format!("the hook `{}` runs nothing", hook.name)));
        }
        if !(1..=MOST_SECONDS).contains(&hook.timeout_seconds) {
            return Err(wrong(format!(
                "the hook `{}` needs between 1 and {MOST_SECONDS} seconds",
                hook.name
            )));
        }
    }
    Ok(keys.hooks)
}
