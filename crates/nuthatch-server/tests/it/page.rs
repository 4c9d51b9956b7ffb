//! The page over HTTP: open to everybody who may ask at all, under strict rules, kept for ever.

use nuthatch_server::http::page;
use serde_json::{Value, json};

use crate::client::{Server, TOKEN};

/// The address of a part, as the page itself names it.
fn address_of(page: &str, name: &str) -> String {
    let end = page.find(&format!("/{name}\"")).unwrap() + name.len() + 1;
    let start = page[..end].rfind('"').unwrap() + 1;
    page[start..end].to_owned()
}

#[tokio::test]
async fn the_page_and_its_parts_need_no_token_and_hold_none() {
    let server = Server::start().await;
    let none = [("Authorization", "(none)")];
    let whole = server.send("GET /", "", &none).await;
    assert_eq!(whole.status, 200, "{whole:?}");
    let app = address_of(&whole.body, "app.js");
    let folder = app.trim_end_matches("app.js");
    for (name, text) in page::FILES {
        let part = server.send(&format!("GET {folder}{name}"), "", &none).await;
        assert_eq!((part.status, part.body.as_str()), (200, *text), "{name}");
        assert!(part.header("cache-control").unwrap().contains("immutable"), "{name}");
    }
    assert!(!whole.body.contains(TOKEN) && !whole.body.contains("{{"), "{}", whole.body);
}

#[tokio::test]
async fn the_page_lets_nothing_foreign_run_and_is_in_nobodys_frame() {
    let server = Server::start().await;
    let whole = server.send("GET /", "", &[]).await;
    let app = address_of(&whole.body, "app.js");
    for route in ["GET /".to_owned(), format!("GET {app}")] {
        let answer = server.send(&route, "", &[]).await;
        let policy = answer.header("content-security-policy").unwrap();
        for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(rule), "{route}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options").unwrap(), "nosniff");
        assert_eq!(answer.header("referrer-policy").unwrap(), "no-referrer");
    }
    let stranger = server.send("GET /", "", &[("Host", "evil.test")]).await;
    assert_eq!(stranger.status, 403);
}

