//! `/dev/memory/*`: values in, values out.

use jiff::SignedDuration;
use nuthatch::category::Category;
use nuthatch::device::{DEVICES, DeviceAnswer, DeviceContext, speak};
use nuthatch::filter::Scopes;
use nuthatch::limits::{Limit, Limits};
use nuthatch::remember::RememberRequest;
use nuthatch::trust::Origin;
use nuthatch::{Kind, Rules, Scope};
use serde_json::{Value, json};

use crate::engine::{Desk, desk, desk_with, project};
use crate::places::block_on;

async fn ask(desk: &Desk, device: &str, body: Value) -> DeviceAnswer {
    let context = DeviceContext {
        project: project("alpha"),
        visible: Scopes::These(vec![Scope::Global, Scope::User, project("alpha")]),
        origin: Origin::Agent,
    };
    speak(&desk.engine, &format!("/dev/memory/{device}"), &body, &context).await
}

async fn ok(desk: &Desk, device: &str, body: Value) -> Value {
    let answer = ask(desk, device, body).await;
    assert!(answer.failure.is_none() && answer.body["ok"] == true, "{}", answer.body);
    answer.body
}

async fn refused(desk: &Desk, device: &str, body: Value) -> (Kind, String) {
    let answer = ask(desk, device, body).await;
    assert_eq!(answer.body["ok"], json!(false));
    (answer.failure.unwrap().kind(), answer.body["error"].as_str().unwrap().to_owned())
}

#[test]
fn entries_are_added_replaced_and_removed_by_their_exact_text() {
    block_on(async {
        let desk = desk();
        ok(&desk, "commit", json!({"action": "add", "content": "uses tabs"})).await;
        ok(&desk, "commit", json!({"action": "add", "content": "deploys on friday"})).await;
        let snapshot = ok(&desk, "commit", json!({"action": "snapshot"})).await;
        assert_eq!(snapshot["snapshot"], "uses tabs\ndeploys on friday");
        let replace = json!({"action": "replace", "old": "uses tabs", "new": "uses spaces"});
        ok(&desk, "commit", replace.clone()).await;
        let (kind, _) = refused(&desk, "commit", replace).await;
        assert_eq!(kind, Kind::NotFound);
        let part = json!({"action": "remove", "old": "spaces"});
        assert_eq!(refused(&desk, "commit", part).await.0, Kind::NotFound);
        ok(&desk, "commit", json!({"action": "remove", "old": "uses spaces"})).await;
        let snapshot = ok(&desk, "commit", json!({"action": "snapshot"})).await;
        assert_eq!(snapshot["entries"], json!(["deploys on friday"]));
    });
}

#[test]
fn an_entry_is_matched_as_it_was_said_or_as_it_was_stored() {
    block_on(async {
        let desk = desk();
        for said in [" - uses  tabs ", "one\n  two  \n", "zero\u{200B}width"] {
            ok(&desk, "commit", json!({"action": "add", "content": said})).await;
            let new = format!("new {said}");
            ok(&desk, "commit", json!({"action": "replace", "old": said, "new": new})).await;
            ok(&desk, "commit", json!({"action": "remove", "old": new})).await;
        }
        let lines = json!({"action": "remove", "old": "of\nmany lines"});
        desk.say("of many lines", project("alpha")).await;
        ok(&desk, "commit", lines).await;
        let nothing = json!({"action": "remove", "old": " - "});
        assert_eq!(refused(&desk, "commit", nothing).await.0, Kind::NotFound);
        assert_eq!(desk.engine.stats().await.unwrap().memories, 0);
    });
}

#[test]
fn an_add_says_what_had_to_go_for_it_and_when_it_was_not_kept() {
    block_on(async {
        let add = |text: &str| json!({"action": "add", "content": text});
        let limits = Limits { facts: Limit::At(1), ..Limits::default() };
        let desk = desk_with(Rules::limited(limits));
        let first = ok(&desk, "commit", add("first")).await;
        assert!(first.get("evicted").is_none() && first.get("expired").is_none());
        let mut old = RememberRequest::new("small talk", Scope::Global);
        old.category = Some(Category::conversation());
        let old = desk.engine.remember(old).await.unwrap().memory;
        desk.clock.advance(SignedDuration::from_hours(24 * 31));
        let second = ok(&desk, "commit", add("second")).await;
        assert_eq!(second["evicted"], json!([first["id"]]));
        assert_eq!(second["expired"], json!([old.id]));
        let limits = Limits { facts: Limit::At(0), ..Limits::default() };
        let desk = desk_with(Rules::limited(limits));
        let (kind, error) = refused(&desk, "commit", add("x")).await;
        assert!(kind == Kind::Conflict && error.starts_with("not kept: "), "{error}");
    });
}

