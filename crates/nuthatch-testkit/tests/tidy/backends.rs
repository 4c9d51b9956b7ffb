//! Backends are peers: the same file names in each backend's folder.
//!
//! A folder is a backend when it is listed here or has an `apply.rs`, so that a new backend
//! is held to the rule without anybody remembering to list it.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::rust_files;

const SRC: &str = "crates/nuthatch-stores/src/";

/// What is alike: folders that must be there, and the files that each of them has.
/// A layout is a file format; the backend that keeps files of any layout is `files/store`.
const KINDS: &[(&str, &[&str], &[&str])] = &[
    (
        "backend",
        &["memory", "sqlite", "postgres", "files/store"],
        &["mod.rs", "open.rs", "apply.rs", "read.rs", "text.rs", "jobs.rs", "codec.rs"],
    ),
    ("layout", &["markdown", "json"], &["mod.rs", "open.rs", "codec.rs", "tests.rs"]),
];

/// The file by which a folder shows that it is a backend.
const MARK: &str = "apply.rs";

/// Backend, file it may lack, and why.
const MAY_LACK: &[(&str, &str, &str)] =
    &[("memory", "codec.rs", "values are kept as they are; nothing is encoded")];

fn check<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<Violation> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        let inside = path.strip_prefix(SRC).and_then(|inside| inside.rsplit_once('/'));
        if let Some((folder, file)) = inside {
            folders.entry(folder).or_default().insert(file);
        }
    }
    let mut violations = Vec::new();
    for (kind, listed, files) in KINDS {
        let unlisted = folders.iter().filter(|(folder, present)| {
            *kind == "backend" && present.contains(MARK) && !listed.contains(folder)
        });
        let names = listed.iter().copied().chain(unlisted.map(|(folder, _)| *folder));
        for name in names {
            let present = folders.get(name).cloned().unwrap_or_default();
            for file in files.iter().filter(|file| !present.contains(*file)) {
                if !MAY_LACK.iter().any(|(b, f, _)| *b == name && f == file) {
                    let message = format!("{kind} `{name}` has no `{file}`; its peers do");
                    violations.push(Violation::of_file(&format!("{SRC}{name}"), message));
                }
            }
        }
    }
    violations
}

#[test]
fn backends_have_the_same_files() {
    let files = rust_files();
    assert_clean(check(files.iter().map(|file| file.path.as_str())));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Vec<String> {
        let of = |(_, folders, files): &(&str, &[&str], &'static [&'static str])| {
            let pairs = folders.iter().flat_map(|b| files.iter().map(move |f| (*b, *f)));
            pairs.map(|(folder, file)| format!("{SRC}{folder}/{file}")).collect::<Vec<_>>()
        };
        KINDS.iter().flat_map(of).collect()
    }

    fn violations(paths: &[String]) -> Vec<Violation> {
        check(paths.iter().map(String::as_str))
    }

    #[test]
    fn a_missing_file_is_caught() {
        let mut paths = complete();
        paths.retain(|path| !path.ends_with("sqlite/text.rs") && !path.ends_with("json/codec.rs"));
        let caught = ["backend `sqlite` has no `text.rs`", "layout `json` has no `codec.rs`"];
        assert_caught(&violations(&paths), &caught);
    }

    #[test]
    fn a_missing_backend_is_caught() {
        let mut paths = complete();
        paths.retain(|path| !path.contains("/memory/"));
        assert_eq!(violations(&paths).len(), KINDS[0].2.len() - 1);
    }

    #[test]
    fn a_new_backend_is_held_to_the_rule_and_other_folders_are_not() {
        let mut paths = complete();
        paths.push(format!("{SRC}disk/lock.rs"));
        assert_clean(violations(&paths));
        paths.push(format!("{SRC}novelty/apply.rs"));
        assert_eq!(violations(&paths).len(), KINDS[0].2.len() - 1);
    }

    #[test]
    fn memory_may_lack_a_codec() {
        let mut paths = complete();
        paths.retain(|path| !path.ends_with("memory/codec.rs"));
        assert_clean(violations(&paths));
    }
}
