//! Events as every product documents them, answers as their schemas allow them, and what
//! sessions and the log keep.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::*;
use crate::Agent;

/// Events as each product documents them: who says it, the event, what it means.
fn said() -> Vec<(Agent, Value, Moment)> {
    let claude = |name: &str, more: Value| {
        merged(
            json!({"session_id": "s", "transcript_path": "/h/.claude/projects/p/s.jsonl",
            "cwd": "/w", "permission_mode": "default", "hook_event_name": name}),
            &more,
        )
    };
    let codex = |name: &str, more: Value| {
        merged(
            json!({"session_id": "s", "transcript_path": null, "cwd": "/w", "model": "m",
            "permission_mode": "default", "turn_id": "t", "hook_event_name": name}),
            &more,
        )
    };
    let gemini = |name: &str, more: Value| {
        merged(
            json!({"session_id": "s", "transcript_path": "/h/.gemini/x.jsonl", "cwd": "/w",
            "timestamp": "2026-01-02T03:04:05Z", "hook_event_name": name}),
            &more,
        )
    };
    let cursor = |name: &str, more: Value| {
        merged(
            json!({"conversation_id": "s", "generation_id": "g", "model": "m",
            "hook_event_name": name, "cursor_version": "2.0", "workspace_roots": ["/w"],
            "user_email": null}),
            &more,
        )
    };
    let code = |name: &str, more: Value| {
        merged(
            json!({"sessionId": "s", "hookEventName": name, "cwd": "/w",
            "timestamp": "2026-01-02T03:04:05Z", "transcript_path": "/x.json"}),
            &more,
        )
    };
    let prompt = || json!({"prompt": " which port? "});
    let asked = || Moment::Prompt("which port?".to_owned());
    use Agent::{ClaudeCode, Codex, Cursor, GeminiCli, VsCode};
    vec![
        (ClaudeCode, claude("SessionStart", json!({"source": "startup"})), Moment::Start),
        (ClaudeCode, claude("SessionStart", json!({"source": "clear"})), Moment::Start),
        (ClaudeCode, claude("SessionStart", json!({"source": "resume"})), Moment::Resume),
        (ClaudeCode, claude("SessionStart", json!({"source": "compact"})), Moment::Compacted),
        (ClaudeCode, claude("UserPromptSubmit", prompt()), asked()),
        (
            ClaudeCode,
            claude("UserPromptSubmit", json!({"prompt": "x", "source": "loop_wakeup"})),
            Moment::Other,
        ),
        (ClaudeCode, claude("UserPromptSubmit", json!({"prompt": "/compact"})), Moment::Other),
        (ClaudeCode, claude("PreCompact", json!({"trigger": "auto"})), Moment::Compacting),
        (ClaudeCode, claude("Stop", json!({"stop_hook_active": false})), Moment::Stop),
        (ClaudeCode, claude("SessionEnd", json!({"reason": "clear"})), Moment::End),
        (ClaudeCode, claude("PreToolUse", json!({"tool_name": "Bash"})), Moment::Other),
        (Codex, codex("SessionStart", json!({"source": "startup"})), Moment::Start),
        (Codex, codex("UserPromptSubmit", prompt()), asked()),
        (Codex, codex("PreCompact", json!({"trigger": "auto"})), Moment::Compacting),
        (Codex, codex("Stop", json!({"last_assistant_message": "ok"})), Moment::Stop),
        (Codex, codex("SessionEnd", json!({"reason": "exit"})), Moment::End),
        (GeminiCli, gemini("SessionStart", json!({"source": "startup"})), Moment::Start),
        (GeminiCli, gemini("BeforeAgent", prompt()), asked()),
        (GeminiCli, gemini("PreCompress", json!({"trigger": "auto"})), Moment::Compacting),
        (GeminiCli, gemini("AfterAgent", json!({"prompt_response": "ok"})), Moment::Stop),
        (GeminiCli, gemini("SessionEnd", json!({"reason": "exit"})), Moment::End),
        (Cursor, cursor("sessionStart", json!({})), Moment::Start),
        (Cursor, cursor("beforeSubmitPrompt", prompt()), asked()),
        (Cursor, cursor("preCompact", json!({})), Moment::Compacting),
        (Cursor, cursor("stop", json!({"status": "completed"})), Moment::Stop),
        (Cursor, cursor("sessionEnd", json!({})), Moment::End),
        (VsCode, code("SessionStart", json!({"source": "new"})), Moment::Start),
        (VsCode, code("UserPromptSubmit", prompt()), asked()),
        (VsCode, code("PreCompact", json!({"trigger": "auto"})), Moment::Compacting),
        (VsCode, code("Stop", json!({"stop_hook_active": false})), Moment::Stop),
    ]
}

fn merged(mut value: Value, more: &Value) -> Value {
    for (key, more) in more.as_object().unwrap() {
        value[key] = more.clone();
    }
    value
}

