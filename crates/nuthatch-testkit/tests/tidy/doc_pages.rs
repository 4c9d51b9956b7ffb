//! One page of documentation per command: `commands/recall.rs` has `docs/recall.md`.
//!
//! A command is a file or a folder in the CLI's `commands`. A missing folder fails, because
//! a check of nothing would pass for ever.

use std::collections::BTreeSet;

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::files;

const COMMANDS: &str = "crates/nuthatch-cli/src/commands/";

/// Commands without a page, and why.
const WITHOUT_PAGE: &[(&str, &str)] = &[];

fn check(paths: &[&str]) -> Vec<Violation> {
    let inside = paths.iter().filter_map(|path| path.strip_prefix(COMMANDS));
    let verbs: BTreeSet<&str> = inside
        .map(|inside| inside.split_once('/').map_or(inside, |(folder, _)| folder))
        .map(|name| name.trim_end_matches(".rs"))
        .filter(|name| !["mod", "tests"].contains(name))
        .collect();
    if verbs.is_empty() {
        let message = "there are no commands here; has the folder moved?";
        return vec![Violation::of_file(COMMANDS, message)];
    }
    let page = |verb: &str| format!("docs/{verb}.md");
    let missing = verbs.iter().filter(|verb| {
        !paths.contains(&page(verb).as_str()) && !WITHOUT_PAGE.iter().any(|(v, _)| v == *verb)
    });
    missing
        .map(|verb| Violation::of_file(&page(verb), format!("missing: `{verb}` is a command")))
        .collect()
}

#[test]
fn every_command_has_a_page() {
    let files = files();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_clean(check(&paths));
}

#[test]
fn a_command_without_a_page_is_caught() {
    let paths = [
        "crates/nuthatch-cli/src/commands/mod.rs",
        "crates/nuthatch-cli/src/commands/recall.rs",
        "crates/nuthatch-cli/src/commands/forget.rs",
        "crates/nuthatch-cli/src/commands/memory/view.rs",
        "docs/recall.md",
    ];
    assert_caught(&check(&paths), &["docs/forget.md: missing", "docs/memory.md: missing"]);
}

#[test]
fn a_missing_folder_is_caught() {
    assert_caught(&check(&["docs/recall.md"]), &["there are no commands here"]);
}
