//! Runs git: two commands that only read, `rev-list` and `config`.
//!
//! Arguments are passed as they are, never through a shell. Neither command runs hooks,
//! touches the index or asks anything. Whatever a surrounding git put into the
//! environment is taken out, so that the answer is about the folder that was asked for.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::layout::is_commit;

/// What git may still learn from the environment: where its own files are.
const KEPT: &[&str] =
    &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"];

/// The git program.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
}

impl Default for Git {
    fn default() -> Self {
        Git::at("git")
    }
}

/// Why git gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no git to run.
    NotInstalled,
    /// The repository belongs to somebody else, and git does not trust it.
    NotTrusted,
    /// Git ran and could not read the repository.
    Unreadable,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::NotInstalled => "git could not be run",
            Failure::NotTrusted => {
                "git does not trust this repository, which belongs to another user \
                 (see safe.directory in git's manual)"
            }
            Failure::Unreadable => "git could not read this repository",
        })
    }
}

impl Git {
    /// The program of that name or path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Git { program: program.into() }
    }

    /// The commits without parents that what is checked out in `top` comes from.
    pub fn roots(&self, top: &Path) -> Result<Vec<String>, Failure> {
        self.commits(top, &["--max-parents=0", "HEAD", "--"])
    }

    /// Whether what is checked out in `top` begins nowhere else than the commit `known`.
    ///
    /// Cheap: walks only what came since.
    pub fn adds_no_root_to(&self, top: &Path, known: &str) -> Result<bool, Failure> {
        let without = format!("^{known}");
        Ok(self.commits(top, &["--max-parents=0", "HEAD", &without, "--"])?.is_empty())
    }

    /// Whether the repository around `top` still has `commit` in the history of a branch.
    pub fn still_has(&self, top: &Path, commit: &str) -> Result<bool, Failure> {
        let beyond = self.commits(top, &["--max-count=1", commit, "--not", "--all", "--"])?;
        Ok(beyond.is_empty())
    }

    /// The names and addresses of the remotes in a repository's settings.
    pub fn remotes(&self, config_file: &Path) -> Result<Vec<(String, String)>, Failure> {
        let mut command = self.command();
        command.args(["config", "-z", "--no-includes", "--file"]).arg(config_file);
        command.args(["--get-regexp", r"^remote\..+\.url$"]);
        let output = run(command)?;
        // Status 1 says that nothing matched.
        if output.status.code() == Some(1) {
            return Ok(Vec::new());
        }
        let text = answer(&output)?;
        Ok(text.split('\0').filter_map(remote).collect())
    }

    fn commits(&self, top: &Path, arguments: &[&str]) -> Result<Vec<String>, Failure> {
        let mut command = self.command();
        command.arg("-C").arg(top).arg("rev-list").args(arguments);
        let text = answer(&run(command)?)?;
        Ok(text.lines().filter(|line| is_commit(line)).map(str::to_owned).collect())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("GIT_") && !KEPT.contains(&name.as_ref()) {
                command.env_remove(name.as_ref());
            }
        }
        command
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // An identity must not depend on local replacements, nor cost network.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            // Failures are told apart by their words.
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        command
    }
}

fn run(mut command: Command) -> Result<Output, Failure> {
    command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Failure::NotInstalled,
        _ => Failure::Unreadable,
    })
}

fn answer(output: &Output) -> Result<String, Failure> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let distrust = complaint.contains("dubious ownership") || complaint.contains("safe.directory");
    Err(if distrust { Failure::NotTrusted } else { Failure::Unreadable })
}

/// Name and address out of `remote.NAME.url`, a line end, and the address.
fn remote(record: &str) -> Option<(String, String)> {
    let (key, url) = record.split_once('\n')?;
    let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
    Some((name.to_owned(), url.to_owned())).filter(|(_, url)| !url.is_empty())
}
