//! `nuthatch stats`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor uses tabs").ok();
    sandbox.line("edit editor uses spaces").ok();
    sandbox.line("remember --scope project --category convention squash before merging").ok();
    assert_recorded("stats", &sandbox.transcript(&["nuthatch stats", "nuthatch stats --json"]));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("stats --store mysql:x").fails(2, "not a store");
    sandbox.line("stats --json --store x.txt").fails_in_json(2, "invalid", ".txt");
    sandbox.line("stats --project nowhere").fails(3, "cannot find the folder");
    sandbox.line("stats --project nowhere").fails(3, "name one with --project");
    sandbox.line("stats --scope global").fails(2, "the whole store is counted");
    sandbox.line("stats --growth --days 0").fails(2, "days");
    sandbox.line("stats --days 3").fails(2, "--growth");
}

#[test]
fn the_answer_names_the_store_and_counts() {
    let sandbox = Sandbox::new();
    sandbox.line("remember uses tabs").ok();
    let answer = sandbox.line("stats --json").ok().json();
    assert_eq!(answer["store"]["backend"], "sqlite");
    assert_eq!(answer["memories"], 1);
    assert_eq!(answer["scopes"][0]["scope"], "global");
    assert_eq!(answer["categories"], serde_json::json!([["core", 1]]));
}
