//! The verbs of the engine, over a store in RAM; what depends on a store is in its suite.

use std::sync::Arc;

use jiff::SignedDuration;
use nuthatch::category::Category;
use nuthatch::edit::EditRequest;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::guard::Form;
use nuthatch::id::{ProjectId, SessionId};
use nuthatch::recall::{Lane, Mode, RecallRequest, Recalled};
use nuthatch::remember::RememberRequest;
use nuthatch::trust::{Origin, Trust};
use nuthatch::{Engine, Kind, Rules, Scope};
use nuthatch_stores::InMemoryStore;
use nuthatch_testkit::{FixedClock, SequentialIds};

use crate::places::block_on;

pub struct Desk {
    pub engine: Engine,
    pub clock: Arc<FixedClock>,
}

pub fn desk() -> Desk {
    desk_with(Rules::default())
}

pub fn desk_with(rules: Rules) -> Desk {
    let clock = Arc::new(FixedClock::default());
    let ids = Arc::new(SequentialIds::default());
    let store = Arc::new(InMemoryStore::default());
    Desk { engine: Engine::new(store, clock.clone(), ids, rules), clock }
}

pub fn project(name: &str) -> Scope {
    Scope::Project(ProjectId::new(name).unwrap())
}

impl Desk {
    pub async fn say(&self, text: &str, scope: Scope) -> nuthatch::Memory {
        self.clock.advance(SignedDuration::from_secs(1));
        self.engine.remember(RememberRequest::new(text, scope)).await.unwrap().memory
    }

    async fn recall(&self, query: &str, scopes: Vec<Scope>) -> Recalled {
        let request = RecallRequest::new(query, Filter::scoped(Scopes::These(scopes)));
        self.engine.recall(&request).await.unwrap()
    }

    pub async fn found(&self, query: &str, scopes: Vec<Scope>) -> Vec<String> {
        self.recall(query, scopes).await.hits.into_iter().map(|hit| hit.content).collect()
    }
}

#[test]
fn recall_finds_by_any_form_of_a_word_and_ranks_the_fuller_answer_first() {
    block_on(async {
        let desk = desk();
        desk.say("the staging database runs on port 5433", Scope::Global).await;
        desk.say("the database of the shop", Scope::Global).await;
        desk.say("likes green tea", Scope::Global).await;
        let found = desk.found("which port do staging databases use?", vec![Scope::Global]).await;
        assert_eq!(found, ["the staging database runs on port 5433", "the database of the shop"]);
    });
}

#[test]
fn contradicting_memories_are_both_shown_and_marked_the_later_first() {
    block_on(async {
        let desk = desk();
        let old = desk.say("the staging port of the shop is 5433", Scope::Global).await;
        let new = desk.say("the staging port of the shop is 5434, by decree", Scope::Global).await;
        desk.say("the shop has a staging area", Scope::Global).await;
        let recalled = desk.recall("staging port of the shop", vec![Scope::Global]).await;
        let ids: Vec<_> = recalled.hits.iter().filter_map(|hit| hit.memory()).collect();
        assert_eq!(ids[..2], [new.id, old.id]);
        assert_eq!(recalled.hits[0].contradicts, [old.id]);
        assert_eq!(recalled.hits[1].contradicts, [new.id]);
        assert!(recalled.hits[2].contradicts.is_empty());
    });
}

#[test]
fn what_is_trusted_less_does_not_rise_above_what_it_contradicts() {
    block_on(async {
        let desk = desk();
        let told = RememberRequest {
            origin: Origin::User,
            trust: Some(Trust::Confirmed),
            ..RememberRequest::new("the staging port of the shop is 5433", Scope::Global)
        };
        let told = desk.engine.remember(told).await.unwrap().memory;
        desk.clock.advance(SignedDuration::from_secs(1));
        let read = RememberRequest {
            origin: Origin::Agent,
            ..RememberRequest::new("the staging port of the shop is 6666, by decree", Scope::Global)
        };
        let read = desk.engine.remember(read).await.unwrap().memory;
        assert!(read.trust < told.trust, "{read:?}");
        let recalled = desk.recall("staging port of the shop", vec![Scope::Global]).await;
        assert_eq!(recalled.hits[0].memory(), Some(told.id));
        assert_eq!(recalled.hits[1].contradicts, [told.id]);
    });
}

