//! A rebuild that is stopped after any step, with others writing in between.

use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::{MemoryId, ModelId, SessionId};
use nuthatch::recall::RecallRequest;
use nuthatch::record::RecordRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::session::{Role, Session, Turn};
use nuthatch::store::{Embedded, EmbeddedPassage, Store};
use nuthatch::vector::Vector;
use nuthatch::{Engine, Rules, Scope};
use nuthatch_testkit::{FixedClock, SequentialIds};
use rusqlite::Connection;

use super::super::{SqliteStore, words};
use super::*;

fn block_on<R>(work: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

struct Bench {
    engine: Engine,
    store: SqliteStore,
    clock: Arc<FixedClock>,
    ids: Arc<SequentialIds>,
    folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("memory.db")).await.unwrap();
        let (clock, ids) = (Arc::new(FixedClock::default()), Arc::new(SequentialIds::default()));
        let engine =
            Engine::new(Arc::new(store.clone()), clock.clone(), ids.clone(), Rules::default());
        let bench = Bench { engine, store, clock, ids, folder };
        for n in 0..5 {
            bench.say(&format!("memory number{n} about boats")).await;
        }
        bench.talk("first", 0..7).await;
        bench.embed().await;
        bench
    }

    /// As another process finds it.
    async fn reopened(self) -> Bench {
        let store = SqliteStore::open(&self.folder.path().join("memory.db")).await.unwrap();
        let engine = Engine::new(
            Arc::new(store.clone()),
            self.clock.clone(),
            self.ids.clone(),
            Rules::default(),
        );
        Bench { engine, store, ..self }
    }

    async fn say(&self, text: &str) -> MemoryId {
        self.clock.advance(SignedDuration::from_secs(1));
        let request = RememberRequest::new(text, Scope::Global);
        self.engine.remember(request).await.unwrap().memory.id
    }

    async fn talk(&self, name: &str, seqs: std::ops::Range<u64>) {
        let id = SessionId::new(name).unwrap();
        let at = Timestamp::from_second(1_700_000_000).unwrap();
        let turn = |seq| Turn {
            session: id.clone(),
            seq,
            at,
            role: Role::User,
            text: format!("turn{seq} of {name} about ships"),
            asked: None,
        };
        let request = RecordRequest::new(Session::new(id.clone(), at), seqs.map(turn).collect());
        self.engine.record(request, &|_, _| ()).await.unwrap();
    }

    /// A vector for everything that waits.
    async fn embed(&self) {
        let model = ModelId::new("m@1#00").unwrap();
        let waiting = self.store.unembedded(&model, None, 1000).await.unwrap();
        let items: Vec<Embedded> = waiting
            .into_iter()
            .enumerate()
            .map(|(n, one)| {
                let vector = Vector::quantise(&[1.0, n as f32, -1.0, 0.5]);
                let passages = vec![EmbeddedPassage { range: 0..one.text.len(), vector }];
                Embedded { doc: one.doc, hash: one.hash, passages }
            })
            .collect();
        self.store.put_vectors(&model, &items).await.unwrap();
    }

    async fn found(&self, query: &str) -> usize {
        let filter = Filter::scoped(Scopes::These(vec![Scope::Global]));
        let request = RecallRequest { limit: 100, ..RecallRequest::new(query, filter) };
        self.engine.recall(&request).await.unwrap().hits.len()
    }

    fn connection(&self) -> Connection {
        Connection::open(self.folder.path().join("memory.db")).unwrap()
    }

    /// Goes so many steps, and says whether that was all.
    fn go(&self, steps: usize) -> bool {
        let (connection, mut stage) = (self.connection(), Stage::Shelves);
        for _ in 0..steps {
            (stage, _) = step(&connection, stage).unwrap();
        }
        matches!(stage, Stage::Done)
    }

    fn is_sound(&self) {
        let connection = self.connection();
        assert_eq!(words::miscounted(&connection).unwrap(), Vec::<String>::new());
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM piles_left"), 0);
        assert_eq!(count("SELECT count(*) FROM piles_anew"), 0);
        assert_eq!(count("SELECT count(*) FROM rebuilding"), 0);
        let strays = "SELECT count(*) FROM postings WHERE shelf NOT IN (SELECT pile FROM shelves)";
        assert_eq!(count(strays), 0);
        let kept = "SELECT total(entries) = (SELECT count(*) FROM vectors) FROM sketches";
        assert_eq!(count(kept), 1);
        let told = "SELECT total(passages) = (SELECT count(*) FROM vectors) FROM progress";
        assert_eq!(count(told), 1);
    }
}

#[test]
fn stopped_after_any_step_nothing_is_missing_and_the_next_one_ends_it() {
    block_on(async {
        for steps in 0..60 {
            let mut bench = Bench::new().await;
            let all = bench.go(steps);
            bench = bench.reopened().await;
            assert_eq!((bench.found("boats").await, bench.found("ships").await), (5, 7));
            let fresh = bench.say("a fresh memory about boats").await;
            let gone = bench.say("a short memory about boats").await;
            bench.talk("first", 5..10).await;
            bench.engine.forget(&[gone]).await.unwrap();
            assert_eq!((bench.found("boats").await, bench.found("ships").await), (6, 10));
            bench.go(usize::from(!all) * 5);
            bench.engine.forget(&[fresh]).await.unwrap();
            bench.store.reindex(&|_, _| ()).await.unwrap();
            bench.embed().await;
            bench.is_sound();
            assert_eq!((bench.found("boats").await, bench.found("ships").await), (5, 10));
            if all {
                return;
            }
        }
        panic!("a rebuild of a few documents has no end");
    });
}

#[test]
fn what_is_damaged_is_made_anew() {
    block_on(async {
        let bench = Bench::new().await;
        let connection = bench.connection();
        connection
            .execute_batch(
                "UPDATE postings SET data = x'80' WHERE term = 'boat';
                 UPDATE shelves SET documents = 3, terms = 7;
                 UPDATE sketches SET data = x'0011' WHERE block = 1;
                 UPDATE vectors SET block = 99 WHERE row = 3;
                 DELETE FROM pending; DELETE FROM progress;",
            )
            .unwrap();
        drop(connection);
        let bench = bench.reopened().await;
        bench.store.reindex(&|_, _| ()).await.unwrap();
        bench.is_sound();
        assert_eq!((bench.found("boats").await, bench.found("ships").await), (5, 7));
    });
}

#[test]
fn what_another_version_began_is_begun_again() {
    block_on(async {
        let bench = Bench::new().await;
        bench.go(4);
        bench.connection().execute_batch("UPDATE rebuilding SET edition = 'other'").unwrap();
        bench.store.reindex(&|_, _| ()).await.unwrap();
        bench.is_sound();
    });
}

#[test]
fn what_is_forgotten_is_in_no_pile_that_was_left() {
    block_on(async {
        let bench = Bench::new().await;
        let secret = bench.say("the word xyzzyplugh").await;
        let connection = bench.connection();
        // As if stopped right after the new piles took their place.
        let mut stage = Stage::Shelves;
        while !matches!(stage, Stage::Sweep) {
            (stage, _) = step(&connection, stage).unwrap();
        }
        drop(connection);
        bench.engine.forget(&[secret]).await.unwrap();
        assert!(!holds(bench.folder.path(), b"xyzzyplugh"));
    });
}

fn holds(folder: &Path, word: &[u8]) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut bytes = files.map(|path| std::fs::read(path).unwrap_or_default());
    bytes.any(|bytes| bytes.windows(word.len()).any(|window| window == word))
}
