//! Runs a command where it can do no harm: reads of system and workspace, writes into the
//! workspace alone, no network unless allowed.
//!
//! The command is started through a helper, a fresh process of our own program that walls
//! itself in (`confine`) and then becomes the command. Landlock and seccomp are the walls;
//! where bubblewrap works it stands around them. Without Landlock nothing is run at all.

mod bubble;
#[cfg(target_os = "linux")]
mod confine;
mod drive;
#[cfg(target_os = "linux")]
mod filter;
mod helper;
mod output;
mod policy;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use nuthatch::error::{Error, Result};

pub use bubble::Bubble;
pub use drive::Stop;
pub use helper::enter;
pub use policy::{Environment, Network, Policy};

use drive::drive;

/// The exit code of a helper that could not build its walls.
const UNWALLED: i32 = 125;

/// What a command may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// How long it may take.
    pub time: Duration,
    /// How much is kept of each of its outputs.
    pub bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits { time: Duration::from_secs(120), bytes: 256 << 10 }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// It took too long and was ended.
    TimedOut,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// Its standard output, as far as it was kept.
    pub stdout: Vec<u8>,
    /// Its standard error, as far as it was kept.
    pub stderr: Vec<u8>,
    /// Whether something of either was left out.
    pub cut: bool,
}

impl Ran {
    /// Both outputs and how it ended, for somebody who reads.
    #[must_use]
    pub fn transcript(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&self.stderr));
        if self.cut {
            text.push_str("\n[more was said than is kept]");
        }
        match self.ended {
            Ended::Exited(0) => {}
            Ended::Exited(code) => text.push_str(&format!("\n[exit code {code}]")),
            Ended::Killed(signal) => text.push_str(&format!("\n[ended by signal {signal}]")),
            Ended::TimedOut => text.push_str("\n[it took too long and was ended]"),
        }
        text
    }
}

/// Says whether walls can be had here.
pub type Probe = fn() -> Result<(), String>;

/// A place to run commands in.
#[derive(Debug)]
pub struct Sandbox {
    helper: Vec<OsString>,
    policy: Policy,
    probe: Probe,
    bubble: OnceLock<Option<PathBuf>>,
}

impl Sandbox {
    /// A sandbox by `policy`. `helper` is the program, with its first arguments, that does
    /// nothing but call [`enter`] with the rest of them.
    #[must_use]
    pub fn new(helper: Vec<OsString>, policy: Policy) -> Self {
        Sandbox::with_probe(helper, policy, available)
    }

    /// The same, with another opinion on whether walls can be had.
    #[must_use]
    pub fn with_probe(helper: Vec<OsString>, policy: Policy, probe: Probe) -> Self {
        Sandbox { helper, policy, probe, bubble: OnceLock::new() }
    }

    /// Runs a line by the shell, in the workspace.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub fn shell(&self, line: impl Into<OsString>, limits: RunLimits) -> Result<Ran> {
        self.shell_until(line, limits, &Stop::default())
    }

    /// The same, unless somebody stops it.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub fn shell_until(
        &self,
        line: impl Into<OsString>,
        limits: RunLimits,
        stop: &Stop,
    ) -> Result<Ran> {
        self.walled(&["/bin/sh".into(), "-c".into(), line.into()], &[], limits, stop)
    }

    /// Runs a program with arguments and an input, in the workspace.
    ///
    /// # Errors
    /// `unavailable` where no sandbox can be had, and `denied` where the workspace holds
    /// what a sandbox must keep out; the program is not started then.
    pub fn run(&self, argv: &[OsString], input: &[u8], limits: RunLimits) -> Result<Ran> {
        self.walled(argv, input, limits, &Stop::default())
    }

    fn walled(
        &self,
        argv: &[OsString],
        input: &[u8],
        limits: RunLimits,
        stop: &Stop,
    ) -> Result<Ran> {
        (self.probe)().map_err(|why| unwalled(&why))?;
        self.policy.check()?;
        let private = tempfile::Builder::new().prefix("nuthatch-").tempdir().map_err(|error| {
            Error::unavailable("cannot make a folder for temporary files").with_source(error)
        })?;
        // Its name is random, and nobody else's command knows it.
        let token = private.path().display().to_string();
        let command = self.command(argv, private.path(), &token);
        let ran = drive(command, input, limits, stop)?;
        match refusal(&ran, &token) {
            Some(why) => Err(unwalled(&why)),
            None => Ok(ran),
        }
    }

    fn command(&self, argv: &[OsString], private: &Path, token: &str) -> Command {
        let inner: Vec<OsString> = self
            .helper
            .iter()
            .cloned()
            .chain(helper::arguments(&self.policy, private, token))
            .chain(argv.iter().cloned())
            .collect();
        let found = self.bubble.get_or_init(|| bubble::find(self.policy.bubble));
        let words = match found {
            Some(program) => bubble::around(program, &self.policy, private, inner),
            None => inner,
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().current_dir(&self.policy.workspace);
        command.envs(self.policy.env.iter().map(|(name, value)| (name, value)));
        for name in ["HOME", "TMPDIR"] {
            // A home of its own: the real one cannot be read, and tools fail over that.
            if !self.policy.env.iter().any(|(own, _)| own == name) {
                command.env(name, private);
            }
        }
        command
    }
}

/// Whether this system can wall a process in.
fn available() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    return confine::available();
    #[cfg(not(target_os = "linux"))]
    return Err("there is no sandbox for this system".to_owned());
}

fn unwalled(why: &str) -> Error {
    Error::unavailable(format!("no sandbox can be had, so nothing was run: {why}"))
        .with_hint("commands run only on Linux with Landlock (kernel 5.19 or newer)")
}

/// What a helper says that could not build its walls.
fn refusal(ran: &Ran, token: &str) -> Option<String> {
    if ran.ended != Ended::Exited(UNWALLED) {
        return None;
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    said.lines().find_map(|line| line.strip_prefix(token)).map(|why| why.trim().to_owned())
}
