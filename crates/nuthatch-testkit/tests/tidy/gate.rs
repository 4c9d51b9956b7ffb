//! Nothing that ships mentions the door past the gate, change sets are made in one place, and
//! every method of the engine is known to the canaries.
//!
//! The compiler holds the rest: the fields of a change set are private to the module that
//! takes every text through the gate, and the door needs a feature (see `manifests`).

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{ExprStruct, ImplItem, Item, ItemConst, LitStr, Type, Visibility};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::syntax::{mentions, parse};
use crate::workspace::{is_test_path, read, rust_files};

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

/// The canaries, and the lists in them that name every method.
const CANARIES: &str = "crates/nuthatch-stores/tests/it/canary.rs";
const LISTS: &[&str] = &["WRITES", "READS"];
/// A way in that is no method of the engine.
const DEVICES: &str = "speak";

/// The public methods of the engine, wherever they are written.
fn engine_methods(text: &str) -> BTreeSet<String> {
    let file = syn::parse_file(text).expect("the engine parses");
    let mut methods = BTreeSet::new();
    for item in &file.items {
        let Item::Impl(block) = item else { continue };
        let Type::Path(of) = &*block.self_ty else { continue };
        if block.trait_.is_some() || !of.path.is_ident("Engine") {
            continue;
        }
        for item in &block.items {
            if let ImplItem::Fn(function) = item
                && matches!(function.vis, Visibility::Public(_))
            {
                methods.insert(function.sig.ident.to_string());
            }
        }
    }
    methods
}

/// Every text in the lists of the canaries.
fn known_to_canaries(text: &str) -> BTreeSet<String> {
    #[derive(Default)]
    struct Texts(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Texts {
        fn visit_lit_str(&mut self, text: &'ast LitStr) {
            self.0.insert(text.value());
        }
    }
    let file = syn::parse_file(text).expect("the canaries parse");
    let mut texts = Texts::default();
    for item in &file.items {
        if let Item::Const(ItemConst { ident, expr, .. }) = item
            && LISTS.iter().any(|list| ident == list)
        {
            texts.visit_expr(expr);
        }
    }
    texts.0
}

fn without_canary(engine: &str, canaries: &str) -> Vec<Violation> {
    let methods = engine_methods(engine);
    let known = known_to_canaries(canaries);
    let missing = methods.difference(&known).map(|method| {
        format!("`Engine::{method}` is in none of {LISTS:?}: plant a canary, or say it only reads")
    });
    let gone = known.difference(&methods).filter(|name| *name != DEVICES);
    let gone = gone.map(|name| format!("the engine has no public method `{name}`"));
    missing.chain(gone).map(|message| Violation::of_file(CANARIES, message)).collect()
}

#[test]
fn every_method_of_the_engine_is_known_to_the_canaries() {
    let inside = |path: &str| {
        path == "crates/nuthatch/src/engine.rs" || path.starts_with("crates/nuthatch/src/engine/")
    };
    let files = rust_files();
    let engine = files.iter().filter(|file| inside(&file.path) && !is_test_path(&file.path));
    let engine: Vec<&str> = engine.map(|file| file.text.as_str()).collect();
    assert!(!engine.is_empty(), "the engine was not found");
    let canaries = read(CANARIES).expect("there are canaries");
    let methods: String = engine.iter().map(|text| strip_inner_docs(text)).collect();
    assert_clean(without_canary(&methods, &canaries));
}

/// Files can only be read as one without what stands at their head alone.
fn strip_inner_docs(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#!["));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn a_method_without_a_canary_is_caught() {
    let engine = "impl Engine { pub async fn remember(&self) {} pub fn import(&self) {} fn x() {} }\n\
                  impl Clone for Engine { fn clone(&self) {} }";
    let canaries = "const WRITES: &[(&str, Way)] = &[(\"remember\", Way::A), (\"speak\", Way::B)];\n\
                    const READS: &[&str] = &[\"gone\"];\nconst OTHER: &str = \"import\";";
    assert_caught(&without_canary(engine, canaries), &["`Engine::import` is in none", "`gone`"]);
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
