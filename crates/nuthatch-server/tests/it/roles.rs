//! Tokens with roles and tenants: who may ask what, whose answer it is, and how often.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use nuthatch::Result;
use nuthatch::grant::{self, DEFAULT_TENANT, GrantRequest, Grants, Kept, Role, Seed};
use nuthatch_server::Room;
use nuthatch_server::http::access::{Access, Token};
use nuthatch_server::http::caller::Keeper;
use nuthatch_server::http::rate::Rate;
use nuthatch_server::http::roles::ROLES;
use nuthatch_server::http::rooms::Rooms;
use nuthatch_server::http::{self, Listening, openapi};
use nuthatch_stores::SystemClock;
use serde_json::{Value, json};

use crate::client::{Answer, Server, TOKEN, place};

/// Grants in RAM.
#[derive(Clone, Default)]
struct InRam(Arc<Mutex<Vec<Kept>>>);

#[async_trait]
impl Grants for InRam {
    async fn keep(&self, kept: &Kept) -> Result<()> {
        self.0.lock().unwrap().push(kept.clone());
        Ok(())
    }

    async fn find(&self, tenant: &str, id: &str) -> Result<Option<Kept>> {
        let all = self.0.lock().unwrap();
        Ok(all.iter().find(|k| k.grant.tenant == tenant && k.grant.id == id).cloned())
    }

    async fn all(&self, tenant: &str) -> Result<Vec<Kept>> {
        let all = self.0.lock().unwrap();
        Ok(all.iter().filter(|kept| kept.grant.tenant == tenant).cloned().collect())
    }

    async fn end(&self, tenant: &str, id: &str, at: Timestamp) -> Result<bool> {
        let mut all = self.0.lock().unwrap();
        let found = all.iter_mut().find(|k| k.grant.tenant == tenant && k.grant.id == id);
        Ok(found.map(|kept| kept.grant.revoked_at = Some(at)).is_some())
    }
}

/// A server of many tenants, and the tokens of each.
struct Hall {
    server: Server,
    grants: InRam,
}

impl Hall {
    async fn start(rate: Rate) -> Hall {
        let grants = InRam::default();
        let listening = Listening::at("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let addr = listening.addr();
        let keeper = Keeper::new(Arc::new(grants.clone()), Arc::new(SystemClock), Duration::ZERO);
        let access = Access::new(addr, &[], Some(Token::new(TOKEN.to_owned())));
        let access = access.granting(keeper).at_pace(rate);
        let own = place();
        let room = Room::open(own.clone());
        let rooms = Rooms::of_tenants(room, DEFAULT_TENANT.to_owned(), |_| Room::open(place()));
        tokio::spawn(http::serve(rooms, listening, access, std::future::pending()));
        Hall { server: Server { addr, place: own }, grants }
    }

    async fn token(&self, tenant: &str, role: Role) -> String {
        let count = self.grants.0.lock().unwrap().len() + 1;
        let seed = Seed { id: count as u64, secret: [u8::try_from(count).unwrap(); 32] };
        let (tenant, name) = (tenant.to_owned(), format!("{role:?} {count}"));
        let request = GrantRequest { tenant, name, role, expires_at: None };
        grant::issue(&self.grants, request, seed, Timestamp::now()).await.unwrap().token
    }

    async fn ask(&self, token: &str, route: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.send(route, &body, &[("Authorization", &format!("Bearer {token}"))]).await
    }

    /// A tool of MCP, without a session.
    async fn call(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [
            ("Authorization", format!("Bearer {token}")),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", "2026-07-28".to_owned()),
            ("Mcp-Method", "tools/call".to_owned()),
            ("Mcp-Name", tool.to_owned()),
        ];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let answer = self.server.send("POST /mcp", &message.to_string(), &headers).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let start = answer.body.find("{\"jsonrpc\"").unwrap_or_else(|| panic!("{answer:?}"));
        let mut values = serde_json::Deserializer::from_str(&answer.body[start..]).into_iter();
        let message: Value = values.next().unwrap().unwrap();
        message["result"].clone()
    }
}

fn filled(route: &str) -> String {
    route.replace("{id}", "x").replace("{thread}", "x").replace("{device}", "commit")
}

#[test]
fn every_route_of_the_document_stands_in_the_table_of_roles_and_no_other() {
    let document = openapi::document();
    let open = ["GET /healthz", "GET /readyz", "GET /openapi.json"].map(str::to_owned);
    let listed: BTreeSet<String> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
        })
        .filter(|route| !open.contains(route))
        .collect();
    // One device needs less than the others; the document has one route for all of them. MCP
    // describes itself.
    let besides = ["POST /dev/memory/recall", "POST /mcp", "GET /mcp", "DELETE /mcp"];
    let known: BTreeSet<String> = ROLES
        .iter()
        .map(|(route, _)| (*route).to_owned())
        .filter(|route| !besides.contains(&route.as_str()))
        .collect();
    assert_eq!(listed, known);
    assert_eq!(ROLES.iter().map(|(route, _)| route).collect::<BTreeSet<_>>().len(), ROLES.len());
}

