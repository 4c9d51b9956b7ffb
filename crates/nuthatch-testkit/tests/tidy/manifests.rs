//! Crates depend on each other only as drawn, versions stand only in the workspace's
//! table, and every crate takes the workspace's lints.
//!
//! Dev-dependencies may point anywhere inside the workspace: they build nothing that ships.

use toml::{Table, Value};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::{files, read};

/// Each crate and the workspace crates it may depend on. The test kit is in no list: it is
/// only ever a dev-dependency.
const CRATES: &[(&str, &[&str])] = &[
    ("nuthatch", &[]),
    ("nuthatch-agents", &["nuthatch"]),
    ("nuthatch-stores", &["nuthatch"]),
    ("nuthatch-models", &["nuthatch"]),
    ("nuthatch-sources", &["nuthatch"]),
    ("nuthatch-server", &["nuthatch"]),
    ("nuthatch-rig", &["nuthatch"]),
    ("nuthatch-workspace", &["nuthatch", "nuthatch-sources"]),
    (
        "nuthatch-cli",
        &[
            "nuthatch",
            "nuthatch-agents",
            "nuthatch-models",
            "nuthatch-server",
            "nuthatch-sources",
            "nuthatch-stores",
            "nuthatch-workspace",
        ],
    ),
    ("nuthatch-testkit", &["nuthatch"]),
    ("evals", &["nuthatch", "nuthatch-models", "nuthatch-sources", "nuthatch-stores"]),
    ("nuthatch-fuzz", &["nuthatch", "nuthatch-sources", "nuthatch-workspace"]),
];

/// The one crate that may have the door past the gate: it is never published, and only a
/// dev-dependency of others.
const TEST_KIT: &str = "nuthatch-testkit";

const SHIPPED: &[&str] = &["dependencies", "build-dependencies"];

fn check(path: &str, text: &str) -> Vec<Violation> {
    let manifest: Table = match text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![Violation::of_file(path, error.to_string())],
    };
    let mut wrong: Vec<String> = Vec::new();
    let name = manifest.get("package").and_then(|p| p.get("name")).and_then(Value::as_str);
    let allowed =
        CRATES.iter().find(|(known, _)| Some(*known) == name).map(|(_, allowed)| *allowed);
    if allowed.is_none() {
        wrong.push(format!("crate {name:?} is missing in CRATES of the manifests check"));
    }
    for (section, dependency, value) in dependencies(&manifest) {
        let ours = CRATES.iter().any(|(known, _)| *known == dependency);
        let may = allowed.is_none_or(|allowed| allowed.contains(&dependency));
        if ours && !may && SHIPPED.contains(&section) {
            wrong.push(format!("`{dependency}` must not be one of its {section}"));
        }
        if turns_on_testing(value) && name != Some(TEST_KIT) && section != "dev-dependencies" {
            wrong.push(format!("`{dependency}` must not have its feature `testing` in {section}"));
        }
        if !is_inherited(value) {
            wrong.push(format!("`{dependency}` must say `workspace = true` and name no version"));
        }
    }
    for feature in features_with_testing(&manifest) {
        wrong.push(format!("its feature `{feature}` must not turn on `testing`"));
    }
    if !manifest.get("lints").is_some_and(is_inherited) {
        wrong.push("`[lints] workspace = true` is missing".to_owned());
    }
    wrong.into_iter().map(|message| Violation::of_file(path, message)).collect()
}

/// Every dependency of every section, those for one platform included.
fn dependencies(manifest: &Table) -> Vec<(&'static str, &str, &Value)> {
    let platforms = manifest.get("target").and_then(Value::as_table);
    let platforms = platforms.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let mut found = Vec::new();
    for table in std::iter::once(manifest).chain(platforms) {
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let entries = table.get(section).and_then(Value::as_table);
            found.extend(entries.into_iter().flatten().map(|(n, v)| (section, n.as_str(), v)));
        }
    }
    found
}

/// Whether a dependency comes with the library's door past the gate.
fn turns_on_testing(value: &Value) -> bool {
    let features = value.get("features").and_then(Value::as_array);
    features.is_some_and(|features| features.iter().any(|f| f.as_str() == Some("testing")))
}

/// Whether a crate's own features turn the door on.
fn features_with_testing(manifest: &Table) -> Vec<&str> {
    let features = manifest.get("features").and_then(Value::as_table);
    let opens = |value: &Value| {
        let parts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        parts.into_iter().any(|part| part == "testing" || part.ends_with("/testing"))
    };
    features.into_iter().flatten().filter(|(_, v)| opens(v)).map(|(n, _)| n.as_str()).collect()
}

