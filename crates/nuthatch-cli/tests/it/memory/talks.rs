//! Sessions as Claude Code and Codex leave them, of any age.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Seconds.
pub(crate) const HOUR: u64 = 3600;
pub(crate) const DAY: u64 = 24 * HOUR;

/// Writes a session in which a person said this, last touched so many seconds ago.
pub(crate) fn session(sandbox: &Sandbox, number: u64, age: u64, texts: &[&str]) {
    let id = format!("00000000-0000-4000-8000-{number:012}");
    let folder = sandbox.home().join(".claude/projects/work");
    fs::create_dir_all(&folder).unwrap();
    let mut lines = String::new();
    let mut parent = Value::Null;
    for (place, text) in texts.iter().enumerate() {
        for (kind, content) in [("user", json!(text)), ("assistant", answer())] {
            let uuid = format!("{kind}-{place}");
            let line = json!({
                "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id,
                "timestamp": "2026-01-05T10:00:00.000Z", "cwd": sandbox.work(),
                "message": {"role": kind, "id": format!("m{place}"), "content": content},
            });
            lines.push_str(&format!("{line}\n"));
            parent = json!(uuid);
        }
    }
    write(&folder.join(format!("{id}.jsonl")), &lines, age);
}

/// The same as Codex writes it.
pub(crate) fn codex_session(sandbox: &Sandbox, number: u64, age: u64, texts: &[&str]) {
    let id = format!("00000000-0000-4000-8000-{number:012}");
    let folder = sandbox.home().join(".codex/sessions/2026/01/05");
    fs::create_dir_all(&folder).unwrap();
    let line = |kind: &str, payload: Value| {
        format!(
            "{}\n",
            json!({"timestamp": "2026-01-05T10:00:00.000Z", "type": kind, "payload": payload})
        )
    };
    let meta = json!({"id": id, "timestamp": "2026-01-05T10:00:00.000Z", "cwd": sandbox.work(),
        "originator": "codex_cli_rs", "cli_version": "0.60.0", "source": "cli"});
    let mut lines = line("session_meta", meta);
    for text in texts {
        for (role, kind, text) in
            [("user", "input_text", *text), ("assistant", "output_text", "All right.")]
        {
            let content = json!([{"type": kind, "text": text}]);
            lines.push_str(&line(
                "response_item",
                json!({"type": "message", "role": role, "content": content}),
            ));
        }
    }
    write(&folder.join(format!("rollout-2026-01-05T10-00-00-{id}.jsonl")), &lines, age);
}

fn write(path: &Path, lines: &str, age: u64) {
    fs::write(path, lines).unwrap();
    let at = SystemTime::now() - Duration::from_secs(age);
    File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

fn answer() -> Value {
    json!([{"type": "text", "text": "All right."}])
}
