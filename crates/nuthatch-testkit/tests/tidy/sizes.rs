//! Hard stops for the length of files, functions and inline test modules.
//!
//! A file is measured without its inline tests, and files of tests are not measured at all;
//! functions are measured everywhere, from `fn` to the closing brace.

use syn::visit::{self, Visit};
use syn::{Block, File, ImplItemFn, ItemFn, ItemMod, Signature, TraitItemFn};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::syntax::{is_test_only, parse};
use crate::workspace::{is_test_path, rust_files};

const FILE_LINES: usize = 500;
const COMMAND_LINES: usize = 150;
const FUNCTION_LINES: usize = 80;
const TEST_MODULE_LINES: usize = 80;

const COMMANDS: &str = "crates/nuthatch-cli/src/commands/";

/// Something allowed to be longer. `subject` is `path`, `path::function` or `path::module`.
struct Exception {
    subject: &'static str,
    limit: usize,
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[];

/// One thing that has a length.
struct Measured {
    subject: String,
    path: String,
    line: usize,
    lines: usize,
    limit: usize,
}

fn measure(path: &str, text: &str) -> Result<Vec<Measured>, Vec<Violation>> {
    let file: File = parse(path, text)?;
    let mut ruler = Ruler { path, found: Vec::new(), test_lines: 0 };
    ruler.visit_file(&file);
    let Ruler { mut found, test_lines, .. } = ruler;
    if !is_test_path(path) {
        let lines = text.lines().count() - test_lines;
        let limit = if path.starts_with(COMMANDS) { COMMAND_LINES } else { FILE_LINES };
        let (subject, path) = (path.to_owned(), path.to_owned());
        found.push(Measured { subject, path, line: 1, lines, limit });
    }
    Ok(found)
}

struct Ruler<'a> {
    path: &'a str,
    found: Vec<Measured>,
    test_lines: usize,
}

impl Ruler<'_> {
    fn push(&mut self, name: &str, line: usize, lines: usize, limit: usize) {
        let subject = format!("{}::{name}", self.path);
        self.found.push(Measured { subject, path: self.path.to_owned(), line, lines, limit });
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        let first = signature.fn_token.span.start().line;
        let last = block.brace_token.span.close().end().line;
        self.push(&signature.ident.to_string(), first, last - first + 1, FUNCTION_LINES);
    }
}

impl<'ast> Visit<'ast> for Ruler<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if let Some((braces, _)) = module.content.as_ref().filter(|_| is_test_only(&module.attrs)) {
            let keyword = module.mod_token.span.start().line;
            let first = module.attrs.first().map_or(keyword, |a| a.pound_token.span.start().line);
            let lines = braces.span.close().end().line - first + 1;
            self.test_lines += lines;
            self.push(&module.ident.to_string(), first, lines, TEST_MODULE_LINES);
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.function(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn judge(measured: &[Measured], exceptions: &[Exception]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for thing in measured.iter().filter(|thing| thing.lines > thing.limit) {
        let exception = exceptions.iter().find(|exception| exception.subject == thing.subject);
        let limit = exception.map_or(thing.limit, |exception| exception.limit);
        if thing.lines > limit {
            let message = format!("`{}` has {} lines, limit {limit}", thing.subject, thing.lines);
            violations.push(Violation::at_line(&thing.path, thing.line, message));
        }
    }
    for Exception { subject, reason, .. } in exceptions {
        if reason.trim().is_empty() {
            violations.push(Violation::of_file(subject, "its size exception gives no reason"));
        }
        let mut same = measured.iter().filter(|thing| thing.subject == *subject);
        if !same.any(|thing| thing.lines > thing.limit) {
            violations.push(Violation::of_file(subject, "its size exception is not needed"));
        }
    }
    violations
}

#[test]
fn nothing_is_longer_than_its_hard_stop() {
    let mut measured = Vec::new();
    let mut violations = Vec::new();
    for file in rust_files() {
        match measure(&file.path, &file.text) {
            Ok(found) => measured.extend(found),
            Err(unparsed) => violations.extend(unparsed),
        }
    }
    violations.extend(judge(&measured, EXCEPTIONS));
    assert_clean(violations);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(path: &str, text: &str, exceptions: &[Exception]) -> Vec<Violation> {
        judge(&measure(path, text).unwrap(), exceptions)
    }

    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    a();\n".repeat(lines - 2))
    }

    #[test]
    fn a_long_file_and_a_long_command_are_caught() {
        let text = "const A: u8 = 0;\n".repeat(501);
        assert_caught(&violations("crates/a/src/a.rs", &text, &[]), &["501 lines, limit 500"]);
        assert_clean(violations("crates/a/src/a/tests.rs", &text, &[]));
        let text = "const A: u8 = 0;\n".repeat(151);
        assert_clean(violations("crates/a/src/a.rs", &text, &[]));
        let command = "crates/nuthatch-cli/src/commands/recall.rs";
        assert_caught(&violations(command, &text, &[]), &["151 lines, limit 150"]);
    }

    #[test]
    fn a_long_function_is_caught_wherever_it_stands() {
        assert_clean(violations("a.rs", &function(80), &[]));
        let long = function(81);
        assert_caught(&violations("a.rs", &long, &[]), &["a.rs:1: `a.rs::long` has 81 lines"]);
        let text = format!("impl A {{\n{long}}}\ntrait B {{\n{long}}}\n");
        assert_caught(&violations("tests/it/a.rs", &text, &[]), &["::long`", "::long`"]);
    }

    #[test]
    fn inline_tests_do_not_count_for_the_file_but_have_their_own_limit() {
        let module = |lines: usize| {
            format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    use a::b;\n".repeat(lines - 3))
        };
        let code = "const A: u8 = 0;\n".repeat(500);
        assert_clean(violations("a.rs", &(code.clone() + &module(80)), &[]));
        assert_caught(&violations("a.rs", &(code + &module(81)), &[]), &["`a.rs::tests` has 81"]);
    }

    #[test]
    fn an_exception_needs_a_reason_and_must_be_needed() {
        let exception = |limit, reason| [Exception { subject: "a.rs::long", limit, reason }];
        assert_clean(violations("a.rs", &function(90), &exception(90, "one table")));
        let caught = |lines, exceptions: &[Exception], fragment: &str| {
            assert_caught(&violations("a.rs", &function(lines), exceptions), &[fragment]);
        };
        caught(91, &exception(90, "one table"), "91 lines, limit 90");
        caught(90, &exception(90, " "), "gives no reason");
        caught(70, &exception(90, "one table"), "is not needed");
    }
}
