//! `nuthatch remember`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let transcript = sandbox.transcript(&[
        "nuthatch remember uses tabs",
        "nuthatch remember uses tabs",
        "nuthatch remember --key editor --category preference --pin prefers vim",
        "nuthatch remember --key editor --category preference prefers helix",
        "nuthatch remember --supersedes editor --scope user uses any editor",
        "nuthatch remember --quiet said in silence",
        "nuthatch remember --json --meta a=b --meta c=d=e --importance 0.9 --session s1 \
         --origin tool --trust inferred seen in a log",
        "MEMORY_LIMIT=1 nuthatch remember the limit is one",
        "MEMORY_LIMIT=0 nuthatch remember --scope session:s2 nothing is kept",
    ]);
    assert_recorded("remember", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.run(&["remember", " -- "]).fails(2, "the text is empty");
    sandbox.run(&["remember", "--json", "  "]).fails_in_json(2, "invalid", "the text is empty");
    sandbox.line("remember --category Bad x").fails(2, "not a category");
    sandbox.line("remember --scope nowhere x").fails(2, "not a scope");
    sandbox.line("remember --importance 2 x").fails(2, "not between 0 and 1");
    sandbox.line("remember --meta novalue x").fails(2, "--meta needs a name and a value");
    sandbox.line("remember --trust total x").fails(2, "invalid value 'total'");
    sandbox.line("remember --supersedes nothing x").fails(3, "nothing");
    assert_eq!(sandbox.line("list --json").ok().json()["total"], 0);
}

#[test]
fn a_full_project_refuses_with_used_limit_and_needed() {
    let sandbox = Sandbox::new().with_env("NUTHATCH_LIMITS_PROJECT_CHARS", "10");
    sandbox.line("remember --scope project 0123456789").ok();
    let refused = sandbox.line("remember --json --scope project more");
    refused.fails_in_json(4, "conflict", "10");
}

#[test]
fn the_answer_has_the_memory_and_what_became_of_others() {
    let sandbox = Sandbox::new();
    let first = sandbox.line("remember --json --key k old text").ok().json();
    assert_eq!(first["memory"]["content"], "old text");
    assert_eq!(first["memory"]["category"], "core");
    assert_eq!(first["memory"]["origin"], "user");
    assert_eq!(first["duplicate"], false);
    assert_eq!(first["evicted"], serde_json::json!([]));
    assert_eq!(first["expired"], serde_json::json!([]));
    let again = sandbox.line("remember --json --key k new text").ok().json();
    assert_eq!(again["memory"]["id"], first["memory"]["id"]);
    let id = first["memory"]["id"].as_str().unwrap();
    let newer = sandbox.run(&["remember", "--json", "--supersedes", id, "newest"]).ok().json();
    assert_eq!(newer["superseded"], serde_json::json!([id]));
}

#[test]
fn what_is_not_said_again_stays_and_what_is_said_is_taken() {
    let sandbox = Sandbox::new();
    let first = "remember --key r1 --category restriction --importance 0.9 --session s1 old";
    sandbox.line(first).ok();
    let again = sandbox.line("remember --json --key r1 new").ok().json();
    assert_eq!(again["memory"]["category"], "restriction");
    assert_eq!(again["memory"]["importance"], 0.9);
    assert_eq!(again["memory"]["session_id"], "s1");
    sandbox.line("remember uses tabs").ok();
    let said = "remember --json --category restriction --importance 1 uses tabs";
    let said = sandbox.line(said).ok().json();
    assert_eq!((&said["duplicate"], &said["memory"]["importance"]), (&true.into(), &1.0.into()));
    assert_eq!(said["memory"]["category"], "restriction");
    let shown = sandbox.run(&["show", "--json", said["memory"]["id"].as_str().unwrap()]).ok();
    assert_eq!(shown.json()["versions"][0]["category"], "core");
}

#[test]
fn what_retention_ended_is_told() {
    let sandbox = Sandbox::new().with_env("NUTHATCH_RETENTION_CONVERSATION_DAYS", "0");
    let talk = "remember --json --category conversation small talk";
    let talk = sandbox.line(talk).ok().json()["memory"]["id"].clone();
    let ran = sandbox.line("remember uses tabs").ok();
    assert!(ran.stderr.contains("1 memory ended by retention"), "{ran:?}");
    sandbox.line("remember --category conversation more talk").ok();
    let ran = sandbox.line("remember --json uses spaces").ok();
    assert_eq!(ran.json()["expired"].as_array().unwrap().len(), 1);
    assert_ne!(ran.json()["expired"][0], talk);
}

#[test]
fn text_comes_from_standard_input_where_none_is_typed() {
    let sandbox = Sandbox::new();
    let piped = sandbox.run_with_stdin(&["remember", "--json"], b"first\nsecond\n").ok();
    assert_eq!(piped.json()["memory"]["content"], "first second");
    let noted = sandbox.run_with_stdin(&["remember", "--json", "--note", "-"], b"a\n  b\n").ok();
    assert_eq!(noted.json()["memory"]["content"], "a\n  b");
    let typed = sandbox.run_with_stdin(&["remember", "--json", "typed"], b"piped").ok();
    assert_eq!(typed.json()["memory"]["content"], "typed");
    sandbox.line("remember").fails(2, "the text is empty");
}

#[test]
fn what_is_not_utf8_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run_with_stdin(&["remember", "-"], b"ab\xFFcd").fails(2, "not UTF-8 text: see byte 2");
    let piped = sandbox.run_with_stdin(&["remember", "--json"], b"\xFE");
    piped.fails_in_json(2, "invalid", "not UTF-8");
    let argument = [OsStr::new("remember"), OsStr::from_bytes(b"caf\xE9")];
    sandbox.run(&argument).fails(2, "an argument is not UTF-8 text");
    let argument = [OsStr::new("--json"), OsStr::new("remember"), OsStr::from_bytes(b"\xE9")];
    sandbox.run(&argument).fails_in_json(2, "invalid", "not UTF-8");
}

#[test]
fn a_memory_that_was_not_kept_is_a_warning() {
    let sandbox = Sandbox::new().with_env("MEMORY_LIMIT", "0");
    let ran = sandbox.line("remember --json gone at once").ok();
    assert!(ran.stderr.starts_with("warning: not kept"), "{ran:?}");
    assert_eq!(ran.json()["evicted"][0], ran.json()["memory"]["id"]);
    assert_eq!(sandbox.line("list --json").ok().json()["total"], 0);
}

#[test]
fn words_behind_two_dashes_are_text() {
    let sandbox = Sandbox::new();
    let ran = sandbox.line("remember --json -- always pass --locked and --json").ok();
    assert_eq!(ran.json()["memory"]["content"], "always pass --locked and --json");
}
