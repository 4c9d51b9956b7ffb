//! Files of the other products that write lines: Gemini CLI, pi, Copilot CLI; and of aider.

use serde_json::{Value, json};

use super::super::{Aider, CopilotCli, GeminiCli, Own, Pi, Transcripts, Watermark};
use super::{Home, all, lines, survives_cuts, survives_cuts_anew, told};

const AT: &str = "2026-03-01T10:00:00.000Z";

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn told_by(
    reader: fn(&Home) -> Box<dyn Transcripts>,
    name: &str,
    text: &str,
) -> (Vec<String>, super::Read) {
    let home = Home::new();
    home.put(name, text);
    let (events, read) = all(&*reader(&home));
    (lines(&events), read)
}

fn gemini(home: &Home) -> Box<dyn Transcripts> {
    Box::new(GeminiCli::new(&home.environment()))
}

fn pi(home: &Home) -> Box<dyn Transcripts> {
    Box::new(Pi::new(&home.environment()))
}

fn copilot(home: &Home) -> Box<dyn Transcripts> {
    Box::new(CopilotCli::new(&home.environment()))
}

fn aider(home: &Home) -> Box<dyn Transcripts> {
    Box::new(Aider::new(&home.environment()))
}

const GEMINI: &str = ".gemini/tmp/repo/chats/session-2026-03-01T10-00-abcdef12.jsonl";

fn header() -> Value {
    json!({"sessionId": "g1", "projectHash": "x", "startTime": AT, "lastUpdated": AT, "kind": "main"})
}

fn message(id: &str, kind: &str, content: Value) -> Value {
    json!({"id": id, "timestamp": AT, "type": kind, "content": content})
}

fn gemini_lines() -> Vec<Value> {
    let call = json!([{"id": "c1", "name": "sh", "args": {"command": "ls"}, "status": "error",
        "result": [{"functionResponse": {"response": {"error": "no such"}}}]}]);
    let mut with_calls = message("m2", "gemini", json!(""));
    with_calls["toolCalls"] = call;
    with_calls["tokens"] = json!({"input": 5, "output": 2});
    vec![
        header(),
        message("m1", "user", json!([{"text": "list"}])),
        message("m2", "gemini", json!("")),
        json!({"$set": {"summary": "Files"}}),
        with_calls,
        message("m3", "user", json!("wrong way")),
        message("m4", "gemini", json!([{"thought": true, "text": "hm"}, {"text": "going"}])),
        json!({"$rewindTo": "m3"}),
        message("m5", "user", json!("/help")),
        message("m6", "info", json!("noted")),
        json!({"$set": {"messages": [message("m1", "user", json!("list")), message("m7", "gemini", json!("from a checkpoint"))]}}),
        message("m8", "user", json!("right way")),
    ]
}

#[test]
fn gemini_cut_at_any_byte_tells_the_complete_lines_before() {
    let home = Home::new();
    survives_cuts_anew(&*gemini(&home), GEMINI, &home, &file(&gemini_lines()));
}

#[test]
fn gemini_replaces_rewinds_and_sets() {
    let (lines, read) = told_by(gemini, GEMINI, &file(&gemini_lines()));
    assert_eq!(
        lines,
        [
            "person: list",
            r#"(aside) call c1: sh {"command":"ls"}"#,
            "(aside) failure c1: no such",
            "(aside) person: wrong way",
            "(aside) assistant: going",
            "(aside) host: /help",
            "assistant: from a checkpoint",
            "person: right way",
        ]
    );
    assert_eq!(read.head.title.as_deref(), Some("Files"));
}

#[test]
fn gemini_takes_everything_back_to_an_unknown_place() {
    let (lines, _) = told_by(
        gemini,
        GEMINI,
        &file(&[
            header(),
            message("m1", "user", json!("one")),
            json!({"$rewindTo": "nowhere"}),
            message("m2", "user", json!("two")),
            json!({"odd": 1}),
        ]),
    );
    assert_eq!(lines, ["(aside) person: one", "person: two"]);
}

#[test]
fn gemini_documents_are_read_and_the_newer_form_of_one_session_counts() {
    let home = Home::new();
    let document = json!({"sessionId": "g1", "projectHash": "x", "startTime": AT, "lastUpdated": AT,
        "messages": [message("m1", "user", json!("hello")), message("m2", "gemini", json!("hi"))]});
    let old = home.put(&GEMINI.replace(".jsonl", ".json"), document.to_string());
    home.put(".gemini/tmp/repo/.project_root", "/tmp/my repo\n");
    let reader = gemini(&home);
    let (events, read) = all(&*reader);
    assert_eq!(lines(&events), ["person: hello", "assistant: hi"]);
    assert_eq!(read.head.folder.as_deref(), Some("/tmp/my repo"));
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    std::fs::File::options().append(true).open(&old).unwrap().set_modified(past).unwrap();
    let new = home.put(GEMINI, file(&[header(), message("m1", "user", json!("hello"))]));
    assert_eq!(reader.discover().sessions[0].path, new);
    std::fs::remove_file(&new).unwrap();
    home.put(&GEMINI.replace(".jsonl", ".json"), &document.to_string()[..60]);
    let found = reader.discover();
    for session in &found.sessions {
        assert!(told(&*reader, session, &Watermark::default()).0.is_empty());
    }
}

