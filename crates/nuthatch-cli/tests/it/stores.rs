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

/// Commands that need what is there, with how they end on nothing.
const READERS: [(&str, i32); 7] = [
    ("recall tabs", 0),
    ("list", 0),
    ("show editor", 3),
    ("stats", 0),
    ("reindex", 0),
    ("edit editor uses tabs", 3),
    ("forget --all --yes", 0),
];

#[test]
fn reading_makes_no_store() {
    let sandbox = Sandbox::new();
    for (line, code) in READERS {
        assert_eq!(sandbox.line(line).code, code, "{line}");
        for url in ["typo.db", "typo.json", "typo/.nuthatch", "sqlite:deep/typo.db"] {
            let ran = sandbox.line(&format!("{line} --store {url}"));
            assert_eq!(ran.code, code, "{line}: {ran:?}");
            assert!(ran.stderr.contains("note: there is no store at "), "{line}: {ran:?}");
        }
    }
    assert_eq!(fs::read_dir(sandbox.work()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(sandbox.home()).unwrap().count(), 0);
}

#[test]
fn a_store_that_is_not_there_is_noted_only_where_somebody_named_it() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.line("stats").ok().stderr, "");
    let answer = sandbox.line("stats --json").ok().json();
    assert_eq!((&answer["store"]["backend"], &answer["memories"]), (&"sqlite".into(), &0.into()));
    let sandbox = sandbox.with_env("NUTHATCH_STORE", "named.db");
    let ran = sandbox.line("list").ok();
    let expected = "note: there is no store at sqlite:[DIR]/work/named.db yet\nno memories here\n";
    assert_eq!(sandbox.normalised(&ran.stderr), expected);
    assert_eq!(sandbox.line("list --quiet").ok().stderr, "");
    sandbox.line("remember uses tabs").ok();
    assert_eq!(sandbox.line("list").ok().stderr, "");
}

#[test]
fn a_scope_whose_own_store_is_not_there_yet_is_empty() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    sandbox.line("remember --scope global the build").ok();
    sandbox.run_in(&repository, &["init", "--store", "markdown:.nuthatch/memory"]).ok();
    let found = sandbox.run_in(&repository, &["recall", "--json", "build"]).ok().json();
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    assert!(!repository.join(".nuthatch/memory").exists());
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

/// A repository that brings memories along for scopes that are none of its business.
fn hostile(sandbox: &Sandbox) -> std::path::PathBuf {
    let repository = sandbox.repository("app");
    sandbox
        .run_in(&repository, &["init", "--key", "app", "--store", "markdown:.nuthatch/memory"])
        .ok();
    let memory = repository.join(".nuthatch/memory");
    for (folder, text) in [
        ("", "evil for everybody"),
        ("user", "evil about the user"),
        ("projects/other", "evil in another project"),
        ("projects/app", "the build runs offline"),
        ("plans/app/REQ-1", "evil in a plan"),
    ] {
        fs::create_dir_all(memory.join(folder)).unwrap();
        fs::write(memory.join(folder).join("MEMORY.md"), format!("- {text}\n")).unwrap();
    }
    repository
}

#[test]
fn a_repository_speaks_for_its_own_project_only() {
    let sandbox = Sandbox::new();
    let repository = hostile(&sandbox);
    let run = |args: &[&str]| sandbox.run_in(&repository, args).ok();
    run(&["remember", "--scope", "global", "mine and good"]);
    run(&["remember", "--scope", "project:other", "another good one"]);
    let snapshot = |target: &str| format!(r#"{{"action": "snapshot", "target": "{target}"}}"#);
    for args in [
        &["list"][..],
        &["list", "--all-projects"],
        &["list", "--scope", "user", "--scope", "project:other"],
        &["list", "--scope", "plan:app:REQ-1"],
        &["recall", "evil"],
        &["recall", "--all-projects", "evil"],
        &["recall", "--scope", "global", "evil everybody"],
        &["profile"],
        &["stats"],
        &["dev", "/dev/memory/commit", &snapshot("memory")],
        &["dev", "/dev/memory/commit", &snapshot("global_memory")],
        &["dev", "/dev/memory/recall", r#"{"query": "evil"}"#],
    ] {
        let ran = run(args);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("evil "), "{args:?}: {ran:?}");
    }
    let listed = run(&["list", "--json", "--all-projects"]).json();
    assert_eq!(listed["total"], 3);
    assert_eq!(run(&["stats", "--json"]).json()["memories"], 3);
    assert_eq!(run(&["recall", "--json", "offline"]).json()["hits"][0]["scope"], "project:app");
    run(&["forget", "--all", "--yes"]);
    run(&["forget", "--all", "--yes", "--scope", "project:other", "--scope", "plan:app:REQ-1"]);
    let left =
        sandbox.sh_in(&repository.join(".nuthatch/memory"), "grep -rh evil --include=*.md .");
    assert_eq!(left.ok().stdout.lines().count(), 4);
}

#[test]
fn doctor_warns_of_memories_that_a_repository_has_no_business_with() {
    let sandbox = Sandbox::new();
    let repository = hostile(&sandbox);
    let ran = sandbox.run_in(&repository, &["doctor", "--json"]).ok();
    let checks = ran.json()["checks"].clone();
    let told: Vec<_> =
        checks.as_array().unwrap().iter().filter(|c| c["severity"] == "warning").collect();
    assert_eq!(told.len(), 1, "{checks:#}");
    assert_eq!(told[0]["name"], "store of scope project: scopes");
    let detail = told[0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("4 memories of global, plan, project, user"), "{detail}");
    assert!(!ran.stdout.contains("evil"));
}

#[test]
fn a_project_moves_into_its_repository_and_is_seen_once() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let run = |args: &[&str]| sandbox.run_in(&repository, args).ok();
    run(&["remember", "--scope", "global", "uses tabs"]);
    run(&["remember", "the build runs offline"]);
    let default = format!("sqlite:{}", sandbox.data().join("memory.db").display());
    run(&["init", "--store", "markdown:.nuthatch/memory"]);
    run(&["migrate", "--yes", "--from", &default, "--to", "markdown:.nuthatch/memory"]);
    assert_eq!(run(&["list", "--json"]).json()["total"], 2);
    let stats = run(&["stats", "--json"]).json();
    assert_eq!((&stats["memories"], stats["scopes"].as_array().unwrap().len()), (&2.into(), 2));
    run(&["forget", "--all", "--yes"]);
    assert_eq!(run(&["list", "--json", "--all-projects"]).json()["total"], 0);
}

#[test]
fn a_store_of_the_user_answers_for_every_project() {
    let sandbox = Sandbox::new();
    let projects = sandbox.work().join("projects.db").display().to_string();
    sandbox.configure(&format!("[stores]\nproject = \"sqlite:{projects}\"\n"));
    let repository = sandbox.repository("app");
    let run = |args: &[&str]| sandbox.run_in(&repository, args).ok();
    run(&["remember", "of this one"]);
    run(&["remember", "--scope", "project:other", "of another"]);
    run(&["remember", "--scope", "global", "of everybody"]);
    let listed = run(&["list", "--json", "--all-projects", "--store", &projects]).json();
    assert_eq!(listed["total"], 2);
    assert_eq!(run(&["list", "--json", "--all-projects"]).json()["total"], 3);
}
