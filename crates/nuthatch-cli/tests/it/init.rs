//! `nuthatch init`.

use std::fs;

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = Sandbox::new().transcript(&[
        "mkdir other; nuthatch init --json --project other",
        "cat other/.nuthatch/config.toml",
        "nuthatch init --key my-app --store markdown:.nuthatch/memory",
        "cat .nuthatch/config.toml",
        "nuthatch init",
    ]);
    assert_recorded("init", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("init --key a/b").fails(2, "project.key");
    for line in ["init --key a/b", "init --store /tmp/x.db", "init --store mysql:x"] {
        let said = sandbox.line(line).stderr;
        assert!(!said.contains("line ") && !said.contains("config.toml"), "{said}");
    }
    sandbox.run(&["init", "--key", "bad key"]).fails(2, "the flag --key (project.key): expected");
    sandbox.line("init --store mysql:x").fails(2, "not a store: \"mysql\"");
    sandbox.line("init --store postgres:x").fails(2, "not a PostgreSQL store");
    sandbox.line("init --store /tmp/elsewhere.db").fails(5, "leads out of the project");
    let ran = sandbox.line("init --json --store markdown:../memory");
    ran.fails_in_json(5, "denied", "leads out of the project");
    assert!(!sandbox.work().join(".nuthatch").exists());
    let file = sandbox.write(".nuthatch/config.toml", "# mine\n");
    sandbox.line("init").fails(4, "is there already");
    sandbox.line("init --json").fails_in_json(4, "conflict", "is there already");
    assert_eq!(fs::read_to_string(file).unwrap(), "# mine\n");
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_three_questions_at_most_are_asked() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.home().join(".codex")).unwrap();
    let shown = sandbox.on_terminal("nuthatch init", "y\ny\ny\n").stdout;
    assert_eq!(shown.matches("[y/N]").count(), 3, "{shown}");
    let file = fs::read_to_string(sandbox.work().join(".nuthatch/config.toml")).unwrap();
    assert!(file.contains("\nproject = \"markdown:.nuthatch/memory\"\n"), "{file}");
    assert!(file.ends_with("\n[memories]\nenabled = true\n"), "{file}");
    sandbox.line("install --check codex").ok();
    let sandbox = Sandbox::new();
    let shown = sandbox.on_terminal("nuthatch init", "n\nn\n").stdout;
    assert_eq!(shown.matches("[y/N]").count(), 2, "no agent is found: {shown}");
    let file = fs::read_to_string(sandbox.work().join(".nuthatch/config.toml")).unwrap();
    assert!(file.contains("\n# project = ") && !file.contains("[memories]"), "{file}");
}

#[test]
fn options_answer_in_advance_and_nobody_is_asked_off_a_terminal() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.home().join(".gemini")).unwrap();
    let answer = sandbox.line("init --json --connect --learn").ok().json();
    assert!(answer["path"].is_string());
    assert_eq!(sandbox.line("config get memories.enabled").ok().stdout, "true\n");
    sandbox.line("install --check gemini-cli").ok();
    let sandbox = Sandbox::new();
    let said = sandbox.line("init --connect").ok();
    assert!(said.stderr.contains("no agent is found"), "{said:?}");
}

#[test]
fn the_file_stands_at_the_root_of_the_project() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let below = repository.join("src/deep");
    fs::create_dir_all(&below).unwrap();
    let answer = sandbox.run_in(&below, &["init", "--json"]).ok().json();
    let file = repository.join(".nuthatch/config.toml");
    assert_eq!(answer["path"], file.to_str().unwrap());
    sandbox.run_in(&below, &["config", "show"]).ok();
}

#[test]
fn what_a_new_name_hides_can_be_found_as_told() {
    for more in [&[][..], &["--store", "markdown:.nuthatch/memory"]] {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("app");
        sandbox.run_in(&repository, &["remember", "uses tabs"]).ok();
        let args = [&["init", "--key", "new"], more].concat();
        let said = sandbox.run_in(&repository, &args).ok().stderr;
        assert!(said.contains("keeps its old name (1 memory)"), "{said}");
        let listed = |line: &str| sandbox.sh_in(&repository, line).ok().stdout;
        assert!(!listed("nuthatch list").contains("uses tabs"), "{args:?}");
        assert!(listed(said.split('`').nth(1).unwrap()).contains("uses tabs"), "{args:?}: {said}");
    }
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.line("init --key first").ok().stderr, "");
}

#[test]
fn a_key_makes_two_folders_one_project() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.repository("one"), sandbox.repository("two"));
    for folder in [&one, &two] {
        sandbox.run_in(folder, &["init", "--key", "shared"]).ok();
    }
    sandbox.run_in(&one, &["remember", "uses tabs"]).ok();
    let answer = sandbox.run_in(&two, &["list", "--json"]).ok().json();
    assert_eq!(answer["memories"][0]["scope"], "project:shared");
}
