//! Recall by meaning, over every store that needs nothing but this machine.
//!
//! The embedder is a fake that lays out texts by hand-made subjects, so that nearness is
//! known: what shares a subject with the query is near, the rest is far.

use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::{Error, Kind, Result};
use nuthatch::filter::{Filter, Include, Scopes};
use nuthatch::id::{ModelId, SessionId};
use nuthatch::recall::{HitKind, Lane, Level, Mode, RecallRequest, Recalled};
use nuthatch::record::RecordRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::session::{Role, Session, Turn};
use nuthatch::vector::Vector;
use nuthatch::{Engine, Rules, Scope};
use nuthatch_stores::InMemoryStore;
use nuthatch_testkit::{FixedClock, SequentialIds};

use crate::places::block_on;

/// Words of one subject; a text lies in the direction of the subjects it speaks of.
const SUBJECTS: [&[&str]; 4] = [
    &["car", "automobile", "vehicle", "garage"],
    &["tea", "drink", "beverage", "coffee"],
    &["database", "postgres", "storage"],
    &["hiking", "mountain", "walk"],
];

pub(crate) struct Subjects {
    pub(crate) fails: bool,
}

#[async_trait]
impl Embedder for Subjects {
    fn info(&self) -> EmbedderInfo {
        EmbedderInfo {
            id: ModelId::new("subjects@1#0123456789abcdef").unwrap(),
            name: "subjects".into(),
            version: "1".into(),
            dimensions: 5,
            hash: "0123456789abcdef".into(),
            licence: "MIT".into(),
            origin: "test".into(),
        }
    }

    async fn embed(&self, _: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        if self.fails {
            return Err(Error::unavailable("the model is away"));
        }
        let of = |text: &&str| {
            let text = text.to_lowercase();
            let mut direction = [0.2_f32; 5];
            for (place, words) in SUBJECTS.iter().enumerate() {
                direction[place] =
                    if words.iter().any(|word| text.contains(word)) { 1.0 } else { 0.0 };
            }
            Vector::quantise(&direction)
        };
        Ok(texts.iter().map(of).collect())
    }
}

fn engine(fails: bool) -> Engine {
    let store = Arc::new(InMemoryStore::default());
    let clock = Arc::new(FixedClock::at("2026-03-10T12:00:00Z".parse().unwrap()));
    Engine::new(store, clock, Arc::<SequentialIds>::default(), Rules::default())
        .with_embedder(Arc::new(Subjects { fails }))
}

async fn say(engine: &Engine, text: &str) {
    engine.remember(RememberRequest::new(text, Scope::Global)).await.unwrap();
}

fn request(query: &str) -> RecallRequest {
    RecallRequest::new(query, Filter::scoped(Scopes::These(vec![Scope::Global])))
}

fn texts(recalled: &Recalled) -> Vec<&str> {
    recalled.hits.iter().map(|hit| hit.content.as_str()).collect()
}

#[test]
fn a_memory_is_found_by_its_meaning_without_a_word_in_common() {
    block_on(async {
        let engine = engine(false);
        for text in ["parks the automobile outside", "likes green tea", "goes hiking on sundays"] {
            say(&engine, text).await;
        }
        let recalled = engine.recall(&request("where is the car?")).await.unwrap();
        assert_eq!(texts(&recalled)[0], "parks the automobile outside");
        let hit = &recalled.hits[0];
        assert!(hit.score > 0.5 && hit.lanes[&Lane::Vector].raw > 0.9);
        assert!(!hit.lanes.contains_key(&Lane::Text) && hit.parts.is_empty());
        assert_eq!(recalled.trace.model.as_ref().unwrap().as_str(), "subjects@1#0123456789abcdef");
        let explained = RecallRequest { explain: true, ..request("where is the car?") };
        let recalled = engine.recall(&explained).await.unwrap();
        assert!(recalled.hits[0].parts["meaning"] > 0.0);
    });
}

