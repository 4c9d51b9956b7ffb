//! `nuthatch forget`.

use crate::sandbox::{Sandbox, assert_recorded};

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor --category preference uses tabs").ok();
    sandbox.line("remember --key port listens on 5433").ok();
    sandbox.line("remember --session chat --category conversation hello").ok();
    sandbox
}

fn total(sandbox: &Sandbox) -> u64 {
    sandbox.line("list --json --all-projects --superseded").ok().json()["total"].as_u64().unwrap()
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch forget --dry-run editor port",
        "nuthatch forget editor",
        "nuthatch forget --category conversation",
        "nuthatch forget --category conversation --yes",
        "nuthatch forget --json --dry-run --all",
        "nuthatch forget --json port",
        "nuthatch forget --all --yes",
    ]);
    assert_recorded("forget", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = stocked();
    sandbox.line("forget").fails(2, "required arguments");
    sandbox.line("forget editor --all").fails(2, "cannot be used with");
    sandbox.line("forget editor nothing").fails(3, "nothing");
    sandbox.line("forget --json nothing editor").fails_in_json(3, "not_found", "nothing");
    sandbox.line("forget --json --all").fails_in_json(2, "invalid", "3 memories");
    sandbox.line("forget --all-projects --yes").fails(2, "everything there is");
    sandbox.line("forget --yes --before whenever").fails(2, "not a time");
    assert_eq!(total(&sandbox), 3, "an error forgets nothing");
}

#[test]
fn what_is_forgotten_is_told_and_gone() {
    let sandbox = stocked();
    let id = sandbox.line("show --json port").ok().json()["memory"]["id"].clone();
    let answer = sandbox.run(&["forget", "--json", id.as_str().unwrap()]).ok().json();
    assert_eq!(answer, serde_json::json!({"forgotten": [id]}));
    sandbox.line("show port").fails(3, "port");
    assert_eq!(total(&sandbox), 2);
}

#[test]
fn a_filter_needs_a_yes_where_nobody_can_be_asked() {
    let sandbox = stocked();
    let refused = sandbox.line("forget --category preference");
    refused.fails(2, "--yes goes ahead");
    assert!(refused.stdout.contains("uses tabs"), "{refused:?}");
    assert_eq!(total(&sandbox), 3);
    let answer = sandbox.line("forget --json --category preference --yes").ok().json();
    assert_eq!(answer["forgotten"].as_array().unwrap().len(), 1);
    assert_eq!(total(&sandbox), 2);
}

#[test]
fn a_dry_run_forgets_nothing() {
    let sandbox = stocked();
    let answer = sandbox.line("forget --json --dry-run --all").ok().json();
    assert_eq!(answer["forgotten"], serde_json::json!([]));
    assert_eq!(answer["would_forget"].as_array().unwrap().len(), 3);
    assert_eq!(total(&sandbox), 3);
}

#[test]
fn before_means_strictly_before() {
    let sandbox = stocked();
    sandbox.line("forget --before 1h --yes").ok();
    sandbox.line("forget --before today --yes").ok();
    let created = sandbox.line("show --json editor").ok().json()["memory"]["created_at"].clone();
    sandbox.run(&["forget", "--yes", "--before", created.as_str().unwrap()]).ok();
    assert_eq!(total(&sandbox), 3);
    sandbox.line("forget --before now --yes").ok();
    assert_eq!(total(&sandbox), 0);
}

#[test]
fn a_session_takes_all_that_came_from_it() {
    let sandbox = stocked();
    sandbox.line("remember --scope session:chat a thought").ok();
    sandbox.line("remember --scope project:other --session chat a finding").ok();
    let answer = sandbox.line("forget --json --session chat --yes").ok().json();
    assert_eq!(answer["forgotten"].as_array().unwrap().len(), 3);
    assert_eq!(total(&sandbox), 2);
}

#[test]
fn replaced_memories_go_with_their_filter() {
    let sandbox = stocked();
    sandbox.line("remember --supersedes editor --category preference uses spaces").ok();
    let answer = sandbox.line("forget --json --category preference --yes").ok().json();
    assert_eq!(answer["forgotten"].as_array().unwrap().len(), 2);
}

#[test]
fn all_means_all_that_is_visible_unless_every_project_is_named() {
    let sandbox = stocked();
    sandbox.line("remember --scope project:other elsewhere").ok();
    sandbox.line("forget --all --yes").ok();
    assert_eq!(total(&sandbox), 1);
    sandbox.line("forget --all --all-projects --yes").ok();
    assert_eq!(total(&sandbox), 0);
}
