//! Asks the user before a command of a repository is trusted, and before anything runs.
//!
//! It shows the final command line. What counts as trust and as a yes is in `crate::consent`.

use nuthatch::error::Result;
use nuthatch_workspace::commands::{Definition, Expanded, Origin};

use super::{RunArgs, lines};
use crate::consent::{Brought, Trusting, indented, leave, trusted, trusted_hooks};
use crate::wiring::Site;

/// Gets trust and leave, or fails.
pub fn ask(
    args: &RunArgs,
    definition: &Definition,
    expanded: &Expanded,
    site: &Site,
) -> Result<()> {
    let trusting = Trusting::of(args.trust);
    if definition.origin == Origin::Project {
        let what = subject(definition);
        let brought = Brought { what: &what, content: &definition.content, runs: None };
        trusted(site, brought, trusting)?;
    }
    let lines = lines(expanded);
    if lines.is_empty() {
        return Ok(());
    }
    trusted_hooks(site, trusting)?;
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
