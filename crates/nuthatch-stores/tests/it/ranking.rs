//! What holds for every recall, whatever is stored and asked: no other project, nothing
//! forgotten, one order in every store, and the same order again.

use std::sync::Arc;

use nuthatch::filter::{Filter, Include, Scopes};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::recall::{Hit, Level, Mode, RecallRequest};
use nuthatch::record::RecordRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::session::{Role, Session, Turn};
use nuthatch::store::Store;
use nuthatch::{Engine, Rules, Scope};
use nuthatch_stores::{InMemoryStore, StoreUrl};
use nuthatch_testkit::{FixedClock, SequentialIds};

use crate::engine::project;
use crate::meaning::Subjects;
use crate::places::block_on;

const WORDS: [&str; 12] = [
    "car", "garage", "tea", "coffee", "database", "postgres", "hiking", "mountain", "blue",
    "friday", "plan", "vehicle",
];

/// A generator that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn text(&mut self) -> String {
        let count = 2 + self.roll(5);
        (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

fn engine(store: Arc<dyn Store>) -> Engine {
    let clock = Arc::new(FixedClock::at("2026-03-10T12:00:00Z".parse().unwrap()));
    Engine::new(store, clock, Arc::new(SequentialIds::default()), Rules::default())
        .with_embedder(Arc::new(Subjects { fails: false }))
}

fn scopes() -> [Scope; 3] {
    [Scope::Global, project("alpha"), project("beta")]
}

/// Memories and conversations of three scopes; some memories are forgotten again.
async fn filled(engine: &Engine, seed: u64) -> Vec<MemoryId> {
    let dice = &mut Dice(seed);
    let mut forgotten = Vec::new();
    for number in 0..30 {
        let scope = scopes()[dice.roll(3)].clone();
        let text = format!("{} {number}", dice.text());
        let memory = engine.remember(RememberRequest::new(text, scope)).await.unwrap().memory;
        if dice.roll(5) == 0 {
            forgotten.push(memory.id);
        }
    }
    engine.forget(&forgotten).await.unwrap();
    for (number, scope) in scopes().iter().enumerate() {
        let id = SessionId::new(format!("talk-{number}")).unwrap();
        let at = "2026-03-01T12:00:00Z".parse().unwrap();
        let mut session = Session::new(id.clone(), at);
        if let Scope::Project(project) = scope {
            session.project = Some(project.clone());
        }
        let turn = |seq: u64| Turn {
            session: id.clone(),
            seq,
            at,
            role: if dice.roll(2) == 0 { Role::User } else { Role::Assistant },
            text: dice.text(),
            asked: None,
        };
        let turns = (0..8).map(turn).collect();
        engine.record(RecordRequest::new(session, turns), &|_, _| ()).await.unwrap();
    }
    engine.embed_pending(&|_, _| ()).await.unwrap();
    forgotten
}

fn request(dice: &mut Dice) -> (RecallRequest, Vec<Scope>) {
    let seen: Vec<Scope> = scopes().into_iter().filter(|_| dice.roll(2) == 0).collect();
    let mut filter = Filter::scoped(Scopes::These(seen.clone()));
    filter.include = [Include::Both, Include::Memories, Include::Sessions][dice.roll(3)];
    let request = RecallRequest {
        mode: [Mode::Hybrid, Mode::Text, Mode::Vector][dice.roll(3)],
        level: [Level::Turn, Level::Session][dice.roll(2)],
        limit: 1 + dice.roll(30),
        min_score: if dice.roll(3) == 0 { 0.5 } else { 0.0 },
        explain: true,
        ..RecallRequest::new(dice.text(), filter)
    };
    (request, seen)
}

#[test]
fn no_recall_shows_another_project_or_what_was_forgotten_and_its_order_is_sound() {
    block_on(async {
        for seed in 0..6 {
            let engine = engine(Arc::new(InMemoryStore::default()));
            let forgotten = filled(&engine, seed).await;
            let dice = &mut Dice(seed ^ 0xABCD);
            for _ in 0..40 {
                let (request, seen) = request(dice);
                let hits = engine.recall(&request).await.unwrap().hits;
                assert!(hits.len() <= request.limit);
                assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "{hits:?}");
                for hit in &hits {
                    assert!(seen.contains(&hit.scope), "{hit:?} of {seen:?}");
                    assert!(hit.memory().is_none_or(|id| !forgotten.contains(&id)));
                    assert!((request.min_score..=1.0).contains(&hit.score));
                }
                let again = engine.recall(&request).await.unwrap().hits;
                assert_eq!(hits, again);
                let fewer = RecallRequest { limit: 1, ..request.clone() };
                assert_eq!(
                    engine.recall(&fewer).await.unwrap().hits[..],
                    hits[..hits.len().min(1)]
                );
            }
        }
    });
}

#[test]
fn every_store_gives_the_same_order() {
    let folder = tempfile::tempdir().unwrap();
    let urls = [
        StoreUrl::Sqlite(folder.path().join("memory.db")),
        StoreUrl::Markdown(folder.path().join("notes")),
        StoreUrl::Json(folder.path().join("memory.json")),
    ];
    let shape = |hits: Vec<Hit>| -> Vec<(String, String)> {
        hits.into_iter().map(|hit| (hit.content, format!("{:.9}", hit.score))).collect()
    };
    block_on(async {
        let reference = engine(Arc::new(InMemoryStore::default()));
        filled(&reference, 7).await;
        for url in urls {
            let other = engine(nuthatch_stores::open(&url).await.unwrap());
            filled(&other, 7).await;
            let dice = &mut Dice(99);
            for _ in 0..25 {
                let (request, _) = request(dice);
                let expected = shape(reference.recall(&request).await.unwrap().hits);
                let found = shape(other.recall(&request).await.unwrap().hits);
                assert_eq!(found, expected, "{url}: {request:?}");
            }
        }
    });
}
