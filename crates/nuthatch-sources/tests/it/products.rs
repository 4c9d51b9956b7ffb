//! What other agents would load here.

use nuthatch_sources::files::Product;

use crate::tree::{Tree, names, notes};

#[test]
fn claude_code_reads_every_folder_its_rules_and_the_local_file() {
    let tree = Tree::new(&[
        ("home/.claude/CLAUDE.md", "user"),
        ("home/.claude/rules/b.md", "user rule"),
        ("CLAUDE.md", "above the project"),
        ("project/CLAUDE.md", "root\n\n<!-- for people -->\n\nthe end @a.md `@b.md`\n"),
        ("project/a.md", "imported"),
        ("project/b.md", "not this"),
        ("project/.claude/rules/some.md", "---\npaths: src/**\n---\nonly there"),
        ("project/.claude/rules/x/always.md", "always"),
        ("project/CLAUDE.local.md", "local"),
        ("project/AGENTS.md", "not read"),
        ("project/sub/CLAUDE.md", "sub"),
    ]);
    let loaded = tree.load(Product::ClaudeCode, "project/sub");
    let names = names(&loaded);
    let own: Vec<&str> = names.iter().map(String::as_str).collect();
    let at = own.iter().position(|name| *name == ".claude/CLAUDE.md").unwrap();
    let expected = [
        ".claude/CLAUDE.md",
        "rules/b.md",
        "CLAUDE.md",
        ".claude/rules/x/always.md",
        "CLAUDE.local.md",
        "sub/CLAUDE.md",
    ];
    let shown: Vec<&str> =
        own[at..].iter().copied().filter(|name| expected.contains(name)).collect();
    assert_eq!(shown, expected);
    let root = loaded.files.iter().find(|file| file.name == "CLAUDE.md").unwrap();
    assert!(root.text.contains("imported") && !root.text.contains("not this"));
    assert!(!root.text.contains("for people"), "{}", root.text);
    let above = loaded.files.iter().any(|file| file.text == "above the project");
    assert!(above && notes(&loaded).iter().any(|note| note.contains("only for the paths")));
}

#[test]
fn codex_takes_the_first_name_of_each_folder_within_its_budget() {
    let tree = Tree::new(&[
        ("home/.codex/AGENTS.md", "user"),
        ("project/.git/HEAD", "ref"),
        ("AGENTS.md", "above the root"),
        ("project/AGENTS.md", "root @a.md"),
        ("project/a.md", "no import"),
        ("project/sub/AGENTS.override.md", "override"),
        ("project/sub/AGENTS.md", "hidden by the override"),
    ]);
    let loaded = tree.load(Product::Codex, "project/sub");
    assert_eq!(names(&loaded), [".codex/AGENTS.md", "AGENTS.md", "sub/AGENTS.override.md"]);
    let text = loaded.text(Product::Codex);
    assert_eq!(text, "user\n\n--- project-doc ---\n\nroot @a.md\n\noverride");

    tree.write("project/AGENTS.md", "é".repeat(20_000));
    let loaded = tree.load(Product::Codex, "project/sub");
    assert_eq!(loaded.files[1].text.len(), 32 << 10);
    assert_eq!(names(&loaded), [".codex/AGENTS.md", "AGENTS.md"]);
    assert_eq!(loaded.notes.len(), 2, "{loaded:#?}");
}

#[test]
fn gemini_wraps_each_file_and_takes_every_word_for_a_path() {
    let tree = Tree::new(&[
        ("home/.gemini/GEMINI.md", "user"),
        ("project/.git/HEAD", "ref"),
        ("project/GEMINI.md", "@a.md @someone @~/x\n~~~\n@a.md\n~~~\n"),
        ("project/a.md", "imported"),
    ]);
    let loaded = tree.load(Product::GeminiCli, "project");
    let text = loaded.text(Product::GeminiCli);
    assert!(text.contains("--- Context from: GEMINI.md ---\n"), "{text}");
    assert!(text.ends_with("--- End of Context from: GEMINI.md ---"), "{text}");
    // Tildes fence nothing there, and a name is tried and fails.
    assert_eq!(text.matches("\nimported\n").count(), 2, "{text}");
    assert!(text.contains("@~/x") && notes(&loaded)[0].contains("@someone"), "{loaded:#?}");
}

#[test]
fn opencode_takes_the_nearest_file_alone() {
    let tree = Tree::new(&[
        ("home/.claude/CLAUDE.md", "user"),
        ("project/.git/HEAD", "ref"),
        ("project/AGENTS.md", "root"),
        ("project/sub/CLAUDE.md", "nearer, but the other name"),
    ]);
    let loaded = tree.load(Product::OpenCode, "project/sub/deep");
    assert_eq!(names(&loaded), [".claude/CLAUDE.md", "AGENTS.md"]);
}

#[test]
fn every_product_can_be_named() {
    for product in Product::ALL {
        assert_eq!(Product::named(product.name()), Some(product));
    }
    assert_eq!(Product::named("emacs"), None);
}
