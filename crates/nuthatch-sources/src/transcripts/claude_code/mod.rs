//! Claude Code: `projects/<folder>/<session>.jsonl`, and files of sub-agents beside it.
//!
//! The file is gone through twice: first for what hangs together (`chain.rs`), then for what
//! was said (`line.rs`). Lines that only keep the product's own books are passed over.

mod chain;
mod line;

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::transcript::Event;

use self::chain::Chain;
use self::line::Titles;
use super::environment::Environment;
use super::folder;
use super::json::Object;
use super::lines::{Line, Lines};
use super::telling::Telling;
use super::watermark::{self, Stamp};
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "claude-code";
/// `projects/<project>/<session>/subagents/workflows/<run>/agent-….jsonl`, and some room.
const DEPTH: usize = 7;

/// Reads the sessions of Claude Code.
#[derive(Debug)]
pub struct ClaudeCode {
    root: Option<PathBuf>,
}

impl ClaudeCode {
    /// With the root that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        ClaudeCode { root: environment.root("CLAUDE_CONFIG_DIR", ".claude") }
    }
}

impl Transcripts for ClaudeCode {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let projects = self.root.as_ref().map(|root| root.join("projects"));
        projects.map(|projects| below(&projects, Naming::Strict)).unwrap_or_default()
    }

    fn at(&self, path: &Path) -> Found {
        below(path, Naming::Any)
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        let (file, metadata) = folder::open(&session.path)?;
        let stamp = Stamp::of(&metadata);
        let told = tell(file, session, from, each);
        let (telling, place, check, restarted) =
            told.map_err(|error| folder::refusal(&session.path, &error))?;
        let watermark = Watermark { stamp, place, seq: telling.1, check };
        let (head, skipped) = (telling.0.head, telling.0.skipped);
        Ok(Read { head, watermark, skipped, restarted })
    }
}

/// Which files are sessions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// Those named as the product does.
    Strict,
    /// Those that begin like one.
    Any,
}

fn below(root: &Path, naming: Naming) -> Found {
    let mut found = Found::default();
    for (path, metadata) in folder::files(root, DEPTH, &mut found) {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let is_agent = stem.starts_with("agent-");
        if naming == Naming::Strict && !is_agent && !folder::is_uuid(stem) {
            continue;
        }
        let beginning = folder::beginning(&path);
        let peeked = match peek(&beginning) {
            Some(peeked) => peeked,
            None if naming == Naming::Any => continue,
            None if metadata.len() == 0 => {
                found.skip("empty file");
                continue;
            }
            // Whatever it begins with, its name says what it is.
            None => Peeked::default(),
        };
        let parent = is_agent.then(|| parent_of(&path).or(peeked.session)).flatten();
        let id = match &parent {
            Some(parent) => format!("{parent}/{stem}"),
            None => stem.to_owned(),
        };
        let mut located = folder::located(AGENT, id, path, &metadata);
        located.head.parent = parent;
        located.head.folder = peeked.folder;
        found.sessions.push(located);
    }
    found.newest_only()
}

/// The session whose folder a sub-agent's file lies in.
fn parent_of(path: &Path) -> Option<String> {
    let names = path.ancestors().filter_map(|folder| folder.file_name()?.to_str());
    let mut names = names.skip_while(|name| *name != "subagents");
    names.next()?;
    names.next().filter(|name| folder::is_uuid(name)).map(str::to_owned)
}

/// What the beginning of a file says.
#[derive(Default)]
struct Peeked {
    session: Option<String>,
    folder: Option<String>,
}

/// Looks at the beginning of a file; nothing if it is none of this product's.
fn peek(beginning: &str) -> Option<Peeked> {
    let mut peeked = Peeked::default();
    let mut is_ours = false;
    for line in beginning.lines() {
        let Ok(object) = Object::parse(line) else { continue };
        let Some(kind) = object.text("type") else { continue };
        let is_known = line::is_known(&kind);
        is_ours |= is_known && (object.raw("sessionId").is_some() || object.raw("uuid").is_some());
        is_ours |= is_known && matches!(&*kind, "summary" | "file-history-snapshot");
        peeked.session = peeked.session.or_else(|| object.said("sessionId"));
        peeked.folder = peeked.folder.or_else(|| object.said("cwd"));
        if peeked.folder.is_some() && peeked.session.is_some() {
            break;
        }
    }
    is_ours.then_some(peeked)
}

type Told<'a> = ((Telling<'a>, u64), u64, u64, bool);

fn tell<'a>(
    mut file: File,
    session: &Located,
    from: &Watermark,
    each: &'a mut dyn FnMut(Event) -> ControlFlow<()>,
) -> std::io::Result<Told<'a>> {
    let goes_on = !from.is_start() && from.fits(&mut file)?;
    let (start, seq) = if goes_on { (from.place, from.seq) } else { (0, 0) };
    file.seek(SeekFrom::Start(start))?;
    let chain = Chain::of(&mut Lines::new(&mut file, start))?;
    file.seek(SeekFrom::Start(start))?;

    let mut telling = Telling::new(session.head.clone(), seq, each);
    telling.head.updated_at = None;
    if chain.is_partial() {
        telling.skip("too many lines to tell branches apart");
    }
    let mut titles = Titles::default();
    let mut lines = Lines::new(&mut file, start);
    let mut done = start;
    for at in 0.. {
        if lines.place >= chain.end || telling.is_over() {
            break;
        }
        let line = match lines.next()? {
            None => break,
            Some(Line::TooLong) => {
                telling.skip("line too long");
                done = lines.place;
                continue;
            }
            Some(Line::Whole(line)) => {
                line::tell(&line, chain.marks(at), &mut telling, &mut titles)
            }
            Some(Line::Last(line)) if Object::parse(&line).is_err() => {
                telling.skip("unfinished line");
                break;
            }
            Some(Line::Last(line)) => line::tell(&line, chain.marks(at), &mut telling, &mut titles),
        };
        if let Err(kind) = line {
            telling.skip(kind);
        }
        done = lines.place;
    }
    let seq = telling.finish();
    telling.head.title = titles.best().or(telling.head.title);
    let head = &mut telling.head;
    head.updated_at = head.updated_at.or(session.stamp.at());
    let check = watermark::check(&mut file, done)?;
    Ok(((telling, seq), done, check, !from.is_start() && !goes_on))
}