#[tokio::test]
async fn a_lower_role_gets_403_on_every_route_and_the_role_itself_does_not() {
    let hall = Hall::start(Rate::new(None)).await;
    for role in Role::ALL {
        let token = hall.token("acme", role).await;
        for (route, needed) in ROLES.iter().filter(|(route, _)| !route.ends_with("/mcp")) {
            let answer = hall.ask(&token, &filled(route), &Value::Null).await;
            let told = format!("{role:?} {route}: {answer:?}");
            if role < *needed {
                assert_eq!(answer.status, 403, "{told}");
                assert!(answer.body.contains(&format!("a {} may not", role.name())), "{told}");
            } else {
                assert!(![401, 403].contains(&answer.status), "{told}");
            }
        }
    }
}

#[tokio::test]
async fn a_writer_may_not_approve_and_a_reviewer_may() {
    let hall = Hall::start(Rate::new(None)).await;
    let writer = hall.token("acme", Role::Writer).await;
    let reviewer = hall.token("acme", Role::Reviewer).await;
    let found = json!({"content": "the build needs node 22", "origin": "tool"});
    let kept = hall.ask(&writer, "POST /v1/memories", &found).await.json();
    let id = kept["memory"]["id"].as_str().unwrap().to_owned();
    let approve = json!({"ids": [id]});
    assert_eq!(hall.ask(&writer, "POST /v1/review/approve", &approve).await.status, 403);
    assert_eq!(hall.ask(&writer, "GET /v1/review", &Value::Null).await.status, 403);
    let seen = hall.ask(&writer, &format!("GET /v1/memories/{id}"), &Value::Null).await.json();
    assert_eq!(seen["memory"]["trust"], "quarantined", "{seen}");
    assert_eq!(hall.ask(&reviewer, "POST /v1/review/approve", &approve).await.status, 200);
    let seen = hall.ask(&writer, &format!("GET /v1/memories/{id}"), &Value::Null).await.json();
    assert_eq!(seen["memory"]["trust"], "confirmed", "{seen}");
}

#[tokio::test]
async fn tools_of_mcp_need_the_same_roles() {
    let hall = Hall::start(Rate::new(None)).await;
    let reader = hall.token("acme", Role::Reader).await;
    let writer = hall.token("acme", Role::Writer).await;
    let saved = hall.call(&writer, "memory_save", json!({"content": "uses tabs"})).await;
    assert_eq!(saved["isError"], false, "{saved}");
    for (tool, arguments) in [
        ("memory_save", json!({"content": "uses spaces"})),
        ("memory_session_save", json!({"content": "x", "thread": "t"})),
        ("memory_update", json!({"id": "x", "content": "y"})),
        ("memory_forget", json!({"ids": ["x"]})),
    ] {
        let told = hall.call(&reader, tool, arguments).await;
        assert_eq!(told["isError"], true, "{tool}: {told}");
        assert!(told.to_string().contains("a reader may not"), "{tool}: {told}");
    }
    let listed = hall.call(&reader, "memory_list", json!({})).await;
    assert_eq!(listed["structuredContent"]["memories"].as_array().unwrap().len(), 1, "{listed}");
}

