//! Files of Claude Code, one trap each.

use std::fs;

use serde_json::{Value, json};

use super::super::{ClaudeCode, Transcripts as _, Watermark};
use super::{Home, all, lines, survives_cuts, told};

const ID: &str = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

fn name() -> String {
    format!(".claude/projects/-tmp-repo/{ID}.jsonl")
}

/// A line in its envelope.
fn enveloped(kind: &str, id: &str, parent: Option<&str>, more: Value) -> Value {
    let mut line = json!({
        "type": kind, "uuid": id, "parentUuid": parent, "sessionId": ID, "cwd": "/tmp/a repo",
        "gitBranch": "main", "timestamp": "2026-03-01T10:00:00.000Z", "isSidechain": false,
    });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

fn user(id: &str, parent: Option<&str>, content: Value) -> Value {
    enveloped("user", id, parent, json!({"message": {"role": "user", "content": content}}))
}

fn reply(id: &str, parent: Option<&str>, message: &str, block: Value, output: u64) -> Value {
    let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 10, "output_tokens": output});
    let message = json!({
        "id": message, "role": "assistant", "model": "m-1", "content": [block], "usage": usage
    });
    enveloped("assistant", id, parent, json!({"message": message}))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn result(id: &str, output: Value, failed: bool) -> Value {
    json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}])
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn reader(home: &Home) -> ClaudeCode {
    ClaudeCode::new(&home.environment())
}

fn told_of(content: &str) -> (Vec<String>, super::Read) {
    let home = Home::new();
    home.put(&name(), content);
    let (events, read) = all(&reader(&home));
    (lines(&events), read)
}

fn ordinary() -> Vec<Value> {
    let call = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}});
    vec![
        json!({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}),
        user("u1", None, json!("list the files")),
        reply("a1", Some("u1"), "m1", json!({"type": "thinking", "thinking": "hm"}), 1),
        reply("a2", Some("a1"), "m1", text("I look."), 2),
        reply("a3", Some("a2"), "m1", call, 30),
        user("u2", Some("a3"), result("t1", json!([{"type": "text", "text": "a.txt"}]), false)),
        reply("a4", Some("u2"), "m2", text("There is a.txt."), 7),
        json!({"type": "custom-title", "sessionId": ID, "customTitle": "Files"}),
        json!({"type": "ai-title", "sessionId": ID, "aiTitle": "Listing of files"}),
    ]
}

#[test]
fn a_session_is_told_with_its_head_and_each_answer_is_paid_once() {
    let home = Home::new();
    home.put(&name(), file(&ordinary()));
    let (events, read) = all(&reader(&home));
    assert_eq!(
        lines(&events),
        [
            "person: list the files",
            "assistant: I look.",
            r#"call t1: Bash {"command":"ls"}"#,
            "result t1: a.txt",
            "assistant: There is a.txt.",
        ]
    );
    let cost: Vec<_> =
        events.iter().map(|e| e.usage.map(|u| (u.input_tokens, u.output_tokens))).collect();
    assert_eq!(cost, [None, None, Some((15, 30)), None, Some((15, 7))]);
    assert_eq!(events[1].model.as_deref(), Some("m-1"));
    let head = read.head;
    assert_eq!((head.id.as_str(), head.title.as_deref()), (ID, Some("Files")));
    assert_eq!(
        (head.folder.as_deref(), head.branch.as_deref()),
        (Some("/tmp/a repo"), Some("main"))
    );
    assert!(read.skipped.is_empty(), "{:?}", read.skipped);
}

#[test]
fn a_file_cut_at_any_byte_tells_the_complete_lines_before() {
    let home = Home::new();
    survives_cuts(&reader(&home), &name(), &home, &file(&ordinary()));
}

#[test]
fn what_nobody_typed_is_marked_and_what_was_injected_is_dropped() {
    let meta =
        enveloped("user", "u1", None, json!({"isMeta": true, "message": {"content": "skill"}}));
    let side =
        enveloped("user", "u2", None, json!({"isSidechain": true, "message": {"content": "sub"}}));
    let queued = json!({"attachment": {"type": "queued_command", "prompt": "also b", "commandMode": "prompt"}});
    let notice = json!({"attachment": {"type": "queued_command", "prompt": "x", "commandMode": "task-notification"}});
    let hook =
        json!({"attachment": {"type": "hook_additional_context", "content": ["our memory"]}});
    let refused = "The user doesn't want to proceed. To tell you how to proceed, the user said:\nuse b instead";
    let (lines, read) = told_of(&file(&[
        meta,
        side,
        user("u3", None, json!("<command-name>/clear</command-name>")),
        user("u4", Some("u3"), json!([text("do a"), {"type": "image", "source": {}}])),
        enveloped("attachment", "x1", Some("u4"), queued),
        enveloped("attachment", "x2", Some("x1"), notice),
        enveloped("attachment", "x3", Some("x2"), hook),
        user("u5", Some("x3"), result("t1", json!(refused), true)),
    ]));
    assert_eq!(
        lines[..6],
        [
            "host: skill",
            "(aside) host: sub",
            "host: <command-name>/clear</command-name>",
            "person: do a",
            "person: also b",
            "host: x",
        ]
    );
    assert!(lines[6].starts_with("failure t1: The user"), "{lines:?}");
    assert_eq!(lines[7..], ["person: use b instead"]);
    assert_eq!(read.skipped["injected by a hook"], 1);
}

