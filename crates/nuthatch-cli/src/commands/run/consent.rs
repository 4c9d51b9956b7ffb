//! Asks the user before a command of a repository is trusted, and before anything runs.
//!
//! It shows the final command line, and takes nothing but a yes for a yes.

use nuthatch::error::{Error, Kind, Result};
use nuthatch_workspace::commands::{Definition, Expanded, Origin};
use nuthatch_workspace::hooks::Hooks;
use nuthatch_workspace::trust::Subject;

use super::{RunArgs, lines};
use crate::ask::{self, Reply};
use crate::wiring::Site;
use crate::{render, walls};

/// Gets trust and leave, or fails.
pub fn ask(
    args: &RunArgs,
    definition: &Definition,
    expanded: &Expanded,
    site: &Site,
) -> Result<()> {
    if definition.origin == Origin::Project {
        let what = subject(definition);
        trusted(args, site, &what, &definition.content)?;
    }
    let lines = lines(expanded);
    if lines.is_empty() {
        return Ok(());
    }
    if let Some((_, content)) = walls::hooks(site)?.untrusted() {
        trusted(args, site, Hooks::SUBJECT, content)?;
    }
    if args.yes {
        return Ok(());
    }
    let shown: Vec<String> = lines.iter().map(|line| format!("  {}", indented(line))).collect();
    let question = format!("This will run, in the sandbox:\n{}\nRun it?", shown.join("\n"));
    leave(&question, "--yes runs it without asking; --dry-run shows what would run")
}

/// What trust in a command is filed under.
pub fn subject(definition: &Definition) -> String {
    format!("command {}", definition.name)
}

fn trusted(args: &RunArgs, site: &Site, what: &str, content: &[u8]) -> Result<()> {
    let trust = walls::trust(site);
    let subject = Subject { root: &site.root.folder, what, content };
    if trust.holds(subject)? {
        return Ok(());
    }
    if !args.trust {
        let text = String::from_utf8_lossy(content);
        let text = indented(text.trim_end());
        let root = render::visible(&site.root.folder.display().to_string());
        let question = format!("This came with {root}:\n  {text}\nTrust the {what} as it stands?");
        leave(&question, "look at its file, then `nuthatch run --trust` trusts it as it stands")?;
    }
    trust.give(subject)
}

/// Asks where somebody can answer; a no and nobody are the same.
fn leave(question: &str, hint: &str) -> Result<()> {
    let denied = |why: &str| Err(Error::new(Kind::Denied, why.to_owned()).with_hint(hint));
    if !ask::can_ask() {
        return denied("this needs your leave, and nobody can be asked here");
    }
    match ask::confirm(question)? {
        Reply::Yes => Ok(()),
        Reply::No => denied("nothing was run"),
    }
}

/// Several lines below each other, with nothing in them that steers a terminal.
fn indented(text: &str) -> String {
    text.lines().map(render::visible).collect::<Vec<_>>().join("\n  ")
}
