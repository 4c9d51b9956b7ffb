//! `nuthatch read`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor uses tabs").ok();
    let transcript = sandbox.transcript(&[
        "nuthatch read memory://$(nuthatch show editor --json | sed -n 's/.*\"id\": *\"\\([^\"]*\\)\".*/\\1/p' | head -1)",
        "nuthatch read memory://root/MEMORY.md",
    ]);
    assert_recorded("read", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("read").fails(2, "ADDRESS");
    sandbox.line("read memory://nothing").fails(3, "nothing has the address");
    sandbox.line("read --json file:///etc/passwd").fails_in_json(3, "not_found", "address");
    for path in ["../x", "skills/../../x/SKILL.md", "skills/a%2fb/SKILL.md", ".lock"] {
        sandbox
            .run(&["read", &format!("memory://root/{path}")])
            .fails(3, "nothing has the address");
    }
}
