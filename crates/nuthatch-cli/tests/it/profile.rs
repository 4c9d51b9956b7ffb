//! `nuthatch profile`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = Sandbox::new().transcript(&[
        "nuthatch profile",
        "nuthatch profile add works as a gardener",
        "nuthatch profile add prefers short answers",
        "nuthatch profile show",
        "nuthatch profile replace 'works as a gardener' 'works as a forester'",
        "nuthatch profile capacity",
        "nuthatch profile --json",
        "nuthatch profile remove prefers short answers",
        "nuthatch profile --json capacity",
    ]);
    assert_recorded("profile", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new().with_env("NUTHATCH_LIMITS_USER_CHARS", "10");
    sandbox.line("profile remove nothing").fails(3, "no entry is exactly that text");
    sandbox.line("profile --json remove x").fails_in_json(3, "not_found", "exactly that text");
    sandbox.line("profile --json add far too long").fails_in_json(4, "conflict", "10");
    sandbox.line("profile add").fails(2, "required arguments");
    sandbox.line("profile erase").fails(2, "unrecognized subcommand");
}

#[test]
fn an_entry_comes_from_standard_input_where_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.run_with_stdin(&["profile", "add", "-"], b"works as a gardener\n").ok();
    assert_eq!(sandbox.line("profile").ok().stdout, "- works as a gardener\n");
}

#[test]
fn the_profile_is_the_scope_user_and_the_user_speaks() {
    let sandbox = Sandbox::new();
    sandbox.line("profile add works as a gardener").ok();
    let listed = sandbox.line("list --json --scope user").ok().json();
    assert_eq!(listed["memories"][0]["content"], "works as a gardener");
    assert_eq!(listed["memories"][0]["origin"], "user");
}
