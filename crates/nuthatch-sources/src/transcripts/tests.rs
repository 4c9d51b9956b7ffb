//! What every reader promises, on files that are written here.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]
#![allow(clippy::needless_pass_by_value, reason = "what a fixture is made of reads better")]

mod claude_code;
mod codex;
mod databases;
mod others;
mod parts;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::transcript::{Event, Voice, What};
use tempfile::TempDir;

use super::{Environment, Located, Read, Transcripts, Watermark};

/// A home folder with files in it.
pub(super) struct Home(TempDir);

impl Home {
    pub(super) fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(super) fn environment(&self) -> Environment {
        let home = self.0.path().to_owned();
        Environment {
            projects: vec![home.join("project")],
            home: Some(home),
            ..Environment::default()
        }
    }

    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }
}

/// Everything a reader tells of a session from a place on.
pub(super) fn told(
    reader: &dyn Transcripts,
    session: &Located,
    from: &Watermark,
) -> (Vec<Event>, Read) {
    let mut events = Vec::new();
    let read = reader.read(session, from, &mut |event| {
        events.push(event);
        ControlFlow::Continue(())
    });
    (events, read.unwrap())
}

/// Everything a reader tells of the only session there is.
pub(super) fn all(reader: &dyn Transcripts) -> (Vec<Event>, Read) {
    let found = reader.discover();
    assert_eq!(found.sessions.len(), 1, "{found:?}");
    told(reader, &found.sessions[0], &Watermark::default())
}

/// Events as short lines: what happened, whose words, and whether aside.
pub(super) fn lines(events: &[Event]) -> Vec<String> {
    events.iter().map(line).collect()
}

fn line(event: &Event) -> String {
    let aside = if event.aside { "(aside) " } else { "" };
    let what = match &event.what {
        What::User { voice: Voice::Person, text } => format!("person: {text}"),
        What::User { voice: Voice::Host, text } => format!("host: {text}"),
        What::Assistant { text } => format!("assistant: {text}"),
        What::ToolCall { id, name, input } => format!("call {id}: {name} {input}"),
        What::ToolResult { id, failed: false, output } => format!("result {id}: {output}"),
        What::ToolResult { id, failed: true, output } => format!("failure {id}: {output}"),
        What::Summary { text } => format!("summary: {text}"),
    };
    format!("{aside}{what}")
}

/// The places where a text is cut: near the ends of lines, and here and there.
fn cuts(text: &str) -> impl Iterator<Item = usize> {
    let newlines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let is_near = move |at: usize| newlines.iter().any(|end| at.abs_diff(*end) < 3);
    (0..text.len()).filter(move |at| at % 41 == 0 || is_near(*at))
}

/// Everything that the first session tells, if there is one.
fn first(reader: &dyn Transcripts) -> Vec<String> {
    let found = reader.discover();
    let session = found.sessions.first();
    session.map(|one| lines(&told(reader, one, &Watermark::default()).0)).unwrap_or_default()
}

/// A file that is told anew whenever it changes, cut at any byte, tells what its complete lines
/// tell; the last of it may be cut short, or not be there yet.
pub(super) fn survives_cuts_anew(reader: &dyn Transcripts, name: &str, home: &Home, text: &str) {
    for end in cuts(text).filter(|end| !text[*end..].starts_with('\n')) {
        home.put(name, &text.as_bytes()[..end]);
        let before = first(reader);
        let complete = text[..end].rfind('\n').map_or(0, |at| at + 1);
        home.put(name, &text.as_bytes()[..complete]);
        let expected = first(reader);
        let kept = expected.len().saturating_sub(1);
        assert!(before.len() >= kept, "cut at {end}: {before:?} {expected:?}");
        assert_eq!(before[..kept], expected[..kept], "cut at {end}");
    }
}

/// A file cut at any byte tells what its complete lines tell, and goes on from there.
pub(super) fn survives_cuts(reader: &dyn Transcripts, name: &str, home: &Home, text: &str) {
    let whole = home.put(name, text);
    let (all_events, _) = all(reader);
    for end in cuts(text) {
        fs::write(&whole, &text.as_bytes()[..end]).unwrap();
        let found = reader.discover();
        let Some(session) = found.sessions.first() else { continue };
        let (before, read) = told(reader, session, &Watermark::default());
        let complete = text[..end].rfind('\n').map_or(0, |at| at + 1);
        fs::write(&whole, &text.as_bytes()[..complete]).unwrap();
        let found = reader.discover();
        let expected = match found.sessions.first() {
            Some(session) => told(reader, session, &Watermark::default()).0,
            None => Vec::new(),
        };
        assert!(before.len() >= expected.len(), "cut at {end}");
        let same = |a: &[Event], b: &[Event]| {
            lines(a)
                .iter()
                .zip(lines(b))
                .all(|(a, b)| a.trim_start_matches("(aside) ") == b.trim_start_matches("(aside) "))
        };
        assert!(same(&before, &expected), "cut at {end}: {before:?} {expected:?}");
        fs::write(&whole, text).unwrap();
        let session = &reader.discover().sessions[0];
        let (after, _) = told(reader, session, &read.watermark);
        let both: Vec<Event> = before.into_iter().chain(after).collect();
        assert_eq!(both.len(), all_events.len(), "cut at {end}");
        assert!(same(&both, &all_events), "cut at {end}");
        let seqs: Vec<u64> = both.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (0..both.len() as u64).collect::<Vec<_>>(), "cut at {end}");
    }
}
