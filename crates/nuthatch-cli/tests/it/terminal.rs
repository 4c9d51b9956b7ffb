//! What happens on a real terminal: questions, the editor, colour.
//!
//! Terminals are made by `script` of util-linux, which every Linux has.
#![cfg(target_os = "linux")]

use crate::sandbox::Sandbox;

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor uses tabs").ok();
    sandbox
}

fn total(sandbox: &Sandbox) -> u64 {
    sandbox.line("list --json").ok().json()["total"].as_u64().unwrap()
}

#[test]
fn forget_asks_and_takes_no_for_an_answer() {
    let sandbox = stocked();
    let ran = sandbox.on_terminal("nuthatch forget editor", "n\n");
    assert!(ran.stdout.contains("forget 1 memory for good?"), "{ran:?}");
    assert_eq!((ran.code, total(&sandbox)), (0, 1));
    let ran = sandbox.on_terminal("nuthatch forget editor", "y\n");
    assert_eq!((ran.code, total(&sandbox)), (0, 0), "{ran:?}");
}

#[test]
fn a_question_that_is_not_answered_forgets_nothing_and_leaves_the_terminal_alone() {
    let cue = "for good?";
    for (typed, interrupted) in [("\u{4}", false), ("\u{3}", true), ("\n", false)] {
        let sandbox = stocked();
        let ran = sandbox.on_terminal_after(cue, "nuthatch forget editor", typed);
        assert!(!ran.stdout.contains("\u{1B}[?25l"), "{typed:?} hides the cursor: {ran:?}");
        assert_eq!((ran.code != 0, total(&sandbox)), (interrupted, 1), "{typed:?}: {ran:?}");
        assert_eq!(ran.stdout.contains("forgot 0 memories"), !interrupted, "{typed:?}: {ran:?}");
    }
}

#[test]
fn yes_answers_in_advance() {
    let sandbox = stocked();
    let ran = sandbox.on_terminal("nuthatch forget --all --yes", "");
    assert!(!ran.stdout.contains("for good?"), "{ran:?}");
    assert_eq!(total(&sandbox), 0);
}

#[test]
fn migrate_asks_when_the_target_is_not_empty() {
    let sandbox = stocked();
    sandbox.line("remember --store a.db first").ok();
    sandbox.line("remember --store b.db second").ok();
    let ran = sandbox.on_terminal("nuthatch migrate --from a.db --to b.db", "n\n");
    assert!(ran.stdout.contains("already holds 1 memory"), "{ran:?}");
    assert_eq!(sandbox.line("list --json --store b.db").ok().json()["total"], 1);
    sandbox.on_terminal("nuthatch migrate --from a.db --to b.db", "y\n").ok();
    assert_eq!(sandbox.line("list --json --store b.db").ok().json()["total"], 2);
}

#[test]
fn edit_opens_the_editor_of_the_user() {
    let sandbox = stocked().with_env("EDITOR", "sed -i s/tabs/spaces/");
    sandbox.on_terminal("nuthatch edit editor", "").ok();
    let shown = sandbox.line("show --json editor").ok().json();
    assert_eq!(shown["memory"]["content"], "uses spaces");
    let unchanged = sandbox.on_terminal("nuthatch edit editor", "");
    assert!(unchanged.stdout.contains("nothing changed"), "{unchanged:?}");
    let sandbox = stocked().with_env("EDITOR", "vi").with_env("VISUAL", "false");
    let failed = sandbox.on_terminal("nuthatch edit editor", "");
    assert!(failed.stdout.contains("the editor failed"), "{failed:?}");
    assert_eq!(failed.code, 6);
}

#[test]
fn a_terminal_has_colour_and_indented_json() {
    let sandbox = stocked();
    let ran = sandbox.on_terminal("nuthatch recall tabs", "");
    assert!(ran.stdout.contains("\u{1B}["), "{ran:?}");
    let ran = sandbox.on_terminal("nuthatch list --json", "");
    assert!(ran.stdout.contains("\n  \"memories\": ["), "{ran:?}");
    let plain = stocked().with_env("NO_COLOR", "1");
    let ran = plain.on_terminal("nuthatch recall tabs", "");
    assert!(!ran.stdout.contains("\u{1B}["), "{ran:?}");
}

#[test]
fn long_lines_are_cut_to_the_terminal() {
    let sandbox = stocked();
    sandbox.run(&["remember", &"long ".repeat(100)]).ok();
    let ran = sandbox.on_terminal("stty cols 80; nuthatch list --color never", "");
    assert!(ran.stdout.lines().all(|line| line.trim_end().chars().count() <= 80), "{ran:?}");
    assert!(sandbox.line("list").ok().stdout.contains(&"long ".repeat(99)));
}
