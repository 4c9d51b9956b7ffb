//! `nuthatch show`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor --meta why=review --session s1 uses tabs").ok();
    sandbox.line("edit editor uses spaces").ok();
    sandbox.run(&["remember", "--note", "--key", "steps", "--pin", "first\n  second"]).ok();
    let transcript = sandbox.transcript(&[
        "nuthatch show editor",
        "nuthatch show steps",
        "nuthatch show editor --json",
    ]);
    assert_recorded("show", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("show nothing").fails(3, "nothing");
    sandbox.line("show --json nothing").fails_in_json(3, "not_found", "nothing");
    sandbox.line("show 01890a5d-ac96-774b-bcce-b302099a8057").fails(3, "01890a5d");
    sandbox.line("show").fails(2, "required arguments");
}

#[test]
fn uses_are_counted_in_words() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor uses tabs").ok();
    // What is said again was of use.
    for expected in ["used        once, last ", "used        2 times, last "] {
        sandbox.line("remember uses tabs").ok();
        let shown = sandbox.line("show editor").ok().stdout;
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn a_key_in_several_scopes_needs_the_scope() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key k --scope global of everything").ok();
    sandbox.line("remember --key k --scope user of the user").ok();
    sandbox.line("show k").fails(4, "several scopes");
    let answer = sandbox.line("show k --scope user --json").ok().json();
    assert_eq!(answer["memory"]["content"], "of the user");
}

#[test]
fn an_id_names_its_memory_wherever_it_is() {
    let sandbox = Sandbox::new();
    let stored = sandbox.line("remember --json --scope project:other elsewhere").ok().json();
    let id = stored["memory"]["id"].as_str().unwrap();
    let answer = sandbox.run(&["show", "--json", id]).ok().json();
    assert_eq!(answer["memory"]["content"], "elsewhere");
    assert_eq!(answer["versions"], serde_json::json!([]));
}
