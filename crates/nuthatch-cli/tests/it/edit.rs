//! `nuthatch edit`.

use serde_json::Value;

use crate::sandbox::{Sandbox, assert_recorded};

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor uses tabs").ok();
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch edit editor uses spaces",
        "nuthatch edit editor --undo",
        "nuthatch edit editor --pin --category preference --meta why=review --json",
        "nuthatch edit editor --quiet --unpin",
    ]);
    assert_recorded("edit", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = stocked();
    sandbox.line("edit nothing new text").fails(3, "nothing");
    sandbox.line("edit --json editor").fails_in_json(2, "invalid", "changes nothing");
    sandbox.line("edit editor --undo").fails(3, "never changed");
    sandbox.line("edit editor --undo text").fails(2, "cannot be used with");
    sandbox.line("edit editor --restore --pin").fails(2, "cannot be used with");
    sandbox.line("edit editor --version 1").fails(2, "--undo");
    sandbox.line("edit editor --supersede-by nothing").fails(3, "nothing");
    let stale = sandbox.line("edit --json editor --expect 2001-01-01T00:00:00Z new text");
    assert_eq!((stale.code, &stale.json()["error"]["kind"]), (4, &"conflict".into()));
}

#[test]
fn a_change_keeps_what_was_said_and_undo_brings_it_back() {
    let sandbox = stocked();
    let edited = sandbox.line("edit --json editor uses spaces").ok().json();
    assert_eq!(edited["memory"]["content"], "uses spaces");
    assert_eq!(edited["versions"][0]["content"], "uses tabs");
    sandbox.line("edit editor uses both").ok();
    let undone = sandbox.line("edit --json editor --undo --version 1").ok().json();
    assert_eq!(undone["memory"]["content"], "uses tabs");
    assert_eq!(undone["versions"].as_array().unwrap().len(), 3);
}

#[test]
fn every_field_can_be_changed() {
    let sandbox = stocked();
    let line = "edit --json editor --key tool --category workflow --trust observed --pin \
                --importance 0.75 --meta a=1 --meta b=2";
    let memory = sandbox.line(line).ok().json()["memory"].clone();
    assert_eq!((&memory["key"], &memory["category"]), (&"tool".into(), &"workflow".into()));
    assert_eq!((&memory["trust"], &memory["pinned"]), (&"observed".into(), &true.into()));
    assert_eq!(memory["importance"], 0.75);
    assert_eq!(memory["metadata"], serde_json::json!({"a": "1", "b": "2"}));
    let id = memory["id"].as_str().unwrap();
    let memory = sandbox.run(&["edit", "--json", id, "--no-key", "--unpin", "--meta", "a="]).ok();
    let memory = memory.json()["memory"].clone();
    assert_eq!((&memory["key"], &memory["pinned"]), (&Value::Null, &false.into()));
    assert_eq!(memory["metadata"], serde_json::json!({"b": "2"}));
}

#[test]
fn the_new_text_can_come_from_standard_input_and_keep_its_lines() {
    let sandbox = stocked();
    let ran = sandbox.run_with_stdin(&["edit", "--json", "--note", "editor", "-"], b"a\n b\n").ok();
    assert_eq!(ran.json()["memory"]["content"], "a\n b");
}

#[test]
fn the_expected_time_is_the_one_that_show_tells() {
    let sandbox = stocked();
    let seen = sandbox.line("show --json editor").ok().json()["memory"]["updated_at"].clone();
    let seen = seen.as_str().unwrap();
    sandbox.run(&["edit", "editor", "--expect", seen, "uses spaces"]).ok();
    assert_eq!(sandbox.run(&["edit", "editor", "--expect", seen, "again"]).code, 4);
}

#[test]
fn a_replaced_memory_can_be_made_current_again() {
    let sandbox = stocked();
    sandbox.line("remember --key new uses spaces").ok();
    let replaced = sandbox.line("edit --json editor --supersede-by new").ok().json();
    let new = sandbox.line("show --json new").ok().json();
    assert_eq!(replaced["memory"]["superseded_by"], new["memory"]["id"]);
    let restored = sandbox.line("edit --json editor --restore").ok().json();
    assert_eq!(restored["memory"]["superseded_by"], Value::Null);
}