#[test]
fn every_product_is_understood_and_recognised() {
    for (agent, value, moment) in said() {
        let event = understand(value.to_string().as_bytes(), None).unwrap();
        assert_eq!((event.agent, &event.moment), (agent, &moment), "{value}");
        assert_eq!(event.session.as_deref(), Some("s"), "{value}");
        assert_eq!(event.folder.as_deref(), Some(std::path::Path::new("/w")), "{value}");
        let named = understand(value.to_string().as_bytes(), Some(Agent::OpenCode)).unwrap();
        assert_eq!(named.agent, Agent::OpenCode);
    }
}

/// An answer that its product takes: silence where that is one, otherwise what its schema says.
fn assert_valid(event: &Event, text: &str) {
    if text.is_empty() {
        assert!(matches!(event.agent, Agent::ClaudeCode | Agent::Codex | Agent::VsCode));
        return;
    }
    let value: Value = serde_json::from_str(text).unwrap();
    let wrong = schemas::complaints(&schemas::schema(event), &value, "");
    assert!(wrong.is_empty(), "{} of {}: {wrong:?} in {text}", event.name, event.agent);
}

#[test]
fn answers_are_what_the_schemas_allow_with_context_and_without() {
    let long = "x".repeat(MOST_CHARS + 1);
    for (agent, value, moment) in said() {
        let event = understand(value.to_string().as_bytes(), Some(agent)).unwrap();
        for context in ["", " \n", "- [core] port 5433 \"quoted\"\n</memory>", &long] {
            let text = answer(&event, context);
            assert_valid(&event, &text);
            let begins = matches!(moment, Moment::Start | Moment::Resume | Moment::Compacted);
            let carries = begins || (matches!(moment, Moment::Prompt(_)) && agent != Agent::Cursor);
            let given = carries && context.starts_with('-');
            assert_eq!(text.contains("5433"), given, "{agent} {} {text}", event.name);
        }
    }
}

#[test]
fn what_is_no_event_is_an_error_without_its_content() {
    let secret = "do-not-repeat";
    for bytes in [
        &b""[..],
        b"  \n",
        b"null",
        b"[]",
        b"3",
        b"{}",
        b"{\"hook_event_name\": 3}",
        b"{\"hook_event_name\": \"Stop\"",
        b"\xff\xfe",
        b"{\"x\": do-not-repeat}",
    ] {
        let error = understand(bytes, None).unwrap_err();
        assert!(!error.to_string().contains(secret), "{error}");
    }
    assert_eq!(nothing(None), "");
    assert_eq!(nothing(Some(Agent::GeminiCli)), "{}");
    let strange = json!({"hook_event_name": "Stop", "session_id": 5, "cwd": null, "prompt": []});
    assert_eq!(understand(strange.to_string().as_bytes(), None).unwrap().session, None);
}

#[test]
fn a_session_is_remembered_bounded_and_swept() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(folder.path().join("sessions"));
    assert_eq!(sessions.find("../../etc/passwd"), Given::default());
    let mut given = Given::default();
    given.add((0..600).map(|n| n.to_string()));
    given.add(["599".to_owned()]);
    assert_eq!((given.ids.len(), given.ids[0].as_str()), (500, "100"));
    sessions.keep("../../etc/passwd", &given).unwrap();
    assert_eq!(sessions.find("../../etc/passwd"), given);
    assert_eq!(sessions.find("another"), Given::default());
    let now = SystemTime::now();
    sessions.sweep(now);
    assert_eq!(sessions.find("../../etc/passwd"), given);
    sessions.sweep(now + Duration::from_secs(31 * 24 * 60 * 60));
    assert_eq!(sessions.find("../../etc/passwd"), Given::default());
    for n in 0..1010 {
        sessions.keep(&n.to_string(), &given).unwrap();
    }
    sessions.sweep(now);
    assert_eq!(std::fs::read_dir(folder.path().join("sessions")).unwrap().count(), 1000);
}

#[test]
fn a_session_whose_file_is_rubbish_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(folder.path().to_owned());
    sessions.keep("s", &Given { ids: vec!["a".to_owned()], compacted: true }).unwrap();
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    for rubbish in [&b"{"[..], b"", b"\xff", b"[1]"] {
        std::fs::write(&file, rubbish).unwrap();
        assert_eq!(sessions.find("s"), Given::default());
    }
}

#[test]
fn a_log_keeps_the_latest_and_stays_small() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::at(folder.path().join("a/log.jsonl"));
    assert_eq!(log.troubles(), []);
    for n in 0..2000 {
        let trouble = Trouble {
            at: "2026-01-02T03:04:05Z".to_owned(),
            agent: Some("codex".to_owned()),
            event: None,
            reason: format!("number {n}"),
        };
        log.note(&trouble).unwrap();
    }
    let troubles = log.troubles();
    assert_eq!(troubles.last().unwrap().reason, "number 1999");
    assert!(std::fs::metadata(log.path()).unwrap().len() <= 64 * 1024);
    assert!(troubles.len() > 200);
}