#[test]
fn what_our_own_tools_answer_is_left_out() {
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let (lines, read) = told_of(&file(&[
        user("u1", None, json!("which port?")),
        reply("a1", Some("u1"), "m1", call("t1", "mcp__nuthatch__memory_search", json!({})), 1),
        user("u2", Some("a1"), result("t1", json!("port 5433"), false)),
        reply(
            "a2",
            Some("u2"),
            "m2",
            call("t2", "Bash", json!({"command": "nuthatch recall port"})),
            1,
        ),
        user("u3", Some("a2"), result("t2", json!("port 5433"), false)),
    ]));
    assert!(!lines.iter().any(|line| line.starts_with("result")), "{lines:?}");
    assert_eq!(read.skipped["ours"], 2);
}

#[test]
fn a_branch_that_was_left_is_aside_and_tools_side_by_side_are_not() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {}});
    let (lines, _) = told_of(&file(&[
        user("u1", None, json!("begin")),
        reply("a1", Some("u1"), "m1", text("yes"), 1),
        user("u2", Some("a1"), json!("the wrong way")),
        reply("a2", Some("u2"), "m2", text("going wrong"), 1),
        user("u3", Some("a1"), json!("the right way")),
        reply("a3", Some("u3"), "m3", call("t1"), 1),
        reply("a4", Some("a3"), "m3", call("t2"), 1),
        user("u4", Some("a3"), result("t1", json!("one"), false)),
        user("u5", Some("a4"), result("t2", json!("two"), false)),
        reply("a5", Some("u5"), "m4", text("done"), 1),
    ]));
    let aside: Vec<&String> = lines.iter().filter(|line| line.starts_with("(aside)")).collect();
    assert_eq!(aside, ["(aside) person: the wrong way", "(aside) assistant: going wrong"]);
    assert_eq!(lines.len(), 10);
}

#[test]
fn what_was_said_before_a_chain_that_begins_anew_still_counts() {
    let (lines, _) = told_of(&file(&[
        user("u1", None, json!("one")),
        user("u2", Some("u1"), json!("two")),
        user("u3", Some("not in this file"), json!("three")),
        user("u4", Some("u3"), json!("four")),
    ]));
    assert_eq!(lines, ["person: one", "person: two", "person: three", "person: four"]);
}

#[test]
fn circles_of_parents_and_repeated_lines_end() {
    let (lines, read) = told_of(&file(&[
        user("u1", Some("u2"), json!("one")),
        user("u2", Some("u1"), json!("two")),
        user("u3", Some("u3"), json!("three")),
        user("u1", Some("u2"), json!("one")),
    ]));
    assert_eq!(lines.len(), 3);
    assert_eq!(read.skipped["repeated"], 1);
}

#[test]
fn compactions_are_summaries_and_what_was_before_is_still_told() {
    let boundary = |id: &str, before: &str| {
        enveloped(
            "system",
            id,
            None,
            json!({"subtype": "compact_boundary", "logicalParentUuid": before}),
        )
    };
    let sum = |id: &str, parent: &str| {
        let more = json!({"isCompactSummary": true, "message": {"content": "In short."}});
        enveloped("user", id, Some(parent), more)
    };
    let (lines, _) = told_of(&file(&[
        user("u1", None, json!("first")),
        boundary("b1", "u1"),
        sum("s1", "b1"),
        user("u2", Some("s1"), json!("second")),
        boundary("b2", "u2"),
        sum("s2", "b2"),
        user("u3", Some("s2"), json!("third")),
    ]));
    assert_eq!(
        lines,
        [
            "person: first",
            "summary: In short.",
            "person: second",
            "summary: In short.",
            "person: third"
        ]
    );
}

