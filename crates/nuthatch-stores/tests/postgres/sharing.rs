//! Several processes on one database: nothing is cached, tenants share connections, grants are
//! known everywhere; and a database without pgvector.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::{Kind, Result};
use nuthatch::filter::{Filter, Scopes};
use nuthatch::grant::{Grant, Grants, Kept, Role};
use nuthatch::recall::{Lane, Mode, RecallRequest};
use nuthatch::remember::RememberRequest;
use nuthatch::store::{Severity, Store as _};
use nuthatch::vector::{ModelId, Vector};
use nuthatch::{Engine, Rules, Scope};
use nuthatch_stores::{PostgresAddress, PostgresStore, SystemClock, SystemIds};
use nuthatch_testkit::conformance::drive;
use tokio_postgres::NoTls;

use crate::Test;
use crate::bench::{Postgres, server};

pub const TESTS: &[Test] = &[
    ("postgres::what_one_process_writes_another_recalls_at_once", seen_at_once),
    ("postgres::tenants_over_one_pool_see_their_own_alone", tenants_share_a_pool),
    ("postgres::grants_are_known_to_every_process_and_to_their_tenant_alone", grants_are_shared),
    ("postgres::several_hosts_are_tried_until_one_takes_writes", several_hosts),
    ("postgres::without_pgvector_words_are_searched_and_every_answer_says_so", without_pgvector),
];

/// Turns any text into the same direction: what is compared here is who is asked, not what is meant.
struct Constant;

#[async_trait]
impl Embedder for Constant {
    fn info(&self) -> EmbedderInfo {
        EmbedderInfo {
            id: ModelId::new("constant@1#0123456789abcdef").unwrap(),
            name: "constant".into(),
            version: "1".into(),
            dimensions: 4,
            hash: "0123456789abcdef".into(),
            licence: "MIT".into(),
            origin: "test".into(),
        }
    }

    async fn embed(&self, _: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        Ok(texts.iter().map(|_| Vector::quantise(&[1.0, 0.0, 0.0, 0.0])).collect())
    }
}

fn engine(store: PostgresStore) -> Engine {
    let (clock, ids) = (Arc::new(SystemClock), Arc::<SystemIds>::default());
    Engine::new(Arc::new(store), clock, ids, Rules::default())
}

fn ask(query: &str) -> RecallRequest {
    let filter = Filter::scoped(Scopes::These(vec![Scope::Global]));
    RecallRequest { mode: Mode::Hybrid, ..RecallRequest::new(query, filter) }
}

fn fact(content: &str) -> RememberRequest {
    RememberRequest::new(content, Scope::Global)
}

/// Nothing of a memory is kept in a process between two requests: the very next recall of another
/// pool sees what was written or forgotten.
fn seen_at_once() {
    let bench = Postgres::fresh();
    drive(async {
        let one = engine(PostgresStore::open(&bench.0).await.unwrap());
        let other = engine(PostgresStore::open(&bench.0).await.unwrap());
        for round in 0..20 {
            let content = format!("the canary number{round} sings");
            let id = one.remember(fact(&content)).await.unwrap().memory.id;
            let found = other.recall(&ask(&format!("number{round}"))).await.unwrap();
            assert!(found.hits.iter().any(|hit| hit.id == id.to_string()), "round {round}");
            other.forget(&[id]).await.unwrap();
            let found = one.recall(&ask(&format!("number{round}"))).await.unwrap();
            assert!(found.hits.is_empty(), "round {round}: {found:?}");
        }
    });
}

fn tenants_share_a_pool() {
    let bench = Postgres::fresh();
    drive(async {
        let first = PostgresStore::open(&bench.0).await.unwrap();
        let second = first.of_tenant(&format!("{}-2", first.tenant())).unwrap();
        let (one, other) = (engine(first.clone()), engine(second));
        one.remember(fact("canary of the first")).await.unwrap();
        other.remember(fact("canary of the second")).await.unwrap();
        for (engine, own) in [(&one, "first"), (&other, "second")] {
            let found = engine.recall(&ask("canary")).await.unwrap();
            assert_eq!(found.hits.len(), 1, "{found:?}");
            assert!(found.hits[0].content.contains(own), "{found:?}");
        }
        assert_eq!(first.of_tenant("a'; DROP").err().unwrap().kind(), Kind::Invalid);
    });
}

