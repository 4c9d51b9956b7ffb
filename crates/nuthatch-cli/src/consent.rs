//! The user's leave: for what a repository brings to be trusted as it stands, and for what is
//! about to run.
//!
//! Trust is kept by content, so it is asked for once and again after a change. Leave is for
//! one run. Nothing but a yes is a yes, and where nobody can be asked there is none.

use clap::Args;
use nuthatch::error::{Error, Kind, Result};
use nuthatch_workspace::hooks::Hooks;
use nuthatch_workspace::trust::Subject;
use nuthatch_workspace::{Agent, Workspace};

use crate::ask::{self, Reply};
use crate::wiring::Site;
use crate::{render, walls};

/// Lines of a file that are shown before it is trusted.
const MOST_LINES: usize = 40;

/// What commands that put agents to work are told in advance.
#[derive(Clone, Copy, Debug, Args)]
pub struct ConsentArgs {
    /// Let agents run the programs they name, this once
    #[arg(long)]
    yes: bool,
    /// Trust those programs, and the project's hooks, as they stand now
    #[arg(long)]
    trust: bool,
}

impl ConsentArgs {
    /// How trust is had.
    pub fn trusting(self) -> Trusting {
        Trusting::of(self.trust)
    }

    /// Whether the agent's program may run.
    ///
    /// # Errors
    /// `denied`, unless it is trusted as it stands, becomes so, or has leave for this run.
    pub fn permit(self, site: &Site, agent: &Agent) -> Result<()> {
        let Some(line) = agent.command_line() else { return Ok(()) };
        if self.yes && !self.trust {
            return Ok(());
        }
        let workspace = Workspace::new(site.root.folder.clone());
        let content = agent.content(&workspace)?;
        let what = format!("agent {}", agent.id);
        if self.trusting() == Trusting::Asked && !ask::can_ask() && !holds(site, &what, &content)? {
            let message = format!("the agent runs {line}, and nobody allowed that");
            return Err(Error::new(Kind::Denied, message).with_hint(
                "look at its file; --trust trusts it as it stands, --yes lets it run this once",
            ));
        }
        let brought = Brought { what: &what, content: &content, runs: Some(&line) };
        trusted(site, brought, self.trusting())
    }
}

/// Something that came with a repository.
#[derive(Clone, Copy, Debug)]
pub struct Brought<'a> {
    /// What it is, as `command build`, `agent coder` or `hooks`.
    pub what: &'a str,
    /// The whole of it.
    pub content: &'a [u8],
    /// What it runs, where that is one line.
    pub runs: Option<&'a str>,
}

/// How trust is had where it is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusting {
    /// The user said so in advance.
    Given,
    /// The user is asked, where there is one.
    Asked,
}

impl Trusting {
    /// What `--trust` means.
    pub fn of(trust: bool) -> Trusting {
        if trust { Trusting::Given } else { Trusting::Asked }
    }
}

/// Gets trust in something of the project as it stands, or fails.
///
/// # Errors
/// `denied`, when the user does not trust it or cannot be asked.
pub fn trusted(site: &Site, brought: Brought<'_>, trusting: Trusting) -> Result<()> {
    let Brought { what, content, runs } = brought;
    if holds(site, what, content)? {
        return Ok(());
    }
    if trusting == Trusting::Asked {
        let text = String::from_utf8_lossy(content);
        let text = indented(&beginning(text.trim_end()));
        let root = render::visible(&site.root.folder.display().to_string());
        // Last, so that nothing long before it can push it off the screen.
        let runs = runs.map(|line| format!("It runs: {line}\n")).unwrap_or_default();
        let question =
            format!("This came with {root}:\n  {text}\n{runs}Trust the {what} as it stands?");
        leave(&question, "look at its file, then --trust trusts it as it stands")?;
    }
    walls::trust(site).give(Subject { root: &site.root.folder, what, content })
}

/// Gets trust in the project's hooks, where it has some.
///
/// # Errors
/// As [`trusted`], and where their file cannot be read.
pub fn trusted_hooks(site: &Site, trusting: Trusting) -> Result<()> {
    match walls::hooks(site)?.untrusted() {
        Some((_, content)) => {
            trusted(site, Brought { what: Hooks::SUBJECT, content, runs: None }, trusting)
        }
        None => Ok(()),
    }
}

fn holds(site: &Site, what: &str, content: &[u8]) -> Result<bool> {
    walls::trust(site).holds(Subject { root: &site.root.folder, what, content })
}

/// Asks where somebody can answer; a no and nobody are the same.
///
/// # Errors
/// `denied`, with the hint.
pub fn leave(question: &str, hint: &str) -> Result<()> {
    let denied = |why: &str| Err(Error::new(Kind::Denied, why.to_owned()).with_hint(hint));
    if !ask::can_ask() {
        return denied("this needs your leave, and nobody can be asked here");
    }
    match ask::confirm(question)? {
        Reply::Yes => Ok(()),
        Reply::No => denied("nothing was run"),
    }
}

/// As much as fits on a screen, and how much more there is.
fn beginning(text: &str) -> String {
    let mut lines = text.lines();
    let shown: Vec<&str> = lines.by_ref().take(MOST_LINES).collect();
    match lines.count() {
        0 => shown.join("\n"),
        more => format!("{}\n… and {more} more lines: look at its file", shown.join("\n")),
    }
}

/// Several lines below each other, with nothing in them that steers a terminal.
pub fn indented(text: &str) -> String {
    text.lines().map(render::visible).collect::<Vec<_>>().join("\n  ")
}