#[test]
fn a_question_about_nothing_stored_is_answered_with_nothing() {
    block_on(async {
        let engine = engine(false);
        for text in ["likes green tea", "goes hiking on sundays"] {
            say(&engine, text).await;
        }
        let nothing = engine.recall(&request("which postgres version runs here?")).await.unwrap();
        assert!(nothing.hits.is_empty(), "{nothing:?}");
        // Every word of it is there: that is an answer whatever it means.
        let words = engine.recall(&request("sundays")).await.unwrap();
        assert_eq!(texts(&words), ["goes hiking on sundays"]);
    });
}

#[test]
fn a_failing_embedder_costs_its_lane_and_nothing_else() {
    block_on(async {
        let engine = engine(true);
        say(&engine, "likes green tea").await;
        let recalled = engine.recall(&request("green tea")).await.unwrap();
        assert_eq!(texts(&recalled), ["likes green tea"]);
        assert_eq!(recalled.trace.lanes, [Lane::Text]);
        assert_eq!(recalled.trace.notes, ["answered from text alone: the model is away"]);
        let vector = RecallRequest { mode: Mode::Vector, ..request("green tea") };
        assert_eq!(engine.recall(&vector).await.unwrap_err().kind(), Kind::Unavailable);
    });
}

#[test]
fn what_is_not_embedded_yet_is_found_by_its_words_and_counted() {
    block_on(async {
        let store = Arc::new(InMemoryStore::default());
        let clock = Arc::new(FixedClock::at("2026-03-10T12:00:00Z".parse().unwrap()));
        let ids = Arc::<SequentialIds>::default();
        let plain = Engine::new(store, clock, ids, Rules::default());
        say(&plain, "likes green tea").await;
        let engine = plain.clone().with_embedder(Arc::new(Subjects { fails: false }));
        let recalled = engine.recall(&request("tea")).await.unwrap();
        assert_eq!((texts(&recalled), recalled.trace.pending), (vec!["likes green tea"], 1));
        let seen = std::sync::Mutex::new(Vec::new());
        let progress = |done, total| seen.lock().unwrap().push((done, total));
        assert_eq!(engine.embed_pending(&progress).await.unwrap(), 1);
        assert_eq!(*seen.lock().unwrap(), [(1, 1)]);
        assert_eq!(engine.embed_pending(&|_, _| ()).await.unwrap(), 0);
        let recalled = engine.recall(&request("a beverage")).await.unwrap();
        assert_eq!((texts(&recalled), recalled.trace.pending), (vec!["likes green tea"], 0));
        assert_eq!(plain.embed_pending(&|_, _| ()).await.unwrap_err().kind(), Kind::Unavailable);
    });
}

async fn talk(engine: &Engine, session: &str, said: &[(Role, &str, &str)]) {
    let id = SessionId::new(session).unwrap();
    let turn = |(seq, (role, time, text)): (usize, &(Role, &str, &str))| Turn {
        session: id.clone(),
        seq: seq as u64,
        at: time.parse().unwrap(),
        role: *role,
        text: (*text).to_owned(),
        asked: None,
    };
    let turns: Vec<Turn> = said.iter().enumerate().map(turn).collect();
    let request = RecordRequest::new(Session::new(id.clone(), turns[0].at), turns);
    engine.record(request, &|_, _| ()).await.unwrap();
}

