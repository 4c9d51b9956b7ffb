//! Documents of people and of machines, edited and given back.

use proptest::prelude::*;

use super::*;
use crate::document;
use crate::document::Format::Json;

fn server() -> Entry {
    let tree = Tree::object([("command", Tree::text("nuthatch")), ("args", Tree::texts(&["mcp"]))]);
    Entry::new(&["mcpServers", "nuthatch"], What::Server(tree))
}

fn hook(event: &str) -> Entry {
    let command =
        Tree::object([("type", Tree::text("command")), ("command", Tree::text("nuthatch hook"))]);
    let group = Tree::object([("hooks", Tree::Array(vec![command]))]);
    Entry::new(&["hooks", event], What::Hook(group))
}

fn all() -> Vec<Entry> {
    vec![server(), hook("Start"), hook("Stop")]
}

/// In and out again, where what was there before is known.
fn there_and_back(before: &str) -> (String, String) {
    let value = read(before).unwrap();
    let keep = |path: &[String]| path.iter().try_fold(&value, |v, key| v.get(key)).is_some();
    let with = document::with(Json, before, &all()).unwrap();
    let without = document::without(Json, &with, &all(), &keep).unwrap();
    (with, without)
}

const FOREIGN: &[&str] = &[
    "{\n  \"theme\": \"dark\"\n}\n",
    "{\n  // mine\n  \"theme\": \"dark\", // really\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }, /* b */\n  },\n}\n",
    "{\r\n\t\"hooks\": {\r\n\t\t\"Start\": [\r\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}\r\n\t\t]\r\n\t}\r\n}\r\n",
    "{\"a\":1,\"mcpServers\":{\"x\":{\"command\":\"y\"}},\"z\":[1,2]}",
    "{\n    \"a\": [1, 2],\n    \"hooks\": { \"Stop\": [ { \"hooks\": [ ] } ] }\n    // the end\n}",
    "\u{feff}{ \"a\": \"}\\\"{\" }\n",
    "{\n  \"mcpServers\": {\n    \"a\": {\n      \"env\": { \"K\": \"v\" }\n    } // last\n  } // servers\n  /* done */\n}\n",
];

#[test]
fn what_is_put_in_and_taken_out_leaves_every_byte() {
    for before in FOREIGN {
        let (with, without) = there_and_back(before);
        assert_ne!(with, *before);
        assert_eq!(without, *before, "{with}");
        assert_eq!(document::with(Json, &with, &all()).unwrap(), with, "twice is once");
    }
}

#[test]
fn a_new_entry_looks_like_its_neighbours() {
    let (with, _) = there_and_back(FOREIGN[1]);
    insta_like(
        &with,
        "{\n  // mine\n  \"theme\": \"dark\", // really\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }, /* b */\n    \"nuthatch\": {\n      \"command\": \"nuthatch\",\n      \"args\": [\"mcp\"]\n    },\n  },\n  \"hooks\": {\n    \"Start\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"nuthatch hook\"\n          }\n        ]\n      }\n    ],\n    \"Stop\": [",
    );
    let (with, _) = there_and_back(FOREIGN[3]);
    assert!(with.contains("\"x\":{\"command\":\"y\"}, \"nuthatch\": { \"command\""), "{with}");
    assert!(!with.contains('\n'));
    let (with, _) = there_and_back(FOREIGN[2]);
    assert!(!with.replace("\r\n", "").contains('\n'), "{with:?}");
}

fn insta_like(text: &str, beginning: &str) {
    assert!(text.starts_with(beginning), "{text}");
}

#[test]
fn what_others_add_meanwhile_stays_when_ours_goes() {
    let (with, _) = there_and_back(FOREIGN[0]);
    let added = with.replace("\"theme\"", "\"font\": 12,\n  \"theme\"");
    let left = document::without(Json, &added, &all(), &|_| false).unwrap();
    assert_eq!(left, "{\n  \"font\": 12,\n  \"theme\": \"dark\"\n}\n");
}

#[test]
fn a_group_that_is_shared_loses_only_our_part() {
    let shared =
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "nuthatch hook"}, {"command": "lint"}]}]}}"#;
    let left = document::without(Json, shared, &[hook("Stop")], &|_| false).unwrap();
    assert_eq!(left, r#"{"hooks": {"Stop": [{"hooks": [{"command": "lint"}]}]}}"#);
}