const PI: &str = ".pi/agent/sessions/--tmp-repo--/2026-03-01T10-00-00_p1.jsonl";

fn entry(id: &str, parent: Option<&str>, message: Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": AT, "message": message})
}

fn pi_lines() -> Vec<Value> {
    let text =
        |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    let call = json!({"role": "assistant", "model": "m", "usage": {"input": 4, "output": 2}, "content": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}]});
    vec![
        json!({"type": "session", "version": 3, "id": "p1", "timestamp": AT, "cwd": "/tmp/repo"}),
        entry("e1", None, text("user", "list")),
        entry("e2", Some("e1"), call),
        entry(
            "e3",
            Some("e2"),
            json!({"role": "toolResult", "toolCallId": "t1", "isError": true, "content": [{"type": "text", "text": "no"}]}),
        ),
        entry("e4", Some("e3"), text("user", "left")),
        entry("e5", Some("e3"), text("user", "kept")),
        json!({"type": "compaction", "id": "e6", "parentId": "e5", "timestamp": AT, "summary": "In short."}),
        entry(
            "e7",
            Some("e6"),
            json!({"role": "bashExecution", "command": "make", "output": "bad", "exitCode": 2, "timestamp": 7}),
        ),
        entry("e8", Some("e7"), text("custom", "a hook")),
        json!({"type": "session_info", "id": "e9", "parentId": "e8", "timestamp": AT, "name": "Files"}),
    ]
}

#[test]
fn pi_is_a_tree_and_its_leaf_counts() {
    let (lines, read) = told_by(
        pi,
        PI,
        &(file(&pi_lines()) + "nonsense\n{\"type\":\"future\",\"id\":\"x\",\"parentId\":\"e9\"}\n"),
    );
    assert_eq!(
        lines,
        [
            "person: list",
            r#"call t1: bash {"command":"ls"}"#,
            "failure t1: no",
            "(aside) person: left",
            "person: kept",
            "summary: In short.",
            "call bash-7: bash make",
            "failure bash-7: bad",
            "host: a hook",
        ]
    );
    assert_eq!(read.head.title.as_deref(), Some("Files"));
    assert_eq!((read.skipped["not json"], read.skipped["unknown type: future"]), (1, 1));
}

#[test]
fn pi_cut_at_any_byte_tells_the_complete_lines_before() {
    let home = Home::new();
    survives_cuts(&*pi(&home), PI, &home, &file(&pi_lines()));
}

const COPILOT: &str = ".copilot/session-state/c1/events.jsonl";

fn happened(kind: &str, data: Value) -> Value {
    json!({"type": kind, "data": data, "id": "x", "timestamp": AT, "parentId": null})
}

fn copilot_lines() -> Vec<Value> {
    vec![
        happened(
            "session.start",
            json!({"sessionId": "c1", "context": {"cwd": "/tmp/repo", "branch": "main"}}),
        ),
        happened("system.message", json!({"content": "You are …"})),
        happened(
            "user.message",
            json!({"content": "list", "transformedContent": "<current_datetime>x</current_datetime>list"}),
        ),
        happened("user.message", json!({"content": "", "source": "system"})),
        happened("user.message", json!({"content": "be good", "source": "instruction-discovery"})),
        happened(
            "assistant.message",
            json!({"content": "I look.", "model": "g", "outputTokens": 4, "toolRequests": [{"toolCallId": "t1"}]}),
        ),
        happened(
            "tool.execution_start",
            json!({"toolCallId": "t1", "toolName": "shell", "arguments": {"command": "ls"}}),
        ),
        happened(
            "tool.execution_complete",
            json!({"toolCallId": "t1", "success": false, "result": {"content": "no"}}),
        ),
        happened(
            "assistant.message",
            json!({"content": "in a sub-agent", "parentToolCallId": "t9"}),
        ),
        happened("session.compaction_complete", json!({"summaryContent": "In short."})),
        happened("telepathy", json!({})),
    ]
}