#[test]
fn a_query_about_nothing_stored_finds_nothing() {
    block_on(async {
        let desk = desk();
        desk.say("likes green tea", Scope::Global).await;
        assert!(desk.found("kubernetes ingress", vec![Scope::Global]).await.is_empty());
        assert!(desk.found("?!", vec![Scope::Global]).await.is_empty());
    });
}

#[test]
fn a_score_is_high_for_everything_asked_and_low_for_a_part() {
    block_on(async {
        let desk = desk();
        desk.say("deploys on friday", Scope::Global).await;
        let whole = desk.recall("friday deploys", vec![Scope::Global]).await.hits[0].score;
        let part = desk.recall("friday zeppelin airship hangar", vec![Scope::Global]).await;
        assert!(whole > 0.7 && part.hits[0].score < 0.4, "{whole} {}", part.hits[0].score);
    });
}

#[test]
fn a_misspelt_word_is_read_as_the_one_that_is_spelled_most_like_it() {
    block_on(async {
        let desk = desk();
        desk.say("the postgres in staging listens on 5433", Scope::Global).await;
        desk.say("tea at four", Scope::Global).await;
        let found = desk.recall("postgras", vec![Scope::Global]).await;
        assert_eq!(found.hits.len(), 1, "{found:?}");
        assert!(found.hits[0].content.contains("postgres"));
        assert!(found.trace.notes.join(" ").contains("spelled alike"), "{:?}", found.trace);
        // A word that is known is meant, and a number is no other number.
        let found = desk.recall("tea with postgras", vec![Scope::Global]).await;
        assert!(found.hits[0].content.contains("tea") && found.trace.notes.is_empty());
        assert!(desk.recall("5434", vec![Scope::Global]).await.hits.is_empty());
        assert!(desk.recall("postgras", vec![project("elsewhere")]).await.hits.is_empty());
    });
}

#[test]
fn recall_never_crosses_into_another_project() {
    block_on(async {
        let desk = desk();
        desk.say("secret plan of alpha", project("alpha")).await;
        desk.say("secret plan of beta", project("beta")).await;
        let found = desk.found("secret plan", vec![Scope::Global, project("alpha")]).await;
        assert_eq!(found, ["secret plan of alpha"]);
        assert!(desk.found("secret plan", vec![]).await.is_empty());
    });
}

#[test]
fn a_session_sees_its_own_memories_beside_those_of_project_and_user() {
    block_on(async {
        let desk = desk();
        let session = Scope::Session(SessionId::new("s1").unwrap());
        let other = Scope::Session(SessionId::new("s2").unwrap());
        desk.say("port of this thread", session.clone()).await;
        desk.say("port of another thread", other).await;
        desk.say("port of the project", project("alpha")).await;
        let mut found = desk.found("port", vec![session, project("alpha"), Scope::Global]).await;
        found.sort();
        assert_eq!(found, ["port of the project", "port of this thread"]);
    });
}

#[test]
fn an_empty_query_gives_the_newest_and_leaves_out_archived_days() {
    block_on(async {
        let desk = desk();
        let mut old = RememberRequest::new("long ago", Scope::Global);
        old.category = Some(Category::daily());
        desk.engine.remember(old).await.unwrap();
        desk.clock.advance(SignedDuration::from_hours(24 * 8));
        desk.say("first", Scope::Global).await;
        desk.say("second", Scope::Global).await;
        for query in ["", "*", "  "] {
            let recalled = desk.recall(query, vec![Scope::Global]).await;
            let found: Vec<_> = recalled.hits.iter().map(|hit| hit.content.as_str()).collect();
            assert_eq!(found, ["second", "first"], "{query:?}");
            assert_eq!(recalled.trace.lanes, [Lane::Recent]);
        }
        assert_eq!(desk.found("long ago", vec![Scope::Global]).await, ["long ago"]);
    });
}

