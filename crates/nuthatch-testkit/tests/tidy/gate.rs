//! Nothing that ships mentions the door past the gate, and change sets are made in one place.
//!
//! The compiler holds the rest: the fields of a change set are private to the module that
//! takes every text through the gate, and the door needs a feature (see `manifests`).

use syn::ExprStruct;
use syn::visit::{self, Visit};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::syntax::{mentions, parse};
use crate::workspace::{is_test_path, rust_files};

/// The name of the door.
const DOOR: &str = "unguarded";
/// Where the door is, and the one file that makes sets through the gate.
const MAKERS: &[&str] = &["crates/nuthatch/src/change.rs", "crates/nuthatch/src/change/admit.rs"];
/// Never published; benchmarks are no part of what ships either.
const TEST_KIT: &str = "crates/nuthatch-testkit/";

fn check(path: &str, text: &str) -> Vec<Violation> {
    let exempt = is_test_path(path) || path.starts_with(TEST_KIT) || path.contains("/benches/");
    if exempt || MAKERS.contains(&path) {
        return Vec::new();
    }
    let file = match parse(path, text) {
        Ok(file) => file,
        Err(violations) => return violations,
    };
    let mut wrong: Vec<Violation> = mentions(&file)
        .iter()
        .filter(|mention| mention.segments.iter().any(|segment| segment == DOOR))
        .map(|m| Violation::at_line(path, m.line, "uses the door past the gate"))
        .collect();
    let mut literals = Literals::default();
    literals.visit_file(&file);
    wrong.extend(
        literals
            .0
            .into_iter()
            .map(|line| Violation::at_line(path, line, "makes a change set without the gate")),
    );
    wrong
}

/// Lines where a `ChangeSet` is written out field by field.
#[derive(Default)]
struct Literals(Vec<usize>);

impl<'ast> Visit<'ast> for Literals {
    fn visit_expr_struct(&mut self, literal: &'ast ExprStruct) {
        if let Some(last) = literal.path.segments.last().filter(|s| s.ident == "ChangeSet") {
            self.0.push(last.ident.span().start().line);
        }
        visit::visit_expr_struct(self, literal);
    }
}

#[test]
fn nothing_that_ships_goes_past_the_gate() {
    assert_clean(rust_files().iter().flat_map(|file| check(&file.path, &file.text)));
}

#[test]
fn a_way_past_the_gate_is_caught() {
    let code = "fn f() { let a = ChangeSet::unguarded(id, at, vec![]); }\n\
                fn g() { let b = change::ChangeSet { id, at, changes }; }";
    assert_caught(
        &check("crates/nuthatch-cli/src/wiring.rs", code),
        &["1: uses the door", "2: makes a change set"],
    );
    assert_clean(check("crates/nuthatch-stores/tests/it/moves.rs", code));
}
