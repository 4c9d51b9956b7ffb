//! What the environment and the configuration files change, and what is made on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::sandbox::Sandbox;

#[test]
fn data_is_made_for_the_user_alone() {
    let sandbox = Sandbox::new();
    sandbox.line("remember uses tabs").ok();
    let mode = |path: &str| {
        let found = fs::metadata(sandbox.data().join(path)).unwrap();
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode(""), 0o700);
    assert_eq!(mode("memory.db"), 0o600);
}

#[test]
fn a_home_of_its_own_holds_configuration_and_data() {
    let sandbox = Sandbox::new();
    let own = sandbox.root().join("own");
    let sandbox = sandbox.with_env("NUTHATCH_HOME", own.to_str().unwrap());
    sandbox.line("remember uses tabs").ok();
    assert!(own.join("memory.db").is_file());
    assert_eq!(fs::read_dir(sandbox.home()).unwrap().count(), 0);
    fs::write(own.join("config.toml"), "[recall]\nlimit = 3\n").unwrap();
    assert_eq!(sandbox.line("config get recall.limit").ok().stdout, "3\n");
}

#[test]
fn xdg_folders_are_honoured() {
    let sandbox = Sandbox::new();
    let data = sandbox.root().join("xdg");
    let sandbox = sandbox.with_env("XDG_DATA_HOME", data.to_str().unwrap());
    sandbox.line("remember uses tabs").ok();
    assert!(data.join("nuthatch/memory.db").is_file());
}

#[test]
fn memory_path_and_memory_limit_are_understood() {
    let sandbox =
        Sandbox::new().with_env("MEMORY_PATH", "facts.json").with_env("MEMORY_LIMIT", "2");
    for fact in ["first", "second", "third"] {
        sandbox.run(&["remember", fact]).ok();
    }
    let facts = fs::read_to_string(sandbox.work().join("facts.json")).unwrap();
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    let kept: Vec<_> = facts.as_array().unwrap().iter().map(|fact| fact["fact"].clone()).collect();
    assert_eq!(kept, ["second", "third"]);
}

#[test]
fn our_own_variable_wins_and_a_flag_wins_over_all() {
    let sandbox = Sandbox::new().with_env("MEMORY_PATH", "a.db").with_env("NUTHATCH_STORE", "b.db");
    sandbox.line("remember uses tabs").ok();
    sandbox.line("remember --store c.db uses spaces").ok();
    let there = |name: &str| sandbox.work().join(name).exists();
    assert_eq!((there("a.db"), there("b.db"), there("c.db")), (false, true, true));
    assert_eq!(sandbox.line("list --json").ok().json()["memories"][0]["content"], "uses tabs");
}

#[test]
fn a_lower_limit_shrinks_at_the_next_write_and_none_is_no_limit() {
    let sandbox = Sandbox::new();
    for fact in ["first", "second", "third"] {
        sandbox.run(&["remember", fact]).ok();
    }
    let ran = sandbox.sh("MEMORY_LIMIT=2 nuthatch remember --json fourth").ok().json();
    assert_eq!(ran["evicted"].as_array().unwrap().len(), 2);
    let ran = sandbox.sh("MEMORY_LIMIT=none nuthatch remember --json fifth").ok().json();
    assert_eq!(ran["evicted"].as_array().unwrap().len(), 0);
}

#[test]
fn a_project_sets_the_limits_of_its_own_memory_and_no_other() {
    let sandbox = Sandbox::new();
    sandbox.write(".nuthatch/config.toml", "[limits]\nfacts = 1\n");
    for fact in ["first", "second"] {
        sandbox.run(&["remember", "--scope", "global", fact]).ok();
        sandbox.run(&["remember", "--scope", "project", fact]).ok();
    }
    let total = |scope: &str| {
        sandbox.line(&format!("list --json --scope {scope}")).ok().json()["total"].clone()
    };
    assert_eq!((total("global"), total("project")), (2.into(), 1.into()));
}

#[test]
fn without_a_home_the_error_says_what_to_set() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(crate::sandbox::NUTHATCH);
    let output = command.args(["list", "--json"]).env_remove("HOME").output().unwrap();
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("NUTHATCH_HOME"), "{output:?}");
}
