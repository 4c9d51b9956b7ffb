//! A Rust file that no module declares is compiled by nobody: its tests pass by not running.
//!
//! Covers `src/` and `tests/` of every crate. Roots, which cargo finds by itself, need no
//! declaration.

use std::collections::BTreeMap;

use syn::Item;

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::rust_files;

fn check(files: &BTreeMap<&str, &str>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for path in files.keys().filter(|path| !is_root(path)) {
        let (module, parents) = module_and_parents(path);
        let parent = parents.iter().find(|parent| files.contains_key(parent.as_str()));
        let Some(parent) = parent else {
            let message = format!("no file could declare `mod {module};`");
            violations.push(Violation::of_file(path, message));
            continue;
        };
        if !declares(files[parent.as_str()], module) {
            let message = format!("`mod {module};` is missing in {parent}");
            violations.push(Violation::of_file(path, message));
        }
    }
    violations
}

/// What cargo compiles without a declaration: a path below the crate's folder.
fn is_root(path: &str) -> bool {
    let inside: Vec<&str> = path.split('/').skip(2).collect();
    match inside.as_slice() {
        ["src", "lib.rs" | "main.rs"] | ["build.rs"] => true,
        ["src", "bin", rest @ ..] | ["tests" | "benches" | "examples", rest @ ..] => {
            matches!(rest, [_] | [_, "main.rs"])
        }
        _ => false,
    }
}

/// The module's name, and the files that could declare it, likeliest first.
fn module_and_parents(path: &str) -> (&str, Vec<String>) {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (folder, module) = match file {
        "mod.rs" => folder.rsplit_once('/').unwrap_or(("", folder)),
        _ => (folder, file.trim_end_matches(".rs")),
    };
    let inside = ["mod.rs", "lib.rs", "main.rs"].iter().map(|name| format!("{folder}/{name}"));
    (module, inside.chain([format!("{folder}.rs")]).collect())
}

fn declares(parent: &str, module: &str) -> bool {
    let items = syn::parse_file(parent).map(|file| file.items).unwrap_or_default();
    items.iter().any(|item| {
        matches!(item, Item::Mod(declared) if declared.ident == module && declared.content.is_none())
    })
}

#[test]
fn every_rust_file_is_declared() {
    let files = rust_files();
    let files = files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
    assert_clean(check(&files.collect()));
}

#[test]
fn a_forgotten_test_file_is_caught() {
    let files = BTreeMap::from([
        ("crates/a/tests/it/main.rs", "mod recall;\nmod forget { }\n// mod list;\n"),
        ("crates/a/tests/it/recall.rs", ""),
        ("crates/a/tests/it/forget.rs", ""),
        ("crates/a/tests/it/list.rs", ""),
    ]);
    let fragments =
        ["it/forget.rs: `mod forget;` is missing in crates/a/tests/it/main.rs", "it/list.rs"];
    assert_caught(&check(&files), &fragments);
}

#[test]
fn nested_modules_are_followed_in_both_layouts() {
    let files = BTreeMap::from([
        ("crates/a/src/lib.rs", "mod recall;\nmod guard;\n"),
        ("crates/a/src/recall.rs", "mod rank;\n"),
        ("crates/a/src/recall/rank.rs", ""),
        ("crates/a/src/guard/mod.rs", "#[cfg(test)]\nmod tests;\n"),
        ("crates/a/src/guard/tests.rs", ""),
        ("crates/a/src/guard/lost.rs", ""),
        ("crates/a/src/nowhere/deep.rs", ""),
        ("crates/a/benches/speed.rs", ""),
    ]);
    assert_caught(&check(&files), &["guard/lost.rs: `mod lost;`", "nowhere/deep.rs: no file"]);
}
