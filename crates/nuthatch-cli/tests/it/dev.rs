//! `nuthatch dev`.

use serde_json::json;

use crate::sandbox::{Ran, Sandbox, assert_recorded};

fn speak(sandbox: &Sandbox, device: &str, body: &serde_json::Value) -> Ran {
    sandbox.run(&["dev", device, &body.to_string()])
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = Sandbox::new().transcript(&[
        "nuthatch dev /dev/memory/commit '{\"action\": \"add\", \"content\": \"CI runs on Linux\"}'",
        "nuthatch dev /dev/memory/commit '{\"action\": \"snapshot\"}'",
        "nuthatch dev /dev/memory/commit '{\"action\": \"capacity\", \"target\": \"global_memory\"}'",
        "echo '{\"query\": \"linux\", \"max_results\": 1}' | nuthatch dev /dev/memory/recall -",
        "nuthatch dev /dev/memory/profile '{\"action\": \"capacity\"}'",
    ]);
    assert_recorded("dev", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    let refused = |device: &str, body: &str, code: i32| {
        let ran = sandbox.run(&["dev", device, body]);
        assert_eq!(ran.code, code, "{ran:?}");
        assert_eq!(ran.json()["ok"], false, "{ran:?}");
        assert!(ran.json()["error"].is_string(), "{ran:?}");
    };
    refused("/dev/memory/commit", "{not json", 2);
    refused("/dev/memory/commit", "{}", 2);
    refused("/dev/memory/commit", r#"{"action": "add"}"#, 2);
    refused("/dev/memory/commit", r#"{"action": "remove", "old": "nothing"}"#, 3);
    refused("/dev/null", "{}", 3);
    let ran = sandbox.run_with_stdin(&["dev", "/dev/memory/commit", "-"], b"\xFF");
    assert_eq!((ran.code, &ran.json()["ok"]), (2, &false.into()));
    sandbox.write("broken.db", &"no database ".repeat(100));
    let ran = sandbox.line("dev /dev/memory/recall {} --store broken.db");
    assert_eq!((ran.code, &ran.json()["ok"]), (6, &false.into()));
    sandbox.line("dev --json").fails_in_json(2, "invalid", "required arguments");
}

#[test]
fn a_request_that_is_not_typed_is_piped_in() {
    let sandbox = Sandbox::new();
    let add = br#"{"action": "add", "content": "CI runs on Linux"}"#;
    sandbox.run_with_stdin(&["dev", "/dev/memory/commit"], add).ok();
    let snapshot = br#"{"action": "snapshot"}"#;
    let ran = sandbox.run_with_stdin(&["dev", "/dev/memory/commit"], snapshot).ok();
    assert_eq!(ran.json()["snapshot"], "CI runs on Linux");
    let ran = sandbox.run_with_stdin(&["dev", "/dev/memory/commit"], b"\n");
    assert_eq!((ran.code, &ran.json()["ok"]), (2, &false.into()));
    let typed = r#"{"action": "capacity"}"#;
    let ran = sandbox.run_with_stdin(&["dev", "/dev/memory/commit", typed], b"not read").ok();
    assert_eq!(ran.json()["used"], 16);
}

#[test]
fn what_is_not_kept_is_a_conflict() {
    let sandbox = Sandbox::new().with_env("MEMORY_LIMIT", "0");
    let add = json!({"action": "add", "target": "global_memory", "content": "x"});
    let ran = speak(&sandbox, "/dev/memory/commit", &add);
    assert_eq!((ran.code, &ran.json()["ok"]), (4, &false.into()));
    assert!(ran.json()["error"].as_str().unwrap().starts_with("not kept: "));
}

#[test]
fn what_a_device_writes_was_said_by_an_agent() {
    let sandbox = Sandbox::new();
    let body = json!({"action": "add", "target": "memory", "content": "CI runs on Linux"});
    speak(&sandbox, "/dev/memory/commit", &body).ok();
    let listed = sandbox.line("list --json --scope project").ok().json();
    assert_eq!(listed["memories"][0]["origin"], "agent");
    assert_eq!(listed["memories"][0]["trust"], "observed");
}

#[test]
fn replace_and_remove_match_an_entry_exactly() {
    let sandbox = Sandbox::new();
    let commit = |body| speak(&sandbox, "/dev/memory/commit", &body);
    commit(json!({"action": "add", "content": "CI runs on Linux"})).ok();
    assert_eq!(commit(json!({"action": "replace", "old": "CI runs", "new": "x"})).code, 3);
    commit(json!({"action": "replace", "old": "CI runs on Linux", "new": "CI is gone"})).ok();
    let snapshot = commit(json!({"action": "snapshot"})).ok().json();
    assert_eq!(snapshot["entries"], json!(["CI is gone"]));
    commit(json!({"action": "remove", "old": "CI is gone"})).ok();
    assert_eq!(commit(json!({"action": "snapshot"})).ok().json()["snapshot"], "");
}
