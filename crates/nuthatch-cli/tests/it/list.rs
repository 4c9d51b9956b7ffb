//! `nuthatch list`.

use crate::sandbox::{Sandbox, assert_recorded};

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember the staging database listens on port 5433").ok();
    sandbox.line("remember --key editor --category preference --pin uses tabs").ok();
    sandbox.line("remember --scope user --session chat works as an administrator").ok();
    sandbox.line("remember --scope project of this folder").ok();
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = stocked();
    sandbox.line("remember --supersedes editor uses spaces").ok();
    let transcript = sandbox.transcript(&[
        "nuthatch list",
        "nuthatch list --limit 2 --offset 1",
        "nuthatch list --superseded --key editor",
        "nuthatch list --category nothing_of_it",
        "nuthatch list --json --category preference --superseded",
    ]);
    assert_recorded("list", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("list --limit many").fails(2, "invalid value 'many'");
    sandbox.line("list --until 2026-13-01").fails(2, "not a time");
    sandbox.line("list --json --scope plan:x").fails_in_json(
        2,
        "invalid",
        "not a scope: \"plan:x\"",
    );
    sandbox.line("list --json --category No").fails_in_json(2, "invalid", "not a category");
}

#[test]
fn the_answer_is_a_page_and_the_total() {
    let answer = stocked().line("list --json --limit 1").ok().json();
    assert_eq!(answer["memories"].as_array().unwrap().len(), 1);
    assert_eq!(answer["memories"][0]["content"], "of this folder");
    assert_eq!(answer["total"], 4);
}

#[test]
fn a_page_with_nothing_on_it_says_so() {
    let sandbox = stocked();
    for line in ["list --limit 0", "list --offset 9"] {
        let ran = sandbox.line(line).ok();
        let expected = "none of 4 memories; --limit and --offset choose others\n";
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", expected), "{line}");
    }
}

#[test]
fn filters_narrow_the_list() {
    let sandbox = stocked();
    let total =
        |line: &str| sandbox.line(&format!("list --json {line}")).ok().json()["total"].clone();
    assert_eq!(total(""), 4);
    assert_eq!(total("--scope project"), 1);
    assert_eq!(total("--scope global --scope user"), 3);
    assert_eq!(total("--pinned"), 1);
    assert_eq!(total("--key editor"), 1);
    assert_eq!(total("--session chat"), 1);
    assert_eq!(total("--since 7d"), 4);
    assert_eq!(total("--until 7d"), 0);
}
