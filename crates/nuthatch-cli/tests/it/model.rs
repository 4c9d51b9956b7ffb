//! `nuthatch model`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    assert_recorded("model", &sandbox.transcript(&["nuthatch model list"]));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("model remove x").fails(2, "unrecognized subcommand");
    sandbox.line("model show").fails(3, "no embedding model is in use");
    sandbox.line("model add nowhere.safetensors").fails(3, "nowhere.safetensors");
}

#[test]
fn a_file_that_is_no_model_is_not_added() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.work().join("text.safetensors"), [0_u8; 64]).unwrap();
    sandbox.line("model add text.safetensors").fails(2, "");
    assert_eq!(sandbox.line("model list --json").ok().json(), serde_json::json!([]));
}

#[test]
fn a_model_that_cannot_be_asked_costs_its_lane_and_nothing_else() {
    let sandbox = Sandbox::new()
        .with_env("NUTHATCH_EMBEDDINGS_PROVIDER", "file")
        .with_env("NUTHATCH_EMBEDDINGS_MODEL", "nowhere.safetensors");
    sandbox.line("remember the staging database listens on port 5433").ok();
    let answer = sandbox.line("recall --json staging port").ok().json();
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
    let note = answer["trace"]["notes"][0].as_str().unwrap();
    assert!(note.starts_with("answered from text alone"), "{note}");
    sandbox.line("recall --mode vector staging port").fails(6, "nowhere.safetensors");
    let checked = sandbox.line("doctor").ok().stdout;
    assert!(checked.contains("recall goes by words"), "{checked}");
}
