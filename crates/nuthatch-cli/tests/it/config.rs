//! `nuthatch config`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    sandbox.configure("[recall]\nlimit = 5\n");
    let transcript = sandbox.transcript(&[
        "nuthatch config show --origin",
        "nuthatch config show --json",
        "nuthatch config get recall.limit",
        "nuthatch config get context.files",
        "nuthatch config get stores.project",
        "nuthatch config get limits.facts --json",
        "nuthatch config path",
        "nuthatch config path --json",
    ]);
    assert_recorded("config", &transcript);
}

#[test]
fn the_reference_of_keys_is_as_recorded() {
    let transcript = Sandbox::new().transcript(&["nuthatch config keys"]);
    assert_recorded("config_keys", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("config get recall.limt").fails(3, "did you mean \"recall.limit\"?");
    sandbox.line("config get --json x.y").fails_in_json(3, "not_found", "x.y");
    sandbox.line("config set recall.limit 3").fails(2, "unrecognized subcommand");
    sandbox.configure("[recall]\nlimit = 0\n");
    sandbox.line("config show").fails(2, "recall.limit");
    sandbox.line("config show --json").fails_in_json(2, "invalid", "recall.limit");
    let sandbox = Sandbox::new().with_env("NUTHATCH_RECAL_LIMIT", "3");
    sandbox.line("config show").fails(2, "NUTHATCH_RECAL_LIMIT");
}

#[test]
fn every_layer_wins_over_the_one_below_and_says_so() {
    let sandbox = Sandbox::new();
    let origin = |sandbox: &Sandbox, line: &str| {
        let answer = sandbox.line(&format!("config get --json {line}")).ok().json();
        let origin = sandbox.normalised(answer["origin"].as_str().unwrap());
        (answer["value"].clone(), origin)
    };
    assert_eq!(origin(&sandbox, "recall.limit"), (10.into(), "default".into()));
    sandbox.configure("[recall]\nlimit = 5\n[stores]\ndefault = \"user.db\"\n");
    let user = "[HOME]/.config/nuthatch/config.toml";
    assert_eq!(origin(&sandbox, "recall.limit"), (5.into(), user.into()));
    sandbox.write(".nuthatch/config.toml", "[recall]\nlimit = 6\n");
    let project = "[DIR]/work/.nuthatch/config.toml";
    assert_eq!(origin(&sandbox, "recall.limit"), (6.into(), project.into()));
    let sandbox = sandbox.with_env("NUTHATCH_RECALL_LIMIT", "7");
    assert_eq!(origin(&sandbox, "recall.limit"), (7.into(), "NUTHATCH_RECALL_LIMIT".into()));
    let flag = "stores.default --store flag.db";
    assert_eq!(origin(&sandbox, flag), ("flag.db".into(), "--store".into()));
}

#[test]
fn the_places_are_told_even_when_a_file_is_broken() {
    let sandbox = Sandbox::new();
    sandbox.configure("this is not toml");
    sandbox.write(".nuthatch/config.toml", "neither = is = this");
    sandbox.line("config show").fails(2, "config.toml");
    let text = sandbox.normalised(&sandbox.line("config path").ok().stdout);
    assert!(text.contains("user file     [HOME]/.config/nuthatch/config.toml"), "{text}");
    assert!(text.contains("project file  [DIR]/work/.nuthatch/config.toml"), "{text}");
    sandbox.line("config path --json").ok().json();
}

#[test]
fn a_store_of_an_unknown_kind_is_told_with_file_and_key() {
    let sandbox = Sandbox::new();
    sandbox.configure("[stores]\ndefault = \"foo:bar\"\n");
    sandbox.line("config show").fails(2, "config.toml, line 2, column 1: not a store: \"foo\"");
    sandbox.line("config show").fails(2, "\"stores.default\"");
}

#[test]
fn every_key_is_described_with_its_variable() {
    let sandbox = Sandbox::new();
    let answer = sandbox.line("config keys --json").ok().json();
    let keys = answer.as_array().unwrap();
    let store = sandbox.normalised(keys[0]["default"].as_str().unwrap());
    assert_eq!(store, "sqlite:[HOME]/.local/share/nuthatch/memory.db");
    let facts = keys.iter().find(|key| key["key"] == "limits.facts").unwrap();
    assert_eq!(facts["default"], "200");
    assert_eq!(facts["env"], serde_json::json!(["NUTHATCH_LIMITS_FACTS", "MEMORY_LIMIT"]));
    assert!(keys.iter().all(|key| key["help"].is_string() && key["takes"].is_string()));
}
