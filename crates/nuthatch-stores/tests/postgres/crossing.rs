//! What goes from other stores to PostgreSQL and back: by sync, by export and import.

use std::collections::BTreeMap;
use std::sync::Arc;

use nuthatch::interchange::Format;
use nuthatch::limits::Limits;
use nuthatch::store::Store;
use nuthatch::{Engine, Rules};
use nuthatch_stores::{StoreUrl, SystemClock};
use nuthatch_testkit::SequentialIds;
use nuthatch_testkit::conformance::{Bench, drive};
use nuthatch_testkit::convergence::two_stores_converge;
use nuthatch_testkit::luggage::{assert_same, everything, exported, filled, imported, items};

use crate::Test;
use crate::bench::Postgres;

pub const TESTS: &[Test] = &[
    (
        "postgres::random_edits_deletes_and_broken_lines_always_converge_with_sqlite",
        sqlite_and_postgres_converge,
    ),
    (
        "postgres::what_is_exported_and_imported_is_equal_field_by_field_with_every_store",
        every_pair_gives_back_every_field,
    ),
];

fn sqlite_and_postgres_converge() {
    drive(async {
        for seed in 0..4 {
            let folder = tempfile::tempdir().unwrap();
            let sqlite = StoreUrl::Sqlite(folder.path().join("memory.db"));
            let here = nuthatch_stores::open(&sqlite).await.unwrap();
            let there = Postgres::fresh().open().await.unwrap();
            two_stores_converge(here, there, seed, 70).await;
        }
    });
}

/// A fresh store of every kind.
async fn all(folder: &std::path::Path) -> Vec<Arc<dyn Store>> {
    let mut stores = vec![Postgres::fresh().open().await.unwrap()];
    for url in [
        StoreUrl::Memory,
        StoreUrl::Sqlite(folder.join("memory.db")),
        StoreUrl::Markdown(folder.join("notes")),
        StoreUrl::Json(folder.join("memory.json")),
    ] {
        stores.push(nuthatch_stores::open(&url).await.unwrap());
    }
    stores
}

fn engine(store: &Arc<dyn Store>) -> Engine {
    let (store, rules) = (Arc::clone(store), Rules::limited(Limits::NONE));
    Engine::new(store, Arc::new(SystemClock), Arc::<SequentialIds>::default(), rules)
}

/// Carries everything from one store into an empty one.
async fn carried(from: &Arc<dyn Store>, to: &Arc<dyn Store>) {
    let before = everything(&**from).await;
    let bytes = exported(&engine(from), Format::Jsonl).await;
    let way = format!("{} to {}", from.describe().backend, to.describe().backend);
    let first = imported(&engine(to), items(Format::Jsonl, &bytes)).await;
    assert_eq!(first.refused, BTreeMap::new(), "{way}");
    assert_same(&everything(&**to).await, &before, &way);
    let again = imported(&engine(to), items(Format::Jsonl, &bytes)).await;
    assert_eq!((again.taken.all(), again.already), (0, first.taken), "{way}, twice");
}

fn every_pair_gives_back_every_field() {
    drive(async {
        let postgres = Postgres::fresh().open().await.unwrap();
        filled(&*postgres).await;
        let folder = tempfile::tempdir().unwrap();
        for to in all(folder.path()).await {
            carried(&postgres, &to).await;
            let back = Postgres::fresh().open().await.unwrap();
            carried(&to, &back).await;
        }
    });
}