fn is_inherited(value: &Value) -> bool {
    let elsewhere = ["version", "path", "git", "registry"].iter().any(|k| value.get(k).is_some());
    value.get("workspace").and_then(Value::as_bool) == Some(true) && !elsewhere
}

#[test]
fn every_manifest_keeps_to_the_drawing() {
    let files = files();
    let manifests =
        files.iter().filter(|file| file.path != "Cargo.toml" && file.path.ends_with("Cargo.toml"));
    assert_clean(manifests.flat_map(|file| check(&file.path, &file.text)));
}

/// Workspaces of their own, each with the crates of this one that it builds: a dependency that
/// is added here has to be in their lock, too, or they do not build any more.
const APART: &[(&str, &[&str])] =
    &[("crates/nuthatch-rig", &["crates/nuthatch", "crates/nuthatch-stores"])];

/// Dependencies of a crate that a lock does not have.
fn unlocked(lock: &str, path: &str, text: &str) -> Vec<Violation> {
    let manifest: Table = text.parse().unwrap_or_default();
    let shipped = dependencies(&manifest).into_iter().filter(|(section, _, value)| {
        let optional = value.get("optional").and_then(Value::as_bool) == Some(true);
        SHIPPED.contains(section) && !optional
    });
    let missing = shipped.filter(|(_, name, _)| !lock.contains(&format!("\nname = \"{name}\"\n")));
    let told = |name: &str| format!("`{name}` is not in the lock: run `cargo update -w` there");
    missing.map(|(_, name, _)| Violation::of_file(path, told(name))).collect()
}

#[test]
fn the_locks_of_workspaces_apart_have_everything() {
    for (folder, crates) in APART {
        let lock = read(&format!("{folder}/Cargo.lock")).expect("it has a lock");
        for path in crates.iter().map(|path| format!("{path}/Cargo.toml")) {
            let text = read(&path).expect("the crate has a manifest");
            assert_clean(unlocked(&lock, &format!("{folder}/Cargo.lock"), &text));
        }
    }
}

#[test]
fn a_dependency_that_is_in_no_lock_is_caught() {
    let text = "[dependencies]\nserde.workspace = true\njiff.workspace = true\n\
                [dev-dependencies]\ninsta.workspace = true\n";
    let lock = "[[package]]\nname = \"serde\"\nversion = \"1\"\n";
    assert_caught(&unlocked(lock, "apart/Cargo.lock", text), &["`jiff` is not in the lock"]);
}

#[test]
fn an_upward_dependency_is_caught() {
    let text = "[package]\nname = \"nuthatch\"\n[lints]\nworkspace = true\n\
                [dependencies]\nnuthatch-stores.workspace = true\n\
                [target.'cfg(unix)'.dependencies]\nnuthatch-testkit.workspace = true\n";
    assert_caught(
        &check("crates/nuthatch/Cargo.toml", text),
        &["`nuthatch-stores` must not", "`nuthatch-testkit` must not"],
    );
}

#[test]
fn a_version_and_missing_lints_are_caught() {
    let text = "[package]\nname = \"nuthatch-cli\"\n[dependencies]\nserde = \"1\"\n\
                [dev-dependencies]\ninsta = { workspace = true, version = \"1\" }\n";
    assert_caught(
        &check("crates/nuthatch-cli/Cargo.toml", text),
        &["`serde` must say", "`insta` must say", "`[lints] workspace = true` is missing"],
    );
}

#[test]
fn a_door_past_the_gate_is_caught() {
    let text = "[package]\nname = \"nuthatch-cli\"\n[lints]\nworkspace = true\n\
                [features]\ndefault = [\"nuthatch/testing\"]\n\
                [dependencies]\nnuthatch = { workspace = true, features = [\"testing\"] }\n\
                [dev-dependencies]\nnuthatch-stores = { workspace = true, features = [\"testing\"] }\n";
    assert_caught(
        &check("crates/nuthatch-cli/Cargo.toml", text),
        &[
            "`nuthatch` must not have its feature `testing` in dependencies",
            "its feature `default` must not turn on `testing`",
        ],
    );
}

#[test]
fn an_unknown_crate_is_caught() {
    let text = "[package]\nname = \"nuthatch-novelty\"\n[lints]\nworkspace = true\n";
    assert_caught(&check("crates/nuthatch-novelty/Cargo.toml", text), &["missing in CRATES"]);
}

#[test]
fn the_test_kit_as_dev_dependency_is_allowed() {
    let text = "[package]\nname = \"nuthatch\"\n[lints]\nworkspace = true\n\
                [dev-dependencies]\nnuthatch-testkit.workspace = true\n";
    assert_clean(check("crates/nuthatch/Cargo.toml", text));
}
