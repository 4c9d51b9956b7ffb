//! Memories as one JSON array of `{fact, category, created_at, …}`.
//!
//! Files that other tools wrote in that shape load as they are: only `fact` is needed, and
//! whatever else they hold is kept. Everything here is pure: [`element`] reads and writes one
//! object, [`codec`] the array around them.

pub mod codec;
pub mod element;
mod open;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use nuthatch::Result;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;

use crate::files::layout::{Edit, Layout, Parsed, RelPath, Source};

pub use open::open;

/// The format of a JSON store's one file.
#[derive(Clone, Debug)]
pub struct JsonLayout {
    file: RelPath,
}

impl JsonLayout {
    /// The layout of a store whose file has this name.
    pub fn new(file: impl Into<RelPath>) -> Self {
        JsonLayout { file: file.into() }
    }
}

impl Layout for JsonLayout {
    fn only(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn backend(&self) -> &'static str {
        "json"
    }

    fn file_of(&self, _memory: &Memory) -> RelPath {
        self.file.clone()
    }

    fn owns(&self, path: &str) -> bool {
        path == self.file
    }

    fn accepts(&self, path: &str, _memory: &Memory) -> bool {
        self.owns(path)
    }

    fn parse_beside(&self, file: Source<'_>, elsewhere: &HashSet<MemoryId>) -> Result<Parsed> {
        codec::parse(file, elsewhere)
    }

    /// Never `None`: the file is the user's, and stays even when it is empty.
    fn render_beside(
        &self,
        path: &str,
        old: Option<&[u8]>,
        edits: &[Edit<'_>],
        elsewhere: &HashSet<MemoryId>,
    ) -> Result<Option<Vec<u8>>> {
        codec::render(path, old, edits, elsewhere).map(Some)
    }
}
