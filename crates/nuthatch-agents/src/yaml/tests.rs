//! A mapping among somebody's, and out again.

use super::*;
use crate::document;
use crate::document::Format::Yaml;

fn entries(program: &str) -> Vec<Entry> {
    let tree = Tree::object([
        ("name", Tree::text("nuthatch")),
        ("enabled", Tree::Bool(true)),
        ("cmd", Tree::text(program)),
        ("args", Tree::texts(&["mcp"])),
        ("timeout", Tree::Number(60)),
    ]);
    vec![Entry::new(&["extensions", "nuthatch"], What::Server(tree))]
}

const FOREIGN: &[&str] = &[
    "GOOSE_MODEL: gpt  # best\nextensions:\n  developer:\n    enabled: true\n    args:\n    - a\n    envs: {}\n# end\nOTHER: 1\n",
    "extensions:\n    memory: # mine\n        enabled: false\n\n\nGOOSE: x\n",
    "a: |\n  extensions:\n    fake: 1\nb: 2\n",
    "a: 1\r\nextensions:\r\n  x:\r\n    enabled: true\r\n",
    "# only remarks\n",
];

#[test]
fn a_mapping_is_added_and_taken_out_to_the_byte() {
    for before in FOREIGN {
        let value = read(before).unwrap();
        let keep = |path: &[String]| path.iter().try_fold(&value, |v, key| v.get(key)).is_some();
        let with = document::with(Yaml, before, &entries("/my apps/nuthatch")).unwrap();
        assert_eq!(read(&with).unwrap()["extensions"]["nuthatch"]["cmd"], "/my apps/nuthatch");
        assert_eq!(document::with(Yaml, &with, &entries("/my apps/nuthatch")).unwrap(), with);
        let without = document::without(Yaml, &with, &entries("x"), &keep).unwrap();
        assert_eq!(without, *before, "{with}");
    }
}

#[test]
fn an_empty_mapping_is_opened_up() {
    for before in ["extensions: {}\n", "extensions:\n", "extensions: null # none\n", ""] {
        let with = document::with(Yaml, before, &entries("nuthatch")).unwrap();
        assert_eq!(read(&with).unwrap()["extensions"]["nuthatch"]["timeout"], 60, "{with}");
    }
    let with = document::with(Yaml, "extensions: null # none\n", &entries("nuthatch")).unwrap();
    assert!(
        with.starts_with("extensions: # none\n  nuthatch:\n    name: \"nuthatch\"\n"),
        "{with}"
    );
}

#[test]
fn another_command_replaces_ours_and_keeps_what_the_user_added() {
    let with = document::with(Yaml, FOREIGN[0], &entries("/old/nuthatch")).unwrap();
    let mine = with.replace("    timeout: 60\n", "    timeout: 60\n    env_keys: [A]\n");
    let new = document::with(Yaml, &mine, &entries("/new/nuthatch")).unwrap();
    assert_eq!(new, mine.replace("/old/", "/new/"));
}

#[test]
fn what_is_broken_taken_or_cannot_be_followed_is_refused() {
    for text in [
        "a: [1\n",
        "- a\n- b\n",
        "extensions: [a]\n",
        "extensions: { x: { enabled: true } }\n",
        "extensions:\n  nuthatch:\n    cmd: birds\n",
        "a: 1\n---\nb: 2\n",
        "a:\n\t- b\n",
        "just text\n",
    ] {
        assert!(document::with(Yaml, text, &entries("nuthatch")).is_err(), "{text}");
    }
}
