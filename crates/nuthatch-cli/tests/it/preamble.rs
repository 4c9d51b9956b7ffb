//! `nuthatch preamble`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let lines = [
        "nuthatch preamble",
        "nuthatch remember --category preference uses tabs",
        "nuthatch remember --category restriction --pin never push on fridays",
        "nuthatch preamble",
        "nuthatch preamble --json --budget 80 how is code indented",
        "nuthatch preamble --budget 10",
    ];
    assert_recorded("preamble", &sandbox.transcript(&lines));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("preamble --scope mars").fails(2, "not a scope");
    sandbox.line("preamble --json --scope mars").fails_in_json(2, "invalid", "not a scope");
}
