//! Stores of every kind, each in a folder of its own that goes with the test.

use std::path::Path;
use std::sync::Arc;

use nuthatch::store::Store;
use nuthatch_stores::StoreUrl;
use tempfile::TempDir;

/// Every kind of store.
pub const BACKENDS: [&str; 4] = ["memory", "sqlite", "markdown", "json"];

/// A place for one store.
pub struct Place {
    _folder: TempDir,
    pub url: StoreUrl,
}

impl Place {
    pub fn new(backend: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = url(backend, folder.path());
        Place { _folder: folder, url }
    }

    pub async fn open(&self) -> Arc<dyn Store> {
        nuthatch_stores::open(&self.url).await.expect("the store opens")
    }
}

fn url(backend: &str, folder: &Path) -> StoreUrl {
    match backend {
        "memory" => StoreUrl::Memory,
        "sqlite" => StoreUrl::Sqlite(folder.join("memory.db")),
        "markdown" => StoreUrl::Markdown(folder.join("notes")),
        "json" => StoreUrl::Json(folder.join("memory.json")),
        other => panic!("no backend {other}"),
    }
}

/// Runs a test that awaits.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}
