//! `nuthatch uninstall`.

use std::fs;

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let transcript = sandbox.transcript(&[
        "nuthatch uninstall --yes codex",
        "nuthatch install --quiet --yes --program nuthatch goose",
        "nuthatch uninstall --dry-run goose",
        "nuthatch uninstall --yes --json goose",
        "ls -A $HOME",
    ]);
    assert_recorded("uninstall", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("uninstall emacs").fails(2, "no agent is called \"emacs\"");
    sandbox.line("install --yes goose").ok();
    sandbox.line("uninstall goose").fails(2, "only changed when you say so");
    let file = sandbox.home().join(".config/goose/config.yaml");
    let text = format!("{}broken: [\n", fs::read_to_string(&file).unwrap());
    fs::write(&file, &text).unwrap();
    sandbox.line("uninstall --yes goose").fails(2, "config.yaml: not YAML");
    sandbox.line("uninstall --json --yes goose").fails_in_json(2, "invalid", "not YAML");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn memories_stay() {
    let sandbox = Sandbox::new();
    sandbox.line("remember uses tabs").ok();
    sandbox.line("install --yes --all").fails(3, "none of the agents");
    sandbox.line("install --yes vscode").ok();
    sandbox.line("uninstall --yes vscode").ok();
    assert!(sandbox.line("list").ok().stdout.contains("uses tabs"));
}
