//! Every backend behind the same commands, and stores that cannot be read.

use std::fs;

use crate::sandbox::Sandbox;

#[test]
fn every_backend_remembers_recalls_edits_and_forgets() {
    for url in ["sqlite:a.db", "markdown:notes", "json:facts.json", "b.db", "c.json", "folder"] {
        let sandbox = Sandbox::new();
        let run = |line: &str| sandbox.line(&format!("{line} --store {url} --json")).ok().json();
        run("remember --key editor uses tabs");
        run("remember --scope project listens on port 5433");
        assert_eq!(run("recall port")["hits"][0]["content"], "listens on port 5433", "{url}");
        assert_eq!(run("edit editor uses spaces")["versions"][0]["content"], "uses tabs", "{url}");
        assert_eq!(run("recall spaces")["hits"][0]["key"], "editor", "{url}");
        assert_eq!(run("list")["total"], 2, "{url}");
        assert_eq!(run("forget editor")["forgotten"].as_array().unwrap().len(), 1, "{url}");
        assert_eq!(run("stats")["memories"], 1, "{url}");
        run("reindex");
        assert_eq!(run("doctor")["ok"], true, "{url}");
        assert!(!sandbox.data().join("memory.db").exists(), "{url}");
    }
}

#[test]
fn a_project_can_keep_its_memory_in_its_repository() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let run = |args: &[&str]| sandbox.run_in(&repository, args).ok();
    run(&["init", "--store", "markdown:.nuthatch/memory"]);
    run(&["remember", "--key", "build", "the build runs offline"]);
    run(&["remember", "--scope", "global", "the build of everything else"]);
    let folder = repository.join(".nuthatch/memory");
    let inside = sandbox.sh_in(&folder, "grep -rl 'the build runs offline' . | grep 'md$'").ok();
    assert!(!inside.stdout.is_empty());
    assert_eq!(sandbox.sh_in(&folder, "grep -r 'everything else' .").code, 1);
    let found = run(&["recall", "--json", "build"]).json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 2);
    assert_eq!(run(&["show", "--json", "build"]).json()["memory"]["key"], "build");
    run(&["forget", "build"]);
    assert_eq!(sandbox.sh_in(&folder, "grep -r 'runs offline' .").code, 1);
}

#[test]
fn a_store_that_cannot_be_read_is_kept_and_told() {
    for (name, text) in [
        ("a.db", "this is no database, but it is somebody's ".repeat(200)),
        ("a.json", "{\"not\": [".to_owned()),
    ] {
        let sandbox = Sandbox::new();
        let path = sandbox.write(name, &text);
        for line in ["remember uses tabs", "list", "recall tabs", "forget --all --yes", "stats"] {
            let ran = sandbox.line(&format!("{line} --store {name}"));
            assert_eq!(ran.code, 6, "{line}: {ran:?}");
            let ran = sandbox.line(&format!("{line} --json --store {name}"));
            assert_eq!(ran.json()["error"]["kind"], "unavailable", "{line}: {ran:?}");
        }
        assert_eq!(fs::read_to_string(path).unwrap(), text, "{name}");
    }
}

#[test]
fn a_store_that_is_a_folder_or_lies_behind_a_file_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("folder.db/x", "");
    sandbox.write("file", "");
    for url in ["sqlite:folder.db", "sqlite:file/a.db", "json:file/a.json"] {
        let ran = sandbox.line(&format!("remember --store {url} uses tabs"));
        assert_eq!(ran.code, 6, "{url}: {ran:?}");
    }
}

#[test]
fn relative_paths_are_taken_from_the_root_of_the_project() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    fs::create_dir(repository.join("src")).unwrap();
    sandbox.run_in(&repository.join("src"), &["remember", "--store", "m.db", "uses tabs"]).ok();
    assert!(repository.join("m.db").is_file());
}

#[test]
fn fact_arrays_of_other_tools_load_as_they_are() {
    let sandbox = Sandbox::new();
    let facts = r#"[{"fact": "uses tabs", "category": "preference", "created_at": "2026-01-01T00:00:00Z"}]"#;
    sandbox.write("memory.json", facts);
    let answer = sandbox.line("recall --json tabs --store memory.json").ok().json();
    assert_eq!(answer["hits"][0]["category"], "preference");
    assert_eq!(answer["hits"][0]["created_at"], "2026-01-01T00:00:00Z");
}