#[test]
fn broken_and_unknown_lines_are_counted_by_kind() {
    let good = user("u1", None, json!("hello"));
    let odd = json!({"type": "brand-new", "sessionId": ID});
    let block = user("u2", None, json!([{"type": "hologram"}]));
    let more = enveloped("attachment", "x", None, json!({"attachment": {"type": "new_thing"}}));
    let text =
        format!("{odd}\nnot json\n[1]\n{{}}\n{more}\n{block}\n{good}\n{{\"type\":\"user\",\"mess");
    let (lines, read) = told_of(&text);
    assert_eq!(lines, ["person: hello"]);
    let skipped: Vec<(&str, u64)> =
        read.skipped.iter().map(|(kind, n)| (kind.as_str(), *n)).collect();
    assert_eq!(
        skipped,
        [
            ("no type", 1),
            ("not an object", 1),
            ("not json", 1),
            ("unfinished line", 1),
            ("unknown attachment: new_thing", 1),
            ("unknown block: hologram", 1),
            ("unknown type: brand-new", 1),
        ]
    );
}

#[test]
fn a_line_longer_than_what_is_read_is_counted() {
    let long = user("u0", None, json!("x".repeat(17 << 20)));
    let (lines, read) = told_of(&file(&[long, user("u1", None, json!("hello"))]));
    assert_eq!(lines, ["person: hello"]);
    assert_eq!(read.skipped["line too long"], 1);
}

#[test]
fn a_live_file_is_followed_and_a_replaced_one_is_told_anew() {
    let home = Home::new();
    let all_lines = ordinary();
    let path = home.put(&name(), file(&all_lines[..4]));
    let reader = reader(&home);
    let (_, first) = all(&reader);
    let session = &reader.discover().sessions[0];
    assert!(session.is_unchanged_since(&first.watermark));
    home.put(&name(), file(&all_lines));
    let session = &reader.discover().sessions[0];
    assert!(!session.is_unchanged_since(&first.watermark));
    let (more, second) = told(&reader, session, &first.watermark);
    assert_eq!(lines(&more)[0], r#"call t1: Bash {"command":"ls"}"#);
    assert_eq!((more[0].seq, second.restarted), (2, false));
    fs::write(&path, file(&[user("u9", None, json!("y".repeat(9000)))])).unwrap();
    let session = &reader.discover().sessions[0];
    let (anew, third) = told(&reader, session, &second.watermark);
    assert_eq!((anew[0].seq, third.restarted, anew.len()), (0, true, 1));
}

#[test]
fn sub_agents_are_sessions_of_their_own_and_nobody_typed_there() {
    let home = Home::new();
    home.put(&name(), file(&ordinary()));
    let side = enveloped(
        "user",
        "s1",
        None,
        json!({"isSidechain": true, "message": {"content": "find it"}}),
    );
    home.put(&format!(".claude/projects/-tmp-repo/{ID}/subagents/agent-a1.jsonl"), file(&[side]));
    home.put(&format!(".claude/projects/-tmp-repo/{ID}/subagents/agent-a1.meta.json"), "{}");
    home.put(".claude/projects/-tmp-repo/notes.jsonl", "{}\n");
    home.put(".claude/projects/-tmp-repo/11111111-1111-4111-8111-111111111111.jsonl", "");
    let reader = reader(&home);
    let found = reader.discover();
    let ids: Vec<&str> = found.sessions.iter().map(|one| one.head.id.as_str()).collect();
    assert_eq!(ids, [ID, &format!("{ID}/agent-a1")]);
    assert_eq!(found.skipped["empty file"], 1);
    let (events, read) = told(&reader, &found.sessions[1], &Watermark::default());
    assert_eq!(lines(&events), ["host: find it"]);
    assert_eq!(read.head.parent.as_deref(), Some(ID));
}

#[test]
fn of_two_files_of_one_session_the_newer_counts() {
    let home = Home::new();
    let old = home.put(&name(), file(&ordinary()));
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    fs::File::options().append(true).open(&old).unwrap().set_modified(past).unwrap();
    let new = home.put(&format!(".claude/projects/-tmp-other/{ID}.jsonl"), file(&ordinary()));
    let found = reader(&home).discover();
    assert_eq!((found.sessions.len(), &found.sessions[0].path), (1, &new));
    assert_eq!(found.skipped["older copy of a session"], 1);
}

#[cfg(unix)]
#[test]
fn links_and_what_cannot_be_read_are_counted() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    home.put("elsewhere/x", "");
    fs::create_dir_all(home.path(".claude/projects")).unwrap();
    symlink(home.path(".claude"), home.path(".claude/projects/loop")).unwrap();
    symlink(home.path("nowhere"), home.path(".claude/projects/gone.jsonl")).unwrap();
    let found = reader(&home).discover();
    assert_eq!(found.skipped["link to a folder"], 1);
    assert_eq!(found.skipped["file not read: entity not found"], 1);
    let session = super::super::folder::located(
        "claude-code",
        ID.into(),
        home.path("gone"),
        &fs::metadata(home.folder()).unwrap(),
    );
    let error = reader(&home)
        .read(&session, &Watermark::default(), &mut |_| std::ops::ControlFlow::Continue(()));
    assert_eq!(error.unwrap_err().kind(), nuthatch::Kind::NotFound);
}
