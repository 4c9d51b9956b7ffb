//! Sessions in databases and in many small files: OpenCode and goose.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::super::{Goose, OpenCode, Transcripts as _, Watermark};
use super::{Home, all, lines, told};

const MESSAGES: &[&str] = &[
    "person: list",
    "host: Called the Read tool",
    r#"call c1: bash {"command":"ls"}"#,
    "failure c1: no",
    "assistant: It failed.",
];

/// Ids, messages and parts of one session.
fn opencode_messages() -> Vec<(Value, Vec<Value>)> {
    let state = json!({"status": "completed", "input": {"command": "ls"}, "output": "no", "metadata": {"exit": 1}});
    vec![
        (
            json!({"id": "msg_1", "role": "user", "time": {"created": 1_772_359_200_000_i64}}),
            vec![
                json!({"id": "prt_1", "type": "text", "text": "list"}),
                json!({"id": "prt_2", "type": "text", "synthetic": true, "text": "Called the Read tool"}),
            ],
        ),
        (
            json!({"id": "msg_2", "role": "assistant", "modelID": "m", "tokens": {"input": 5, "output": 2}, "time": {"created": 1_772_359_201_000_i64}}),
            vec![
                json!({"id": "prt_3", "type": "step-start"}),
                json!({"id": "prt_4", "type": "reasoning", "text": "hm"}),
                json!({"id": "prt_5", "type": "tool", "callID": "c1", "tool": "bash", "state": state}),
                json!({"id": "prt_6", "type": "text", "text": "It failed."}),
            ],
        ),
    ]
}

fn opencode_database(home: &Home) -> Connection {
    let folder = home.path(".local/share/opencode");
    fs::create_dir_all(&folder).unwrap();
    let database = Connection::open(folder.join("opencode.db")).unwrap();
    database.pragma_update(None, "journal_mode", "wal").unwrap();
    database
        .execute_batch(
            "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
                 time_created INTEGER, time_updated INTEGER, revert TEXT);
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
             CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, data TEXT);
             INSERT INTO session VALUES ('ses_1', NULL, '/tmp/repo', 'Files', 1772359200000, 1772359201000, NULL);",
        )
        .unwrap();
    database
}

#[test]
fn opencode_rows_are_read_while_somebody_writes() {
    let home = Home::new();
    let database = opencode_database(&home);
    for (message, parts) in opencode_messages() {
        let id = message["id"].as_str().unwrap();
        database
            .execute("INSERT INTO message VALUES (?1, 'ses_1', ?2)", (id, message.to_string()))
            .unwrap();
        for part in parts {
            let part_id = part["id"].as_str().unwrap();
            database
                .execute(
                    "INSERT INTO part VALUES (?1, ?2, 'ses_1', ?3)",
                    (part_id, id, part.to_string()),
                )
                .unwrap();
        }
    }
    let reader = OpenCode::new(&home.environment());
    // A writer in the middle of a transaction holds nobody up.
    database.execute_batch("BEGIN IMMEDIATE; UPDATE session SET title = 'later';").unwrap();
    let (events, read) = all(&reader);
    assert_eq!(lines(&events), MESSAGES);
    assert_eq!(events[4].usage.unwrap().output_tokens, 2);
    assert_eq!(
        (read.head.title.as_deref(), read.head.folder.as_deref()),
        (Some("Files"), Some("/tmp/repo"))
    );
    assert!(reader.discover().sessions[0].is_unchanged_since(&read.watermark));
    database.execute_batch("COMMIT; UPDATE session SET time_updated = 1772359209000, revert = '{\"messageID\":\"msg_2\"}';").unwrap();
    let session = reader.discover().sessions.remove(0);
    assert!(!session.is_unchanged_since(&read.watermark));
    let (again, read) = told(&reader, &session, &read.watermark);
    assert!(again[4].aside && !again[0].aside && read.restarted);
}

