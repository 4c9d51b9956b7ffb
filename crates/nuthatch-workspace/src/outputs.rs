//! What agents said: the end of each output for those who come after, and all of the last one
//! for tails.
//!
//! An output passes the guard before it is kept: secrets are struck, hidden characters go, and
//! what looks like orders to a reader is marked, so that no context takes it up unasked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::guard::{self, Form, Verdict};
use nuthatch::id::{AgentId, RequirementId};
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::layout::Workspace;

/// Characters that later agents see.
pub const KEPT_CHARS: usize = 2000;
/// Bytes of the last output that are kept for tails.
pub const LOG_BYTES: usize = 1024 * 1024;
/// With room for escapes and metadata.
const LONGEST_FILE: u64 = 256 * 1024;
/// Stands in the metadata of what no context takes up.
const QUARANTINED: &str = "quarantined";
const ORDERS: &str = "it looks like orders to its reader";

/// What an agent said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Who said it.
    pub agent_id: AgentId,
    /// The last 2,000 characters of it.
    pub output: String,
    /// When.
    pub timestamp: Timestamp,
    /// Anything else, as text.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
}

impl Output {
    /// Whether it looks like orders to whoever reads it.
    #[must_use]
    pub fn is_quarantined(&self) -> bool {
        self.metadata.contains_key(QUARANTINED)
    }
}

/// The end of what an agent said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// It said nothing.
    None,
    /// Its last lines.
    Lines(String),
    /// It looks like orders to whoever reads it, and no context takes it up.
    Quarantined,
}

/// The outputs of one plan, or of steps without one.
#[derive(Clone, Debug)]
pub struct Outputs {
    root: PathBuf,
    folder: PathBuf,
}

impl Outputs {
    /// The outputs of a plan, or of steps that belong to none.
    #[must_use]
    pub fn of(workspace: &Workspace, plan: Option<&RequirementId>) -> Self {
        let folder = match plan {
            Some(id) => workspace.plan(id).join("memory"),
            None => workspace.internals().join("steps"),
        };
        Outputs { root: workspace.root().to_owned(), folder }
    }

    /// Keeps what an agent said, in place of what it said before.
    ///
    /// # Errors
    /// `unavailable`, when the disk fails; what was there stays.
    pub fn keep(
        &self,
        agent: &AgentId,
        said: &str,
        at: Timestamp,
        mut metadata: BTreeMap<String, String>,
    ) -> Result<Output> {
        if is_orders(said) {
            metadata.insert(QUARANTINED.into(), ORDERS.into());
        }
        let (said, _) = guard::redact(last_bytes(said, LOG_BYTES));
        let said = clean(&said);
        // The whole first: whoever sees the new end can also see the rest.
        disk::replace(&self.root, &self.log(agent), last_bytes(&said, LOG_BYTES).as_bytes())?;
        let output = Output {
            agent_id: agent.clone(),
            output: last_chars(&said, KEPT_CHARS).to_owned(),
            timestamp: at,
            metadata,
        };
        let text = serde_json::to_vec_pretty(&output)
            .map_err(|error| Error::internal("an output cannot be written").with_source(error))?;
        disk::replace(&self.root, &self.file(agent), &text)?;
        Ok(output)
    }

    /// What an agent said last.
    ///
    /// # Errors
    /// `unavailable`, when its file cannot be read; the file is left as it is.
    pub fn load(&self, agent: &AgentId) -> Result<Option<Output>> {
        let path = self.file(agent);
        disk::refuse_links(&self.root, &path)?;
        let Some(bytes) = disk::read(&path, LONGEST_FILE)? else { return Ok(None) };
        let mut output: Output = serde_json::from_slice(&bytes).map_err(|error| {
            Error::unavailable(format!("{} is no output of an agent: {error}", path.display()))
                .with_hint("mend it or move it away; it was not changed")
        })?;
        if output.agent_id != *agent {
            return Err(Error::unavailable(format!(
                "{} says that it is of {}",
                path.display(),
                output.agent_id
            ))
            .with_hint("mend it or move it away; it was not changed"));
        }
        // The file may have come with a repository, past the guard and longer than ours are.
        if is_orders(&output.output) {
            output.metadata.insert(QUARANTINED.into(), ORDERS.into());
        }
        output.output = last_chars(&clean(&output.output), KEPT_CHARS).to_owned();
        Ok(Some(output))
    }

    /// Everything that was said, oldest first, and what could not be read.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn all(&self) -> Result<(Vec<Output>, Vec<Error>)> {
        let (mut outputs, mut errors) = (Vec::new(), Vec::new());
        disk::refuse_links(&self.root, &self.folder)?;
        for name in disk::names(&self.folder)? {
            let Some(agent) = name.strip_suffix(".json").and_then(|id| AgentId::new(id).ok())
            else {
                continue;
            };
            match self.load(&agent) {
                Ok(output) => outputs.extend(output),
                Err(error) => errors.push(error),
            }
        }
        outputs.sort_by(|a, b| (a.timestamp, &a.agent_id).cmp(&(b.timestamp, &b.agent_id)));
        Ok((outputs, errors))
    }

    /// The last lines of what an agent said last.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be read.
    pub fn tail(&self, agent: &AgentId, lines: usize) -> Result<Tail> {
        let path = self.log(agent);
        disk::refuse_links(&self.root, &path)?;
        let Some(text) = disk::read_text(&path, LOG_BYTES as u64)? else { return Ok(Tail::None) };
        let all: Vec<&str> = text.lines().collect();
        let tail = clean(&all[all.len().saturating_sub(lines)..].join("\n"));
        let is_marked = self.load(agent)?.is_some_and(|output| output.is_quarantined());
        Ok(if is_marked || is_orders(&tail) { Tail::Quarantined } else { Tail::Lines(tail) })
    }

    /// Where the end of an output lies.
    #[must_use]
    pub fn file(&self, agent: &AgentId) -> PathBuf {
        self.folder.join(format!("{agent}.json"))
    }

    fn log(&self, agent: &AgentId) -> PathBuf {
        self.folder.join(format!("{agent}.log"))
    }

    /// The folder they lie in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Whether a text looks like orders to whoever reads it. A secret beside them must not hide
/// them, so it is struck first.
pub(crate) fn is_orders(text: &str) -> bool {
    guard::examine(&guard::redact(text).0).verdict == Verdict::Quarantine
}

/// The text without what cannot be seen, part by part: the guard looks at no text of any
/// length at once.
fn clean(text: &str) -> String {
    /// Well below what the guard takes.
    const PART: usize = 32 * 1024;
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    for line in text.lines() {
        if part.len() + line.len() > PART {
            parts.push(std::mem::take(&mut part));
        }
        part.push_str(line);
        part.push('\n');
    }
    parts.push(part);
    // A part of which nothing is left had nothing to see.
    let seen = parts.iter().filter_map(|part| guard::sanitise(part, Form::Note).ok());
    seen.collect::<Vec<_>>().join("\n")
}

/// The last characters of a text.
pub(crate) fn last_chars(text: &str, most: usize) -> &str {
    match text.char_indices().rev().nth(most.saturating_sub(1)) {
        Some((at, _)) if most > 0 => &text[at..],
        _ if most == 0 => "",
        _ => text,
    }
}

/// The last lines of a text that fit, or the end of its last line where that alone is longer.
fn last_bytes(text: &str, most: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(most));
    if from == 0 {
        return text;
    }
    match text[from..].find('\n') {
        Some(at) if at + 1 < text.len() - from => &text[from + at + 1..],
        _ => &text[from..],
    }
}

#[cfg(test)]
mod tests;
