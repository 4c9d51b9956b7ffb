//! What the documentation shows is what happens.
//!
//! In ```` ```console ```` fences of `docs/*.md` and the README, lines with `$` are run in order
//! on a fresh machine, one for each page. Lines below are what is printed; `…` stands for
//! anything.

use std::fs;
use std::path::PathBuf;

use crate::coverage::commands;
use crate::hook::patient;
use crate::sandbox::Sandbox;

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

struct Shown {
    command: String,
    output: Vec<String>,
}

fn shown(page: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => {
                    found.push(Shown { command: command.to_owned(), output: Vec::new() });
                }
                (None, Some(last)) => last.output.push(line.to_owned()),
                (None, None) => panic!("output before any command: {line}"),
            },
        }
    }
    found
}

/// Whether the parts of `expected` between `…` stand in `line`, in order, at its ends too.
fn matches(line: &str, expected: &str) -> bool {
    let parts: Vec<&str> = expected.split('…').collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return line == expected;
    }
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in &parts[1..parts.len() - 1] {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Every page with its name; the README among them.
fn pages() -> Vec<(String, String)> {
    let listed = fs::read_dir(docs()).unwrap().map(|entry| entry.unwrap().path());
    let written = listed.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let paths = written.chain([docs().join("../README.md")]);
    paths.map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

/// Runs what a page shows, except what builds Nuthatch itself.
fn assert_happens(name: &str, page: &str) {
    let asks_hooks = page.contains("| nuthatch hook");
    let sandbox = if asks_hooks { patient() } else { Sandbox::new() };
    for Shown { command, output } in shown(page) {
        if command.starts_with("cargo ") {
            continue;
        }
        let ran = sandbox.sh(&command);
        assert_eq!(ran.code, 0, "{name}: {command}\n{ran:#?}");
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        let lines: Vec<&str> = printed.lines().collect();
        let same = lines.len() == output.len()
            && lines.iter().zip(&output).all(|(line, expected)| matches(line, expected));
        assert!(same || output.is_empty(), "{name}: {command}\n{printed}");
    }
}

#[test]
fn every_page_shows_what_happens() {
    for (name, page) in pages() {
        assert_happens(&name, &page);
    }
}

#[test]
fn the_readme_shows_the_output_of_every_command() {
    let readme = fs::read_to_string(docs().join("../README.md")).unwrap();
    let commands: Vec<Shown> =
        shown(&readme).into_iter().filter(|s| s.command.starts_with("nuthatch ")).collect();
    assert!(commands.len() >= 5);
    for Shown { command, output } in commands {
        assert!(!output.is_empty(), "README.md does not show what `{command}` prints");
    }
}

#[test]
fn what_is_shown_can_be_typed_into_any_shell() {
    for (name, page) in pages() {
        for Shown { command, .. } in shown(&page) {
            // In zsh a bare ? or * must match a file, and # begins no comment at a prompt.
            let bare: String = command.split(['"', '\'']).step_by(2).collect();
            assert!(!bare.contains(['?', '*', '#', '[']), "{name}: {command}");
        }
    }
}

#[test]
fn every_command_has_a_page_with_examples_and_the_index_lists_it() {
    let index = fs::read_to_string(docs().join("README.md")).unwrap();
    for command in commands() {
        let page = fs::read_to_string(docs().join(format!("{command}.md"))).unwrap();
        let shows = shown(&page).iter().any(|s| s.command.contains(&format!("nuthatch {command}")));
        assert!(shows, "docs/{command}.md shows no `nuthatch {command}`");
        assert!(index.contains(&format!("({command}.md)")), "docs/README.md lacks {command}.md");
    }
}

#[test]
fn the_page_on_configuration_has_the_reference_of_every_key() {
    let page = fs::read_to_string(docs().join("configuration.md")).unwrap();
    let reference = Sandbox::new().line("config keys").ok().stdout;
    assert!(reference.contains("| `facts` |"));
    assert!(page.ends_with(&reference), "docs/configuration.md must end with `config keys`");
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    assert!(matches("remembered 01 [core] in global", "remembered … [core] in global"));
    assert!(matches("a 1 b 2 c", "a … b …") && matches("same", "same"));
    assert!(!matches("remembered 01 [core]", "remembered … [core] in global"));
    assert!(!matches("xa", "a…") && !matches("ax", "a"));
}
