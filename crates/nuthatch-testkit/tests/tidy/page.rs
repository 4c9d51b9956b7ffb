//! The files of the page: a memory is hostile text, so nothing in them can make markup, code or
//! addresses of it; and they stay small.
//!
//! What the browser itself forbids stands in `http/page.rs` of the server; this holds even where
//! a browser would not.

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::{files, read};

const FOLDER: &str = "crates/nuthatch-server/ui/";
const TABLE: &str = "crates/nuthatch-server/src/http/page.rs";

/// All files together.
const MOST_BYTES: usize = 300_000;
const MOST_LINES: usize = 300;

/// Ways from text to markup, code or style, and from the page to the outside.
const FORBIDDEN: &[(&str, &str)] = &[
    ("innerHTML", "text becomes markup"),
    ("outerHTML", "text becomes markup"),
    ("insertAdjacentHTML", "text becomes markup"),
    ("createContextualFragment", "text becomes markup"),
    ("setHTML", "text becomes markup"),
    ("DOMParser", "text becomes markup"),
    ("srcdoc", "text becomes markup"),
    ("document.write", "text becomes markup"),
    ("eval(", "text becomes code"),
    ("Function(", "text becomes code"),
    ("import(", "text becomes code"),
    ("javascript:", "text becomes code"),
    ("style=", "the policy of the page forbids styles in markup"),
    ("<style", "styles belong to style.css"),
    ("https://", "the page asks nobody but its own server"),
    ("@import", "the page asks nobody but its own server"),
    ("url(", "the page asks nobody but its own server"),
];

/// The namespace of drawings is a name, not an address.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.replace(NAMESPACE, "");
        for (word, why) in FORBIDDEN {
            if line.contains(word) {
                found.push(Violation::at_line(path, number, format!("`{word}`: {why}")));
            }
        }
        if line.contains("http://") {
            found.push(Violation::at_line(path, number, "the page asks nobody else"));
        }
        if path.ends_with(".html") && has_handler(&line) {
            found.push(Violation::at_line(path, number, "a handler in markup"));
        }
    }
    if text.lines().count() > MOST_LINES {
        found.push(Violation::of_file(path, format!("more than {MOST_LINES} lines")));
    }
    if path.ends_with(".js") && !text.starts_with("// ") {
        found.push(Violation::of_file(path, "begins with no comment that says what it does"));
    }
    found
}

/// Whether an attribute such as `onclick=` stands in a line of markup.
fn has_handler(line: &str) -> bool {
    line.match_indices(" on").any(|(at, _)| {
        let rest = &line[at + 3..];
        let name = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
        name > 0 && rest[name..].trim_start().starts_with('=')
    })
}

#[test]
fn the_page_makes_nothing_but_text_of_text() {
    let files = files();
    let own: Vec<_> = files.iter().filter(|file| file.path.starts_with(FOLDER)).collect();
    assert!(own.len() > 10, "the page is gone; has the folder moved?");
    assert_clean(own.iter().flat_map(|file| check(&file.path, &file.text)));
}

#[test]
fn the_page_is_small_and_every_file_of_it_is_served() {
    let table = read(TABLE).expect("the table of the page's files");
    let files = files();
    let own: Vec<_> = files.iter().filter(|file| file.path.starts_with(FOLDER)).collect();
    let bytes: usize = own.iter().map(|file| file.text.len()).sum();
    assert!(bytes < MOST_BYTES, "the page has {bytes} bytes");
    for file in own {
        let name = file.path.trim_start_matches(FOLDER);
        assert!(table.contains(&format!("{name}\"")), "{name} is not served");
    }
}

#[test]
fn markup_code_styles_and_strangers_are_caught() {
    let code = "// A view.\nelement.innerHTML = memory.content;\nnew Function(text);\n\
                fetch(\"https://example.test/\");\n";
    let path = "crates/nuthatch-server/ui/view.js";
    assert_caught(&check(path, code), &["2: `innerHTML`", "3: `Function(`", "4: `https://`"]);
    let page = "<p onclick = \"x()\" style=\"color: red\">on = off</p>";
    let path = "crates/nuthatch-server/ui/index.html";
    assert_caught(&check(path, page), &["`style=`", "a handler in markup"]);
}

#[test]
fn a_long_file_without_a_beginning_is_caught() {
    let long = "let x;\n".repeat(301);
    let path = "crates/nuthatch-server/ui/view.js";
    assert_caught(&check(path, &long), &["more than 300 lines", "begins with no comment"]);
}
