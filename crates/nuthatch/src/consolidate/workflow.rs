//! Commands that recur over the sessions of a project.
//!
//! A person who asks for a command by name in two sessions will ask again; a command that
//! worked in three is how things are done here. Counts decide and are not shown, so that one
//! more session does not change a document.

use std::collections::BTreeMap;

use crate::guard::{Verdict, examine};

use super::current::Current;
use super::entry::line;

/// Sessions in which a person asked for it.
const ASKED_IN: usize = 2;
/// Sessions in which it worked.
const WORKED_IN: usize = 3;
/// Most that are told: those that occur in most sessions.
const MOST: usize = 20;

/// A command that recurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workflow {
    /// The command line.
    pub command: String,
    /// Whether the person asks for it.
    pub asked: bool,
}

impl Workflow {
    /// The line as it stands in a file.
    pub fn render(&self) -> String {
        let why = if self.asked { "the user asks for it regularly" } else { "used regularly" };
        format!("- `{}`: {why}.", self.command)
    }
}

/// The commands that recur, in order of their names.
pub fn recurring(current: &Current<'_>) -> Vec<Workflow> {
    let mut seen: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut sessions = std::collections::BTreeSet::new();
    for synopsis in &current.synopses {
        for command in &synopsis.commands {
            if sessions.insert((&synopsis.session, &command.line)) {
                let (asked, worked) = seen.entry(&command.line).or_default();
                *asked += usize::from(command.asked);
                *worked += usize::from(command.worked > 0);
            }
        }
    }
    let mut often: Vec<(&str, usize, usize)> = seen
        .into_iter()
        .map(|(command, (asked, worked))| (command, asked, worked))
        .filter(|(_, asked, worked)| *asked >= ASKED_IN || *worked >= WORKED_IN)
        .filter(|(command, ..)| is_showable(command))
        .collect();
    often.sort_by_key(|(command, asked, worked)| (std::cmp::Reverse(asked + worked), *command));
    often.truncate(MOST);
    often.sort_unstable();
    let workflow = |(command, asked, _): (&str, usize, usize)| Workflow {
        command: command.to_owned(),
        asked: asked >= ASKED_IN,
    };
    often.into_iter().map(workflow).collect()
}

/// Whether a command can stand in a code span of one line and nobody is ordered about by it.
fn is_showable(command: &str) -> bool {
    !command.contains('`')
        && line(command) == command
        && examine(command).verdict == Verdict::Accept
}
