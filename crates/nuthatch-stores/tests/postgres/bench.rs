//! A server, and places on it that nobody else uses.

use std::sync::{Arc, Once};

use async_trait::async_trait;
use nuthatch::Result;
use nuthatch::store::Store;
use nuthatch_stores::{PostgresAddress, StoreUrl};
use nuthatch_testkit::conformance::Bench;
use tokio_postgres::NoTls;

/// The address of the server to test with.
pub fn server() -> Option<String> {
    std::env::var("NUTHATCH_TEST_POSTGRES").ok().filter(|address| !address.is_empty())
}

/// The address of a pooler that stands before the server, for stores to be opened by, if there is one.
fn pooler() -> Option<String> {
    std::env::var("NUTHATCH_TEST_POOLER").ok().filter(|address| !address.is_empty())
}

/// The role that stores are opened as: such as a program has, without any right but to rows.
pub const APPLICATION: &str = "nuthatch_test_application";

static PREPARED: Once = Once::new();

/// The server's address for the role of a program.
fn as_application(address: &str) -> String {
    let (_, place) = address.split_once('@').expect("an address names its user");
    format!("postgres://{APPLICATION}@{place}")
}

/// Makes the tables as the administrator, and the role that may use them.
fn prepare() {
    let address = server().expect("tests that need a server are ignored without one");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let store = StoreUrl::Postgres(PostgresAddress::parse(&address).expect("an address"));
        nuthatch_stores::open(&store).await.expect("the administrator makes the tables");
        let (client, connection) =
            tokio_postgres::connect(&address, NoTls).await.expect("a server");
        tokio::spawn(connection);
        // One at a time: rights that two grant at once are refused to one of them.
        let rights = format!(
            "SELECT pg_advisory_lock(7787); \
             DO $$ BEGIN CREATE ROLE {APPLICATION} LOGIN; EXCEPTION WHEN duplicate_object \
             THEN NULL; END $$; \
             GRANT USAGE ON SCHEMA nuthatch TO {APPLICATION}; \
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA nuthatch TO {APPLICATION}"
        );
        client.batch_execute(&rights).await.expect("rights");
    });
}

/// A tenant that has nothing yet.
pub struct Postgres(pub PostgresAddress);

impl Postgres {
    /// By the pooler, where there is one.
    pub fn fresh() -> Self {
        Postgres::fresh_by(pooler)
    }

    /// By the server itself: what a pooler does not pass on.
    pub fn fresh_without_pooler() -> Self {
        Postgres::fresh_by(|| None)
    }

    fn fresh_by(pooler: fn() -> Option<String>) -> Self {
        PREPARED.call_once(|| {
            let prepared = std::thread::spawn(prepare).join();
            prepared.expect("the server can be prepared");
        });
        let address = pooler().or_else(server);
        let address = address.expect("tests that need a server are ignored without one");
        let address = PostgresAddress::parse(&as_application(&address)).expect("an address");
        let name = format!("t-{}", uuid::Uuid::now_v7().simple());
        Postgres(address.of_tenant(&name).expect("a name of a tenant"))
    }
}

#[async_trait]
impl Bench for Postgres {
    async fn open(&self) -> Result<Arc<dyn Store>> {
        nuthatch_stores::open(&StoreUrl::Postgres(self.0.clone())).await
    }
}
