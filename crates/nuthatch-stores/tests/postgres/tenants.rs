//! What keeps tenants apart: every key begins with the tenant, and the server itself refuses.

use nuthatch_testkit::conformance::{Bench, drive};
use tokio_postgres::{Client, NoTls};

use crate::Test;
use crate::bench::{APPLICATION, Postgres, server};

pub const TESTS: &[Test] = &[
    ("postgres::every_key_and_index_begins_with_the_tenant", every_key_begins_with_the_tenant),
    ("postgres::every_table_has_row_security_and_holds_its_owner_to_it", every_table_is_walled),
    ("postgres::another_tenant_reads_and_writes_nothing_by_sql", another_tenant_sees_nothing),
];

/// Runs `work` with a plain connection of the server's administrator.
fn with_client<F: Future<Output = ()>>(work: impl FnOnce(Client) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // The tables are made by whoever opens a store first.
        Postgres::fresh().open().await.unwrap();
        let address = server().unwrap();
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        tokio::spawn(connection);
        work(client).await;
    });
}

fn every_key_begins_with_the_tenant() {
    with_client(|client| async move {
        let sql = "SELECT c.relname::text, i.relname::text, m.amname::text, \
                   coalesce((SELECT a.attname::text FROM pg_attribute AS a \
                   WHERE a.attrelid = c.oid AND a.attnum = x.indkey[0]), ''), \
                   coalesce(pg_get_expr(x.indpred, c.oid), '') \
                   FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid \
                   JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_am AS m ON m.oid = i.relam \
                   WHERE c.relnamespace = 'nuthatch'::regnamespace \
                   AND c.relname <> 'migrations'";
        let rows = client.query(sql, &[]).await.unwrap();
        assert!(rows.len() >= 20, "{}", rows.len());
        for row in rows {
            let [table, index, method, first, only]: [String; 5] =
                std::array::from_fn(|n| row.get(n));
            // An index over vectors knows one column only: it is of one tenant altogether.
            let of_tenant = match method.as_str() {
                "hnsw" => only.contains("tenant = "),
                _ => first == "tenant",
            };
            assert!(of_tenant, "{index} of {table} begins with {first:?}");
        }
    });
}

fn every_table_is_walled() {
    with_client(|client| async move {
        let sql = "SELECT c.relname::text, c.relrowsecurity AND c.relforcerowsecurity, \
                   (SELECT count(*) FROM pg_policy AS p WHERE p.polrelid = c.oid) \
                   FROM pg_class AS c WHERE c.relkind = 'r' \
                   AND c.relnamespace = 'nuthatch'::regnamespace AND c.relname <> 'migrations'";
        let rows = client.query(sql, &[]).await.unwrap();
        assert!(rows.len() >= 15, "{}", rows.len());
        for row in rows {
            let (table, walled, policies): (String, bool, i64) =
                (row.get(0), row.get(1), row.get(2));
            assert!(walled && policies == 1, "{table}: {walled}, {policies} policies");
        }
    });
}

/// A role such as a program has: it may do everything with rows, and is no superuser.
async fn as_application(client: &Client) {
    client.batch_execute(&format!("SET ROLE {APPLICATION}")).await.unwrap();
}

fn another_tenant_sees_nothing() {
    let bench = Postgres::fresh();
    drive(async {
        nuthatch_testkit::conformance::talk::a_turn_is_found_by_its_words_at_once(&bench).await;
    });
    let tenant = bench.0.tenant().to_owned();
    with_client(|client| async move {
        let seen = |table: &'static str, tenant: String| {
            format!("SELECT count(*) FROM nuthatch.{table} WHERE tenant = '{tenant}'")
        };
        let count = async |sql: &str| client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0);
        assert!(count(&seen("turns", tenant.clone())).await > 0);
        as_application(&client).await;
        for other in ["", "another", "%"] {
            let set = format!("SET nuthatch.tenant = '{other}'");
            client.batch_execute(&set).await.unwrap();
            let tables = [
                "tenants",
                "memories",
                "scopes",
                "versions",
                "sessions",
                "turns",
                "shelves",
                "documents",
                "postings",
                "models",
                "vectors",
                "pending",
                "applied",
                "jobs",
                "tokens",
                "tombstones",
            ];
            for table in tables {
                assert_eq!(count(&seen(table, tenant.clone())).await, 0, "{table}");
                let sql = format!("DELETE FROM nuthatch.{table}");
                let gone = client.execute(&sql, &[]).await.unwrap();
                assert_eq!(gone, 0, "{table} as {other:?}");
                let sql = format!("UPDATE nuthatch.{table} SET tenant = '{other}'");
                assert_eq!(client.execute(&sql, &[]).await.unwrap(), 0, "{table}");
            }
            let sql = format!("INSERT INTO nuthatch.tenants (tenant) VALUES ('{tenant}-x')");
            let error = client.execute(&sql, &[]).await.unwrap_err();
            assert_eq!(error.code().unwrap().code(), "42501");
        }
        // With its own setting the tenant sees what is its own: the wall has a door.
        client.batch_execute(&format!("SET nuthatch.tenant = '{tenant}'")).await.unwrap();
        assert!(count(&seen("turns", tenant.clone())).await > 0);
    });
}