#[tokio::test]
async fn a_tenant_sees_its_own_and_nothing_of_another_by_any_door() {
    let hall = Hall::start(Rate::new(None)).await;
    let (a, b) = (hall.token("a", Role::Admin).await, hall.token("b", Role::Admin).await);
    let mine = json!({"content": "canary of a", "key": "canary"});
    let id = hall.ask(&a, "POST /v1/memories", &mine).await.json()["memory"]["id"].clone();
    hall.ask(&a, "POST /v1/threads/t", &json!({"content": "canary of a"})).await;
    let id = id.as_str().unwrap().to_owned();
    for token in [b.as_str(), TOKEN] {
        for (route, body) in [
            ("GET /v1/memories".to_owned(), Value::Null),
            (format!("GET /v1/memories/{id}"), Value::Null),
            ("GET /v1/memories/canary".to_owned(), Value::Null),
            ("POST /v1/recall".to_owned(), json!({"query": "canary"})),
            ("POST /v1/browse".to_owned(), json!({"all_projects": true})),
            ("GET /v1/threads/t".to_owned(), Value::Null),
            ("GET /v1/preamble".to_owned(), Value::Null),
            ("POST /dev/memory/recall".to_owned(), json!({"query": "canary"})),
            ("GET /v1/scan".to_owned(), Value::Null),
        ] {
            let answer = hall.ask(token, &route, &body).await;
            assert!(!answer.body.contains("canary of a"), "{route}: {answer:?}");
        }
        let found = hall.call(token, "memory_search", json!({"query": "canary"})).await;
        assert!(!found.to_string().contains("canary of a"), "{found}");
        assert_eq!(
            hall.ask(token, &format!("DELETE /v1/memories/{id}"), &Value::Null).await.status,
            404
        );
    }
    let found = hall.ask(&a, "POST /v1/recall", &json!({"query": "canary"})).await;
    assert!(found.body.contains("canary of a"), "{found:?}");
}

#[tokio::test]
async fn a_session_of_mcp_is_there_for_its_own_tenant_alone() {
    let hall = Hall::start(Rate::new(None)).await;
    let (a, b) = (hall.token("a", Role::Writer).await, hall.token("b", Role::Writer).await);
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let (of_a, of_b) = (format!("Bearer {a}"), format!("Bearer {b}"));
    let accept = ("Accept", "application/json, text/event-stream");
    let headers = [("Authorization", of_a.as_str()), accept];
    let opened = hall.server.send("POST /mcp", &hello.to_string(), &headers).await;
    let session = opened.header("mcp-session-id").unwrap_or_else(|| panic!("{opened:?}"));
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let headers = [("Authorization", of_b.as_str()), accept, ("Mcp-Session-Id", session.as_str())];
    assert_eq!(hall.server.send("POST /mcp", &list, &headers).await.status, 404);
    assert_eq!(hall.server.send("GET /mcp", "", &headers).await.status, 404);
}

