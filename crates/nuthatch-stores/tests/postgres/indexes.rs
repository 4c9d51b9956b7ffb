//! An index over vectors: made where it is worth it, asked, left where too few pass, made again where
//! it was broken off.

use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::category::Category;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::MemoryId;
use nuthatch::limits::Limits;
use nuthatch::remember::RememberRequest;
use nuthatch::store::VectorQuery;
use nuthatch::vector::{ModelId, Vector};
use nuthatch::{Engine, Rules, Scope};
use nuthatch_stores::{PostgresAddress, PostgresStore, SystemClock, SystemIds};
use nuthatch_testkit::conformance::drive;
use tokio_postgres::NoTls;

use crate::Test;
use crate::bench::{Postgres, server};

pub const TESTS: &[Test] = &[
    ("postgres::an_index_over_vectors_finds_as_many_as_there_are", an_index_is_made_and_asked),
    ("postgres::an_index_that_was_broken_off_is_made_again", a_broken_index_is_made_again),
];

const DIMENSIONS: usize = 16;

/// The direction that a text's first number names: neighbours are near each other.
struct Numbers;

#[async_trait]
impl Embedder for Numbers {
    fn info(&self) -> EmbedderInfo {
        EmbedderInfo {
            id: ModelId::new("numbers@1#0123456789abcdef").unwrap(),
            name: "numbers".into(),
            version: "1".into(),
            dimensions: DIMENSIONS,
            hash: "0123456789abcdef".into(),
            licence: "MIT".into(),
            origin: "test".into(),
        }
    }

    async fn embed(&self, _: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        let direction = |text: &&str| {
            let number = text.split_whitespace().find_map(|word| word.parse::<f32>().ok());
            let angle = number.unwrap_or_default() / 100.0;
            let wave = |n: usize| (angle * (n as f32 + 1.0)).cos();
            Vector::quantise(&(0..DIMENSIONS).map(wave).collect::<Vec<f32>>())
        };
        Ok(texts.iter().map(direction).collect())
    }
}

/// The server's administrator, who owns the tables, in a tenant of its own with an index soon.
fn owner() -> PostgresAddress {
    let tenant = Postgres::fresh().0.tenant().to_owned();
    let address = format!("{}&vector_index=100&tenant={tenant}", server().unwrap());
    PostgresAddress::parse(&address).unwrap()
}

async fn filled(store: &PostgresStore) -> Engine {
    let (clock, ids) = (Arc::new(SystemClock), Arc::<SystemIds>::default());
    let rules = Rules::limited(Limits::NONE);
    let engine =
        Engine::new(Arc::new(store.clone()), clock, ids, rules).with_embedder(Arc::new(Numbers));
    for number in 0..150 {
        let mut fact = RememberRequest::new(format!("{number} is a number"), Scope::Global);
        let category = match number {
            _ if number % 50 == 7 => "decision",
            _ if number % 2 == 0 => "event",
            _ => "fact",
        };
        fact.category = Some(Category::new(category).unwrap());
        engine.remember(fact).await.unwrap();
    }
    engine.embed_pending(&|_, _| ()).await.unwrap();
    engine.drop_other_vectors().await.unwrap();
    engine
}

/// The memories nearest to a number, as the numbers they begin with.
async fn nearest(engine: &Engine, number: &str, categories: &[&str], limit: usize) -> Vec<String> {
    let mut filter = Filter::scoped(Scopes::These(vec![Scope::Global]));
    filter.categories = categories.iter().map(|name| Category::new(*name).unwrap()).collect();
    let vector = Numbers.embed(Purpose::Query, &[number]).await.unwrap().remove(0);
    let query = VectorQuery { model: Numbers.info().id, vector, filter, limit };
    let found = engine.store().search_vectors(&query).await.unwrap().matches;
    let ids: Vec<MemoryId> = found.iter().filter_map(|near| near.doc.memory()).collect();
    let memories = engine.store().memories(&ids).await.unwrap();
    let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    memories.iter().map(|memory| first(&memory.content)).collect()
}

/// What the server knows of the indexes over vectors of a tenant: whether each is whole.
async fn indexes(tenant: &str) -> Vec<bool> {
    let (client, connection) = tokio_postgres::connect(&server().unwrap(), NoTls).await.unwrap();
    let running = tokio::spawn(connection);
    let sql = "SELECT i.indisvalid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid \
               WHERE c.relname LIKE 'vectors_near_%' \
               AND pg_get_expr(i.indpred, i.indrelid) LIKE '%' || $1 || '%'";
    let rows = client.query(sql, &[&tenant]).await.unwrap();
    drop(client);
    let _ = running.await;
    rows.iter().map(|row| row.get(0)).collect()
}

/// Runs `work` where a plain connection may live.
fn on_runtime<R>(work: impl Future<Output = R>) -> R {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

fn an_index_is_made_and_asked() {
    let address = owner();
    let tenant = address.tenant().to_owned();
    let engine = on_runtime(async {
        let store = PostgresStore::open(&address).await.unwrap();
        let engine = filled(&store).await;
        assert_eq!(indexes(&tenant).await, [true]);
        engine
    });
    drive(async {
        assert_eq!(nearest(&engine, "42", &[], 1).await, ["42"]);
        // Three of a hundred and fifty pass, and none of them lies near.
        let mut few = nearest(&engine, "120", &["decision"], 50).await;
        few.sort_unstable();
        assert_eq!(few, ["107", "57", "7"]);
        // Half of them pass: too few among the nearest, enough among more.
        let mut even = nearest(&engine, "75", &["event"], 50).await;
        assert!(even.iter().all(|number| number.parse::<u32>().unwrap() % 2 == 0), "{even:?}");
        even.dedup();
        assert_eq!(even.len(), 50);
        // What is written behind the index is found by it.
        engine.remember(RememberRequest::new("1042 is new", Scope::Global)).await.unwrap();
        engine.embed_pending(&|_, _| ()).await.unwrap();
        assert_eq!(nearest(&engine, "1042", &[], 1).await, ["1042"]);
    });
}

fn a_broken_index_is_made_again() {
    let address = owner();
    let tenant = address.tenant().to_owned();
    on_runtime(async {
        let store = PostgresStore::open(&address).await.unwrap();
        let engine = filled(&store).await;
        let (client, connection) =
            tokio_postgres::connect(&server().unwrap(), NoTls).await.unwrap();
        let running = tokio::spawn(connection);
        let broken = "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN \
                      (SELECT i.indexrelid FROM pg_index AS i JOIN pg_class AS c \
                      ON c.oid = i.indexrelid WHERE c.relname LIKE 'vectors_near_%' \
                      AND pg_get_expr(i.indpred, i.indrelid) LIKE '%' || $1 || '%')";
        assert_eq!(client.execute(broken, &[&tenant]).await.unwrap(), 1);
        drop(client);
        let _ = running.await;
        assert_eq!(indexes(&tenant).await, [false]);
        engine.drop_other_vectors().await.unwrap();
        assert_eq!(indexes(&tenant).await, [true]);
    });
}
