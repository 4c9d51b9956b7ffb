//! Memories as Markdown files that a person may edit at any time.
//!
//! `MEMORY.md` holds the category core, `memory/YYYY-MM-DD.md` daily and conversation,
//! `memory/<category>.md` every other one; `user/`, `projects/<id>/`, `plans/<id>/<req>/` and
//! `sessions/<id>/` repeat that for the other scopes. Everything here is pure: [`place`] knows
//! paths, [`scan`] and [`lazy`] find entries between other lines, [`entry`] and [`comment`] read and write
//! one entry, [`read`] and [`codec`] whole files.

pub mod codec;
pub mod comment;
pub mod entry;
pub mod lazy;
mod open;
pub mod place;
pub mod read;
pub mod scan;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use nuthatch::Result;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;

use crate::files::layout::{Edit, Layout, Parsed, RelPath, Source};
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

    fn accepts(&self, path: &str, memory: &Memory) -> bool {
        Place::of(path).is_some_and(|place| place.accepts(memory))
    }

    fn parse_beside(&self, file: Source<'_>, elsewhere: &HashSet<MemoryId>) -> Result<Parsed> {
        codec::parse(file, elsewhere)
    }

    fn render_beside(
        &self,
        path: &str,
        old: Option<&[u8]>,
        edits: &[Edit<'_>],
        elsewhere: &HashSet<MemoryId>,
    ) -> Result<Option<Vec<u8>>> {
        codec::render(path, old, edits, elsewhere)
    }
}
