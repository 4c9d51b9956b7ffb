//! `nuthatch token`, and that servers know what was given out and what was taken back.

use std::fs;

use serde_json::{Value, json};

use crate::doors::Served;
use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let hide = "sed -E 's/nht_[0-9a-f]{80}_/nht_[SECRET]_/; s/[0-9a-f]{16}/[TOKEN]/g'";
    let line = |line: &str| format!("nuthatch token {line} | {hide}");
    let lines = [
        line("list"),
        line("create ci --role reader --expires 2999-01-01"),
        line("create 'the laptop' --role writer"),
        line("create desk --role reviewer --json"),
        line("list"),
        line("rotate 'the laptop' --keep-old 1h"),
        line("rotate desk --expires 2999-02-01"),
        line("revoke ci"),
        line("list"),
        line("list --json"),
        "nuthatch audit | sed -E 's/[0-9a-f]{16}/[TOKEN]/g'".to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let sandbox = Sandbox::new().with_env("USER", "ada").with_env("TZ", "UTC");
    assert_recorded("token", &sandbox.transcript(&lines));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("token create ci").fails(2, "--role");
    sandbox.line("token create ci --role king").fails(2, "king");
    sandbox.line("token create ci --role reader --expires yesterday").fails(2, "over already");
    sandbox.line("token create ci --role reader --tenant a/b").fails(2, "tenant");
    sandbox.line("token create ci --role reader --tenant acme").fails(2, "no tenants");
    sandbox.line("token create ci --role reader").ok();
    sandbox.line("token create ci --role admin").fails(4, "already");
    sandbox.line("token revoke nobody").fails(3, "no valid token");
    sandbox.line("token rotate nobody --json").fails_in_json(3, "not_found", "no valid token");
    let file = sandbox.data().join("tokens.json");
    fs::write(&file, "{").unwrap();
    sandbox.line("token list").fails(6, "cannot be read");
    sandbox.line("token create more --role reader").fails(6, "cannot be read");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
}

fn given(sandbox: &Sandbox, line: &str) -> String {
    let told = sandbox.line(&format!("token {line} --json")).ok().json();
    told["token"].as_str().unwrap().to_owned()
}

fn status(served: &Served, token: &str, route: &str, body: &Value) -> u16 {
    served.ask_as(token, route, body).0
}

#[test]
fn a_running_server_knows_a_new_token_at_once_and_a_revoked_one_within_seconds() {
    let sandbox = Sandbox::new();
    let served = Served::start(&sandbox);
    let (stats, fact) = ("GET /v1/stats", json!({"content": "uses tabs"}));
    let reader = given(&sandbox, "create ci --role reader");
    assert_eq!(status(&served, &reader, stats, &Value::Null), 200);
    assert_eq!(status(&served, &reader, "POST /v1/memories", &fact), 403);
    let writer = given(&sandbox, "create bot --role writer");
    assert_eq!(status(&served, &writer, "POST /v1/memories", &fact), 201);
    let newer = given(&sandbox, "rotate bot --keep-old 1h");
    assert_eq!(status(&served, &writer, stats, &Value::Null), 200, "it still has its time");
    assert_eq!(status(&served, &newer, stats, &Value::Null), 200);
    sandbox.line("token revoke ci").ok();
    let begun = std::time::Instant::now();
    while status(&served, &reader, stats, &Value::Null) == 200 {
        assert!(begun.elapsed().as_secs() < 10, "a revoked token still opens");
    }
    assert_eq!(status(&served, &reader, stats, &Value::Null), 401);
    assert_eq!(served.ask(stats, &Value::Null).0, 200, "the first token goes on");
}

#[test]
#[ignore = "needs a server: scripts/postgres start, its address in NUTHATCH_TEST_POSTGRES; CI runs it"]
fn on_postgres_a_revoked_token_is_refused_by_every_server_at_once() {
    let server = std::env::var("NUTHATCH_TEST_POSTGRES").expect("the address of a server");
    let join = if server.contains('?') { '&' } else { '?' };
    let store = format!("{server}{join}tenant=tokens-{}", std::process::id());
    let machine = || Sandbox::new().with_env("NUTHATCH_STORE", &store);
    let (one, other) = (machine(), machine());
    let servers = [Served::start(&one), Served::start(&other)];
    for round in 0..3 {
        let token = given(&one, &format!("create ci{round} --role reader"));
        let opens = |served: &Served| status(served, &token, "GET /v1/stats", &Value::Null) == 200;
        // Often enough that both believe it.
        assert!((0..20).all(|_| servers.iter().all(opens)));
        other.line(&format!("token revoke ci{round}")).ok();
        let begun = std::time::Instant::now();
        while servers.iter().any(opens) {
            // A minute, if nobody told them.
            assert!(begun.elapsed().as_secs() < 15, "a revoked token still opens");
        }
    }
}

#[test]
fn a_token_is_in_no_file_and_what_is_kept_is_for_its_owner_alone() {
    let sandbox = Sandbox::new();
    let token = given(&sandbox, "create ci --role admin");
    let secret = &token[20..84];
    for entry in fs::read_dir(sandbox.data()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(secret), "{}", path.display());
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = sandbox.data().join("tokens.json");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
