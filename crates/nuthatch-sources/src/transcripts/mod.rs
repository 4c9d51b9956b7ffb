//! The sessions of other agents, read where they lie.
//!
//! One reader for each product, behind one trait; all of them tell the same events
//! (`nuthatch::transcript`). Formats change without notice: what cannot be read is counted by
//! kind and passed over, never fatal. Files are read as streams, in bounded memory, and only
//! from where an earlier reading stopped. Nothing here writes, and nothing looks at the
//! environment of the process: roots come in as an [`Environment`].

mod aider;
mod chain;
mod claude_code;
mod codex;
mod copilot_cli;
pub(crate) mod database;
mod document;
mod environment;
mod folder;
mod gemini_cli;
mod goose;
mod json;
mod lines;
mod opencode;
mod own;
mod pi;
mod stream;
mod telling;
mod watermark;
mod words;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuthatch::error::Result;
use nuthatch::transcript::{Event, SessionHead, Skipped};

pub use aider::Aider;
pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub use copilot_cli::CopilotCli;
pub use environment::Environment;
pub use gemini_cli::GeminiCli;
pub use goose::Goose;
pub use opencode::OpenCode;
pub use own::Own;
pub use pi::Pi;
pub use watermark::{Stamp, Watermark};

/// Reads the sessions of one product.
pub trait Transcripts: Send + Sync {
    /// The product, as sessions name it.
    fn agent(&self) -> &'static str;

    /// The sessions in the product's own places.
    fn discover(&self) -> Found;

    /// The sessions in a file or below a folder that somebody names. Nothing that is found in
    /// there belongs to the product if its form is another.
    fn at(&self, path: &Path) -> Found;

    /// Tells what happened in a session, from a watermark on, until `each` breaks off.
    ///
    /// A file that does not go on where the watermark says is told from its beginning:
    /// [`Read::restarted`] says so. Places of events are the same at every telling.
    ///
    /// # Errors
    /// `not_found` for a session that is gone, `unavailable` for one that cannot be opened,
    /// `invalid` for one that is too long to be read at all.
    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read>;
}

/// Where a session is, and what is known of it without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The file or database.
    pub path: PathBuf,
    /// What a look at its beginning says. Its times are those of the file.
    pub head: SessionHead,
    /// What changes when the session goes on.
    pub stamp: Stamp,
    /// From which byte to which it reaches, in a file that holds several.
    pub span: Option<(u64, u64)>,
}

impl Located {
    /// Whether nothing was added since a reading that ended at this watermark.
    #[must_use]
    pub fn is_unchanged_since(&self, watermark: &Watermark) -> bool {
        watermark.stamp == self.stamp
    }
}

/// What a look at a product's places found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Its sessions, each once.
    pub sessions: Vec<Located>,
    /// What could not be looked at, by kind.
    pub skipped: Skipped,
}

impl Found {
    /// Adds what another look found.
    pub fn extend(&mut self, other: Found) {
        self.sessions.extend(other.sessions);
        for (kind, count) in other.skipped {
            *self.skipped.entry(kind).or_default() += count;
        }
    }

    /// Counts something that could not be looked at.
    pub(crate) fn skip(&mut self, kind: impl Into<String>) {
        *self.skipped.entry(kind.into()).or_default() += 1;
    }

    /// Keeps the newest of those that are the same session: products copy and move files.
    fn newest_only(mut self) -> Found {
        self.sessions.sort_by(|a, b| {
            let newest = |one: &Located| (one.stamp.modified, one.path.clone());
            a.head.id.cmp(&b.head.id).then(newest(b).cmp(&newest(a)))
        });
        let all = self.sessions.len();
        self.sessions.dedup_by(|later, first| later.head.id == first.head.id);
        let copies = all - self.sessions.len();
        if copies > 0 {
            *self.skipped.entry("older copy of a session".to_owned()).or_default() += copies as u64;
        }
        self
    }
}

/// What a reading came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// What is known of the session now.
    pub head: SessionHead,
    /// Where the next reading goes on.
    pub watermark: Watermark,
    /// What was passed over, by kind.
    pub skipped: Skipped,
    /// Whether it was told from its beginning although a watermark was given.
    pub restarted: bool,
}

/// Every reader, each with the roots that the environment names.
#[must_use]
pub fn readers(environment: &Environment) -> Vec<Arc<dyn Transcripts>> {
    vec![
        Arc::new(ClaudeCode::new(environment)),
        Arc::new(Codex::new(environment)),
        Arc::new(GeminiCli::new(environment)),
        Arc::new(OpenCode::new(environment)),
        Arc::new(Pi::new(environment)),
        Arc::new(Goose::new(environment)),
        Arc::new(Aider::new(environment)),
        Arc::new(CopilotCli::new(environment)),
        Arc::new(Own::new(environment)),
    ]
}
