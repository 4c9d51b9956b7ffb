//! Whose memory it is: what is seen from where, and where a memory goes.

use std::path::Path;

use crate::sandbox::Sandbox;

fn contents(sandbox: &Sandbox, folder: &Path, args: &[&str]) -> Vec<String> {
    let answer = sandbox.run_in(folder, args).ok().json();
    let (list, field) = match args[0] {
        "list" => (answer["memories"].clone(), "content"),
        _ => (answer["hits"].clone(), "content"),
    };
    let mut found: Vec<String> =
        list.as_array().unwrap().iter().map(|m| m[field].as_str().unwrap().to_owned()).collect();
    found.sort();
    found
}

#[test]
fn two_projects_do_not_see_each_other_unless_asked() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.repository("one"), sandbox.repository("two"));
    sandbox.run_in(&one, &["remember", "the parser of one"]).ok();
    sandbox.run_in(&two, &["remember", "the parser of two"]).ok();
    sandbox.run_in(&two, &["remember", "--scope", "global", "the parser of all"]).ok();
    let of_one = ["the parser of all", "the parser of one"];
    assert_eq!(contents(&sandbox, &one, &["recall", "--json", "parser"]), of_one);
    assert_eq!(contents(&sandbox, &one, &["list", "--json"]), of_one);
    let every = ["the parser of all", "the parser of one", "the parser of two"];
    assert_eq!(contents(&sandbox, &one, &["recall", "--json", "--all-projects", "parser"]), every);
    assert_eq!(contents(&sandbox, &one, &["list", "--json", "--all-projects"]), every);
}

#[test]
fn a_memory_goes_to_the_project_inside_one_and_is_global_elsewhere() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let stored = |folder: &Path, args: &[&str]| {
        let answer = sandbox.run_in(folder, &[&["remember", "--json"], args].concat()).ok().json();
        answer["memory"]["scope"].as_str().unwrap().to_owned()
    };
    assert_eq!(stored(&sandbox.work(), &["anywhere"]), "global");
    assert!(stored(&repository, &["in a repository"]).starts_with("project:"));
    assert_eq!(stored(&repository, &["--scope", "user", "of the user"]), "user");
    sandbox.write("plain/.nuthatch/config.toml", "");
    assert!(stored(&sandbox.work().join("plain"), &["configured"]).starts_with("project:"));
}

#[test]
fn a_clone_and_a_folder_below_are_the_same_project() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    sandbox.run_in(&repository, &["remember", "one project"]).ok();
    sandbox.sh("git clone -q app copy && mkdir -p copy/src && git clone -q app moved").ok();
    for folder in ["copy", "copy/src", "moved"] {
        let seen = contents(&sandbox, &sandbox.work().join(folder), &["list", "--json"]);
        assert_eq!(seen, ["one project"], "{folder}");
    }
}

#[test]
fn the_project_can_be_named_from_elsewhere() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    sandbox.run_in(&repository, &["remember", "in the app"]).ok();
    assert_eq!(sandbox.line("list --json").ok().json()["total"], 0);
    assert_eq!(sandbox.line("list --json --project app").ok().json()["total"], 1);
}

#[test]
fn a_session_sees_its_own_memories_and_those_around_it() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --scope session:chat the draft of the chat").ok();
    sandbox.line("remember --scope session:other the draft of another").ok();
    sandbox.line("remember --scope global the draft of all").ok();
    let seen = |args: &[&str]| contents(&sandbox, &sandbox.work(), args);
    let both = ["the draft of all", "the draft of the chat"];
    assert_eq!(seen(&["recall", "--json", "draft"]), ["the draft of all"]);
    assert_eq!(seen(&["recall", "--json", "--session", "chat", "draft"]), both);
    let own = ["the draft of the chat"];
    assert_eq!(seen(&["recall", "--json", "--scope", "session:chat", "draft"]), own);
    assert_eq!(seen(&["list", "--json", "--session", "chat"]), own);
}
