//! Imports over files that exist only in the test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

const OURS: ImportRules = ImportRules {
    depth: 5,
    code: CodeRule::CommonMark,
    repeats: Repeats::Once,
    beyond: Beyond::Said,
    home: HomeRule::Path,
};

/// Files by name, all in one folder.
struct Shelf(BTreeMap<&'static str, String>);

impl Reach for Shelf {
    fn fetch(&mut self, _: &Path, written: &str) -> Result<Fetched, Refusal> {
        match self.0.get_key_value(written) {
            Some((name, text)) => Ok(Fetched {
                path: PathBuf::from(*name),
                name: (*name).to_owned(),
                text: text.clone(),
            }),
            None if written.contains('.') => Err(Refusal::Because("no such file".into())),
            None => Err(Refusal::Prose),
        }
    }
}

fn run(text: &str, files: &[(&'static str, &str)], rules: ImportRules) -> Imported {
    let files = files.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    import(text, Path::new("top.md"), rules, &mut Shelf(files))
}

#[test]
fn an_import_stands_where_it_was_asked_for() {
    let imported =
        run("before\n@a.md\nafter, see @b.md.\n", &[("a.md", "A\n"), ("b.md", "B")], OURS);
    assert_eq!(
        imported.text,
        "before\n<!-- from a.md -->\nA\n<!-- end of a.md -->\nafter, see \
         <!-- from b.md -->\nB\n<!-- end of b.md -->.\n"
    );
    assert_eq!(imported.files, [PathBuf::from("a.md"), PathBuf::from("b.md")]);
    assert!(imported.missed.is_empty());
}

#[test]
fn what_is_missing_is_said_in_place_with_its_line() {
    let imported = run("one\n@gone.md and on\n", &[], OURS);
    assert_eq!(imported.text, "one\n@gone.md <!-- not imported: no such file --> and on\n");
    let missed = &imported.missed[0];
    assert_eq!((missed.line, missed.written.as_str()), (2, "gone.md"));
}

#[test]
fn people_mail_addresses_and_code_are_left_alone() {
    let text = "ask @alice or carol@example.org, not `@a.md` nor\n\n```\n@a.md\n```\n";
    assert_eq!(run(text, &[("a.md", "A")], OURS).text, text);
}

#[test]
fn a_circle_ends_and_is_reported() {
    let imported = run("@a.md", &[("a.md", "A @b.md"), ("b.md", "B @a.md")], OURS);
    assert_eq!(imported.missed.len(), 1);
    assert!(imported.missed[0].why.contains("circle"));
    assert!(imported.text.contains("A ") && imported.text.contains("B "));
}

#[test]
fn a_file_stands_once_unless_the_rules_repeat_it() {
    let files = [("a.md", "A"), ("b.md", "@a.md")];
    assert_eq!(run("@a.md @b.md", &files, OURS).text.matches("\nA\n").count(), 1);
    let again = ImportRules { repeats: Repeats::Again, ..OURS };
    assert_eq!(run("@a.md @b.md", &files, again).text.matches("\nA\n").count(), 2);
}

#[test]
fn the_fifth_level_is_in_and_the_sixth_is_not() {
    let files = [
        ("1.md", "one @2.md"),
        ("2.md", "two @3.md"),
        ("3.md", "three @4.md"),
        ("4.md", "four @5.md"),
        ("5.md", "five @6.md"),
        ("6.md", "six"),
    ];
    let imported = run("@1.md", &files, OURS);
    assert!(imported.text.contains("five") && !imported.text.contains("six"));
    assert!(imported.missed[0].why.contains("5 deep"));
    let left = ImportRules { beyond: Beyond::Left, ..OURS };
    let imported = run("@1.md", &files, left);
    assert!(imported.text.contains("five @6.md") && imported.missed.is_empty());
}

#[test]
fn files_that_multiply_are_bounded() {
    let text = "@b.md ".repeat(40);
    let files = [("a.md", text.as_str()), ("b.md", &text.replace('b', "c")), ("c.md", "x")];
    let again = ImportRules { repeats: Repeats::Again, ..OURS };
    let imported = run(&"@a.md ".repeat(40), &files, again);
    assert!(imported.files.len() <= MOST_IMPORTS);
    assert!(imported.missed.iter().any(|missed| missed.why.contains("more than 500")));
}

#[test]
fn a_name_cannot_end_the_comment_it_stands_in() {
    let imported = run("@a-->.md b", &[], OURS);
    assert_eq!(imported.text, "@a-->.md <!-- not imported: no such file --> b");
    assert_eq!(comment("a --> b\n"), "<!-- a - -› b  -->");
}

proptest! {
    #[test]
    fn any_text_is_imported_without_end_or_loss(text in "[@a.mdb`~\\n \\\\<!-]{0,200}") {
        let imported = run(&text, &[("a.md", "A @b.md"), ("b.md", "@a.md `@b.md`")], OURS);
        // What is no import stays as it was written.
        if imported.files.is_empty() && imported.missed.is_empty() {
            let stands_above = imported.text.contains("stands above");
            prop_assert!(stands_above || imported.text == text);
        }
    }
}
