//! `nuthatch tour`.

use std::fs;

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    assert_recorded("tour", &sandbox.transcript(&["nuthatch tour"]));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new().with_env("TMPDIR", "/nonexistent");
    sandbox.line("tour").fails(6, "cannot make a folder for the tour");
    sandbox.line("tour --json").fails_in_json(6, "unavailable", "cannot make a folder");
    Sandbox::new().line("tour --json now").fails_in_json(2, "invalid", "unexpected argument");
}

#[test]
fn each_step_is_told_to_programs() {
    let answer = Sandbox::new().line("tour --json").ok().json();
    let steps = answer["steps"].as_array().unwrap();
    assert!(steps.len() >= 5);
    for step in steps {
        assert!(step["command"].as_str().unwrap().starts_with("nuthatch "), "{step}");
        assert!(!step["output"].as_str().unwrap().is_empty(), "{step}");
    }
}

#[test]
fn the_tour_needs_no_home_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let temporary = sandbox.root().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut command = sandbox.command(crate::sandbox::NUTHATCH);
    let output = command.arg("tour").env_remove("HOME").env("TMPDIR", &temporary).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    assert_eq!(fs::read_dir(sandbox.home()).unwrap().count(), 0);
}