fn grants_are_shared() {
    let bench = Postgres::fresh();
    let at = |second| Timestamp::from_second(second).unwrap();
    drive(async {
        let one = PostgresStore::open(&bench.0).await.unwrap();
        let other = PostgresStore::open(&bench.0).await.unwrap();
        let tenant = one.tenant().to_owned();
        let grant = Grant {
            id: "0123456789abcdef".to_owned(),
            tenant: tenant.clone(),
            name: "the \0 laptop".to_owned(),
            role: Role::Reviewer,
            created_at: at(1),
            expires_at: Some(at(100)),
            revoked_at: None,
        };
        let kept = Kept { grant, hash: "ab".repeat(32) };
        one.keep(&kept).await.unwrap();
        one.keep(&kept).await.unwrap();
        let taken = Kept { hash: "cd".repeat(32), ..kept.clone() };
        assert_eq!(other.keep(&taken).await.unwrap_err().kind(), Kind::Conflict);
        assert_eq!(other.find(&tenant, &kept.grant.id).await.unwrap(), Some(kept.clone()));
        assert_eq!(other.find(&format!("{tenant}-2"), &kept.grant.id).await.unwrap(), None);
        assert_eq!(other.all(&format!("{tenant}-2")).await.unwrap(), []);
        assert!(!other.end(&format!("{tenant}-2"), &kept.grant.id, at(2)).await.unwrap());
        for second in [9, 5, 7] {
            assert!(other.end(&tenant, &kept.grant.id, at(second)).await.unwrap());
        }
        let ended = one.all(&tenant).await.unwrap();
        assert_eq!(ended[0].grant.revoked_at, Some(at(5)));
    });
}

fn several_hosts() {
    let bench = Postgres::fresh();
    let address = server().unwrap();
    let (who, rest) = address.split_once('@').unwrap();
    let (host, rest) = rest.split_once('/').unwrap();
    // Nobody listens at the first; the second takes writes.
    let tenant = bench.0.tenant();
    let several =
        format!("{who}@127.0.0.1:1,{host}/{rest}&target_session_attrs=read-write&tenant={tenant}");
    let address = PostgresAddress::parse(&several).unwrap();
    assert!(address.to_string().contains(&format!("127.0.0.1:1,{host}")), "{address}");
    drive(async {
        let engine = engine(PostgresStore::open(&address).await.unwrap());
        engine.remember(fact("kept by the second host")).await.unwrap();
        assert_eq!(engine.recall(&ask("second host")).await.unwrap().hits.len(), 1);
    });
}

/// A database whose user may make tables in one schema, and nothing else: no extension.
async fn plain_database(name: &str) -> String {
    let admin = server().unwrap();
    let (_, rest) = admin.split_once('@').unwrap();
    let (host, query) = (rest.split('/').next().unwrap(), rest.split_once('?').unwrap().1);
    let run = async |address: &str, sql: &[String]| {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
        let running = tokio::spawn(connection);
        for sql in sql {
            client.batch_execute(sql).await.unwrap();
        }
        drop(client);
        let _ = running.await;
    };
    run(&admin, &[format!("CREATE ROLE {name} LOGIN"), format!("CREATE DATABASE {name}")]).await;
    let inside = format!("postgres://postgres@{host}/{name}?{query}");
    run(&inside, &[format!("CREATE SCHEMA nuthatch AUTHORIZATION {name}")]).await;
    format!("postgres://{name}@{host}/{name}?{query}")
}

fn without_pgvector() {
    let name = format!("plain_{}", uuid::Uuid::now_v7().simple());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let address = runtime.block_on(plain_database(&name));
    drive(async {
        let store = PostgresStore::open(&PostgresAddress::parse(&address).unwrap()).await.unwrap();
        let findings = store.check().await.unwrap();
        let about = findings.iter().find(|found| found.name == "pgvector").unwrap();
        assert_eq!(about.severity, Severity::Warning, "{about:?}");
        let engine = engine(store).with_embedder(Arc::new(Constant));
        engine.remember(fact("the staging database listens on 5433")).await.unwrap();
        let found = engine.recall(&ask("staging databases")).await.unwrap();
        assert_eq!(found.hits.len(), 1, "{found:?}");
        assert!(found.trace.notes.join(" ").contains("pgvector"), "{:?}", found.trace);
        assert!(!found.trace.lanes.contains(&Lane::Vector), "{:?}", found.trace);
        // Who wants vectors and nothing else is told that there are none.
        let vectors = RecallRequest { mode: Mode::Vector, ..ask("staging databases") };
        let error = engine.recall(&vectors).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Unavailable);
        assert!(error.to_string().contains("pgvector"), "{error}");
        let words = RecallRequest { mode: Mode::Text, ..ask("staging databases") };
        let found = engine.recall(&words).await.unwrap();
        assert!(found.trace.notes.is_empty(), "it is not affected: {:?}", found.trace);
        assert_eq!(engine.embed_pending(&|_, _| ()).await.unwrap(), 0);
    });
}
