//! Sessions as Claude Code leaves them, of any age.

use std::fs::{self, File};
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
    let path = folder.join(format!("{id}.jsonl"));
    fs::write(&path, lines).unwrap();
    let at = SystemTime::now() - Duration::from_secs(age);
    File::options().write(true).open(&path).unwrap().set_modified(at).unwrap();
}

fn answer() -> Value {
    json!([{"type": "text", "text": "All right."}])
}
