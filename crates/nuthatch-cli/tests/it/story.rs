//! The whole story: what two agents were taught, a third is told, until somebody forgets it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::doors::Served;
use crate::hook::patient;
use crate::memory::talks;
use crate::sandbox::Sandbox;

/// What Gemini CLI is given when a session begins.
fn told(sandbox: &Sandbox, session: &str) -> String {
    let event = json!({"hook_event_name": "SessionStart", "session_id": session,
        "cwd": sandbox.work(), "timestamp": "2026-01-06T10:00:00Z", "source": "startup"});
    let ran = sandbox.run_with_stdin(&["hook", "gemini-cli"], event.to_string().as_bytes()).ok();
    let part = &ran.json()["hookSpecificOutput"];
    part["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// Files below a folder that hold these words.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else if fs::read(&path).unwrap().windows(words.len()).any(|some| some == words.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn what_two_agents_were_taught_a_third_is_told_until_it_is_forgotten_on_the_page() {
    let sandbox = patient();
    let age = 2 * talks::DAY;
    talks::session(&sandbox, 1, age, &["remember that the staging server uses port 8443"]);
    talks::codex_session(&sandbox, 2, age, &["never push to main, we release from branches"]);
    let ran = sandbox.line("memory run --json").ok().json();
    assert_eq!(ran["sessions"].as_array().unwrap().len(), 2, "{ran}");
    let begun = told(&sandbox, "g1");
    assert!(begun.contains("8443") && begun.contains("push to main"), "{begun}");
    assert!(begun.chars().count() <= 8000);

    let served = Served::start(&sandbox);
    let wish = json!({"query": "staging server port", "limit": 10});
    let (_, found) = served.ask("POST /v1/browse", &wish);
    let hits = found["hits"].as_array().unwrap();
    let is_port =
        |hit: &&Value| hit["kind"] == "memory" && hit["content"].as_str().unwrap().contains("8443");
    let id = hits.iter().find(is_port).unwrap()["id"].as_str().unwrap().to_owned();
    assert!(begun.contains(&id), "it is cited: {begun}");
    let (status, _) = served.ask(&format!("DELETE /v1/memories/{id}"), &Value::Null);
    assert_eq!(status, 200);

    let after = told(&sandbox, "g2");
    assert!(!after.contains("8443") && after.contains("push to main"), "at once: {after}");
    for again in ["memory run", "memory rebuild", "reindex"] {
        sandbox.line(again).ok();
        let after = told(&sandbox, again);
        assert!(!after.contains("8443") && after.contains("push to main"), "{again}: {after}");
    }
    drop(served);
    // What was said stays a turn of its session, until that is forgotten.
    assert_eq!(files_with(&sandbox.data(), "8443").len(), 1);
    let session = "00000000-0000-4000-8000-000000000001";
    sandbox.run(&["forget", "--session", session, "--yes"]).ok();
    assert_eq!(files_with(&sandbox.data(), "8443"), Vec::<String>::new());
}