#[tokio::test]
async fn a_token_that_is_taken_back_or_over_or_of_nobody_opens_nothing() {
    let hall = Hall::start(Rate::new(None)).await;
    let token = hall.token("acme", Role::Reader).await;
    let stats = "GET /v1/stats";
    assert_eq!(hall.ask(&token, stats, &Value::Null).await.status, 200);
    for wrong in [
        token.replace("_acme", "_other"),
        token.replace("_acme", ""),
        format!("{token}x"),
        token.replacen('0', "1", 1),
        format!("nht_{}_acme", "0".repeat(80)),
    ] {
        assert_eq!(hall.ask(&wrong, stats, &Value::Null).await.status, 401, "{wrong}");
    }
    let before = hall.grants.0.lock().unwrap()[0].clone();
    hall.grants.end("acme", &before.grant.id, Timestamp::now()).await.unwrap();
    let refused = hall.ask(&token, stats, &Value::Null).await;
    assert_eq!((refused.status, refused.body.contains("revoked")), (401, true), "{refused:?}");
    let mut over = before;
    over.grant.expires_at = Some(Timestamp::UNIX_EPOCH);
    *hall.grants.0.lock().unwrap() = vec![over];
    let refused = hall.ask(&token, stats, &Value::Null).await;
    assert_eq!((refused.status, refused.body.contains("expired")), (401, true), "{refused:?}");
    hall.grants.0.lock().unwrap().clear();
    assert_eq!(hall.ask(&token, stats, &Value::Null).await.status, 401);
    assert_eq!(hall.ask(TOKEN, stats, &Value::Null).await.status, 200, "the server's own goes on");
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_come_again_and_nobody_else_waits() {
    let hall = Hall::start(Rate::new(Some(1))).await;
    let (one, two) = (hall.token("a", Role::Reader).await, hall.token("a", Role::Reader).await);
    let mut refused = None;
    for _ in 0..50 {
        let answer = hall.ask(&one, "GET /v1/count", &Value::Null).await;
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("fifty at once are too many for one a second");
    assert_eq!(refused.header("retry-after").as_deref(), Some("1"), "{refused:?}");
    assert_eq!(refused.json()["error"]["kind"], "unavailable");
    assert_eq!(hall.ask(&two, "GET /v1/count", &Value::Null).await.status, 200);
    assert_eq!(hall.server.send("GET /readyz", "", &[]).await.status, 200);
}

#[tokio::test]
async fn metrics_count_tenants_and_tell_each_only_of_itself() {
    let hall = Hall::start(Rate::new(None)).await;
    let (a, b) = (hall.token("a", Role::Admin).await, hall.token("b", Role::Admin).await);
    hall.ask(&a, "GET /v1/count", &Value::Null).await;
    hall.ask(&b, "GET /v1/count", &Value::Null).await;
    let line = |tenant: &str| format!("nuthatch_tenant_requests_total{{tenant=\"{tenant}\"}} 1");
    let told = hall.ask(&a, "GET /metrics", &Value::Null).await.body;
    assert!(told.contains(&line("a")) && !told.contains("tenant=\"b\""), "{told}");
    assert!(!told.contains("route="), "{told}");
    let told = hall.ask(TOKEN, "GET /metrics", &Value::Null).await.body;
    assert!(told.contains("tenant=\"a\"} 2") && told.contains(&line("b")), "{told}");
    assert!(told.contains("route=\"/v1/count\""), "{told}");
}

#[tokio::test]
async fn a_server_that_is_told_to_end_is_not_ready_and_still_answers() {
    let listening = Listening::at("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (addr, place) = (listening.addr(), place());
    let listening = listening.draining(Duration::from_secs(600));
    let access = Access::new(addr, &[], Some(Token::new(TOKEN.to_owned())));
    let (tell, told) = tokio::sync::oneshot::channel::<()>();
    let end = async move {
        let _ = told.await;
    };
    tokio::spawn(http::serve(Room::open(place.clone()), listening, access, end));
    let server = Server { addr, place };
    assert_eq!(server.send("GET /readyz", "", &[("Authorization", "(none)")]).await.status, 200);
    tell.send(()).unwrap();
    let mut answer = server.send("GET /readyz", "", &[]).await;
    while answer.status == 200 {
        answer = server.send("GET /readyz", "", &[]).await;
    }
    assert_eq!((answer.status, answer.json()["why"].clone()), (503, json!("draining")));
    assert_eq!(server.send("GET /healthz", "", &[]).await.status, 200);
    assert_eq!(server.ask("POST /v1/memories", json!({"content": "late"})).await.status, 201);
}
