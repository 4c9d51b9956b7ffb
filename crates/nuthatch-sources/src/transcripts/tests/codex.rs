//! Files of Codex CLI, one trap each.

use std::fs;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use super::super::{Codex, Transcripts as _, Watermark};
use super::{Home, all, lines, survives_cuts, told};

const ID: &str = "019fc8be-3658-7ca3-9e29-000000000000";

fn name() -> String {
    format!(".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-{ID}.jsonl")
}

fn record(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-03-01T10:00:01.000Z", "type": kind, "payload": payload})
}

fn said(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    let content = json!([{"type": kind, "text": text}]);
    record("response_item", json!({"type": "message", "role": role, "content": content}))
}

fn event(kind: &str, more: Value) -> Value {
    let mut payload = json!({"type": kind});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record("event_msg", payload)
}

fn meta() -> Value {
    let git = json!({"branch": "main", "repository_url": "https://example.org/a/b.git"});
    record(
        "session_meta",
        json!({"id": ID, "timestamp": "2026-03-01T10:00:00Z", "cwd": "/tmp/repo", "git": git}),
    )
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn ordinary() -> Vec<Value> {
    let tokens = json!({"info": {"last_token_usage": {"input_tokens": 9, "output_tokens": 3}}});
    vec![
        meta(),
        record("turn_context", json!({"model": "g-1", "cwd": "/tmp/repo"})),
        said("developer", "be good"),
        said("user", "<environment_context>x</environment_context>"),
        event("user_message", json!({"message": "list the files"})),
        said("user", "list the files"),
        event("agent_reasoning", json!({"text": "hm"})),
        record(
            "response_item",
            json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c1"}),
        ),
        record(
            "response_item",
            json!({"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"}),
        ),
        event("agent_message", json!({"message": "It failed."})),
        said("assistant", "It failed."),
        event("token_count", tokens),
    ]
}

fn told_of(content: &str) -> (Vec<String>, super::Read) {
    let home = Home::new();
    home.put(&name(), content);
    let (events, read) = all(&Codex::new(&home.environment()));
    (lines(&events), read)
}

const ORDINARY: &[&str] = &[
    "host: <environment_context>x</environment_context>",
    "person: list the files",
    r#"call c1: shell {"command":["ls"]}"#,
    "failure c1: no",
    "assistant: It failed.",
];

#[test]
fn what_is_recorded_twice_is_told_once() {
    let home = Home::new();
    home.put(&name(), file(&ordinary()));
    home.put(".codex/session_index.jsonl", json!({"id": ID, "thread_name": "Files"}).to_string());
    let (events, read) = all(&Codex::new(&home.environment()));
    assert_eq!(lines(&events), ORDINARY);
    assert_eq!(events[4].usage.unwrap().output_tokens, 3);
    assert_eq!(events[4].model.as_deref(), Some("g-1"));
    let head = read.head;
    assert_eq!((head.id.as_str(), head.title.as_deref()), (ID, Some("Files")));
    assert_eq!(
        (head.branch.as_deref(), head.remote.as_deref()),
        (Some("main"), Some("https://example.org/a/b.git"))
    );
    assert!(read.skipped.is_empty(), "{:?}", read.skipped);
}

#[test]
fn a_file_cut_at_any_byte_tells_the_complete_lines_before() {
    let home = Home::new();
    let items: Vec<Value> =
        ordinary().into_iter().filter(|line| line["type"] != "event_msg").collect();
    survives_cuts(&Codex::new(&home.environment()), &name(), &home, &file(&items));
}

#[test]
fn a_packed_file_says_the_same_and_the_plain_one_wins() {
    let home = Home::new();
    let text = file(&ordinary());
    let packed = home.put(
        &format!("{}.zst", name()),
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest),
    );
    let reader = Codex::new(&home.environment());
    let (events, _) = all(&reader);
    assert_eq!(lines(&events), ORDINARY);
    let session = reader.discover().sessions.remove(0);
    assert_eq!(session.head.folder.as_deref(), Some("/tmp/repo"), "packed, it knows its project");
    home.put(&name(), &text);
    assert_eq!(reader.discover().sessions[0].path, home.path(&name()));
    // Unpacked between a look and a reading.
    fs::remove_file(&packed).unwrap();
    assert_eq!(told(&reader, &session, &Watermark::default()).0.len(), 5);
    let plain = reader.discover().sessions.remove(0);
    fs::rename(home.path(&name()), home.path("x")).unwrap();
    fs::write(&packed, compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)).unwrap();
    assert_eq!(told(&reader, &plain, &Watermark::default()).0.len(), 5);
    fs::write(&packed, b"no zstd at all").unwrap();
    let broken =
        reader.read(&plain, &Watermark::default(), &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(broken.is_err());
}