#[test]
fn another_command_replaces_ours_and_keeps_what_the_user_added() {
    let old = r#"{"mcpServers": {"nuthatch": {"command": "/old/nuthatch", "args": ["mcp"], "env": {"A": "1"}}},
 "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/nuthatch hook"}]}]}}"#;
    let new = document::with(Json, old, &[server(), hook("Stop")]).unwrap();
    let value = read(&new).unwrap();
    assert_eq!(value["mcpServers"]["nuthatch"]["command"], "nuthatch");
    assert_eq!(value["mcpServers"]["nuthatch"]["env"]["A"], "1");
    assert_eq!(value["hooks"]["Stop"].as_array().unwrap().len(), 1);
    assert!(!new.contains("/old/"), "{new}");
}

#[test]
fn somebody_elses_server_of_our_name_is_a_conflict() {
    let theirs = r#"{"mcpServers": {"nuthatch": {"command": "birds"}}}"#;
    let error = document::with(Json, theirs, &[server()]).unwrap_err();
    assert_eq!(error.kind(), nuthatch::error::Kind::Conflict);
    assert_eq!(document::without(Json, theirs, &[server()], &|_| false).unwrap(), theirs);
}

#[test]
fn what_is_broken_or_of_another_shape_is_refused() {
    for broken in [
        "{",
        "{]",
        "[]",
        "nonsense",
        "{\"a\" 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": tru}",
        "{'a': 1}",
        "{\"a\": \"x\ny\"}",
        "{} {}",
        "{ /* }",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": \"x\"}",
        "{\"hooks\": {\"Start\": {}}}",
        "<<<<<<< HEAD\n{}\n",
        "{\"a\": 01}",
        "\u{0}",
    ] {
        assert!(document::with(Json, broken, &all()).is_err(), "{broken:?}");
    }
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&deep).is_err());
    let error = read("{\n  \"a\": 1,\n  b\n}").unwrap_err().to_string();
    assert!(error.contains("line 3, column 3"), "{error}");
}

#[test]
fn an_empty_file_becomes_an_object() {
    for empty in ["", "\n", "  \n", "\u{feff}"] {
        let with = document::with(Json, empty, &[server()]).unwrap();
        assert!(with.ends_with("}\n") && read(&with).is_ok(), "{with:?}");
    }
}

/// Documents as machines and people write them.
fn documents() -> impl Strategy<Value = String> {
    let space = prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n\t".to_owned()),
        Just(" // c\n".to_owned()),
        Just("/* d */".to_owned()),
    ];
    let scalar = prop_oneof![
        Just("1".to_owned()),
        Just("\"x\"".to_owned()),
        Just("null".to_owned()),
        Just("{}".to_owned()),
        Just("[]".to_owned()),
        Just("{\"command\": \"y\"}".to_owned()),
        Just("\"a } ] , // b\"".to_owned()),
    ];
    let key = prop_oneof![Just("a"), Just("b"), Just("x y")];
    let member = (space.clone(), key, space.clone(), scalar, space.clone());
    let object = (proptest::collection::vec(member, 0..4), any::<bool>(), space);
    let object = object.prop_map(|(members, trailing, space)| {
        let written: Vec<String> =
            members.iter().map(|(a, k, b, v, c)| format!("{a}\"{k}\":{b}{v}{c}")).collect();
        let comma = if trailing && !written.is_empty() { "," } else { "" };
        format!("{{{}{comma}{space}}}", written.join(","))
    });
    (object.clone(), object, 0..4usize).prop_map(|(inner, outer, place)| {
        let inner = match place {
            0 => return outer,
            1 => format!("\"mcpServers\": {inner}"),
            2 => format!("\"hooks\": {inner}"),
            _ => format!("\"hooks\": {{\"Stop\": [{inner}]}}"),
        };
        let (open, rest) = outer.split_at(1);
        let comma =
            if read(&outer).is_ok_and(|v| v.as_object().unwrap().is_empty()) { "" } else { "," };
        format!("{open}{inner}{comma}{rest}")
    })
}

proptest! {
    #[test]
    fn any_document_is_given_back(before in documents()) {
        let value = read(&before).unwrap();
        let keep = |path: &[String]| path.iter().try_fold(&value, |v, key| v.get(key)).is_some();
        let with = document::with(Json, &before, &all()).unwrap();
        for entry in all() {
            prop_assert_eq!(presence(&read(&with).unwrap(), &entry), Presence::Same);
        }
        prop_assert_eq!(document::with(Json, &with, &all()).unwrap(), with.as_str());
        let without = document::without(Json, &with, &all(), &keep).unwrap();
        prop_assert_eq!(read(&without).unwrap(), value);
        // Nothing but blanks can differ, and only inside containers that were empty.
        let words = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(words(&without), words(&before));
    }

    #[test]
    fn whatever_is_read_never_panics(text in "\\PC{0,60}", cut in 0..60usize) {
        let _ = read(&text);
        let whole = FOREIGN[1];
        let _ = document::with(Json, &whole[..whole.floor_char_boundary(cut)], &all());
    }
}
