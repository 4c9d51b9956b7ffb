//! Stores behind Nuthatch's one [`Store`] trait.
//!
//! [`open`] takes a [`StoreUrl`] and gives back a store; nothing above needs to know which.
//! What changes mean is written once, in `semantics.rs`, over the small steps of `tx.rs`.
//! Backends are peers: `memory/` in RAM, `sqlite/` in one file, `postgres/` in a database of
//! many, `files/store/` in files of a layout, of which there are `markdown/` and `json/`. [`CompositeStore`] puts several
//! behind one.

use std::sync::Arc;

use nuthatch::error::Result;
use nuthatch::store::Store;

mod agreement;
mod audit;
mod composite;
mod disk;
mod files;
mod grants;
mod json;
mod markdown;
mod memory;
mod packed;
#[cfg(feature = "postgres")]
mod postgres;
mod recorder;
mod semantics;
mod shelf;
mod sqlite;
mod system;
mod tx;
mod url;

pub use agreement::DiskAgreements;
pub use audit::AuditLog;
pub use composite::{CompositeStore, Reach, Route, check_within};
pub use files::store::FileStore;
pub use grants::FileGrants;
pub use memory::InMemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresAddress, PostgresStore};
pub use shelf::DiskShelf;
pub use sqlite::SqliteStore;
pub use system::{SystemClock, SystemIds};
pub use url::StoreUrl;

// The example of the README is compiled and run like any other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Opens the store at a URL, creating it if there is nothing.
///
/// # Errors
/// `unavailable`, naming the file and what to do, when what is there cannot be used.
pub async fn open(url: &StoreUrl) -> Result<Arc<dyn Store>> {
    Ok(match url {
        StoreUrl::Memory => Arc::new(InMemoryStore::default()),
        StoreUrl::Sqlite(path) => Arc::new(SqliteStore::open(path).await?),
        StoreUrl::Markdown(path) => Arc::new(markdown::open(path).await?),
        StoreUrl::Json(path) => Arc::new(json::open(path).await?),
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(address) => Arc::new(PostgresStore::open(address).await?),
    })
}
