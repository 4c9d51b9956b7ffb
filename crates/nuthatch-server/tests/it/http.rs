//! The verbs over HTTP, and what a server owes its callers.

use nuthatch_server::Room;
use nuthatch_server::http::Listening;
use serde_json::{Value, json};

use crate::client::{Server, place};

#[tokio::test]
async fn a_memory_lives_and_dies_by_http_alone() {
    let server = Server::start().await;
    let saved =
        server.ask("POST /v1/memories", json!({"content": "uses tabs", "key": "editor"})).await;
    assert_eq!(saved.status, 201, "{saved:?}");
    let id = saved.json()["memory"]["id"].as_str().unwrap().to_owned();
    let found = server.ask("POST /v1/recall", json!({"query": "tabs"})).await.json();
    assert_eq!(found["hits"][0]["id"], json!(id));
    let edited = server.ask("PATCH /v1/memories/editor", json!({"content": "uses spaces"})).await;
    assert_eq!(edited.json()["memory"]["content"], "uses spaces");
    let listed = server.ask("GET /v1/memories?limit=1&scopes=project", Value::Null).await.json();
    assert_eq!(listed["total"], 1);
    assert_eq!(server.ask("GET /v1/count", Value::Null).await.json(), json!({"count": 1}));
    let block = server.ask("GET /v1/preamble?query=tabs", Value::Null).await.json();
    assert_eq!(block["included"], json!([id]));
    let gone = server.ask(&format!("DELETE /v1/memories/{id}"), Value::Null).await.json();
    assert_eq!(gone["forgotten"], json!([id]));
    assert_eq!(server.ask("GET /v1/memories/editor", Value::Null).await.status, 404);
}

#[tokio::test]
async fn threads_and_conversations_are_kept_apart() {
    let server = Server::start().await;
    server.ask("POST /v1/threads/a%2Fb", json!({"content": "host is ares"})).await;
    let notes = server.ask("GET /v1/threads/a%2Fb", Value::Null).await.json();
    assert_eq!(notes["entries"][0]["content"], "host is ares");
    let other = server.ask("GET /v1/threads/a", Value::Null).await.json();
    assert_eq!(other["entries"], json!([]));
    let block = server.ask("GET /v1/preamble?thread=a%2Fb", Value::Null).await.json();
    assert!(block["text"].as_str().unwrap().contains("ares"));
    assert_eq!(server.ask("DELETE /v1/threads/a%2Fb", Value::Null).await.status, 204);
    let gone = server.ask("GET /v1/threads/a%2Fb", Value::Null).await.json();
    assert_eq!(gone["entries"], json!([]));

    let asked = json!({"channel": "chat", "user": "ann"});
    let first = server.ask("POST /v1/sessions", asked.clone()).await.json();
    assert_eq!(server.ask("POST /v1/sessions", asked).await.json()["id"], first["id"]);
    let listed = server.ask("GET /v1/sessions", Value::Null).await.json();
    assert_eq!(listed["sessions"][0]["id"], first["id"]);
    let one = format!("/v1/sessions/{}", first["id"].as_str().unwrap());
    let turns = server.ask(&format!("GET {one}/turns"), Value::Null).await.json();
    assert_eq!(turns, json!({"turns": []}));
    let gone = server.ask(&format!("DELETE {one}"), Value::Null).await;
    assert_eq!((gone.status, gone.json()), (200, json!({"forgotten": []})));
    assert_eq!(server.ask(&format!("DELETE {one}"), Value::Null).await.status, 404);
}

#[tokio::test]
async fn failures_have_the_status_of_their_kind_and_one_shape() {
    let server = Server::start().await;
    let token = format!("{}{}", "gh", "p_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ");
    for (route, body, status, kind) in [
        ("POST /v1/memories", json!({}), 400, "invalid"),
        ("POST /v1/memories", json!({"content": ""}), 400, "invalid"),
        ("POST /v1/memories", json!({"content": "x", "origin": "user"}), 400, "invalid"),
        ("POST /v1/memories", json!([]), 400, "invalid"),
        ("POST /v1/memories?x=1", json!({"content": "x"}), 400, "invalid"),
        ("POST /v1/memories", json!({"content": format!("it is {token}")}), 403, "denied"),
        ("GET /v1/memories?limit=x", Value::Null, 400, "invalid"),
        ("GET /v1/memories?limit=1&limit=2", Value::Null, 400, "invalid"),
        ("GET /v1/memories?colour=red", Value::Null, 400, "invalid"),
        ("GET /v1/memories?limit=99999999", Value::Null, 400, "invalid"),
        ("GET /v1/memories?pinned=perhaps", Value::Null, 400, "invalid"),
        ("GET /v1/memories/nowhere", Value::Null, 404, "not_found"),
        ("PATCH /v1/memories/nowhere", json!({"content": "x"}), 404, "not_found"),
        ("PATCH /v1/memories/x", json!({"id": "y"}), 400, "invalid"),
        ("DELETE /v1/memories/nowhere", Value::Null, 404, "not_found"),
        ("POST /v1/forget", json!({"ids": []}), 400, "invalid"),
        ("GET /nowhere", Value::Null, 404, "not_found"),
        ("DELETE /v1/stats", Value::Null, 405, "invalid"),
    ] {
        let answer = server.ask(route, body.clone()).await;
        assert_eq!(answer.status, status, "{route} {body}: {answer:?}");
        let told = answer.json();
        assert_eq!(told["error"]["kind"], kind, "{route}: {told}");
        assert!(!told.to_string().contains(&token), "{told}");
    }
}