#[tokio::test]
async fn a_page_that_is_known_is_not_sent_again_and_an_old_one_is_gone() {
    let server = Server::start().await;
    let whole = server.send("GET /", "", &[]).await;
    let tag = whole.header("etag").unwrap();
    let again = server.send("GET /", "", &[("If-None-Match", &tag)]).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    for path in ["/ui/0/app.js", "/ui/app.js", "/ui/", "/ui/../token"] {
        assert_eq!(server.send(&format!("GET {path}"), "", &[]).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn memories_are_looked_through_by_trust_agent_and_words() {
    let server = Server::start().await;
    let turns = json!({"turns": [{"seq": 0, "role": "user", "text": "hello"}],
                       "about": {"agent": "codex"}});
    server.ask("POST /v1/sessions/c-1/turns", turns).await;
    let from = json!({"content": "tabs are four wide", "session": "c-1"});
    server.ask("POST /v1/memories", from).await;
    server.ask("POST /v1/memories", json!({"content": "seen", "origin": "tool"})).await;
    server.ask("POST /v1/memories", json!({"content": "in g", "scope": "global"})).await;
    let told = |answer: Value| -> Vec<String> {
        let memories = answer["memories"].as_array().unwrap().iter();
        memories.map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
    };
    for (wish, expected) in [
        (json!({}), vec!["in g", "seen", "tabs are four wide"]),
        (json!({"trust": "quarantined"}), vec!["seen"]),
        (json!({"agent": "codex"}), vec!["tabs are four wide"]),
        (json!({"agent": "nobody"}), vec![]),
        (json!({"agent": "codex", "session": "other"}), vec![]),
        (json!({"scopes": ["global"]}), vec!["in g"]),
        (json!({"limit": 1, "offset": 1}), vec!["seen"]),
    ] {
        let answer = server.ask("POST /v1/browse", wish.clone()).await;
        assert_eq!(answer.status, 200, "{wish}: {answer:?}");
        assert_eq!(told(answer.json()), expected, "{wish}");
    }
    let found = server.ask("POST /v1/browse", json!({"query": "tabs"})).await.json();
    assert_eq!(found["hits"][0]["content"], "tabs are four wide");
    assert!(found["hits"][0]["parts"].as_object().is_some_and(|parts| !parts.is_empty()));
    let other = json!({"query": "tabs", "trust": "quarantined"});
    assert_eq!(server.ask("POST /v1/browse", other).await.json()["hits"], json!([]));
}

#[tokio::test]
async fn a_memory_is_replaced_and_brought_back() {
    let server = Server::start().await;
    for key in ["old", "new"] {
        server.ask("POST /v1/memories", json!({"content": key, "key": key})).await;
    }
    let by = json!({"by": "new"});
    let replaced = server.ask("POST /v1/memories/old/supersede", by).await.json();
    assert!(replaced["memory"]["superseded_by"].is_string(), "{replaced}");
    assert_eq!(server.ask("POST /v1/browse", json!({})).await.json()["total"], 1);
    let shown = server.ask("POST /v1/browse", json!({"superseded": true})).await.json();
    assert_eq!(shown["total"], 2);
    let back = server.ask("POST /v1/memories/old/supersede", json!({})).await.json();
    assert_eq!(back["memory"]["superseded_by"], Value::Null);
}

#[tokio::test]
async fn what_a_prompt_gets_has_a_price_for_each_line() {
    let server = Server::start().await;
    let saved = server.ask("POST /v1/memories", json!({"content": "uses tabs"})).await.json();
    let priced = server.ask("POST /v1/injected", json!({"query": "tabs"})).await.json();
    let lines = priced["lines"].as_array().unwrap();
    let of_memory: Vec<&Value> = lines.iter().filter(|line| line["memory"].is_string()).collect();
    assert_eq!(of_memory.len(), 1, "{priced}");
    assert_eq!(of_memory[0]["memory"], saved["memory"]["id"]);
    let texts: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(texts.join("\n") + "\n", priced["text"].as_str().unwrap());
    let sum: u64 = lines.iter().map(|line| line["tokens"].as_u64().unwrap()).sum();
    assert!(sum >= priced["spent"].as_u64().unwrap(), "{priced}");
    assert_eq!(priced["budget_tokens"], 5000);
}

#[tokio::test]
async fn what_a_hook_would_say_comes_with_its_reasons() {
    let server = Server::start().await;
    for room in ["attic", "cellar", "kitchen", "garden", "garage", "hall"] {
        let text = format!("the staging database port in the {room}");
        server.ask("POST /v1/memories", json!({"content": text})).await;
    }
    let wish = json!({"prompt": "staging database port"});
    let told = server.ask("POST /v1/reminded", wish).await.json();
    assert_eq!(told["included"].as_array().unwrap().len(), 5, "{told}");
    assert_eq!(told["budget_tokens"], 500);
    let reasons: Vec<&str> = told["considered"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["because"].as_str().unwrap())
        .collect();
    assert_eq!(reasons, ["sure", "sure", "sure", "sure", "sure", "enough"]);
    let given = json!({"prompt": "staging database port", "given": told["included"]});
    let again = server.ask("POST /v1/reminded", given).await.json();
    assert_eq!(again["included"].as_array().unwrap().len(), 1, "{again}");
    assert_eq!(again["considered"][1]["because"], "given");
    let large = json!({"budget_tokens": 1_000_000});
    assert_eq!(server.ask("POST /v1/reminded", large).await.status, 400);
    assert_eq!(server.ask("POST /v1/reminded", json!({"given": ["x"]})).await.status, 400);
}

#[tokio::test]
async fn growth_counts_days_and_refuses_none_and_too_many() {
    let server = Server::start().await;
    server.ask("POST /v1/memories", json!({"content": "uses tabs"})).await;
    let grown = server.ask("GET /v1/growth?days=3", Value::Null).await.json();
    let days = grown["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[2]["stored"], &days[2]["held"]), (3, &json!(1), &json!(1)));
    assert_eq!(grown["trust"], json!({"observed": 1}));
    for days in [0, 732] {
        let route = format!("GET /v1/growth?days={days}");
        assert_eq!(server.ask(&route, Value::Null).await.status, 400, "{days}");
    }
}
