//! What must hold for every file that somebody calls a session. Shared by the fuzz targets and
//! the test that runs their corpora.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use nuthatch::transcript::{Event, What};
use nuthatch_sources::transcripts::{Environment, Located, Read, Transcripts, Watermark, readers};

/// A reader, and the file that it would find in a home folder.
const PLACES: &[(&str, &str)] = &[
    ("claude-code", ".claude/projects/p/00000000-0000-4000-8000-000000000000.jsonl"),
    (
        "codex",
        ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-00000000-0000-4000-8000-000000000000.jsonl",
    ),
    ("gemini-cli", ".gemini/tmp/p/chats/session-2026-03-01T10-00-abcdef12.jsonl"),
    ("opencode", ".local/share/opencode/storage/session/p/ses_1.json"),
    ("pi", ".pi/agent/sessions/p/2026_p1.jsonl"),
    ("goose", ".local/share/goose/sessions/20260301_1.jsonl"),
    ("aider", ".aider.chat.history.md"),
    ("copilot-cli", ".copilot/session-state/c1/events.jsonl"),
    ("nuthatch", "project/.nuthatch/_internals/sessions/monday/history.json"),
];

/// Longest text of an event, with the note of what was cut.
const LONGEST: usize = 4 * 100_100;

/// Whatever a file says, reading ends, is the same twice, and is bounded; places grow; going on
/// from a watermark at the end tells nothing anew in a file of lines.
pub fn reader(agent: &str, input: &[u8]) {
    let home = Home::new();
    let place = PLACES.iter().find(|(name, _)| *name == agent).expect("a known agent").1;
    home.put(place, input);
    if agent == "opencode" {
        // The same bytes in every place where this product has some.
        home.put(".local/share/opencode/storage/message/ses_1/msg_1.json", input);
        home.put(".local/share/opencode/storage/part/msg_1/prt_1.json", input);
        home.put(".local/share/opencode/opencode.db", input);
        home.put("export.json", input);
    }
    if agent == "codex" {
        home.put(&format!("{}.zst", place.replace("0000.jsonl", "0001.jsonl")), input);
    }
    if agent == "gemini-cli" {
        home.put(&place.replace(".jsonl", ".json"), input);
    }
    let environment = Environment {
        home: Some(home.0.clone()),
        projects: vec![home.0.join("project")],
        ..Environment::default()
    };
    let reader = readers(&environment).into_iter().find(|reader| reader.agent() == agent);
    let reader = reader.expect("a known agent");
    let mut found = reader.discover().sessions;
    found.extend(reader.at(&home.0.join("export.json")).sessions);
    for session in &found {
        check(&*reader, session);
    }
}

fn check(reader: &dyn Transcripts, session: &Located) {
    let Some((events, read)) = told(reader, session, &Watermark::default()) else { return };
    let again =
        told(reader, session, &Watermark::default()).expect("readable once, readable twice");
    assert_eq!(events, again.0, "two readings, two sessions");
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq), "places do not grow");
    for event in &events {
        let length = match &event.what {
            What::User { text, .. } | What::Assistant { text } | What::Summary { text } => {
                text.len()
            }
            What::ToolCall { input, .. } => input.len(),
            What::ToolResult { output, .. } => output.len(),
        };
        assert!(length <= LONGEST, "{length} bytes of one event");
    }
    let parsed: Watermark = read.watermark.to_string().parse().expect("a watermark is read back");
    assert_eq!(parsed, read.watermark);
    if let Some((more, next)) = told(reader, session, &read.watermark) {
        assert!(next.restarted || more.is_empty(), "an end that goes on");
    }
}

fn told(
    reader: &dyn Transcripts,
    session: &Located,
    from: &Watermark,
) -> Option<(Vec<Event>, Read)> {
    let mut events = Vec::new();
    let read = reader.read(session, from, &mut |event| {
        events.push(event);
        ControlFlow::Continue(())
    });
    Some((events, read.ok()?))
}

/// A home folder that is gone afterwards.
struct Home(std::path::PathBuf);

impl Home {
    fn new() -> Home {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let shared = Path::new("/dev/shm");
        let base = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let home = base.join(format!("nuthatch-fuzz-{}-{number}", std::process::id()));
        fs::create_dir_all(&home).expect("a folder can be made");
        Home(home)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.0.join(name);
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