#[tokio::test]
async fn bodies_that_are_no_json_or_too_large_are_refused() {
    let server = Server::start().await;
    let text = r#"{"content": "x"}"#;
    let plain = [("Content-Type", "text/plain")];
    assert_eq!(server.send("POST /v1/memories", text, &plain).await.status, 400);
    assert_eq!(server.send("POST /v1/memories", "{\"content\":", &[]).await.status, 400);
    let large = format!("{{\"content\": \"{}\"}}", "x".repeat(1024 * 1024));
    for route in ["POST /v1/memories", "POST /dev/memory/commit"] {
        assert_eq!(server.send(route, &large, &[]).await.status, 413, "{route}");
    }
    let mcp = [("Accept", "application/json, text/event-stream")];
    assert_eq!(server.send("POST /mcp", &large, &mcp).await.status, 413);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(server.send("POST /v1/memories", &deep, &[]).await.status, 400);
    assert_eq!(server.place.engine().stats().await.unwrap().memories, 0);
}

#[tokio::test]
async fn a_tag_spares_a_read_and_guards_a_write() {
    let server = Server::start().await;
    server.ask("POST /v1/memories", json!({"content": "uses tabs", "key": "editor"})).await;
    let first = server.ask("GET /v1/memories/editor", Value::Null).await;
    let tag = first.header("etag").unwrap();
    let known = [("If-None-Match", tag.as_str())];
    let again = server.send("GET /v1/memories/editor", "", &known).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let seen = [("If-Match", tag.as_str())];
    let body = r#"{"content": "uses spaces"}"#;
    let edited = server.send("PATCH /v1/memories/editor", body, &seen).await;
    assert_eq!(edited.status, 200, "{edited:?}");
    assert_ne!(edited.header("etag").unwrap(), tag);
    let late = server.send("PATCH /v1/memories/editor", r#"{"content": "x"}"#, &seen).await;
    assert_eq!(late.status, 412, "{late:?}");
    for wrong in ["x", "\"x\"", "\"2026+1\"", "W/\"1\""] {
        let answer = server.send("PATCH /v1/memories/editor", body, &[("If-Match", wrong)]).await;
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
    let list = server.ask("GET /v1/memories", Value::Null).await;
    let known = [("If-None-Match", list.header("etag").unwrap())];
    let known = known.each_ref().map(|(name, tag)| (*name, tag.as_str()));
    assert_eq!(server.send("GET /v1/memories", "", &known).await.status, 304);
}

#[tokio::test]
async fn what_is_reworded_through_a_door_is_no_longer_the_word_of_a_person() {
    let server = Server::start().await;
    let file = "/memories/notes.txt";
    let saved = server.ask("POST /v1/memories", json!({"content": "uses tabs", "key": "editor"}));
    assert_eq!(saved.await.status, 201);
    let create = json!({"command": "create", "path": file, "file_text": "ships on Friday"});
    assert_eq!(server.ask("POST /v1/memory-tool", create).await.status, 200);
    let listed = server.ask("GET /v1/memories", Value::Null).await.json();
    let ids: Vec<Value> =
        listed["memories"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids.len(), 2);
    let approved = server.ask("POST /v1/review/approve", json!({"ids": ids})).await;
    assert_eq!(approved.status, 200, "{approved:?}");
    let trusts = async || -> Vec<Value> {
        let listed = server.ask("GET /v1/memories", Value::Null).await.json();
        listed["memories"].as_array().unwrap().iter().map(|one| one["trust"].clone()).collect()
    };
    assert_eq!(trusts().await, ["confirmed", "confirmed"]);
    server.ask("PATCH /v1/memories/editor", json!({"pinned": true})).await;
    assert_eq!(trusts().await, ["confirmed", "confirmed"], "a pin rewords nothing");
    server.ask("PATCH /v1/memories/editor", json!({"content": "uses spaces"})).await;
    let replace =
        json!({"command": "str_replace", "path": file, "old_str": "Friday", "new_str": "Monday"});
    assert_eq!(server.ask("POST /v1/memory-tool", replace).await.status, 200);
    assert_eq!(trusts().await, ["observed", "observed"]);
}

#[tokio::test]
async fn devices_answer_in_their_own_shape() {
    let server = Server::start().await;
    let added = json!({"action": "add", "content": "CI runs on Linux"});
    let answer = server.ask("POST /dev/memory/commit", added).await;
    assert_eq!((answer.status, &answer.json()["ok"]), (200, &json!(true)));
    let found = server.ask("POST /dev/memory/recall", json!({"query": "linux"})).await.json();
    assert_eq!(found["entries"][0]["content"], "CI runs on Linux");
    let profile = server.ask("POST /dev/memory/profile", json!({"action": "capacity"})).await;
    assert_eq!(profile.json()["used"], 0);
    for (route, body, status) in [
        ("POST /dev/memory/commit", json!({"action": "explode"}), 400),
        ("POST /dev/memory/commit", json!({"action": "remove", "old": "x"}), 404),
        ("POST /dev/memory/null", json!({}), 404),
        ("POST /dev/memory/..%2fcommit", json!({"action": "snapshot"}), 404),
    ] {
        let answer = server.ask(route, body).await;
        assert_eq!((answer.status, &answer.json()["ok"]), (status, &json!(false)), "{route}");
    }
}

#[tokio::test]
async fn health_and_metrics_tell_the_truth() {
    let server = Server::start().await;
    let healthy = server.ask("GET /healthz", Value::Null).await;
    assert_eq!((healthy.status, &healthy.json()["status"]), (200, &json!("ok")));
    assert_eq!(healthy.json()["queue"], json!({"waiting": 0, "oldest_seconds": 0}));
    server.ask("POST /v1/memories", json!({"content": "uses tabs"})).await;
    let metrics = server.ask("GET /metrics", Value::Null).await.body;
    assert!(metrics.contains("nuthatch_memories 1\n"), "{metrics}");
    assert!(metrics.contains("route=\"/v1/memories\",status=\"201\"}"), "{metrics}");
    assert!(!metrics.contains("tabs"), "{metrics}");
}

#[tokio::test]
async fn a_store_that_is_not_there_fails_the_health_check() {
    let listening = Listening::at("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let addr = listening.addr();
    let room = Room::lazy(|| async { Err(nuthatch::Error::unavailable("the disk is gone")) });
    let access = nuthatch_server::http::access::Access::new(addr, &[], None);
    tokio::spawn(nuthatch_server::http::serve(room, listening, access, std::future::pending()));
    let server = Server { addr, place: place() };
    let answer = server.ask("GET /healthz", Value::Null).await;
    assert_eq!((answer.status, &answer.json()["status"]), (503, &json!("failing")));
    assert_eq!(server.ask("GET /v1/memories", Value::Null).await.status, 503);
}

#[tokio::test]
async fn a_server_that_is_told_to_end_finishes_what_it_began() {
    let place = place();
    let listening = Listening::at("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let addr = listening.addr();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let access = nuthatch_server::http::access::Access::new(addr, &[], None);
    let room = Room::open(place.clone());
    let serving = tokio::spawn(nuthatch_server::http::serve(room, listening, access, async {
        let _ = ended.await;
    }));
    let server = std::sync::Arc::new(Server { addr, place });
    let writes: Vec<_> = (0..20)
        .map(|n| {
            let server = std::sync::Arc::clone(&server);
            tokio::spawn(async move {
                server.ask("POST /v1/memories", json!({"content": format!("fact {n}")})).await
            })
        })
        .collect();
    let mut answered = 0;
    for (n, write) in writes.into_iter().enumerate() {
        answered += usize::from(write.await.unwrap().status == 201);
        if n == 0 {
            end.send(()).ok();
            break;
        }
    }
    serving.await.unwrap().unwrap();
    let kept = server.place.engine().stats().await.unwrap().memories;
    assert!(kept >= answered as u64, "{kept} of {answered}");
    assert!(tokio::net::TcpStream::connect(addr).await.is_err(), "it still listens");
}

#[tokio::test]
async fn mcp_is_served_with_sessions_and_without() {
    let server = Server::start().await;
    let accept = ("Accept", "application/json, text/event-stream");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let answer = server.send("POST /mcp", &hello.to_string(), &[accept]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let session = answer.header("mcp-session-id").unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "memory_session_save", "arguments": {"content": "host is ares"}}});
    let with_session = [accept, ("Mcp-Session-Id", session.as_str())];
    let answer = server.send("POST /mcp", &call.to_string(), &with_session).await;
    assert!(answer.body.contains("\"isError\":false"), "{answer:?}");

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    let stateless = |name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
               "params": {"name": name, "arguments": arguments, "_meta": meta}})
        .to_string()
    };
    let modern = |name: &'static str| {
        [
            accept,
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ]
    };
    // A header that names somebody else's session opens nothing and ends nothing.
    let mut borrowed = modern("memory_context").to_vec();
    borrowed.push(("Mcp-Session-Id", session.as_str()));
    let body = stateless("memory_context", json!({}));
    let answer = server.send("POST /mcp", &body, &borrowed).await;
    assert!(answer.status == 200 && !answer.body.contains("ares"), "{answer:?}");
    let body = stateless("memory_session_save", json!({"content": "host is bora"}));
    let answer = server.send("POST /mcp", &body, &modern("memory_session_save")).await;
    assert!(answer.body.contains("`thread`"), "{answer:?}");
    let context = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
                         "params": {"name": "memory_context"}});
    let answer = server.send("POST /mcp", &context.to_string(), &with_session).await;
    assert!(answer.body.contains("ares"), "{answer:?}");
}