#[test]
fn opencode_rows_of_the_newer_table_are_read_where_the_older_is_empty() {
    let home = Home::new();
    let database = opencode_database(&home);
    let tool = json!({"type": "tool", "callID": "c1", "name": "bash", "state": {"status": "error", "input": {}, "error": "no"}});
    let rows = [
        ("user", json!({"text": "list"})),
        (
            "assistant",
            json!({"content": [{"type": "text", "text": "I look."}, tool, {"type": "reasoning"}]}),
        ),
        ("model-switched", json!({})),
        ("hologram", json!({})),
    ];
    for (seq, (kind, data)) in rows.into_iter().enumerate() {
        let sql = "INSERT INTO session_message VALUES (?1, 'ses_1', ?2, ?3, ?4)";
        database.execute(sql, (format!("m{seq}"), kind, seq as i64, data.to_string())).unwrap();
    }
    let (events, read) = all(&OpenCode::new(&home.environment()));
    assert_eq!(
        lines(&events),
        ["person: list", "assistant: I look.", "call c1: bash {}", "failure c1: no"]
    );
    assert_eq!(read.skipped["unknown type: hologram"], 1);
}

fn put_storage(home: &Home, root: &str, session: &str, by_message: bool) {
    let info = json!({"id": "ses_1", "directory": "/tmp/repo", "title": "Files", "time": {"created": 1_772_359_200_000_i64, "updated": 1_772_359_201_000_i64}});
    home.put(&format!("{root}/{session}"), info.to_string());
    let base = if by_message { root.to_owned() } else { format!("{root}/session") };
    for (nth, (message, parts)) in opencode_messages().into_iter().enumerate() {
        home.put(&format!("{base}/message/ses_1/msg_{nth}.json"), message.to_string());
        for mut part in parts {
            let (id, message) =
                (part["id"].as_str().unwrap().to_owned(), message["id"].as_str().unwrap());
            part["messageID"] = json!(message);
            let folder = if by_message { format!("{message}/") } else { String::new() };
            home.put(&format!("{base}/part/{folder}{id}.json"), part.to_string());
        }
    }
}

#[test]
fn opencode_files_of_both_older_layouts_and_exports_say_the_same() {
    let home = Home::new();
    put_storage(&home, ".local/share/opencode/storage", "session/proj/ses_1.json", true);
    assert_eq!(lines(&all(&OpenCode::new(&home.environment())).0), MESSAGES);

    let home = Home::new();
    put_storage(&home, ".local/share/opencode/project/x/storage", "session/info/ses_1.json", false);
    assert_eq!(lines(&all(&OpenCode::new(&home.environment())).0), MESSAGES);

    let home = Home::new();
    let messages: Vec<Value> = opencode_messages()
        .into_iter()
        .map(|(info, parts)| json!({"info": info, "parts": parts}))
        .collect();
    let export = json!({"info": {"id": "ses_1", "directory": "/tmp/repo", "time": {}}, "messages": messages});
    let path = home.put("export.json", export.to_string());
    let reader = OpenCode::new(&home.environment());
    let session = reader.at(&path).sessions.remove(0);
    assert_eq!(lines(&told(&reader, &session, &Watermark::default()).0), MESSAGES);
}

#[test]
fn databases_that_are_none_are_counted() {
    let home = Home::new();
    home.put(".local/share/opencode/opencode.db", "not a database, but a text that is long enough");
    home.put(".local/share/goose/sessions/sessions.db", "");
    assert_eq!(OpenCode::new(&home.environment()).discover().skipped["database not understood"], 1);
    assert_eq!(Goose::new(&home.environment()).discover().skipped["database not understood"], 1);
}

