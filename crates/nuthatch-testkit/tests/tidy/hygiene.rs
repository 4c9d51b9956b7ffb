//! Plain text rules: no path of somebody's machine, no trailing blanks, no carriage
//! returns, a newline at the end.
//!
//! Recordings and test data keep whatever bytes they have; the rule on machine paths holds
//! for them, too.

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::files;

/// Folders above people's own folders. In halves, so that this file passes its own check.
const HOMES: &[&str] = &[concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// The one home folder that carries no name.
const ROOT_HOME: &str = concat!("/ro", "ot/");

/// People who do not exist, for examples.
const NOBODY: &[&str] = &["you", "alice"];

/// Folders whose bytes are data.
const DATA: &[&str] = &["fixtures", "snapshots", "corpus", "data"];

fn check_machine_paths(path: &str, text: &str) -> Vec<Violation> {
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| names_a_machine(line))
        .map(|(number, _)| Violation::at_line(path, number, "names a path of one machine"))
        .collect()
}

fn names_a_machine(line: &str) -> bool {
    let homes = HOMES.iter().any(|home| {
        starts(line, home).any(|rest| {
            rest.split_once('/').is_some_and(|(name, _)| {
                let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
                !name.is_empty() && name.chars().all(plain) && !NOBODY.contains(&name)
            })
        })
    });
    homes || starts(line, ROOT_HOME).next().is_some()
}

/// What follows `prefix` wherever it begins an absolute path, and not the middle of an
/// address or of a longer path.
fn starts<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let inside = |c: char| c.is_alphanumeric() || "/._-~}>*".contains(c);
    line.match_indices(prefix)
        .filter(move |(at, _)| !line[..*at].ends_with(inside))
        .map(move |(at, _)| &line[at + prefix.len()..])
}

fn check_blanks(path: &str, text: &str) -> Vec<Violation> {
    if path.ends_with(".snap") || path.split('/').any(|part| DATA.contains(&part)) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.ends_with('\r') {
            violations.push(Violation::at_line(path, number, "carriage return at the end"));
        } else if line.ends_with([' ', '\t']) {
            violations.push(Violation::at_line(path, number, "blank at the end"));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        violations.push(Violation::of_file(path, "no newline at the end of the file"));
    }
    violations
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    assert_clean(files().iter().flat_map(|file| check_machine_paths(&file.path, &file.text)));
}

#[test]
fn no_source_has_stray_blanks_or_carriage_returns() {
    assert_clean(files().iter().flat_map(|file| check_blanks(&file.path, &file.text)));
}

#[test]
fn homes_of_people_and_of_root_are_caught() {
    let [linux, mac] = [HOMES[0], HOMES[1]];
    let text = format!("fine\nsee {linux}carol/x\n\"{mac}carol/y\"\ncp {ROOT_HOME}.ssh\n");
    assert_caught(&check_machine_paths("a.md", &text), &["a.md:2: ", "a.md:3: ", "a.md:4: "]);
}

#[test]
fn addresses_placeholders_and_invented_people_pass() {
    let [linux, _] = [HOMES[0], HOMES[1]];
    let text = format!(
        "memory:/{ROOT_HOME}MEMORY.md\n{linux}<name>/x\n{linux}alice/x\nsite{ROOT_HOME}a\n"
    );
    assert_clean(check_machine_paths("a.md", &text));
}

#[test]
fn stray_blanks_are_caught_but_not_in_recordings() {
    let text = "a \nb\t\nc\r\nd";
    let expected = ["1: blank", "2: blank", "3: carriage", "no newline"];
    assert_caught(&check_blanks("a.rs", text), &expected);
    assert_clean(check_blanks("crates/a/tests/fixtures/a.md", text));
    assert_clean(check_blanks("crates/a/tests/it/snapshots/a.snap", text));
}
