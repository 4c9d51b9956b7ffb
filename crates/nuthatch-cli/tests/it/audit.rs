//! `nuthatch audit`, and that what is written is recorded.

use std::fs;

use serde_json::Value;

use crate::sandbox::{Sandbox, assert_recorded};

fn sandbox() -> Sandbox {
    Sandbox::new().with_env("USER", "ada")
}

fn events(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.line("audit --json").ok().json().as_array().unwrap().clone()
}

fn operations(sandbox: &Sandbox) -> Vec<String> {
    let told = |event: &Value| {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        format!("{} {}", text("operation"), text("outcome"))
    };
    events(sandbox).iter().map(told).collect()
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = sandbox().transcript(&[
        "nuthatch audit",
        "nuthatch remember --key editor uses tabs",
        "nuthatch edit editor uses spaces",
        "nuthatch forget editor",
        "nuthatch audit",
        "nuthatch audit --json --limit 1",
        "nuthatch audit --since 2999-01-01",
    ]);
    assert_recorded("audit", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = sandbox();
    sandbox.line("audit --since whenever").fails(2, "not a time");
    sandbox.line("audit --json --since whenever").fails_in_json(2, "invalid", "not a time");
}

#[test]
fn every_command_that_writes_is_recorded_with_who_and_how_it_ended() {
    let sandbox = sandbox();
    sandbox.line("remember --key editor uses tabs").ok();
    sandbox.line("edit editor --origin agent uses spaces").ok();
    sandbox.line("edit editor --undo").ok();
    sandbox.line("remember --key other --origin tool seen somewhere").ok();
    sandbox.line("review approve other").ok();
    sandbox.line("edit editor --supersede-by other").ok();
    sandbox.line("profile add is a doctor").ok();
    sandbox.run(&["dev", "/dev/memory/commit", "{\"action\":\"add\",\"content\":\"x\"}"]).ok();
    sandbox.line("reindex").ok();
    sandbox.line("forget other").ok();
    let tail: String = ('a'..='z').chain('A'..='Z').chain('0'..='9').take(36).collect();
    let secret = format!("{}{}{tail}", "gh", "p_");
    assert_eq!(sandbox.run(&["remember", &secret]).code, 5);
    sandbox
        .line("migrate --yes --from sqlite:~/.local/share/nuthatch/memory.db --to json:b.json")
        .ok();
    let expected = [
        "remember done",
        "edit done",
        "edit done",
        "remember done",
        "approve done",
        "supersede done",
        "remember done",
        "remember done",
        "reindex done",
        "forget done",
        "remember denied",
    ];
    let recorded = operations(&sandbox);
    assert_eq!(recorded[..expected.len()], expected);
    assert!(recorded[expected.len()..].iter().all(|told| told == "restore done"), "{recorded:?}");
    assert_eq!(recorded.len(), expected.len() + 3, "{recorded:?}");
    for event in events(&sandbox) {
        assert_eq!((&event["door"], &event["who"]), (&"cli".into(), &"ada".into()), "{event}");
    }
    assert_eq!(events(&sandbox)[1]["origin"], "agent");
    let log = fs::read_to_string(sandbox.data().join("audit.jsonl")).unwrap();
    for said in ["tabs", "spaces", "somewhere", "doctor", &secret[4..]] {
        assert!(!log.contains(said), "the log holds {said:?}");
    }
}

#[test]
fn one_memory_can_be_asked_for_and_reading_records_nothing() {
    let sandbox = sandbox();
    let told = sandbox.line("remember --json uses tabs").ok().json();
    let id = told["memory"]["id"].as_str().unwrap().to_owned();
    sandbox.line("remember uses spaces").ok();
    for line in ["list", "recall tabs", "stats", "doctor", "scan --store", "review", "audit"] {
        sandbox.line(line).ok();
    }
    assert_eq!(events(&sandbox).len(), 2);
    let of_it = sandbox.run(&["audit", "--json", "--id", &id]).ok().json();
    assert_eq!(of_it.as_array().unwrap().len(), 1);
}

#[test]
fn a_log_that_cannot_be_written_is_told_and_costs_no_memory() {
    let sandbox = sandbox();
    fs::create_dir_all(sandbox.data().join("audit.jsonl")).unwrap();
    let ran = sandbox.line("remember uses tabs").ok();
    assert!(ran.stderr.contains("not recorded"), "{ran:?}");
    assert_eq!(sandbox.line("list --json").ok().json()["total"], 1);
}
