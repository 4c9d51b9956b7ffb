//! `nuthatch history`.

use crate::agents::with_echo;
use crate::sandbox::assert_recorded;

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = with_echo().transcript(&[
        "nuthatch history list",
        "printf 'hello\\nand again\\n' | nuthatch chat --yes --quiet --session monday echo > /dev/null",
        "nuthatch history list",
        "nuthatch history show monday --json",
        "nuthatch history clear monday",
        "nuthatch history list --json",
    ]);
    assert_recorded("history", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = with_echo();
    sandbox.line("history show nothing").fails(3, "there is no history of \"nothing\"");
    sandbox.line("history clear --json nothing").fails_in_json(3, "not_found", "no history");
    sandbox.line("history show ../../x").fails(2, "not a session of a chat");
    sandbox.write(".nuthatch/_internals/sessions/bad/history.json", "{");
    sandbox.line("history show bad").fails(6, "is no history");
}