#[test]
fn turns_are_found_with_their_question_and_conversations_by_their_best_turns() {
    block_on(async {
        let engine = engine(false);
        let (user, assistant) = (Role::User, Role::Assistant);
        talk(
            &engine,
            "trip",
            &[
                (user, "2026-03-01T12:00:00Z", "Which vehicle shall we take?"),
                (user, "2026-03-01T12:01:00Z", "The blue one."),
            ],
        )
        .await;
        talk(
            &engine,
            "kitchen",
            &[
                (user, "2026-03-02T12:00:00Z", "I like my coffee black."),
                (assistant, "2026-03-02T12:01:00Z", "Noted: your beverage of choice is coffee."),
            ],
        )
        .await;
        engine.embed_pending(&|_, _| ()).await.unwrap();
        let recalled = engine.recall(&request("what car did we choose?")).await.unwrap();
        let answer = recalled.hits.iter().find(|hit| hit.content == "The blue one.").unwrap();
        assert_eq!((answer.kind, answer.id.as_str()), (HitKind::Turn, "trip#1"));
        assert_eq!(answer.asked.as_deref(), Some("Which vehicle shall we take?"));
        assert!(answer.score > 0.5 && answer.role == Some(Role::User));

        let drinks = engine.recall(&request("which drink does she like?")).await.unwrap();
        assert_eq!(texts(&drinks)[..1], ["I like my coffee black."]);
        let sessions = RecallRequest { level: Level::Session, ..request("which drink is liked") };
        let sessions = engine.recall(&sessions).await.unwrap();
        assert_eq!(
            (sessions.hits[0].kind, sessions.hits[0].id.as_str()),
            (HitKind::Session, "kitchen")
        );
        let ids: Vec<&str> = sessions.hits.iter().map(|hit| hit.id.as_str()).collect();
        assert!(ids.iter().all(|id| ids.iter().filter(|other| other == &id).count() == 1));

        let mut memories = request("which drink does she like?");
        memories.filter.include = Include::Memories;
        assert!(engine.recall(&memories).await.unwrap().hits.is_empty());
    });
}

#[test]
fn the_time_a_query_speaks_of_lifts_what_was_said_then() {
    block_on(async {
        let engine = engine(false);
        for (session, time) in [
            ("a", "2026-01-10T12:00:00Z"),
            ("b", "2026-02-10T12:00:00Z"),
            ("c", "2026-03-05T12:00:00Z"),
        ] {
            talk(&engine, session, &[(Role::User, time, "We went hiking.")]).await;
        }
        engine.embed_pending(&|_, _| ()).await.unwrap();
        let first = |query: &'static str| {
            let engine = &engine;
            async move { engine.recall(&request(query)).await.unwrap().hits[0].id.clone() }
        };
        assert_eq!(first("where did we go hiking last month?").await, "b#0");
        assert_eq!(first("where did we go hiking in January?").await, "a#0");
        assert_eq!(first("where did we go hiking?").await, "c#0");
    });
}

#[test]
fn what_was_said_on_the_day_spoken_of_is_seen_below_hundreds_that_are_newer() {
    block_on(async {
        let engine = engine(false);
        let often = vec![(Role::User, "2026-03-05T12:00:00Z", "We went hiking."); 400];
        talk(&engine, "often", &often).await;
        let text = "Up the mountain.";
        talk(&engine, "once", &[(Role::User, "2026-02-03T12:00:00Z", text)]).await;
        engine.embed_pending(&|_, _| ()).await.unwrap();
        let asked = |query: &'static str| {
            let engine = &engine;
            async move { engine.recall(&request(query)).await.unwrap() }
        };
        let recalled = asked("where did we go hiking on 3 February 2026?").await;
        assert_eq!(recalled.hits[0].id, "once#0");
        let recalled = asked("where did we go hiking?").await;
        assert!(recalled.hits.iter().all(|hit| hit.id != "once#0"), "no time, no lift");
    });
}

#[test]
fn the_key_asked_for_in_full_comes_first() {
    block_on(async {
        let engine = engine(false);
        say(&engine, "the editor of the database is old").await;
        let mut keyed = RememberRequest::new("uses tabs", Scope::Global);
        keyed.key = Some("database editor".into());
        engine.remember(keyed).await.unwrap();
        let recalled = engine.recall(&request("database editor")).await.unwrap();
        assert_eq!(recalled.hits[0].key.as_deref(), Some("database editor"));
        assert!(recalled.hits[0].lanes.contains_key(&Lane::Key));
    });
}
