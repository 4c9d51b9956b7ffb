//! What a check answers: violations, each saying where and what to do.
//!
//! Checks return them instead of panicking, so that one run names every offender.

use std::fmt;

/// One broken rule.
#[derive(Debug)]
pub(crate) struct Violation {
    path: String,
    line: Option<usize>,
    message: String,
}

impl Violation {
    /// The file as a whole breaks a rule.
    pub(crate) fn of_file(path: &str, message: impl Into<String>) -> Self {
        Violation { path: path.to_owned(), line: None, message: message.into() }
    }

    /// One line, counted from 1, breaks a rule.
    pub(crate) fn at_line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Violation { path: path.to_owned(), line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// Fails the test with every violation on a line of its own.
#[track_caller]
pub(crate) fn assert_clean(violations: impl IntoIterator<Item = Violation>) {
    let lines: Vec<String> = violations.into_iter().map(|v| format!("  {v}")).collect();
    assert!(lines.is_empty(), "{} broken house rule(s):\n{}", lines.len(), lines.join("\n"));
}

/// Asserts that a bad sample is caught, once per expected fragment and in that order.
#[track_caller]
pub(crate) fn assert_caught(violations: &[Violation], fragments: &[&str]) {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), fragments.len(), "unexpected number of violations: {lines:#?}");
    for (line, fragment) in lines.iter().zip(fragments) {
        assert!(line.contains(fragment), "`{line}` does not mention `{fragment}`");
    }
}

#[test]
fn a_violation_reads_like_a_compiler_message() {
    assert_eq!(Violation::at_line("a.rs", 3, "too long").to_string(), "a.rs:3: too long");
    assert_eq!(Violation::of_file("a.rs", "too long").to_string(), "a.rs: too long");
}

#[test]
#[should_panic(expected = "1 broken house rule(s)")]
fn a_single_violation_fails_a_test() {
    assert_clean([Violation::of_file("a.rs", "too long")]);
}
