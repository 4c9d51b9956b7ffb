//! Memories as Markdown files that a person may edit at any time.
//!
//! `MEMORY.md` holds the category core, `memory/YYYY-MM-DD.md` daily and conversation,
//! `memory/<category>.md` every other one; `user/`, `projects/<id>/`, `plans/<id>/<req>/` and
//! `sessions/<id>/` repeat that for the other scopes. Everything here is pure: [`place`] knows
//! paths, [`scan`] finds entries between other lines, [`entry`] and [`comment`] read and write
//! one entry, [`read`] and [`codec`] whole files.

pub mod codec;
pub mod comment;
pub mod entry;
mod open;
pub mod place;
pub mod read;
pub mod scan;

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use nuthatch::Result;
use nuthatch::memory::Memory;

use crate::files::layout::{Edit, Layout, Parsed, RelPath};
use place::Place;

pub use open::open;

/// The format of a Markdown store's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkdownLayout;

impl Layout for MarkdownLayout {
    fn backend(&self) -> &'static str {
        "markdown"
    }

    fn file_of(&self, memory: &Memory) -> RelPath {
        place::path_of(memory)
    }

    fn owns(&self, path: &str) -> bool {
        Place::of(path).is_some()
    }

    fn parse(&self, path: &str, bytes: &[u8], fallback: Timestamp) -> Result<Parsed> {
        codec::parse(path, bytes, fallback)
    }

    fn render(
        &self,
        path: &str,
        old: Option<&[u8]>,
        edits: &[Edit<'_>],
    ) -> Result<Option<Vec<u8>>> {
        codec::render(path, old, edits)
    }
}
