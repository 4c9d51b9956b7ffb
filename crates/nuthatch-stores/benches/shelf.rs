//! Filled stores, made once and kept under `target/bench-stores`.
//!
//! A store that is only read is used where it lies. One that is written to is a copy in a
//! temporary folder beside it, so that what is kept stays as it was made.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use nuthatch::change::{Change, ChangeSet};
use nuthatch::clock::Ids;
use nuthatch::id::ChangeSetId;
use nuthatch::limits::Limits;
use nuthatch::memory::{Memory, Record};
use nuthatch::store::Store;
use nuthatch::{Engine, Rules};
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::corpus::Corpus;

/// Counts up when the corpus or the format of a store changes: no stale store is measured.
const EDITION: u32 = 1;

/// Longer than a file of a store counts as young: such a file is read at every access.
const SETTLING: Duration = Duration::from_millis(2300);

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Memory,
    Sqlite,
    Markdown,
    Json,
}

impl Backend {
    pub const ALL: [Backend; 4] =
        [Backend::Memory, Backend::Sqlite, Backend::Markdown, Backend::Json];

    pub fn name(self) -> &'static str {
        self.url(Path::new("")).backend()
    }

    /// The store of this kind in a folder of its own.
    pub fn url(self, folder: &Path) -> StoreUrl {
        match self {
            Backend::Memory => StoreUrl::Memory,
            Backend::Sqlite => StoreUrl::Sqlite(folder.join("memory.db")),
            Backend::Markdown => StoreUrl::Markdown(folder.join("notes")),
            Backend::Json => StoreUrl::Json(folder.join("memory.json")),
        }
    }
}

/// One thread, like the command; stores bring their own for blocking work.
pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts")
}

/// An engine without limits.
pub fn engine(store: Arc<dyn Store>) -> Engine {
    let rules = Rules::limited(Limits::NONE);
    Engine::new(store, Arc::new(SystemClock), Arc::new(SystemIds::default()), rules)
}

/// Opens a store.
pub fn open(runtime: &Runtime, url: &StoreUrl) -> Arc<dyn Store> {
    runtime.block_on(nuthatch_stores::open(url)).expect("the store opens")
}

/// The folder of a filled store, which is filled first if it is not there.
pub fn kept(backend: Backend, count: u64) -> PathBuf {
    let name = format!("{}-{count}-{}-{EDITION}", backend.name(), env!("CARGO_PKG_VERSION"));
    let folder = shelf().join(name);
    if !folder.exists() {
        let draft = TempDir::new_in(shelf()).expect("a folder can be made under target");
        let runtime = runtime();
        fill(&runtime, &*open(&runtime, &backend.url(draft.path())), count);
        std::thread::sleep(SETTLING);
        // Whoever was faster has made the same store.
        if fs::rename(draft.path(), &folder).is_ok() {
            let _gone = draft.keep();
        }
    }
    folder
}

/// A copy of a filled store, gone with the value.
pub fn copied(backend: Backend, count: u64) -> TempDir {
    let folder = TempDir::new_in(shelf()).expect("a folder can be made under target");
    copy(&kept(backend, count), folder.path()).expect("a kept store can be copied");
    folder
}

/// The first `count` memories of the corpus, in one change set: a store of files writes each
/// file once.
pub fn fill(runtime: &Runtime, store: &dyn Store, count: u64) {
    let corpus = Corpus::new();
    let (mut first, rest): (Vec<Memory>, Vec<Memory>) =
        (0..count).map(|number| corpus.memory(number)).partition(|memory| memory.key.is_some());
    // A key is looked up before it is stored, and the store in RAM looks at everything.
    first.extend(rest);
    let restore = |memory| Change::Restore(Box::new(Record { memory, versions: Vec::new() }));
    let at = Timestamp::UNIX_EPOCH;
    let id = ChangeSetId(SystemIds::default().fresh(at));
    let changes = first.into_iter().map(restore).collect();
    runtime
        .block_on(store.apply(&ChangeSet::unguarded(id, at, changes)))
        .expect("the store takes it");
}

fn shelf() -> PathBuf {
    let shelf = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench-stores");
    fs::create_dir_all(&shelf).expect("a folder can be made under target");
    shelf
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
