//! Where a store of each kind is put for a test, and how much is asked of it.

use std::path::Path;
use std::sync::Arc;

use nuthatch::limits::Limits;
use nuthatch::{Engine, Rules};
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};

/// The stores that several processes can share.
pub const BACKENDS: [&str; 3] = ["sqlite", "markdown", "json"];

/// The URL of a store of a kind inside a folder.
pub fn url(backend: &str, folder: &Path) -> StoreUrl {
    match backend {
        "sqlite" => StoreUrl::Sqlite(folder.join("memory.db")),
        "markdown" => StoreUrl::Markdown(folder.join("notes")),
        _ => StoreUrl::Json(folder.join("memory.json")),
    }
}

/// An engine without limits over a store.
pub async fn engine(url: &StoreUrl) -> nuthatch::Result<Engine> {
    let store = nuthatch_stores::open(url).await?;
    let rules = Rules::limited(Limits::NONE);
    Ok(Engine::new(store, Arc::new(SystemClock), Arc::new(SystemIds::default()), rules))
}

/// A runtime for one test or child.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    runtime.block_on(future)
}

/// One number for a run in full, another for every day.
pub fn amount(full: usize, daily: usize) -> usize {
    match std::env::var("NUTHATCH_TEST_DURABILITY").as_deref() {
        Ok("full") => full,
        Ok(other) => panic!("NUTHATCH_TEST_DURABILITY is {other:?}; only \"full\" is known"),
        Err(_) => daily,
    }
}
