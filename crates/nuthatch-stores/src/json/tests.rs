//! Promises of the JSON format, by sample and by property.

use std::collections::HashSet;

use jiff::Timestamp;
use nuthatch::Kind;
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use proptest::collection::vec;
use proptest::prelude::*;

use super::JsonLayout;
use crate::files::hostile;
use crate::files::layout::{Edit, Entry, Layout, Parsed};

const FILE: &str = "memory.json";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn parsed(text: &str) -> Parsed {
    JsonLayout::new(FILE).parse(FILE, text.as_bytes(), at("2020-01-01T00:00:00Z")).unwrap()
}

fn parse(text: &str) -> Vec<Entry> {
    parsed(text).entries
}

fn render(old: Option<&str>, edits: &[Edit<'_>]) -> String {
    let bytes = JsonLayout::new(FILE).render(FILE, old.map(str::as_bytes), edits).unwrap();
    String::from_utf8(bytes.unwrap()).unwrap()
}

fn memory(name: &str, content: &str) -> Memory {
    let at = at("2026-03-01T10:00:00Z");
    Memory::new(MemoryId::derived(&[name]), content, Scope::Global, at)
}

#[test]
fn a_new_file_is_pretty_and_short() {
    let first = memory("a", "Ü\n");
    let second = Memory {
        key: Some("k".into()),
        metadata: [("m".into(), "n".into())].into(),
        ..memory("b", "x")
    };
    let text = render(None, &[Edit::Put(&first), Edit::Put(&second)]);
    let expected = format!(
        r#"[
  {{
    "fact": "Ü\n",
    "category": "core",
    "created_at": "2026-03-01T10:00:00Z",
    "id": "{}"
  }},
  {{
    "fact": "x",
    "category": "core",
    "created_at": "2026-03-01T10:00:00Z",
    "id": "{}",
    "key": "k",
    "metadata": {{
      "m": "n"
    }}
  }}
]
"#,
        first.id, second.id
    );
    assert_eq!(text, expected);
    assert_eq!(render(Some(&text), &[Edit::Remove(first.id), Edit::Remove(second.id)]), "[]\n");
    assert_eq!(render(None, &[]), "[]\n");
}

#[test]
fn files_of_other_tools_load_as_they_are() {
    let entries = parse(
        r#"[{"fact":"a"},
            {"fact":"b","category":"Personal Fact","created_at":"2026-03-01T10:00:00+05:00"},
            {"fact":"c","category":7,"created_at":"2026-03-01","id":"c-1","source":"chat"},
            {"fact":"d","created_at":"2026-03-01T10:00:00.5","scope":null}]"#,
    );
    let read: Vec<_> = entries
        .iter()
        .map(|e| {
            let memory = &e.memory;
            (memory.content.as_str(), memory.category.as_str(), memory.created_at.to_string())
        })
        .collect();
    let expected = [
        ("a", "core", "2020-01-01T00:00:00Z"),
        ("b", "personal_fact", "2026-03-01T05:00:00Z"),
        ("c", "core", "2026-03-01T00:00:00Z"),
        ("d", "core", "2026-03-01T10:00:00.5Z"),
    ];
    assert_eq!(read, expected.map(|(fact, category, at)| (fact, category, at.to_owned())));
    assert!(entries.iter().all(|entry| entry.by_hand));
    assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn what_is_not_a_memory_is_kept_and_told() {
    let text = r#"?[1e999, "x",
        {"fact": null}, {"fact":3} ,{"a":[[[]]]}, {"fact":"\ud800"}]"#;
    let text = text.replace('?', "\u{feff}");
    let text = text.as_str();
    let found = parsed(text);
    assert_eq!((found.entries.len(), found.notes.len()), (0, 6));
    assert_eq!(found.notes[2], "line 2: not a memory; kept as it is");
    let put = memory("n", "x");
    let after = render(Some(text), &[Edit::Put(&put)]);
    assert!(after.starts_with(text.trim_end_matches(']')), "{after}");
    assert_eq!(parse(&after)[0].memory, put);
    assert_eq!(render(Some(text), &[Edit::Remove(put.id)]), text);
}

