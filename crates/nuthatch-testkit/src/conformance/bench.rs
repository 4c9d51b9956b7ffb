//! What a backend gives the suite.
//!
//! A bench stands for one place, fresh and empty when it is made. Everything a case needs to
//! know about a backend goes through these three traits; no case asks which backend it has.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::Result;
use nuthatch::store::Store;

/// A place for one store.
#[async_trait]
pub trait Bench: Send + Sync {
    /// Opens the place, the first time or again, as another process would: no state is
    /// shared with handles that are already open. (A store that lives in memory gives the
    /// same store each time.)
    async fn open(&self) -> Result<Arc<dyn Store>>;
}

/// A place that is files.
pub trait OnDisk: Bench {
    /// The folder below which everything lies. It exists, and holds nothing else.
    fn root(&self) -> PathBuf;

    /// The file that holds a `core` memory of the global scope, and is true in doubt.
    fn canonical(&self) -> PathBuf;

    /// Files and folders that can be deleted while no handle is open and are built again:
    /// indexes, locks, logs of a database that was closed. None of them need exist. An empty
    /// list says that the canonical file is the only file.
    fn derived(&self) -> Vec<PathBuf>;
}

/// A file that people and other tools write, too.
pub trait TextFile: OnDisk {
    /// A whole canonical file with these entries (key and text), in the way of somebody who
    /// does not know Nuthatch: without ids, with material of their own around and between
    /// the entries. Lines end with `\n`, the last one too.
    fn by_hand(&self, entries: &[(&str, &str)]) -> HandWritten;

    /// `file`, which may be ours, with one more such entry.
    fn with_entry(&self, file: &str, key: &str, text: &str) -> String;

    /// `file`, which may be ours, without the entry that says `text`.
    fn without_entry(&self, file: &str, text: &str) -> String;
}

/// A file written by hand.
#[derive(Clone, Debug)]
pub struct HandWritten {
    /// The whole file.
    pub file: String,
    /// The parts of it that are no entries, in order; at least one comes before the entries
    /// and one after them where the format allows it. Each stays, byte for byte.
    pub foreign: Vec<String>,
}
