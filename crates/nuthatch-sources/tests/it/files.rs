//! Context files by our own rules.

use std::fs;
use std::sync::Arc;

use nuthatch::error::Kind;
use nuthatch_sources::files::{ContextFiles, Level, Product};

use crate::tree::{Tree, names, notes};

const OURS: Product = Product::Nuthatch;

#[test]
fn every_level_down_to_the_target_is_loaded_in_order() {
    let tree = Tree::new(&[
        ("user/AGENTS.md", "mine"),
        ("project/AGENTS.md", "root"),
        ("project/a/CLAUDE.md", "a"),
        ("project/a/b/GEMINI.md", "b"),
        ("project/a/b/c/AGENTS.md", "too deep"),
        ("project/other/AGENTS.md", "elsewhere"),
    ]);
    for target in ["project/a/b", "project/a/b/file.rs", "project/a/b/not/yet/there.rs"] {
        let loaded = tree.load(OURS, target);
        let expected = ["user/AGENTS.md", "AGENTS.md", "a/CLAUDE.md", "a/b/GEMINI.md"];
        assert_eq!(names(&loaded), expected, "{target}");
    }
    let levels: Vec<Level> = tree.load(OURS, "project/a").files.iter().map(|f| f.level).collect();
    assert_eq!(levels, [Level::User, Level::Project, Level::Folder]);
}

#[test]
fn twins_count_once() {
    let tree = Tree::new(&[
        ("project/AGENTS.md", "use tabs\n"),
        ("project/CLAUDE.md", "use tabs"),
        ("project/GEMINI.md", "use spaces"),
    ]);
    let loaded = tree.load(OURS, "project");
    assert_eq!(names(&loaded), ["AGENTS.md", "GEMINI.md"]);
    assert_eq!(loaded.files[0].twins, ["CLAUDE.md"]);
}

#[test]
fn imports_are_read_against_the_file_that_asks() {
    let tree = Tree::new(&[
        ("project/AGENTS.md", "@docs/style.md"),
        ("project/docs/style.md", "style, then @names.md"),
        ("project/docs/names.md", "names"),
        ("project/names.md", "wrong"),
    ]);
    let loaded = tree.load(OURS, "project");
    let text = &loaded.files[0].text;
    assert!(text.contains("style, then") && text.contains("\nnames\n"), "{text}");
    assert!(!text.contains("wrong"));
    assert_eq!(loaded.files[0].imports, ["docs/style.md", "docs/names.md"]);
}

#[test]
fn nothing_outside_the_project_is_imported_unless_it_is_allowed() {
    let tree = Tree::new(&[("secret.md", "the secret"), ("home/.ssh/id", "the secret")]);
    let outside = tree.at("secret.md").display().to_string();
    tree.write(
        "project/AGENTS.md",
        format!("@../secret.md @{outside} @~/.ssh/id @link.md @folder/secret.md"),
    );
    std::os::unix::fs::symlink(tree.at("secret.md"), tree.at("project/link.md")).unwrap();
    std::os::unix::fs::symlink(tree.at(""), tree.at("project/folder")).unwrap();
    let loaded = tree.load(OURS, "project");
    assert!(!loaded.files[0].text.contains("the secret"), "{loaded:#?}");
    assert_eq!(loaded.notes.len(), 5, "{loaded:#?}");
    assert!(notes(&loaded).iter().all(|note| note.contains("outside the project")));

    let mut request = tree.request(OURS, "project");
    request.allowed = vec![tree.at("")];
    let loaded = ContextFiles::default().load(&request).unwrap();
    assert!(loaded.files[0].text.contains("the secret"));
}

#[test]
fn a_context_file_that_is_a_link_out_is_not_loaded() {
    let tree = Tree::new(&[("secret.md", "the secret")]);
    std::os::unix::fs::symlink(tree.at("secret.md"), tree.at("project/AGENTS.md")).unwrap();
    let loaded = tree.load(OURS, "project");
    assert!(loaded.files.is_empty());
    assert_eq!(notes(&loaded), ["AGENTS.md: not loaded: it lies outside the project"]);
}

#[test]
fn bad_files_are_noted_and_stop_nothing() {
    let tree = Tree::new(&[("project/GEMINI.md", "fine")]);
    tree.write("project/AGENTS.md", vec![b'a'; (1 << 20) + 1]);
    tree.write("project/CLAUDE.md", b"caf\xe9");
    let loaded = tree.load(OURS, "project");
    assert_eq!(names(&loaded), ["CLAUDE.md", "GEMINI.md"]);
    let notes = notes(&loaded);
    assert!(notes[0].contains("longer than") && notes[1].contains("no UTF-8"), "{notes:?}");
}

#[test]
fn what_looks_like_an_attack_is_noted() {
    let tree = Tree::new(&[]);
    tree.write("project/AGENTS.md", "use tabs\u{e0041}\u{e0042}\u{e0043}");
    let loaded = tree.load(OURS, "project");
    assert!(notes(&loaded)[0].contains("looks suspicious"), "{loaded:#?}");
}

#[test]
fn a_target_elsewhere_is_an_error() {
    let tree = Tree::new(&[]);
    let error = ContextFiles::default().load(&tree.request(OURS, "home")).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
}

#[test]
fn what_was_loaded_is_kept_until_any_file_of_the_chain_changes() {
    let tree = Tree::new(&[
        ("project/AGENTS.md", "top @a.md @missing.md"),
        ("project/a.md", "a @b.md"),
        ("project/b.md", "b"),
    ]);
    let (files, request) = (ContextFiles::default(), tree.request(OURS, "project/sub"));
    let first = files.load(&request).unwrap();
    assert!(Arc::ptr_eq(&first, &files.load(&request).unwrap()));
    let changes: [(&str, &str); 4] = [
        ("project/b.md", "b has changed"),
        ("project/missing.md", "here now"),
        ("project/sub/AGENTS.md", "a new one"),
        ("user/CLAUDE.md", "mine"),
    ];
    let mut before = first;
    for (path, text) in changes {
        tree.write(path, text);
        let after = files.load(&request).unwrap();
        let all: String = after.files.iter().map(|file| file.text.as_str()).collect();
        assert!(all.contains(text) && !Arc::ptr_eq(&before, &after), "{path}");
        before = after;
    }
    fs::remove_file(tree.at("project/sub/AGENTS.md")).unwrap();
    assert_eq!(files.load(&request).unwrap().files.len(), 2);
}

#[test]
fn a_file_that_was_just_written_is_not_believed_to_be_settled() {
    let tree = Tree::new(&[]);
    fs::write(tree.at("project/AGENTS.md"), "one").unwrap();
    let (files, request) = (ContextFiles::default(), tree.request(OURS, "project"));
    assert_eq!(files.load(&request).unwrap().files[0].text, "one");
    fs::write(tree.at("project/AGENTS.md"), "two").unwrap();
    assert_eq!(files.load(&request).unwrap().files[0].text, "two");
}