#[test]
fn a_changed_object_keeps_what_it_held_beyond_us() {
    let text = r#"[{"x": 1.50, "fact":"a", "id": "mine", "created_at":"2026-03-01T10:00:00+00:00",
        "source":"chat", "x": {"fact": 1}}, {"fact":"b"}]"#;
    let before = parse(text);
    let changed = Memory { content: "A".into(), used: 3, ..before[0].memory.clone() };
    let after = render(Some(text), &[Edit::Put(&changed)]);
    let expected = r#"[{
    "x": 1.50,
    "fact": "A",
    "id": "mine",
    "created_at": "2026-03-01T10:00:00+00:00",
    "source": "chat",
    "x": {"fact": 1},
    "category": "core",
    "used": 3
  }, {"fact":"b"}]"#;
    assert_eq!(after, expected);
    let entries = parse(&after);
    assert_eq!(entries[0].memory, changed);
    assert_eq!(entries[1].memory, before[1].memory);
}

#[test]
fn removing_takes_the_element_and_its_comma() {
    let text = r#"[ {"fact":"a"} , {"fact":"b"},{"fact":"c"} ]"#;
    let ids: Vec<_> = parse(text).iter().map(|entry| entry.memory.id).collect();
    let without = |gone: &[usize]| {
        let edits: Vec<_> = gone.iter().map(|at| Edit::Remove(ids[*at])).collect();
        render(Some(text), &edits)
    };
    assert_eq!(without(&[0]), r#"[ {"fact":"b"},{"fact":"c"} ]"#);
    assert_eq!(without(&[1]), r#"[ {"fact":"a"},{"fact":"c"} ]"#);
    assert_eq!(without(&[2]), r#"[ {"fact":"a"} , {"fact":"b"} ]"#);
    assert_eq!(without(&[0, 1, 2]), "[]");
}

#[test]
fn of_two_equal_ids_the_second_gets_another() {
    let text = render(None, &[Edit::Put(&memory("n", "x"))]);
    let twice = text.replace("\n]\n", ",\n") + text.trim_start_matches('[');
    let found = parsed(&twice);
    assert_eq!(found.notes, ["line 9: its id is taken above; it gets another"]);
    assert!(!found.entries[0].by_hand && found.entries[1].by_hand);
    let changed = Memory { used: 1, ..found.entries[1].memory.clone() };
    let after = parse(&render(Some(&twice), &[Edit::Put(&changed)]));
    assert_eq!((&after[0], &after[1].memory), (&found.entries[0], &changed));
}

#[test]
fn an_empty_file_is_an_empty_array() {
    for text in ["", " \n", "\u{feff}", "[]", "[ \n]"] {
        assert_eq!(parse(text), []);
        assert_eq!(render(Some(text), &[]), text);
        let put = memory("n", "x");
        let after = render(Some(text), &[Edit::Put(&put)]);
        assert_eq!(after.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
        assert_eq!(parse(&after)[0].memory, put);
    }
}

#[test]
fn what_is_not_a_whole_array_is_refused_with_its_place() {
    let deep = "[".repeat(100_000);
    for (text, message) in [
        ("[\n  {\"fact\": \"a", "memory.json breaks off: line 2, column 13"),
        ("[1,", "memory.json breaks off: line 1, column 3"),
        (&deep, "memory.json breaks off: line 1, column 100000"),
        ("{\"secret\": 1}", "memory.json does not hold a JSON array: line 1, column 0"),
        ("[]\n[]", "memory.json is not JSON: line 2, column 1"),
        ("[1 2]", "memory.json is not JSON: line 1, column 4"),
    ] {
        let result = JsonLayout::new(FILE).render(FILE, Some(text.as_bytes()), &[]);
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (Kind::Unavailable, message));
        assert!(error.hint().is_some());
    }
}

#[test]
fn nesting_of_any_depth_is_kept() {
    let text = format!("[{{\"fact\":\"a\",\"x\":{}{}}}]", "[".repeat(100_000), "]".repeat(100_000));
    let entries = parse(&text);
    let changed = Memory { used: 1, ..entries[0].memory.clone() };
    assert_eq!(parse(&render(Some(&text), &[Edit::Put(&changed)]))[0].memory, changed);
}

/// Elements of a file, most of which are not whole memories of ours.
fn element() -> impl Strategy<Value = String> {
    let text = || hostile::text().prop_map(|text| serde_json::json!(text).to_string());
    let value = prop_oneof![
        text(),
        prop::sample::select(
            &["null", "1", "-0.10", "true", "{ }", "[1 , 2]", "\"2026-03-01\""][..]
        )
        .prop_map(str::to_owned),
    ];
    let names = ["fact", "id", "category", "created_at", "updated_at", "trust", "x", "scope"];
    let field = (prop::sample::select(names.to_vec()), value)
        .prop_map(|(name, value)| format!("\"{name}\" : {value}"));
    let object = (text(), vec(field, 0..4)).prop_map(|(fact, fields)| {
        format!("{{ {} }}", [vec![format!("\"fact\":{fact}")], fields].concat().join(","))
    });
    prop_oneof![3 => object, 1 => text(), 1 => Just("{\"fact\":\"a\"}".to_owned())]
}

proptest! {
    #[test]
    fn every_memory_survives_a_file(batch in vec(hostile::memory(), 0..6)) {
        let mut ids = HashSet::new();
        let batch: Vec<_> = batch.into_iter().filter(|memory| ids.insert(memory.id)).collect();
        let text = render(None, &batch.iter().map(Edit::Put).collect::<Vec<_>>());
        let entries = parse(&text);
        prop_assert!(entries.iter().all(|entry| !entry.by_hand));
        prop_assert_eq!(entries.into_iter().map(|e| e.memory).collect::<Vec<_>>(), batch);
    }

    #[test]
    fn an_edit_changes_its_own_element_and_nothing_else(
        elements in vec(element(), 0..6),
        put in hostile::memory(),
        chosen in any::<prop::sample::Index>(),
        replace in any::<bool>(),
        separator in prop::sample::select(&[",", " ,\n", ",\r\n  "][..]),
    ) {
        let text = format!("[{}]", elements.join(separator));
        let before = parse(&text);
        let mut put = put;
        let mut expected: Vec<Memory> = before.iter().map(|e| e.memory.clone()).collect();
        if replace && !before.is_empty() {
            let at = chosen.index(before.len());
            put.id = before[at].memory.id;
            expected[at] = put.clone();
        } else {
            expected.push(put.clone());
        }
        let after = render(Some(&text), &[Edit::Put(&put)]);
        let entries: Vec<_> = parse(&after).into_iter().map(|e| e.memory).collect();
        prop_assert_eq!(entries, expected, "{}", after);
        let kept = elements.iter().filter(|element| after.contains(*element)).count();
        prop_assert!(kept + usize::from(replace) >= elements.len(), "{}", after);
    }

    #[test]
    fn without_edits_a_file_stays_as_it_is(elements in vec(element(), 0..6)) {
        let text = format!(" [\t{}\r\n]", elements.join(" , "));
        prop_assert_eq!(render(Some(&text), &[]), text);
    }

    #[test]
    fn garbage_is_read_or_refused_but_never_panics(bytes in vec(any::<u8>(), 0..100)) {
        let layout = JsonLayout::new(FILE);
        if layout.parse(FILE, &bytes, Timestamp::UNIX_EPOCH).is_ok() {
            prop_assert_eq!(layout.render(FILE, Some(&bytes), &[]).unwrap(), Some(bytes));
        }
    }
}
