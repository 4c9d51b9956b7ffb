//! Strangers: every route refuses every foreign Host, Origin and token.

use nuthatch_server::http::routes;

use crate::client::{Server, TOKEN, place};

/// Every route there is, with names filled in.
fn every_route() -> Vec<String> {
    let table = routes::all().into_iter().map(|endpoint| {
        let path = endpoint.path.replace("{id}", "x").replace("{thread}", "x");
        format!("{} {path}", endpoint.method)
    });
    let others = [
        "POST /dev/memory/commit",
        "POST /dev/memory/recall",
        "POST /dev/memory/profile",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
        "GET /openapi.json",
        "GET /",
        "POST /mcp",
        "GET /mcp",
        "DELETE /mcp",
        "GET /nowhere",
        "OPTIONS /v1/memories",
    ];
    table.chain(others.into_iter().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_foreign_host_is_refused_on_every_route() {
    let server = Server::start().await;
    let port = server.addr.port();
    let other = port ^ 1;
    let hosts = [
        "evil.test".to_owned(),
        format!("evil.test:{port}"),
        format!("localhost.evil.test:{port}"),
        format!("127.0.0.1.evil.test:{port}"),
        format!("127.0.0.1:{port}.evil.test"),
        format!("localhost.:{port}"),
        format!("127.0.0.1.:{port}"),
        format!("127.0.0.1:{other}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.0.0.1:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("[::]:{port}"),
        format!("127.0.0.2:{port}"),
        format!("user@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}, evil.test"),
        format!("127.0.0.1:{port}/"),
        format!("localhost:0{port}"),
        "(none)".to_owned(),
        "169.254.169.254".to_owned(),
        format!("metadata.google.internal:{port}"),
    ];
    assert!(hosts.len() >= 24);
    for route in every_route() {
        for host in &hosts {
            let answer = server.send(&route, "", &[("Host", host)]).await;
            assert!([400, 403].contains(&answer.status), "{route} Host {host}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_second_host_and_a_foreign_absolute_address_are_refused() {
    let server = Server::start().await;
    let addr = server.addr;
    let auth = format!("Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n");
    for request in [
        format!("GET /v1/stats HTTP/1.1\r\nHost: {addr}\r\nHost: evil.test\r\n{auth}"),
        format!("GET /v1/stats HTTP/1.1\r\nHost: evil.test\r\nHost: {addr}\r\n{auth}"),
        format!("GET http://evil.test/v1/stats HTTP/1.1\r\nHost: {addr}\r\n{auth}"),
        format!("GET http://{addr}/v1/stats HTTP/1.1\r\nHost: evil.test\r\n{auth}"),
        format!("GET /v1/stats HTTP/1.0\r\n{auth}"),
    ] {
        let answer = server.raw(&request).await;
        assert!([400, 403].contains(&answer.status), "{request}: {answer:?}");
    }
    let own = format!("GET http://{addr}/v1/stats HTTP/1.1\r\nHost: {addr}\r\n{auth}");
    assert_eq!(server.raw(&own).await.status, 200);
}

#[tokio::test]
async fn a_foreign_origin_is_refused_on_every_route_and_never_allowed_by_a_header() {
    let server = Server::start().await;
    let port = server.addr.port();
    let origins = [
        "http://evil.test".to_owned(),
        format!("http://evil.test:{port}"),
        format!("http://localhost.evil.test:{port}"),
        "null".to_owned(),
        "http://localhost".to_owned(),
        format!("http://localhost:{}", port ^ 1),
        format!("file://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}@evil.test"),
    ];
    for route in every_route() {
        for origin in &origins {
            let answer = server.send(&route, "", &[("Origin", origin)]).await;
            assert_eq!(answer.status, 403, "{route} Origin {origin}: {answer:?}");
            assert!(!answer.head.to_lowercase().contains("access-control"), "{answer:?}");
        }
    }
    let own = format!("http://127.0.0.1:{port}");
    let answer = server.send("GET /v1/stats", "", &[("Origin", &own)]).await;
    assert_eq!(answer.status, 200);
    assert!(!answer.head.to_lowercase().contains("access-control"), "{answer:?}");
}

#[tokio::test]
async fn without_the_token_nothing_remembered_is_told() {
    let server = Server::start().await;
    let wrong = format!("Bearer {}", TOKEN.replace('0', "1"));
    let longer = format!("Bearer {TOKEN}0");
    let shorter = format!("Bearer {}", &TOKEN[1..]);
    let basic = format!("Basic {TOKEN}");
    let bare = TOKEN.to_owned();
    for route in every_route() {
        let is_open =
            ["GET /", "GET /healthz", "GET /readyz", "GET /openapi.json"].contains(&route.as_str());
        for value in ["(none)", &wrong, &longer, &shorter, &basic, &bare, "Bearer ", "Bearer"] {
            let answer = server.send(&route, "", &[("Authorization", value)]).await;
            let expected = if is_open { 200 } else { 401 };
            assert_eq!(answer.status, expected, "{route} {value}: {answer:?}");
            assert!(!answer.body.contains(TOKEN) && !answer.head.contains(TOKEN));
        }
    }
    let twice = format!("Bearer {TOKEN}");
    let headers = [("Authorization", twice.as_str()), ("Authorization", wrong.as_str())];
    assert_eq!(server.send("GET /v1/stats", "", &headers).await.status, 401);
    let lower = format!("bearer {TOKEN}");
    assert_eq!(server.send("GET /v1/stats", "", &[("Authorization", &lower)]).await.status, 200);
}

#[tokio::test]
async fn without_a_token_in_use_the_other_checks_still_hold() {
    let server = Server::with(place(), None).await;
    assert_eq!(server.send("GET /v1/stats", "", &[("Authorization", "(none)")]).await.status, 200);
    assert_eq!(server.send("GET /v1/stats", "", &[("Host", "evil.test")]).await.status, 403);
}
