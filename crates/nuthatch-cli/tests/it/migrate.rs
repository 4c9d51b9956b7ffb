//! `nuthatch migrate`.

use std::fs;

use crate::sandbox::{Sandbox, assert_recorded};

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    let remember = |line: &str| sandbox.line(&format!("remember --store old.db {line}")).ok();
    remember("--key editor --category preference --meta why=review --pin uses tabs");
    sandbox.line("edit --store old.db editor uses spaces").ok();
    remember("--scope user --session chat works as a gardener");
    remember("--scope project:elsewhere --supersedes editor uses both");
    sandbox.run(&["remember", "--store", "old.db", "--note", "first\n\n  - second"]).ok();
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch migrate --from old.db --to notes",
        "nuthatch migrate --from old.db --to notes --json",
        "nuthatch list --store notes --scope user",
    ]);
    assert_recorded("migrate", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = stocked();
    sandbox.line("migrate --from old.db --to old.db").fails(2, "the same one");
    sandbox.line("migrate --from old.db --to sqlite:./old.db").fails(2, "the same one");
    sandbox.line("migrate --from none.db --to new.db").fails(3, "no store at");
    assert!(!sandbox.work().join("none.db").exists() && !sandbox.work().join("new.db").exists());
    sandbox.line("migrate --json --from old.db").fails_in_json(2, "invalid", "--to");
    sandbox.write("broken.json", "[{\"fact\": ");
    let ran = sandbox.line("migrate --json --from old.db --to broken.json");
    assert_eq!((ran.code, &ran.json()["error"]["kind"]), (6, &"unavailable".into()));
    assert_eq!(fs::read_to_string(sandbox.work().join("broken.json")).unwrap(), "[{\"fact\": ");
}

#[test]
fn everything_arrives_whatever_the_way() {
    let sandbox = stocked();
    let everything = |store: &str| {
        let listed =
            sandbox.line(&format!("list --json --all-projects --superseded --store {store}"));
        listed.ok().json()
    };
    let before = everything("old.db");
    assert_eq!(before["total"], 4);
    for (from, to) in [("old.db", "notes"), ("notes", "new.json"), ("new.json", "new.db")] {
        let line = format!("migrate --json --from {from} --to {to}");
        let answer = sandbox.line(&line).ok().json();
        let expected = serde_json::json!({"memories": 4, "versions": 1, "sessions": 0, "turns": 0});
        assert_eq!(answer, expected, "{line}");
        assert_eq!(everything(to), before, "{line}");
    }
    let shown = sandbox.line("show --json editor --store new.db").ok().json();
    assert_eq!(shown["versions"][0]["content"], "uses tabs");
}

#[test]
fn only_the_scopes_that_are_named_are_copied() {
    let sandbox = stocked();
    let repository = sandbox.repository("app");
    let old = sandbox.work().join("old.db").display().to_string();
    let run = |args: &[&str]| sandbox.run_in(&repository, args).ok();
    run(&["remember", "--store", &old, "--scope", "project", "the build runs offline"]);
    let migrate = ["migrate", "--json", "--from", &old, "--to", "inside"];
    let copied = run(&[&migrate[..], &["--scope", "project", "--scope", "user"]].concat()).json();
    assert_eq!(copied["memories"], 2);
    let listed = run(&["list", "--json", "--all-projects", "--store", "inside"]).json();
    let contents: Vec<_> = listed["memories"].as_array().unwrap().iter().collect();
    assert_eq!(contents[0]["content"], "the build runs offline");
    assert_eq!(contents[1]["scope"], "user");
    let ran = sandbox.line("migrate --from old.db --to new.db --scope nowhere");
    ran.fails(2, "not a scope");
}

#[test]
fn a_target_beyond_its_limit_is_told() {
    let sandbox = stocked().with_env("MEMORY_LIMIT", "1");
    let ran = sandbox.line("migrate --from old.db --to new.db --json").ok();
    assert_eq!(ran.json()["memories"], 4);
    let told = "global holds 2 memories, and its limit is 1: the next write to it pushes out 1";
    assert!(ran.stderr.contains(told), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}
