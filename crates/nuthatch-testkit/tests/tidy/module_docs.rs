//! Every module begins by saying what it does, what it does not, and where to go next.
//!
//! Two to eight lines; a crate's root may take more, a file of tests may do with one.

use std::ops::RangeInclusive;

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::{is_test_path, rust_files};

fn allowed(path: &str) -> RangeInclusive<usize> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "lib.rs" | "main.rs" if !is_test_path(path) => 2..=usize::MAX,
        // The cases of the conformance suite are tests, too.
        _ if is_test_path(path) || path.contains("/conformance/") => 1..=8,
        _ => 2..=8,
    }
}

fn check(path: &str, text: &str) -> Vec<Violation> {
    let lines = text.lines().take_while(|line| line.starts_with("//!")).count();
    if allowed(path).contains(&lines) {
        return Vec::new();
    }
    let message = match lines {
        0 => "does not begin with `//!`: say what the module does".to_owned(),
        1 => "one line of `//!`: say also what it does not, or where to go next".to_owned(),
        many => format!("{many} lines of `//!`, at most 8: move detail to the items"),
    };
    vec![Violation::of_file(path, message)]
}

#[test]
fn every_module_begins_with_its_purpose() {
    assert_clean(rust_files().iter().flat_map(|file| check(&file.path, &file.text)));
}

#[test]
fn missing_short_and_long_introductions_are_caught() {
    let doc = |lines| "//! Words.\n".repeat(lines) + "\nuse a::b;\n";
    assert_caught(&check("src/a.rs", "use a::b;\n//! Late.\n//! Late.\n"), &["does not begin"]);
    assert_caught(&check("src/a.rs", &doc(1)), &["one line"]);
    assert_caught(&check("src/a.rs", &doc(9)), &["9 lines"]);
    assert_caught(&check("src/a/tests.rs", &doc(0)), &["does not begin"]);
    assert_caught(&check("src/lib.rs", &doc(1)), &["one line"]);
}

#[test]
fn usual_introductions_pass() {
    let doc = |lines| "//! Words.\n".repeat(lines);
    assert_clean(check("src/a.rs", &doc(2)));
    assert_clean(check("src/a.rs", &doc(8)));
    assert_clean(check("src/lib.rs", &doc(30)));
    assert_clean(check("tests/it/recall.rs", &doc(1)));
}
