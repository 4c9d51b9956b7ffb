//! `nuthatch completions`.

use crate::coverage::commands;
use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    assert_recorded("completions", &sandbox.transcript(&["nuthatch completions fish"]));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("completions tcsh").fails(2, "invalid value 'tcsh'");
    sandbox.line("completions --json").fails_in_json(2, "invalid", "required arguments");
}

#[test]
fn every_shell_completes_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.line(&format!("completions {shell}")).ok().stdout;
        for command in commands() {
            assert!(script.contains(&command), "{shell} does not know {command}");
        }
    }
    let answer = sandbox.line("completions --json bash").ok().json();
    assert_eq!(answer["shell"], "bash");
}

#[test]
fn help_and_completions_touch_nothing() {
    let sandbox = Sandbox::new();
    sandbox.configure("this is not toml");
    for line in ["", "--help", "recall --help", "help recall", "--version", "completions bash"] {
        sandbox.line(line).ok();
    }
    assert!(!sandbox.data().exists());
}
