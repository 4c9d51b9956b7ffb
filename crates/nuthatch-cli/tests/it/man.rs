//! `nuthatch man`.

use std::fs;

use crate::coverage::commands;
use crate::sandbox::Sandbox;

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let said = sandbox.line("man pages").ok().stdout;
    let pages = commands().len() + 1;
    assert_eq!(said, format!("wrote {pages} pages into pages\n"));
    for command in commands() {
        let page = sandbox.work().join(format!("pages/nuthatch-{command}.1"));
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".SH OPTIONS"), "{command}");
        assert!(text.contains("Examples:"), "{command}");
    }
    let whole = fs::read_to_string(sandbox.work().join("pages/nuthatch.1")).unwrap();
    assert!(whole.contains("nuthatch\\-recall(1)"), "{whole}");
    let answer = sandbox.line("man --json pages").ok().json();
    assert_eq!(answer["pages"].as_array().unwrap().len(), pages);
    assert!(!sandbox.data().exists());
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("man").fails(2, "DIR");
    sandbox.write("file", "");
    sandbox.line("man file/below").fails(6, "cannot write file/below");
    sandbox.line("man --json file/below").fails_in_json(6, "unavailable", "cannot write");
}