#[test]
fn a_limit_of_nothing_or_of_too_much_is_refused() {
    block_on(async {
        let desk = desk();
        for limit in [0, 1001] {
            let filter = Filter::scoped(Scopes::All);
            let request =
                RecallRequest { limit, mode: Mode::Text, ..RecallRequest::new("x", filter) };
            assert_eq!(desk.engine.recall(&request).await.unwrap_err().kind(), Kind::Invalid);
        }
    });
}

#[test]
fn what_is_remembered_is_sanitised_and_what_is_empty_is_refused() {
    block_on(async {
        let desk = desk();
        let memory = desk.say(" - uses\n  tabs\u{200B} ", Scope::Global).await;
        assert_eq!(memory.content, "uses tabs");
        let mut note = RememberRequest::new("# a\n\n- b", Scope::Global);
        note.form = Form::Note;
        note.key = Some(" my\nkey ".into());
        let note = desk.engine.remember(note).await.unwrap().memory;
        assert_eq!((note.content.as_str(), note.key.as_deref()), ("# a\n\n- b", Some("my key")));
        let empty = RememberRequest::new(" -- ", Scope::Global);
        assert_eq!(desk.engine.remember(empty).await.unwrap_err().kind(), Kind::Invalid);
    });
}

#[test]
fn an_edit_can_be_undone_and_the_undoing_too() {
    block_on(async {
        let desk = desk();
        let id = desk.say("uses tabs", Scope::Global).await.id;
        let mut edit = EditRequest::new(id);
        edit.content = Some("uses spaces".into());
        desk.engine.edit(edit).await.unwrap();
        assert_eq!(desk.engine.undo(id, None).await.unwrap().memory.content, "uses tabs");
        let shown = desk.engine.undo(id, None).await.unwrap();
        assert_eq!(shown.memory.content, "uses spaces");
        assert_eq!(shown.versions.len(), 3);
        assert_eq!(desk.engine.undo(id, Some(1)).await.unwrap().memory.content, "uses tabs");
        assert_eq!(desk.engine.undo(id, Some(9)).await.unwrap_err().kind(), Kind::NotFound);
    });
}

#[test]
fn an_edit_of_nothing_and_an_edit_of_nobody_are_refused() {
    block_on(async {
        let desk = desk();
        let memory = desk.say("uses tabs", Scope::Global).await;
        let nothing = desk.engine.edit(EditRequest::new(memory.id)).await.unwrap_err();
        assert_eq!(nothing.kind(), Kind::Invalid);
        desk.engine.forget(&[memory.id]).await.unwrap();
        let mut nobody = EditRequest::new(memory.id);
        nobody.pinned = Some(true);
        assert_eq!(desk.engine.edit(nobody).await.unwrap_err().kind(), Kind::NotFound);
    });
}

#[test]
fn a_key_is_looked_up_and_an_ambiguous_one_is_a_conflict() {
    block_on(async {
        let desk = desk();
        for scope in [Scope::Global, Scope::User] {
            let mut request = RememberRequest::new("vim", scope);
            request.key = Some("editor".into());
            desk.engine.remember(request).await.unwrap();
        }
        let engine = &desk.engine;
        let one = engine.keyed("editor", Scopes::These(vec![Scope::User])).await.unwrap();
        assert_eq!(one.scope, Scope::User);
        assert_eq!(engine.keyed("editor", Scopes::All).await.unwrap_err().kind(), Kind::Conflict);
        assert_eq!(engine.keyed("pager", Scopes::All).await.unwrap_err().kind(), Kind::NotFound);
    });
}

#[test]
fn a_key_is_looked_up_as_it_was_stored() {
    block_on(async {
        let desk = desk();
        for typed in ["my\tkey", " other  key ", "hid\u{200B}den"] {
            let mut request = RememberRequest::new(format!("under {typed}"), Scope::Global);
            request.key = Some(typed.into());
            let stored = desk.engine.remember(request).await.unwrap().memory;
            let found = desk.engine.keyed(typed, Scopes::All).await.unwrap();
            assert_eq!(found.id, stored.id, "{typed:?}");
        }
        let nothing = desk.engine.keyed("\u{200B}", Scopes::All).await.unwrap_err();
        assert_eq!(nothing.kind(), Kind::NotFound);
    });
}

