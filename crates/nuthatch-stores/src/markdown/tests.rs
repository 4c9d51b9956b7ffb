//! Promises of the Markdown format, by sample and by property.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use proptest::collection::vec;
use proptest::prelude::*;

use super::MarkdownLayout;
use super::place::Place;
use crate::files::hostile;
use crate::files::layout::{Edit, Entry, Layout};

const PATHS: [&str; 3] = ["MEMORY.md", "memory/2026-03-01.md", "user/memory/preference.md"];

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn parse(path: &str, text: &str) -> Vec<Entry> {
    let fallback = at("2020-01-01T00:00:00Z");
    MarkdownLayout.parse(path, text.as_bytes(), fallback).unwrap().entries
}

fn render(path: &str, old: Option<&str>, edits: &[Edit<'_>]) -> Option<String> {
    let bytes = MarkdownLayout.render(path, old.map(str::as_bytes), edits).unwrap();
    bytes.map(|bytes| String::from_utf8(bytes).unwrap())
}

fn said(entries: &[Entry]) -> Vec<(Option<&str>, &str)> {
    entries.iter().map(|e| (e.memory.key.as_deref(), e.memory.content.as_str())).collect()
}

fn memory(name: &str, content: &str) -> Memory {
    let at = at("2026-03-01T10:00:00Z");
    Memory::new(MemoryId::derived(&[name]), content, Scope::Global, at)
}

#[test]
fn a_new_file_is_plain_markdown() {
    let keyed = Memory { key: Some("editor".into()), ..memory("a", "Helix") };
    let plain = memory("b", "two\nlines");
    let text = render("MEMORY.md", None, &[Edit::Put(&keyed), Edit::Put(&plain)]).unwrap();
    let comment = |memory: &Memory| {
        format!(r#"<!-- {{"id":"{}","created_at":"2026-03-01T10:00:00Z"}} -->"#, memory.id)
    };
    let (first, second) = (comment(&keyed), comment(&plain));
    let lines = format!("# Memory\n\n- **editor**: Helix {first}\n- two\n  lines {second}\n");
    assert_eq!(text, lines);
}

#[test]
fn entries_written_by_hand_are_memories() {
    let text = "# Notes\n\nprose\n- **k**: v\n* plain\n\n  with a second paragraph\n+ [ ] task\n";
    let entries = parse("MEMORY.md", text);
    assert_eq!(
        said(&entries),
        [(Some("k"), "v"), (None, "plain\n\nwith a second paragraph"), (None, "[ ] task")]
    );
    assert!(entries.iter().all(|entry| entry.by_hand));
    assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [4, 5, 8]);
    assert_eq!(entries[0].memory.created_at, at("2020-01-01T00:00:00Z"));
}

#[test]
fn a_day_gives_its_entries_their_time_and_marks_conversations() {
    let entries = parse("memory/2026-03-01.md", "- log\n- [Conversation] **k**: talk\n");
    assert_eq!(said(&entries), [(None, "log"), (Some("k"), "talk")]);
    let categories: Vec<_> = entries.iter().map(|e| e.memory.category.as_str()).collect();
    assert_eq!(categories, ["daily", "conversation"]);
    assert_eq!(entries[1].memory.created_at, at("2026-03-01T00:00:00Z"));
}

#[test]
fn an_id_by_hand_stays_when_other_lines_change() {
    let id = |text, index: usize| parse("MEMORY.md", text)[index].memory.id;
    assert_eq!(id("- a\n- **k**: v\n", 1), id("prose\n\n- **k**: changed\n- a\n", 0));
    assert_ne!(id("- a\n- a\n", 0), id("- a\n- a\n", 1));
}

#[test]
fn putting_one_of_two_equal_lines_leaves_the_other_its_id() {
    let text = "- a\n- a\n";
    let before = parse("MEMORY.md", text);
    let changed = Memory { used: 1, ..before[0].memory.clone() };
    let after =
        parse("MEMORY.md", &render("MEMORY.md", Some(text), &[Edit::Put(&changed)]).unwrap());
    assert_eq!(after[0].memory, changed);
    assert_eq!(after[1], Entry { line: 2, ..before[1].clone() });
}

#[test]
fn forgetting_takes_exactly_the_lines_of_the_entry() {
    let text = "\u{feff}# Mine\r\n\r\n- a\r\n* b\r\n\r\n  more\r\n\r\nprose\n- c";
    let entries = parse("MEMORY.md", text);
    let forgotten = render("MEMORY.md", Some(text), &[Edit::Remove(entries[1].memory.id)]);
    assert_eq!(forgotten.unwrap(), "\u{feff}# Mine\r\n\r\n- a\r\n\r\nprose\n- c");
    let forgotten = render("MEMORY.md", Some(text), &[Edit::Remove(entries[2].memory.id)]);
    assert_eq!(forgotten.unwrap(), "\u{feff}# Mine\r\n\r\n- a\r\n* b\r\n\r\n  more\r\n\r\nprose\n");
}

#[test]
fn new_entries_go_behind_the_last_one_in_the_files_own_line_ending() {
    let text = "- a\r\n\r\nprose\r\n";
    let changed = render("MEMORY.md", Some(text), &[Edit::Put(&memory("n", "x\ny"))]).unwrap();
    assert!(changed.starts_with("- a\r\n- x\r\n  y <!-- {"), "{changed}");
    assert!(changed.ends_with("} -->\r\n\r\nprose\r\n"), "{changed}");
    let changed = render("MEMORY.md", Some("# Mine"), &[Edit::Put(&memory("n", "x"))]).unwrap();
    assert!(changed.starts_with("# Mine\n\n- x <!-- {"), "{changed}");
}

#[test]
fn what_a_person_changes_in_sight_counts() {
    let odd = Memory { key: Some(" k ".into()), ..memory("n", "trailing \nspace ") };
    let text = render("MEMORY.md", None, &[Edit::Put(&odd)]).unwrap();
    assert_eq!(parse("MEMORY.md", &text)[0].memory, odd);
    assert_eq!(parse("MEMORY.md", &text.replace('\n', "\r\n"))[0].memory, odd);
    let edited = text.replace("- **k**: trailing", "- **k**: changed");
    let parsed =
        MarkdownLayout.parse("MEMORY.md", edited.as_bytes(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(said(&parsed.entries), [(Some("k"), "changed\nspace")]);
    assert_eq!(parsed.entries[0].memory.id, odd.id);
    assert_eq!(parsed.notes, ["line 3: edited by hand; its comment still holds the text before"]);
}

#[test]
fn a_person_may_go_on_writing_behind_the_comment() {
    let text = render("MEMORY.md", None, &[Edit::Put(&memory("n", "text"))]).unwrap();
    let entries = parse("MEMORY.md", &format!("{} more\n  and more\n", text.trim_end()));
    assert_eq!(said(&entries), [(None, "text more\nand more")]);
    assert_eq!(entries[0].memory.id, memory("n", "").id);
}

#[test]
fn a_copied_entry_is_one_of_its_own() {
    let text = render("MEMORY.md", None, &[Edit::Put(&memory("n", "text"))]).unwrap();
    let twice = format!("{text}{}", text.lines().next_back().unwrap());
    let entries = parse("MEMORY.md", &twice);
    assert_eq!(said(&entries), [(None, "text"), (None, "text")]);
    assert!(!entries[0].by_hand && entries[1].by_hand);
    let changed = Memory { content: "other".into(), ..entries[1].memory.clone() };
    let after = render("MEMORY.md", Some(&twice), &[Edit::Put(&changed)]).unwrap();
    assert!(after.starts_with(&text), "{after}");
    assert_eq!(parse("MEMORY.md", &after)[1].memory, changed);
}

#[test]
fn attributes_of_another_version_survive_a_change() {
    let text = render("MEMORY.md", None, &[Edit::Put(&memory("n", "x"))]).unwrap();
    let newer = text.replace("\"created_at\"", "\"mood\": [1.0,\n  \"--\"],\"created_at\"");
    let changed = Memory { content: "y".into(), ..memory("n", "") };
    let after = render("MEMORY.md", Some(&newer), &[Edit::Put(&changed)]).unwrap();
    assert!(after.contains(r#""mood":[1.0, "-\u002d"],"#), "{after}");
    assert_eq!(parse("MEMORY.md", &after)[0].memory, changed);
}

#[test]
fn a_file_of_nothing_but_our_heading_goes() {
    let put = memory("n", "x");
    let text = render("MEMORY.md", None, &[Edit::Put(&put)]).unwrap();
    assert_eq!(render("MEMORY.md", Some(&text), &[Edit::Remove(put.id)]), None);
    let titled = text.replace("# Memory", "# Mine");
    let left = render("MEMORY.md", Some(&titled), &[Edit::Remove(put.id)]);
    assert_eq!(left.as_deref(), Some("# Mine\n\n"));
    assert_eq!(render("MEMORY.md", Some("# Memory\n"), &[]).as_deref(), Some("# Memory\n"));
}

#[test]
fn a_block_that_never_closes_does_not_swallow_new_entries() {
    for text in ["prose\n```\ncode\n", "  ```\ncode\n", "\t\n  <!-- open\n"] {
        let put = memory("n", "x");
        let after = render("MEMORY.md", Some(text), &[Edit::Put(&put)]).unwrap();
        assert_eq!(parse("MEMORY.md", &after)[0].memory, put, "{after}");
        let left = render("MEMORY.md", Some(&after), &[Edit::Remove(put.id)]).unwrap();
        assert!(text.lines().all(|line| left.contains(line)), "{left}");
    }
}

#[test]
fn what_moves_up_to_the_first_line_keeps_its_meaning() {
    for (text, left) in [("- a\n---\n- b\n---\n", "b"), ("- a\n\u{feff}- x\n- b\n", "b")] {
        let gone = parse("MEMORY.md", text)[0].memory.id;
        let after = render("MEMORY.md", Some(text), &[Edit::Remove(gone)]).unwrap();
        assert_eq!(said(&parse("MEMORY.md", &after)), [(None, left)]);
    }
}

#[test]
fn a_long_session_id_comes_back_from_its_entries() {
    let scope: Scope = format!("session:{}", "ü".repeat(300)).parse().unwrap();
    let put = Memory { scope: scope.clone(), ..memory("n", "x") };
    let path = MarkdownLayout.file_of(&put);
    let text = render(&path, None, &[Edit::Put(&put)]).unwrap() + "- by hand\n";
    let entries = parse(&path, &text);
    assert_eq!(entries[0].memory, put);
    assert_eq!(entries[1].memory.scope, scope);
    assert_eq!(parse(&path, "- nobody knows whose\n"), []);
}

#[test]
fn a_memory_is_not_written_where_it_would_become_another() {
    let put = memory("n", "x");
    for path in ["memory/preference.md", "user/MEMORY.md"] {
        assert!(MarkdownLayout.render(path, None, &[Edit::Put(&put)]).is_err());
    }
}

/// What is not an entry, line by line.
fn foreign(path: &str, text: &str) -> Vec<String> {
    let edits: Vec<_> = parse(path, text).iter().map(|e| Edit::Remove(e.memory.id)).collect();
    let left = render(path, Some(text), &edits).unwrap_or_default();
    let left = left.trim_start_matches('\u{feff}');
    left.split_inclusive('\n').map(|line| line.trim_end().to_owned()).collect()
}

/// Whether `all` is `some` with nothing added but blank lines and list ends.
fn only_spaced_out(some: &[String], all: &[String]) -> bool {
    let dull = |line: &&String| !line.is_empty() && *line != "<!-- -->";
    some.iter().filter(dull).eq(all.iter().filter(dull))
}

proptest! {
    #[test]
    fn every_memory_survives_a_file(batch in vec(hostile::memory(), 1..6)) {
        let mut files: BTreeMap<String, Vec<&Memory>> = BTreeMap::new();
        let mut ids = HashSet::new();
        for memory in batch.iter().filter(|memory| ids.insert(memory.id)) {
            files.entry(MarkdownLayout.file_of(memory)).or_default().push(memory);
        }
        for (path, memories) in files {
            prop_assert!(Place::of(&path).is_some(), "{path}");
            let edits: Vec<_> = memories.iter().map(|memory| Edit::Put(memory)).collect();
            let text = render(&path, None, &edits).unwrap();
            let entries = parse(&path, &text);
            prop_assert!(entries.iter().all(|entry| !entry.by_hand));
            prop_assert_eq!(entries.iter().map(|e| &e.memory).collect::<Vec<_>>(), memories);
        }
    }

    #[test]
    fn nothing_changes_without_edits(text in hostile::document(), path in 0..PATHS.len()) {
        prop_assert_eq!(render(PATHS[path], Some(&text), &[]), Some(text));
    }

    #[test]
    fn an_edit_changes_its_own_entry_and_nothing_else(
        text in hostile::document(),
        put in hostile::memory(),
        chosen in any::<prop::sample::Index>(),
        replace in any::<bool>(),
    ) {
        let path = "memory/preference.md";
        let before = parse(path, &text);
        let category = "preference".parse().unwrap();
        let mut put = Memory { category, scope: Scope::Global, ..put };
        let mut expected: Vec<Memory> = before.iter().map(|e| e.memory.clone()).collect();
        if replace && !before.is_empty() {
            let at = chosen.index(before.len());
            put.id = before[at].memory.id;
            expected[at] = put.clone();
        } else {
            expected.push(put.clone());
        }
        let after = render(path, Some(&text), &[Edit::Put(&put)]).unwrap();
        let entries: Vec<_> = parse(path, &after).into_iter().map(|e| e.memory).collect();
        prop_assert_eq!(entries, expected, "{}", after);
        if !text.trim_start_matches('\u{feff}').is_empty() {
            let (some, all) = (foreign(path, &text), foreign(path, &after));
            prop_assert!(only_spaced_out(&some, &all), "{}", after);
        }
    }

    #[test]
    fn forgetting_one_entry_leaves_the_others(
        text in hostile::document(),
        chosen in any::<prop::sample::Index>(),
    ) {
        let path = "memory/2026-03-01.md";
        let text = format!("- one at least\n{text}");
        let before = parse(path, &text);
        let gone = &before[chosen.index(before.len())];
        let after = render(path, Some(&text), &[Edit::Remove(gone.memory.id)]).unwrap_or_default();
        let left: Vec<_> = before.iter().filter(|entry| *entry != gone).cloned().collect();
        let entries = parse(path, &after);
        prop_assert_eq!(said(&entries), said(&left));
        let (some, all) = (foreign(path, &text), foreign(path, &after));
        prop_assert!(only_spaced_out(&some, &all), "{}", after);
    }

    #[test]
    fn garbage_is_read_or_refused_but_never_panics(bytes in vec(any::<u8>(), 0..200)) {
        for path in PATHS {
            if MarkdownLayout.parse(path, &bytes, Timestamp::UNIX_EPOCH).is_ok() {
                let same = MarkdownLayout.render(path, Some(&bytes), &[]).unwrap();
                prop_assert_eq!(same.as_deref(), Some(&bytes[..]));
            }
        }
    }
}

#[test]
fn a_line_that_goes_on_without_indentation_is_part_of_the_entry() {
    let text = "- the staging database\nlistens on port 5433\n";
    let entries = parse("MEMORY.md", text);
    assert_eq!(said(&entries), [(None, "the staging database\nlistens on port 5433")]);
    let changed = render("MEMORY.md", Some(text), &[Edit::Put(&memory("n", "x"))]).unwrap();
    assert!(changed.starts_with(&format!("{text}- x <!-- {{")), "{changed}");
    let edited = Memory { content: "moved".into(), ..entries[0].memory.clone() };
    let changed = render("MEMORY.md", Some(text), &[Edit::Put(&edited)]).unwrap();
    assert!(changed.starts_with("- moved <!-- {") && changed.lines().count() == 1, "{changed}");
    assert_eq!(render("MEMORY.md", Some(text), &[Edit::Remove(edited.id)]), None);
}

#[test]
fn a_line_that_is_nobodys_stays_so_when_what_is_above_it_changes() {
    let text = "- a\n- # title\nprose\n";
    let entries = parse("MEMORY.md", text);
    assert_eq!(entries.len(), 2);
    let id = entries[1].memory.id;
    let plain = Memory { content: "b".into(), ..entries[1].memory.clone() };
    let new = memory("n", "x");
    for edit in [Edit::Remove(id), Edit::Put(&plain), Edit::Put(&new)] {
        let changed = render("MEMORY.md", Some(text), &[edit]).unwrap();
        assert!(changed.ends_with("\n\nprose\n"), "{changed}");
        let entries = parse("MEMORY.md", &changed);
        assert!(entries.iter().all(|e| !e.memory.content.contains("prose")), "{changed}");
    }
}
