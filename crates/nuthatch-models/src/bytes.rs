//! Bytes of a model, where they lie: in the binary itself, or in memory read from a file.
//!
//! What is compiled in is never copied: its pages are only touched when a text is embedded,
//! and shared by every process that runs the same binary.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a model keeps as long as it lives.
#[derive(Clone)]
pub(crate) struct Bytes {
    owner: Owner,
    range: Range<usize>,
}

#[derive(Clone)]
enum Owner {
    Compiled(&'static [u8]),
    Read(Arc<Vec<u8>>),
}

impl Bytes {
    /// The bytes themselves.
    pub(crate) fn as_slice(&self) -> &[u8] {
        let all = match &self.owner {
            Owner::Compiled(bytes) => bytes,
            Owner::Read(bytes) => bytes.as_slice(),
        };
        &all[self.range.clone()]
    }

    /// A part of these bytes, which shares them. The range must lie inside.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.range.len(), "a part lies inside");
        let start = self.range.start;
        Bytes { owner: self.owner.clone(), range: start + range.start..start + range.end }
    }
}

impl From<&'static [u8]> for Bytes {
    fn from(bytes: &'static [u8]) -> Self {
        Bytes { owner: Owner::Compiled(bytes), range: 0..bytes.len() }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes { range: 0..bytes.len(), owner: Owner::Read(Arc::new(bytes)) }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.range.len())
    }
}