#[test]
fn a_bad_request_is_told_in_plain_words() {
    block_on(async {
        let desk = desk();
        for (device, body, words) in [
            ("commit", json!([]), "a device wants a JSON object, not a list"),
            ("commit", json!({}), "this request needs \"action\""),
            ("commit", json!({"action": "explode"}), "\"action\" cannot be \"explode\""),
            ("commit", json!({"action": "add", "content": 5}), "must be a text, not the number 5"),
            ("commit", json!({"action": "add", "x": 1}), "there is no field \"x\" here"),
            ("recall", json!({}), "this request needs \"query\""),
            ("recall", json!({"query": "a", "max_results": -1}), "must be a whole number, 0 or"),
            ("recall", json!({"query": "a", "max_results": "9"}), "0 or more, not a text"),
            ("recall", json!({"query": "a", "summarize": "yes"}), "must be true or false"),
        ] {
            let (kind, error) = refused(&desk, device, body).await;
            assert_eq!(kind, Kind::Invalid);
            assert!(error.contains(words), "{error}");
        }
    });
}

#[test]
fn targets_and_the_profile_are_kept_apart() {
    block_on(async {
        let desk = desk();
        let add = |target: &str| json!({"action": "add", "target": target, "content": target});
        ok(&desk, "commit", add("memory")).await;
        ok(&desk, "commit", add("global_memory")).await;
        ok(&desk, "profile", json!({"action": "add", "content": "writes Rust"})).await;
        let global = json!({"action": "snapshot", "target": "global_memory"});
        assert_eq!(ok(&desk, "commit", global).await["snapshot"], "global_memory");
        let profile = ok(&desk, "profile", json!({"action": "snapshot"})).await;
        assert_eq!(profile["snapshot"], "writes Rust");
        let targeted = json!({"action": "snapshot", "target": "memory"});
        assert_eq!(refused(&desk, "profile", targeted).await.0, Kind::Invalid);
    });
}

#[test]
fn capacity_says_used_limit_and_unit() {
    block_on(async {
        let desk = desk();
        ok(&desk, "commit", json!({"action": "add", "content": "grüße"})).await;
        let capacity = ok(&desk, "commit", json!({"action": "capacity"})).await;
        assert_eq!(capacity, json!({"ok": true, "used": 5, "limit": 50000, "unit": "characters"}));
        let capacity = ok(&desk, "profile", json!({"action": "capacity"})).await;
        assert_eq!(capacity, json!({"ok": true, "used": 0, "limit": 10000, "unit": "characters"}));
        let global = json!({"action": "capacity", "target": "global_memory"});
        let capacity = ok(&desk, "commit", global).await;
        assert_eq!(capacity, json!({"ok": true, "used": 0, "limit": 200, "unit": "entries"}));
    });
}

#[test]
fn a_full_memory_says_used_limit_and_needed() {
    block_on(async {
        let limits = Limits { project_chars: Limit::At(10), ..Limits::default() };
        let desk = desk_with(Rules::limited(limits));
        ok(&desk, "commit", json!({"action": "add", "content": "12345678"})).await;
        let (kind, error) =
            refused(&desk, "commit", json!({"action": "add", "content": "abcde"})).await;
        assert_eq!(kind, Kind::Conflict);
        for part in ["8 of 10", "5 are needed"] {
            assert!(error.contains(part), "{part:?} is not in {error:?}");
        }
    });
}

#[test]
fn recall_gives_passages_and_says_when_it_cannot_summarize() {
    block_on(async {
        let desk = desk();
        for number in 0..30 {
            let text = format!("fact number {number}");
            ok(&desk, "commit", json!({"action": "add", "content": text})).await;
        }
        let answer = ok(&desk, "recall", json!({"query": "fact"})).await;
        assert_eq!(answer["entries"].as_array().unwrap().len(), 20);
        let asked = json!({"query": "fact", "max_results": 3, "summarize": true});
        let answer = ok(&desk, "recall", asked).await;
        assert_eq!(answer["entries"].as_array().unwrap().len(), 3);
        assert!(answer["message"].as_str().unwrap().contains("no model"));
    });
}

#[test]
fn a_bad_request_is_an_answer_and_changes_nothing() {
    block_on(async {
        let desk = desk();
        for body in [
            json!({}),
            json!([]),
            json!("add"),
            json!({"action": "explode"}),
            json!({"action": "add"}),
            json!({"action": "add", "content": " - "}),
            json!({"action": "add", "content": 5}),
            json!({"action": "add", "content": "x", "target": "nowhere"}),
            json!({"action": "add", "content": "x", "extra": true}),
            json!({"action": "replace", "old": "x"}),
        ] {
            assert_eq!(refused(&desk, "commit", body.clone()).await.0, Kind::Invalid, "{body}");
        }
        assert_eq!(refused(&desk, "nothing", json!({})).await.0, Kind::NotFound);
        assert_eq!(desk.engine.stats().await.unwrap().memories, 0);
        assert_eq!(DEVICES.len(), 3);
    });
}