#[test]
fn what_a_request_does_not_say_stays_as_it_was() {
    block_on(async {
        let desk = desk();
        let mut first = RememberRequest::new("never push to main", Scope::Global);
        first.key = Some("r1".into());
        first.category = Some(Category::restriction());
        first.importance = Some(nuthatch::memory::Importance::new(0.9).unwrap());
        first.session = Some(SessionId::new("s1").unwrap());
        let first = desk.engine.remember(first).await.unwrap().memory;
        let mut again = RememberRequest::new("never push to trunk", Scope::Global);
        again.key = Some("r1".into());
        let again = desk.engine.remember(again).await.unwrap().memory;
        assert_eq!((&again.category, again.importance), (&first.category, first.importance));
        assert_eq!((again.id, again.session_id), (first.id, first.session_id));
    });
}

#[test]
fn found_is_what_was_weighed_before_the_limit() {
    block_on(async {
        let desk = desk();
        for number in 0..30 {
            desk.say(&format!("fact {number}"), Scope::Global).await;
        }
        let recalled = desk.recall("fact", vec![Scope::Global]).await;
        assert_eq!((recalled.hits.len(), recalled.trace.found), (10, 30));
        let recalled = desk.recall("", vec![Scope::Global]).await;
        assert_eq!((recalled.hits.len(), recalled.trace.found), (10, 30));
    });
}

#[test]
fn retention_ends_at_the_next_write() {
    block_on(async {
        let desk = desk();
        for category in [Category::conversation(), Category::daily(), Category::default()] {
            let mut request = RememberRequest::new(format!("a {category}"), Scope::Global);
            request.category = Some(category);
            desk.engine.remember(request).await.unwrap();
        }
        desk.clock.advance(SignedDuration::from_hours(24 * 31));
        let new = RememberRequest::new("something new", Scope::Global);
        assert_eq!(desk.engine.remember(new).await.unwrap().expired.len(), 2);
        let all = desk.engine.list(&Filter::everything(), Page::first(10)).await.unwrap();
        let mut texts: Vec<_> = all.memories.into_iter().map(|memory| memory.content).collect();
        texts.sort();
        assert_eq!(texts, ["a core", "something new"]);
    });
}

#[test]
fn a_conversation_keeps_its_id_until_it_expires() {
    block_on(async {
        let desk = desk();
        let first = desk.engine.session("telegram", "ann").await.unwrap();
        desk.clock.advance(SignedDuration::from_hours(24 * 29));
        let again = desk.engine.session("telegram", "ann").await.unwrap();
        assert_eq!(first.id, again.id);
        assert!(again.last_active_at > first.last_active_at);
        assert_ne!(desk.engine.session("telegram", "bob").await.unwrap().id, first.id);
        desk.clock.advance(SignedDuration::from_hours(24 * 31));
        assert_ne!(desk.engine.session("telegram", "ann").await.unwrap().id, first.id);
        assert_eq!(desk.engine.session(" ", "ann").await.unwrap_err().kind(), Kind::Invalid);
        let gone = desk.engine.forget_session(first.id).await.unwrap_err();
        assert_eq!(gone.kind(), Kind::NotFound);
    });
}

#[test]
fn the_default_limit_is_two_hundred_a_scope() {
    block_on(async {
        let desk = desk();
        for number in 0..203 {
            desk.say(&format!("fact {number}"), Scope::Global).await;
        }
        let filter = Filter::scoped(Scopes::These(vec![Scope::Global]));
        assert_eq!(desk.engine.count(&filter).await.unwrap(), 200);
        assert!(desk.found("fact 0", vec![Scope::Global]).await.iter().all(|t| t != "fact 0"));
    });
}