#[test]
fn the_first_versions_wrote_without_a_cover() {
    let (lines, read) = told_of(&file(&[
        json!({"id": ID, "timestamp": "2025-03-01T10:00:00Z", "instructions": null, "git": {"branch": "old"}}),
        json!({"record_type": "state"}),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}),
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}),
    ]));
    assert_eq!(lines, ["person: hello", "assistant: hi"]);
    assert_eq!(read.head.branch.as_deref(), Some("old"));
}

#[test]
fn without_items_events_are_told_and_without_events_finished_items() {
    let (lines, _) = told_of(&file(&[
        meta(),
        event("user_message", json!({"message": "hello"})),
        event("agent_message", json!({"message": "hi"})),
    ]));
    assert_eq!(lines, ["person: hello", "assistant: hi"]);
    let item = |kind: &str, text: &str| {
        event(
            "item_completed",
            json!({"item": {"type": kind, "content": [{"type": "text", "text": text}]}}),
        )
    };
    let (lines, _) =
        told_of(&file(&[meta(), item("UserMessage", "hello"), item("AgentMessage", "hi")]));
    assert_eq!(lines, ["person: hello", "assistant: hi"]);
}

#[test]
fn turns_that_were_rolled_back_are_aside() {
    let (lines, _) = told_of(&file(&[
        meta(),
        said("user", "one"),
        said("assistant", "1"),
        said("user", "two"),
        said("assistant", "2"),
        event("thread_rolled_back", json!({"num_turns": 1})),
        said("user", "three"),
    ]));
    assert_eq!(
        lines,
        [
            "person: one",
            "assistant: 1",
            "(aside) person: two",
            "(aside) assistant: 2",
            "person: three"
        ]
    );
}

#[test]
fn what_a_fork_copies_and_what_a_compaction_repeats_is_not_told_again() {
    let fork = record(
        "session_meta",
        json!({"id": ID, "timestamp": "2026-03-01T11:00:00Z", "cwd": "/x", "forked_from_id": "other"}),
    );
    let mut later = said("user", "new");
    later["timestamp"] = json!("2026-03-01T11:00:05Z");
    let mut compacted = record(
        "compacted",
        json!({"message": "In short.", "replacement_history": [{"type": "message", "role": "user", "content": "old"}]}),
    );
    compacted["timestamp"] = json!("2026-03-01T11:00:06Z");
    let (lines, read) = told_of(&file(&[fork, meta(), said("user", "old"), later, compacted]));
    assert_eq!(lines, ["person: new", "summary: In short."]);
    assert_eq!(read.skipped["copied from another session"], 1);
    assert_eq!(read.head.folder.as_deref(), Some("/x"));
}

#[test]
fn another_agent_speaks_to_a_sub_agent_and_an_editor_adds_what_it_shows() {
    let sub = record(
        "session_meta",
        json!({"id": ID, "parent_thread_id": "p", "source": {"subagent": {}}}),
    );
    let (lines, read) = told_of(&file(&[sub, said("user", "look there")]));
    assert_eq!(lines, ["host: look there"]);
    assert_eq!(read.head.parent.as_deref(), Some("p"));
    let shown =
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nfix it";
    let (lines, _) = told_of(&file(&[meta(), said("user", shown)]));
    assert_eq!(lines, ["person: fix it"]);
}

#[test]
fn unknown_kinds_are_counted() {
    let odd = record("response_item", json!({"type": "telepathy"}));
    let (lines, read) = told_of(
        &(file(&[meta(), odd, record("novel", json!({})), event("news", json!({}))])
            + "nonsense\n"),
    );
    assert!(lines.is_empty());
    let kinds: Vec<&str> = read.skipped.keys().map(String::as_str).collect();
    assert_eq!(
        kinds,
        ["not json", "unknown event: news", "unknown item: telepathy", "unknown type: novel"]
    );
}