#[test]
fn copilot_names_who_put_words_into_the_users_mouth() {
    let (lines, read) = told_by(copilot, COPILOT, &file(&copilot_lines()));
    assert_eq!(
        lines,
        [
            "person: list",
            "host: be good",
            "assistant: I look.",
            r#"call t1: shell {"command":"ls"}"#,
            "failure t1: no",
            "(aside) assistant: in a sub-agent",
            "summary: In short.",
        ]
    );
    assert_eq!(read.skipped["unknown type: telepathy"], 1);
    assert_eq!((read.head.id.as_str(), read.head.branch.as_deref()), ("c1", Some("main")));
}

#[test]
fn copilot_cut_at_any_byte_tells_the_complete_lines_before() {
    let home = Home::new();
    survives_cuts(&*copilot(&home), COPILOT, &home, &file(&copilot_lines()));
}

const AIDER: &str = "project/.aider.chat.history.md";

#[test]
fn aider_cut_at_any_byte_tells_the_complete_lines_before() {
    let home = Home::new();
    let text = "\n# aider chat started at 2026-03-01 10:00:00\n\n> Aider v0.50\n\n\
        #### add a retry  \n#### to the webhook  \n\nI'll do that.\n\n#### Step 1\n\nA loop.\n\n\
        > Tokens: 2k sent\n\n#### /ask why so?  \n\nBecause of the näme.\n";
    survives_cuts_anew(&*aider(&home), AIDER, &home, text);
}

#[test]
fn aider_writes_down_twice_what_follows_a_command() {
    let home = Home::new();
    let text = "# aider chat started at 2026-03-01 10:00:00\n\n#### /ask why so?  \n\n\
        ####  why so?  \n\nBecause.\n\n#### why so?  \n\nAs I said.\n\n\
        #### /help with keys  \n\n#### # Question: with keys  \n#### # Relevant docs:  \n\nHere.\n";
    home.put(AIDER, text);
    assert_eq!(
        lines(&all(&*aider(&home)).0),
        [
            "person: why so?",
            "assistant: Because.",
            "person: why so?",
            "assistant: As I said.",
            "person: with keys",
            "host: # Question: with keys\n# Relevant docs:",
            "assistant: Here.",
        ]
    );
}

#[test]
fn aider_keeps_many_sessions_in_one_file() {
    let home = Home::new();
    home.put("project/.aider.chat.history.md", "\n# aider chat started at 2026-03-01 10:00:00\n\n\
        > Aider v0.50\n\n#### add a retry  \n#### to the webhook  \n\nI'll do that.\n\n#### Step 1\n\nA loop.\n\n\
        > Tokens: 2k sent\n\n#### /add a.rs  \n\n#### /ask why so?  \n\nBecause.\n\n\
        # aider chat started at 2026-03-01 11:00:00\n\n#### # Fix any errors below, if possible.  \n#### a.rs:1  \n");
    let reader = aider(&home);
    let found = reader.discover();
    assert_eq!(found.sessions.len(), 2);
    let (first, read) = told(&*reader, &found.sessions[0], &Watermark::default());
    assert_eq!(
        lines(&first),
        [
            "person: add a retry\nto the webhook",
            "assistant: I'll do that.\n\n#### Step 1\n\nA loop.",
            "host: /add a.rs",
            "person: why so?",
            "assistant: Because.",
        ]
    );
    assert_eq!(read.head.title.as_deref(), Some("add a retry to the webhook"));
    assert!(found.sessions[0].is_unchanged_since(&read.watermark));
    let (second, _) = told(&*reader, &found.sessions[1], &Watermark::default());
    assert_eq!(lines(&second), ["host: # Fix any errors below, if possible.\na.rs:1"]);
}

#[test]
fn our_own_chats_keep_their_places_when_the_first_are_gone() {
    let home = Home::new();
    let one = |second: u64| json!({"goal": format!("ask {second}"), "plan": "", "output": "answer", "timestamp": format!("2026-03-01T10:00:0{second}Z")});
    let name = "project/.nuthatch/_internals/sessions/monday/history.json";
    let history = |from: u64| {
        json!({"session_id": "monday", "agent_id": "a", "interactions": [one(from), one(from + 1)]})
            .to_string()
    };
    home.put(name, history(1));
    let reader = Own::new(&home.environment());
    let (before, _) = all(&reader);
    home.put(name, history(2));
    let (after, read) = all(&reader);
    assert_eq!(
        lines(&before),
        ["person: ask 1", "assistant: answer", "person: ask 2", "assistant: answer"]
    );
    assert_eq!((before[2].seq, &before[2].what), (after[0].seq, &after[0].what));
    assert!(read.head.id.starts_with("nuthatch:") && read.head.id.ends_with(":monday"));
    home.put(name, "{");
    assert_eq!(all(&reader).1.skipped["not json"], 1);
}