#[test]
fn a_damaged_database_is_counted_and_never_more_than_that() {
    let home = Home::new();
    let place = ".local/share/goose/sessions/sessions.db";
    fs::create_dir_all(home.path(place).parent().unwrap()).unwrap();
    let database = Connection::open(home.path(place)).unwrap();
    database
        .execute_batch(
            "CREATE TABLE sessions (id TEXT, name TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);
             CREATE TABLE messages (message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);
             INSERT INTO sessions VALUES ('20260301_1', 'Files', '/tmp/repo', '2026-03-01 10:00:00', '2026-03-01 10:00:09');",
        )
        .unwrap();
    for n in 0..40 {
        let said = json!([{"type": "text", "text": format!("message {n} {}", "x".repeat(300))}]);
        let sql = "INSERT INTO messages VALUES ('x', '20260301_1', 'user', ?1, ?2, NULL)";
        database.execute(sql, (said.to_string(), n)).unwrap();
    }
    drop(database);
    let whole = fs::read(home.path(place)).unwrap();
    let reader = Goose::new(&home.environment());
    let everything = lines(&all(&reader).0);
    let cut = (0..whole.len()).step_by(509).map(|end| whole[..end].to_vec());
    let flipped = (0..whole.len()).step_by(251).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        bytes
    });
    let mut damaged = 0;
    for bytes in cut.chain(flipped) {
        home.put(place, &bytes);
        let found = reader.discover();
        damaged += found.skipped.get("database not understood").copied().unwrap_or_default();
        for session in &found.sessions {
            let mut events = Vec::new();
            let read = reader.read(session, &Watermark::default(), &mut |event| {
                events.push(event);
                std::ops::ControlFlow::Continue(())
            });
            assert!(events.len() <= everything.len(), "{} events", events.len());
            damaged += u64::from(read.is_err());
        }
    }
    assert!(damaged > 0, "none of it was noticed");
    home.put(place, &whole);
    assert_eq!(lines(&all(&reader).0), everything);
}

#[test]
fn goose_rows_and_its_older_files_say_the_same() {
    let call = json!({"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": {"name": "developer__shell", "arguments": {"command": "ls"}}}});
    let answer = json!({"type": "toolResponse", "id": "c1", "toolResult": {"status": "error", "error": "no"}});
    let said = |text: &str| json!({"type": "text", "text": text});
    let messages = [
        ("user", json!([said("list")]), true),
        ("user", json!([said("a note to the model")]), false),
        ("assistant", json!([said("I look."), call]), true),
        ("user", json!([answer]), true),
    ];
    let expected = [
        "person: list",
        "host: a note to the model",
        "assistant: I look.",
        r#"call c1: developer__shell {"command":"ls"}"#,
        "failure c1: no",
    ];

    let home = Home::new();
    let folder = home.path(".local/share/goose/sessions");
    fs::create_dir_all(&folder).unwrap();
    let database = Connection::open(folder.join("sessions.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE sessions (id TEXT, name TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);
             CREATE TABLE messages (message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);
             INSERT INTO sessions VALUES ('20260301_1', 'Files', '/tmp/repo', '2026-03-01 10:00:00', '2026-03-01 10:00:09');",
        )
        .unwrap();
    for (at, (role, content, visible)) in messages.iter().enumerate() {
        let metadata = json!({"userVisible": visible, "agentVisible": true}).to_string();
        let sql = "INSERT INTO messages VALUES ('x', '20260301_1', ?1, ?2, ?3, ?4)";
        database
            .execute(sql, (role, content.to_string(), 1_772_359_200 + at as i64, metadata))
            .unwrap();
    }
    let (events, read) = all(&Goose::new(&home.environment()));
    assert_eq!(lines(&events), expected);
    assert_eq!(read.head.id, "goose:20260301_1");
    assert_eq!(read.head.started_at.unwrap().to_string(), "2026-03-01T10:00:00Z");

    let home = Home::new();
    let mut text = json!({"working_dir": "/tmp/repo", "description": "Files"}).to_string() + "\n";
    for (role, content, visible) in &messages {
        let metadata = json!({"userVisible": visible});
        text += &(json!({"role": role, "created": 1_772_359_200, "content": content, "metadata": metadata}).to_string() + "\n");
    }
    home.put(".local/share/goose/sessions/20250301_1.jsonl", text);
    assert_eq!(lines(&all(&Goose::new(&home.environment())).0), expected);
}
