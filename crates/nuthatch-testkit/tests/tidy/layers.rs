//! Inside the library a lower layer never imports a higher one.
//!
//! `LAYERS` is the whole truth: a new module is added there, in the lowest layer that can
//! hold it. Modules of one layer may use each other. `lib.rs` stands above all of them;
//! names it re-exports count as the module they come from.

use std::collections::{BTreeSet, HashMap};

use syn::Item;

use crate::report::{Violation, assert_caught, assert_clean};
use crate::syntax::{Mention, imports, mentions, parse};
use crate::workspace::{is_test_path, read, rust_files};

const SRC: &str = "crates/nuthatch/src/";

/// The layers from the lowest to the highest, each with its modules separated by blanks.
const LAYERS: &[(&str, &str)] = &[
    ("values", "error id scope memory session category trust limits time vector invocation"),
    ("gate and text", "guard text"),
    ("changes", "change filter"),
    ("ports", "store embedder model transcript shelf address clock audit failpoint grant"),
    (
        "operations",
        "remember recall record embed edit forget session_context preamble migrate scan review \
         growth jobs prompts extract consolidate interchange export sync",
    ),
    ("engine", "engine import"),
    ("autonomy", "autonomy"),
    ("places", "place learn remind context"),
    ("devices", "device memory_tool"),
];

const TABLE: &str = "LAYERS in crates/nuthatch-testkit/tests/tidy/layers.rs";

/// Re-exported name → the module it comes from.
type Reexports = HashMap<String, String>;

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|(_, modules)| modules.split_whitespace().any(|m| m == module))
}

fn listed() -> impl Iterator<Item = &'static str> {
    LAYERS.iter().flat_map(|(_, modules)| modules.split_whitespace())
}

/// `crates/nuthatch/src/recall/rank.rs` → `recall`, `rank`; `lib.rs` → nothing.
fn module_path(path: &str) -> Vec<String> {
    let inside = path.strip_prefix(SRC).unwrap_or(path).trim_end_matches(".rs");
    let mut parts: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

fn reexports(lib: &str) -> Reexports {
    let file = syn::parse_file(lib).expect("lib.rs parses");
    let uses = file.items.iter().filter_map(|item| match item {
        Item::Use(item) => Some(imports(item)),
        _ => None,
    });
    let mut found = Reexports::new();
    for (segments, name) in uses.flatten() {
        let inside = segments.iter().find(|s| *s != "crate" && *s != "self");
        if let Some(module) = inside.filter(|module| layer_of(module).is_some()) {
            found.insert(name, module.clone());
        }
    }
    found
}

/// The part of a mentioned path below the crate's root, where it can be told.
fn inside_crate(mention: &Mention, module: &[String]) -> Option<Vec<String>> {
    let mut rest = mention.segments.as_slice();
    if rest.first()? == "crate" {
        return Some(rest[1..].to_vec());
    }
    // Inline modules have names too, but only how many there are matters here.
    let mut base = module.to_vec();
    base.extend(std::iter::repeat_n("inline".to_owned(), mention.depth));
    let mut relative = false;
    while let Some(step) = rest.first().filter(|s| *s == "super" || *s == "self") {
        if step == "super" {
            base.pop();
        }
        relative = true;
        rest = &rest[1..];
    }
    base.extend_from_slice(rest);
    relative.then_some(base)
}

fn check(path: &str, text: &str, reexports: &Reexports) -> Vec<Violation> {
    let module = module_path(path);
    let Some(own) = module.first() else { return Vec::new() };
    let Some(layer) = layer_of(own) else {
        return vec![Violation::of_file(path, format!("module `{own}` is missing in {TABLE}"))];
    };
    if is_test_path(path) {
        return Vec::new();
    }
    let file = match parse(path, text) {
        Ok(file) => file,
        Err(violations) => return violations,
    };
    let mut violations = Vec::new();
    for mention in mentions(&file) {
        let Some(target) = inside_crate(&mention, &module) else { continue };
        let Some(first) = target.first() else { continue };
        if first == "*" {
            let message = "a glob import of the crate's root hides the layers";
            violations.push(Violation::at_line(path, mention.line, message));
            continue;
        }
        let used = reexports.get(first).unwrap_or(first);
        if let Some(higher) = layer_of(used).filter(|used| *used > layer) {
            let (here, there) = (LAYERS[layer].0, LAYERS[higher].0);
            let message = format!("`{own}` ({here}) uses `{used}` of a higher layer ({there})");
            violations.push(Violation::at_line(path, mention.line, message));
        }
    }
    violations
}

fn library() -> Vec<(String, String)> {
    let files = rust_files().into_iter().filter(|file| file.path.starts_with(SRC));
    files.map(|file| (file.path, file.text)).collect()
}

#[test]
fn no_module_of_the_library_uses_a_higher_layer() {
    let lib = read("crates/nuthatch/src/lib.rs").expect("the library has a lib.rs");
    let reexports = reexports(&lib);
    assert_clean(library().iter().flat_map(|(path, text)| check(path, text, &reexports)));
}

#[test]
fn every_module_of_the_table_exists() {
    let present: BTreeSet<String> =
        library().iter().filter_map(|(path, _)| module_path(path).first().cloned()).collect();
    let gone = listed().filter(|module| !present.contains(*module));
    assert_clean(gone.map(|m| Violation::of_file(TABLE, format!("there is no module `{m}`"))));
}

#[test]
fn every_module_stands_in_one_layer() {
    let mut seen = BTreeSet::new();
    for module in listed() {
        assert!(seen.insert(module), "`{module}` is listed twice");
    }
}

#[test]
fn an_upward_import_is_caught_however_it_is_written() {
    let reexports = reexports("pub use engine::Engine;\npub use crate::memory::{Memory as M};");
    let code = "use crate::{error::Error, recall::Hit};\n\
                use super::guard;\n\
                fn f(e: crate::Engine) { vec![crate::store::x()]; }\n\
                mod inner { use super::super::forget::F; }\n\
                use crate::*;";
    assert_caught(
        &check("crates/nuthatch/src/memory.rs", code, &reexports),
        &[
            "1: `memory` (values) uses `recall`",
            "`guard`",
            "`engine`",
            "`store`",
            "`forget`",
            "glob",
        ],
    );
}

#[test]
fn downward_sideways_inner_and_test_imports_are_allowed() {
    let code = "use crate::memory::Memory;\n\
                use crate::forget::Forgotten;\n\
                use super::plan::engine;\n\
                use self::engine::x;\n\
                #[cfg(test)] mod tests { use crate::engine::Engine; }";
    assert_clean(check("crates/nuthatch/src/recall/rank.rs", code, &Reexports::new()));
}

#[test]
fn an_unlisted_module_is_caught() {
    let violations = check("crates/nuthatch/src/novelty.rs", "", &Reexports::new());
    assert_caught(&violations, &["module `novelty` is missing in LAYERS"]);
}
