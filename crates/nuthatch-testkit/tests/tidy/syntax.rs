//! What the checks need to know about Rust syntax: which names a file mentions, and what is
//! compiled for tests only.
//!
//! Works on parsed code, so that comments and strings never count. Arguments of macros are
//! not parsed by `syn`; their tokens are searched for paths instead.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, ImplItemFn, Item, ItemMod, ItemUse, Macro, Meta, Path, UseTree};

use crate::report::Violation;

/// A path that code mentions; the last segment of a macro's path ends in `!`.
#[derive(Debug)]
pub(crate) struct Mention {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    /// How many inline modules surround it.
    pub(crate) depth: usize,
}

/// Parses a file; code that does not parse is a violation of its own.
pub(crate) fn parse(path: &str, text: &str) -> Result<File, Vec<Violation>> {
    syn::parse_file(text).map_err(|error| {
        let line = error.span().start().line;
        vec![Violation::at_line(path, line, format!("does not parse: {error}"))]
    })
}

/// Whether the attributes keep an item out of every build but that of the tests.
pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string().replace(' ', "");
        tokens == "test" || tokens.starts_with("all(test,") || tokens == "all(test)"
    })
}

/// Every path mentioned outside test-only code.
pub(crate) fn mentions(file: &File) -> Vec<Mention> {
    let mut collector = Collector::default();
    collector.visit_file(file);
    collector.found
}

/// The paths a `use` item names, each with the name it has afterwards.
pub(crate) fn imports(item: &ItemUse) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    expand(&item.tree, &mut Vec::new(), &mut found);
    found
}

fn expand(tree: &UseTree, prefix: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    let leaf = |prefix: &[String], last: String| [prefix, &[last]].concat();
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            expand(&path.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| expand(tree, prefix, found)),
        UseTree::Glob(_) => found.push((leaf(prefix, "*".into()), "*".into())),
        UseTree::Name(name) if name.ident == "self" => {
            found.push((prefix.clone(), prefix.last().cloned().unwrap_or_default()));
        }
        UseTree::Name(name) => {
            found.push((leaf(prefix, name.ident.to_string()), name.ident.to_string()));
        }
        UseTree::Rename(rename) => {
            found.push((leaf(prefix, rename.ident.to_string()), rename.rename.to_string()));
        }
    }
}

#[derive(Default)]
struct Collector {
    found: Vec<Mention>,
    depth: usize,
}

impl Collector {
    fn push(&mut self, segments: Vec<String>, line: usize) {
        self.found.push(Mention { segments, line, depth: self.depth });
    }

    fn search_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.search_tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let line = first.span().start().line;
                    let mut segments = vec![first.to_string()];
                    while let Some(TokenTree::Ident(next)) = path_continues(&tokens, at) {
                        segments.push(next.to_string());
                        at += 3;
                    }
                    if is_macro_call(&tokens, at) {
                        mark_as_macro(&mut segments);
                    }
                    self.push(segments, line);
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_test_only(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let line = item.use_token.span.start().line;
        for (segments, _) in imports(item) {
            self.push(segments, line);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.push(segments(path), line_of(path));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let mut segments = segments(&call.path);
        mark_as_macro(&mut segments);
        self.push(segments, line_of(&call.path));
        self.search_tokens(call.tokens.clone());
    }

    // Attributes configure the compiler and derives; they run nothing by themselves.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn segments(path: &Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn line_of(path: &Path) -> usize {
    path.segments.first().map_or(0, |segment| segment.ident.span().start().line)
}

fn mark_as_macro(segments: &mut [String]) {
    if let Some(last) = segments.last_mut() {
        last.push('!');
    }
}

/// The identifier after `::`, where the token at `at` is followed by both.
fn path_continues(tokens: &[TokenTree], at: usize) -> Option<&TokenTree> {
    let colon = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ':');
    let pair = tokens.get(at + 1).is_some_and(colon) && tokens.get(at + 2).is_some_and(colon);
    tokens.get(at + 3).filter(|_| pair)
}

fn is_macro_call(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some(TokenTree::Punct(p)) if p.as_char() == '!')
        && matches!(tokens.get(at + 2), Some(TokenTree::Group(_)))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[test]
fn paths_are_found_in_uses_expressions_types_and_macro_arguments() {
    let code = r#"
        use std::{fs::{self, File}, io as input};
        fn f(x: net::Addr) { a::b(); println!("{}", env::var("{c::d}")); }
        #[cfg(test)] mod tests { use hidden::thing; }
        mod inner { use super::up; }
    "#;
    let file = parse("a.rs", code).expect("the sample parses");
    let found: Vec<String> =
        mentions(&file).iter().map(|m| format!("{}@{}", m.segments.join("::"), m.depth)).collect();
    let expected = [
        "std::fs@0",
        "std::fs::File@0",
        "std::io@0",
        "net::Addr@0",
        "a::b@0",
        "println!@0",
        "env::var@0",
        "super::up@1",
    ];
    assert_eq!(found, expected);
}

#[test]
fn only_code_for_tests_alone_is_test_only() {
    let attribute = |code: &str| -> bool {
        let file = parse("a.rs", &format!("{code} fn f() {{}}")).expect("the sample parses");
        is_test_only(attributes(&file.items[0]))
    };
    assert!(attribute("#[cfg(test)]"));
    assert!(attribute("#[cfg(all(test, unix))]"));
    assert!(!attribute("#[cfg(any(test, unix))]"));
    assert!(!attribute("#[cfg(not(test))]"));
    assert!(!attribute("#[test]"));
}

#[test]
fn broken_code_is_a_violation() {
    assert!(parse("a.rs", "fn (").is_err());
}
