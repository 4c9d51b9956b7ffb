//! `nuthatch` alone: how it stands, and what to do next.

use std::fs;

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
fn it_says_how_it_stands_and_the_next_useful_command() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.home().join(".codex")).unwrap();
    let transcript = sandbox.transcript(&[
        "HOME=$PWD nuthatch",
        "nuthatch",
        "nuthatch --json",
        "nuthatch install --quiet --yes --program nuthatch codex >/dev/null; nuthatch",
        "nuthatch remember uses tabs >/dev/null; nuthatch",
        "nuthatch --json",
    ]);
    assert_recorded("greeting", &transcript);
}

#[test]
fn inside_a_project_it_counts_what_is_about_it() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    sandbox.run_in(&repository, &["remember", "uses tabs"]).ok();
    sandbox.line("remember likes tea").ok();
    let said = sandbox.run_in::<&str>(&repository, &[]).ok().stdout;
    assert!(said.contains("2 memories in store, 1 of them about this project"), "{said}");
}

#[test]
fn what_is_broken_is_the_answer_and_not_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.configure("this is not toml");
    let said = sandbox.line("").ok().stdout;
    assert!(said.contains("config.toml") && said.contains("next: nuthatch doctor"), "{said}");
    let sandbox = Sandbox::new();
    sandbox.line("remember uses tabs").ok();
    fs::write(sandbox.data().join("memory.db"), "no database, but long enough for one").unwrap();
    let answer = sandbox.line("--json").ok().json();
    assert_eq!(answer["next"], "nuthatch doctor");
    assert!(answer["trouble"].is_string() && answer.get("memories").is_none(), "{answer}");
}
