//! A link in a page leads somewhere: to a file of the repository, and to a heading in it.
//!
//! Addresses of the web are not looked at: a check must not need a network.

use std::path::{Component, Path, PathBuf};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::{files, read, root};

/// What links are looked up in.
struct Tree<'a> {
    exists: &'a dyn Fn(&str) -> bool,
    text: &'a dyn Fn(&str) -> Option<String>,
}

fn check(path: &str, text: &str, tree: &Tree<'_>) -> Vec<Violation> {
    let lines = outside_of_code(text);
    let links = lines
        .iter()
        .flat_map(|(number, line)| targets(line).into_iter().map(move |target| (*number, target)));
    links
        .filter(|(_, target)| !target.contains("://") && !target.starts_with("mailto:"))
        .filter_map(|(number, target)| {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.to_owned() } else { beside(path, file) };
            if !(tree.exists)(&file) {
                return Some(Violation::at_line(path, number, format!("no file at {target}")));
            }
            let known = heading.is_empty()
                || (tree.text)(&file).is_none_or(|text| headings(&text).any(|one| one == heading));
            (!known).then(|| Violation::at_line(path, number, format!("no heading at {target}")))
        })
        .collect()
}

/// The lines that are not examples, with their numbers.
fn outside_of_code(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            lines.push((at + 1, line));
        }
    }
    lines
}

/// What the links of a line lead to.
fn targets(line: &str) -> Vec<&str> {
    let rest = line.split("](").skip(1);
    rest.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// A path as it is said in a file, from the root.
fn beside(file: &str, said: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(file).parent().unwrap_or(Path::new("")).join(said).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path.to_string_lossy().into_owned()
}

/// The headings of a page as links name them.
fn headings(text: &str) -> impl Iterator<Item = String> + use<'_> {
    let lines = outside_of_code(text).into_iter().map(|(_, line)| line);
    lines.filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    })
}

#[test]
fn every_link_leads_somewhere() {
    let tree = Tree { exists: &|path| root().join(path).exists(), text: &read };
    let pages: Vec<_> = files().into_iter().filter(|file| file.path.ends_with(".md")).collect();
    assert!(pages.iter().any(|page| !targets(&page.text).is_empty()), "there are links");
    assert_clean(pages.iter().flat_map(|page| check(&page.path, &page.text, &tree)));
}

#[test]
fn a_link_to_nowhere_is_caught() {
    let tree = Tree {
        exists: &|path| ["docs/a.md", "README.md"].contains(&path),
        text: &|_| Some("# One\n\n## Two, and `three`\n".to_owned()),
    };
    let page = "[x](a.md) [y](../README.md#two-and-three) [z](https://example.org/nowhere)\n\
                ```\n[code](nowhere.md)\n```\n\
                [gone](gone.md), [moved](a.md#four), [own](#five)\n";
    let found = check("docs/a.md", page, &tree);
    assert_caught(
        &found,
        &["no file at gone.md", "no heading at a.md#four", "no heading at #five"],
    );
}
