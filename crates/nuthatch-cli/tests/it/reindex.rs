//! `nuthatch reindex`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = Sandbox::new().transcript(&[
        "nuthatch reindex",
        "nuthatch remember uses tabs",
        "nuthatch reindex",
        "nuthatch reindex --json",
        "nuthatch recall tabs",
    ]);
    assert_recorded("reindex", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.write("broken.json", "{ this is not a store");
    assert_eq!(sandbox.line("reindex --store broken.json").code, 6);
    let ran = sandbox.line("reindex --json --store broken.json");
    assert_eq!(ran.json()["error"]["kind"], "unavailable");
    sandbox.line("reindex everything").fails(2, "unexpected argument");
}
