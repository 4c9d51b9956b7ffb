//! Codex CLI: `sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`, packed with zstd when old.
//!
//! The file is gone through twice: first for which of its doubled records to believe and which
//! turns were rolled back (`shape.rs`), then for what was said (`record.rs`). Both a packed
//! and a plain file may vanish while they are looked at; whichever is there is read.

mod record;
mod shape;

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::{Kind, Result};
use nuthatch::transcript::Event;

use self::record::Records;
use self::shape::Shape;
use super::environment::Environment;
use super::folder;
use super::json::Object;
use super::stream::{self, Stream};
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "codex";
/// `sessions/YYYY/MM/DD/`, and some room.
const DEPTH: usize = 5;
/// `rollout-2026-03-01T10-00-00-`, before the thread.
const TIME: usize = 19;
const PACKED: &str = ".zst";

/// Reads the sessions of Codex CLI.
#[derive(Debug)]
pub struct Codex {
    root: Option<PathBuf>,
}

impl Codex {
    /// With the root that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Codex { root: environment.root("CODEX_HOME", ".codex") }
    }

    /// The names that the user or the product gave to threads.
    fn titles(&self) -> BTreeMap<String, String> {
        let index = self.root.as_ref().map(|root| root.join("session_index.jsonl"));
        let text = index.and_then(|index| folder::whole(&index, 16 << 20).ok());
        let lines = text.as_ref().map(|(text, _)| text.lines()).into_iter().flatten();
        let named = lines.filter_map(|line| {
            let line = Object::parse(line).ok()?;
            Some((line.said("id")?, line.said("thread_name")?))
        });
        named.collect()
    }
}

impl Transcripts for Codex {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        let Some(root) = &self.root else { return found };
        for place in ["sessions", "archived_sessions"] {
            below(&root.join(place), &mut found);
        }
        let titles = self.titles();
        for session in &mut found.sessions {
            session.head.title = titles.get(&session.head.id).cloned();
        }
        found.newest_only()
    }

    fn at(&self, path: &Path) -> Found {
        let mut found = Found::default();
        below(path, &mut found);
        found.newest_only()
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        let session = &present(session)?;
        let mut stream = Stream::open(session, from)?;
        let mut shape = Shape::default();
        let end = stream.look(|at, line| shape.see(at, line))?;
        let is_at_start = stream.is_at_start();
        stream.read(Some(end), each, &mut Records::new(shape, is_at_start))
    }
}

/// The session where it is now: packed, or plain again.
fn present(session: &Located) -> Result<Located> {
    if session.path.exists() {
        return Ok(session.clone());
    }
    let path = session.path.to_string_lossy();
    let other = match path.strip_suffix(PACKED) {
        Some(plain) => plain.to_owned(),
        None => format!("{path}{PACKED}"),
    };
    match folder::open(Path::new(&other)) {
        Ok(_) => Ok(Located { path: other.into(), ..session.clone() }),
        Err(error) if error.kind() == Kind::NotFound => {
            folder::open(&session.path).map(|_| session.clone())
        }
        Err(error) => Err(error),
    }
}

fn below(root: &Path, found: &mut Found) {
    let files = folder::files(root, DEPTH, found);
    let plain: HashSet<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    for (path, metadata) in files {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let bare = name.strip_suffix(PACKED).unwrap_or(name);
        let Some(stem) = bare.strip_suffix(".jsonl") else { continue };
        // Of two forms of one file the plain one is the one that is written to.
        if bare != name && plain.contains(&path.with_file_name(bare)) {
            continue;
        }
        let thread = thread_of(stem);
        let is_packed = bare != name;
        let meta =
            meta(&if is_packed { stream::beginning(&path) } else { folder::beginning(&path) });
        // Elsewhere than in their own place, other products have such files, too.
        let Some(id) = thread.map(str::to_owned).or_else(|| Some(meta.as_ref()?.0.clone())) else {
            continue;
        };
        let mut located = folder::located(AGENT, id, path, &metadata);
        located.head.folder = meta.and_then(|(_, folder)| folder);
        found.sessions.push(located);
    }
}

/// The thread in a file's name.
fn thread_of(stem: &str) -> Option<&str> {
    let rest = stem.strip_prefix("rollout-")?.get(TIME + 1..)?;
    let thread = rest.split('_').next().unwrap_or(rest);
    (!thread.is_empty()).then_some(thread)
}

/// Thread and folder, as the first lines say.
fn meta(beginning: &str) -> Option<(String, Option<String>)> {
    beginning.lines().take(8).find_map(|line| {
        let line = Object::parse(line).ok()?;
        let meta = match line.text("type").as_deref() {
            Some("session_meta") => line.object("payload")?,
            None if line.raw("timestamp").is_some() => line,
            _ => return None,
        };
        Some((meta.said("id")?, meta.said("cwd")))
    })
}
