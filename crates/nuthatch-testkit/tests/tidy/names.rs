//! Names that say nothing, and notes that nobody comes back to.
//!
//! Implementations of traits are exempt from the rule on `get_`: the trait chose the name,
//! and our own traits are checked where they are declared.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{ItemFn, ItemImpl, ItemMod, TraitItemFn};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::syntax::{mentions, parse};
use crate::workspace::{files, rust_files};

/// Names for drawers into which anything fits.
const DRAWERS: &[&str] =
    &["core", "common", "utils", "util", "helpers", "misc", "manager", "types"];

/// Macros that stand for missing code.
const UNFINISHED: &[&str] = &[concat!("to", "do!"), concat!("unimple", "mented!")];

/// Marks of work left for later. Written in halves, so that this file passes its own check.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

fn check_path(path: &str) -> Vec<Violation> {
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let crate_words = parts.get(1).into_iter().flat_map(|name| name.split('-'));
    let modules = parts.iter().skip(2).copied();
    let bad = crate_words.chain(modules).filter(|word| DRAWERS.contains(word));
    bad.map(|word| Violation::of_file(path, format!("`{word}` says nothing; name the subject")))
        .collect()
}

fn check_code(path: &str, text: &str) -> Vec<Violation> {
    let file = match parse(path, text) {
        Ok(file) => file,
        Err(violations) => return violations,
    };
    let mut reader = Reader { path, found: Vec::new() };
    reader.visit_file(&file);
    let mut violations = reader.found;
    for mention in mentions(&file) {
        if mention.segments.last().is_some_and(|last| UNFINISHED.contains(&last.as_str())) {
            let message = "write the code or leave it out";
            violations.push(Violation::at_line(path, mention.line, message));
        }
    }
    violations
}

fn check_marks(path: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let mut words = content.split(|c: char| !c.is_alphanumeric() && c != '_');
        if let Some(mark) = words.find(|word| MARKS.contains(word)) {
            let message = format!("`{mark}`: do it or say why not, without the mark");
            violations.push(Violation::at_line(path, line, message));
        }
    }
    violations
}

struct Reader<'a> {
    path: &'a str,
    found: Vec<Violation>,
}

impl Reader<'_> {
    fn function(&mut self, name: &Ident) {
        if name.to_string().starts_with("get_") {
            let message = format!("`{name}`: drop `get_`, or say with a verb what it costs");
            self.found.push(Violation::at_line(self.path, name.span().start().line, message));
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let name = module.ident.to_string();
        if DRAWERS.contains(&name.as_str()) {
            let line = module.ident.span().start().line;
            let message = format!("module `{name}` says nothing; name the subject");
            self.found.push(Violation::at_line(self.path, line, message));
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.sig.ident);
        visit::visit_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        self.function(&function.sig.ident);
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if item.trait_.is_none() {
            for item in &item.items {
                if let syn::ImplItem::Fn(function) = item {
                    self.function(&function.sig.ident);
                }
            }
        }
        visit::visit_item_impl(self, item);
    }
}

#[test]
fn every_name_says_something() {
    assert_clean(rust_files().iter().flat_map(|file| {
        let mut violations = check_path(&file.path);
        violations.extend(check_code(&file.path, &file.text));
        violations
    }));
}

#[test]
fn no_source_is_marked_as_unfinished() {
    let files = files();
    let sources = files.iter().filter(|file| {
        let path = file.path.as_str();
        [".rs", ".toml", ".sh", ".sql"].iter().any(|ending| path.ends_with(ending))
            || ["justfile", ".ci/run"].contains(&path)
    });
    assert_clean(sources.flat_map(|file| check_marks(&file.path, &file.text)));
}

#[test]
fn drawers_are_caught_as_crate_folder_file_and_module() {
    let caught = |path| assert_caught(&check_path(path), &["says nothing"]);
    caught("crates/nuthatch-core/src/lib.rs");
    caught("crates/nuthatch/src/utils/mod.rs");
    caught("crates/nuthatch/src/types.rs");
    assert_caught(&check_code("a.rs", "mod helpers { }"), &["a.rs:1: module `helpers`"]);
    assert_clean(check_path("crates/nuthatch/src/score.rs"));
}

#[test]
fn getters_are_caught_but_not_in_implementations_of_traits() {
    let code = "fn get_a() {}\nimpl A { fn get_b() {} }\ntrait B { fn get_c(); }\n\
                impl B for A { fn get_c() {} }\nfn get() {}";
    assert_caught(&check_code("a.rs", code), &["1: `get_a`", "2: `get_b`", "3: `get_c`"]);
}

#[test]
fn unfinished_code_is_caught_but_a_word_that_contains_a_mark_is_not() {
    let code = format!("fn f() {{\n {}(); vec![{}()]; }}", UNFINISHED[0], UNFINISHED[1]);
    assert_caught(&check_code("a.rs", &code), &["2: ", "2: "]);
    let text = format!("fine\n// {}: later\n# {}\n", MARKS[0], MARKS[2]);
    assert_caught(&check_marks("a.rs", &text), &["a.rs:2: ", "a.rs:3: "]);
    assert_clean(check_marks("a.rs", &format!("{}S ghp_{}X methodology", MARKS[0], MARKS[2])));
}
