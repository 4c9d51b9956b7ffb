//! `nuthatch serve`: the real binary on a port of its own.

use std::fs;

use serde_json::{Value, json};

use crate::doors::Served;
use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let lines = ["timeout --preserve-status 2 nuthatch serve --addr 127.0.0.1:0 | \
                  sed -E 's/[0-9a-f]{64}/[TOKEN]/; s/:[0-9]+$/:[PORT]/'"];
    assert_recorded("serve", &sandbox.transcript(&lines));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("serve --addr nowhere").fails(2, "not an address");
    sandbox.line("serve --addr 0.0.0.0:0 --no-token").fails(2, "other machines");
    sandbox.line("serve --json --addr nowhere").fails_in_json(2, "invalid", "nowhere");
    let served = Served::start(&sandbox);
    let taken = format!("serve --addr {}", served.addr);
    sandbox.line(&taken).fails(6, "cannot listen");
    sandbox.configure("[server]\naddr = \"0.0.0.0:0\"\n");
    sandbox.line("serve").fails(2, "other machines");
}

#[test]
fn the_token_is_made_once_for_its_owner_alone_and_told_nowhere_else() {
    let sandbox = Sandbox::new();
    let served = Served::start(&sandbox);
    let file = sandbox.data().join("token");
    assert_eq!(fs::read_to_string(&file).unwrap(), served.token);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let line = fs::read_to_string(format!("/proc/{}/cmdline", served.pid()));
        let environment = fs::read_to_string(format!("/proc/{}/environ", served.pid()));
        for told in [line, environment].into_iter().flatten() {
            assert!(!told.contains(&served.token));
        }
    }
    let token = served.token.clone();
    assert_eq!(served.end(), Some(0), "it ends well when it is asked to");
    assert_eq!(Served::start(&sandbox).token, token);
    fs::write(&file, "short").unwrap();
    sandbox.line("serve --addr 127.0.0.1:0").fails(6, "no token");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        sandbox.line("serve --addr 127.0.0.1:0").fails(6, "others can read");
    }
}

#[test]
fn the_token_is_in_no_log_no_error_and_no_other_file() {
    let sandbox = Sandbox::new();
    let log = sandbox.root().join("log.txt");
    let told = fs::File::create(&log).unwrap();
    let served = Served::saying_elsewhere(&sandbox, told.into()).unwrap();
    let token = served.token.clone();
    for (route, body) in [
        ("POST /v1/memories", json!({"content": format!("the token is {token}")})),
        ("POST /v1/memories", json!({"content": "x", "nonsense": token})),
        ("POST /v1/recall", json!({"query": token})),
        ("GET /v1/nowhere", Value::Null),
        ("GET /metrics", Value::Null),
        ("GET /openapi.json", Value::Null),
        ("GET /healthz", Value::Null),
        (&format!("GET /v1/memories?token={token}"), Value::Null),
        (&format!("GET /v1/memories/{token}"), Value::Null),
    ] {
        let (status, answer) = served.ask(route, &body);
        // Whoever asks for the token has it; what is answered to others has it never.
        let asked = route.contains(&token) || body.to_string().contains(&token);
        assert!(asked || !answer.to_string().contains(&token), "{route}: {status} {answer}");
    }
    assert_eq!(served.end(), Some(0));
    sandbox.line("audit --json").ok();
    for entry in walk(&sandbox.root()) {
        let is_its_own = entry == sandbox.data().join("token");
        let bytes = fs::read(&entry).unwrap();
        let found = bytes.windows(token.len()).any(|part| part == token.as_bytes());
        assert_eq!(found, is_its_own, "{}", entry.display());
    }
}

/// Every file below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_stored_by_http_is_there_for_the_command() {
    let sandbox = Sandbox::new();
    let served = Served::start(&sandbox);
    let (status, saved) = served.ask("POST /v1/memories", &json!({"content": "uses tabs"}));
    assert_eq!(status, 201, "{saved}");
    let found = sandbox.line("recall tabs --json").ok().json();
    assert_eq!(found["hits"][0]["id"], saved["memory"]["id"]);
    assert_eq!(served.ask("GET /healthz", &Value::Null).0, 200);
}
