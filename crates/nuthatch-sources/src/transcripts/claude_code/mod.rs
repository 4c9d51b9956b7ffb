//! Claude Code: `projects/<folder>/<session>.jsonl`, and files of sub-agents beside it.
//!
//! The file is gone through twice: first for what hangs together (`chain`), then for what
//! was said (`line.rs`). Lines that only keep the product's own books are passed over.

mod line;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::transcript::Event;

use self::line::Lined;
use super::chain::Chain;
use super::environment::Environment;
use super::folder;
use super::json::Object;
use super::stream::Stream;
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
        let mut stream = Stream::open(session, from)?;
        let chain = stream.lines().and_then(|lines| Chain::of(lines, line::link));
        let chain = chain.map_err(|error| folder::refusal(&session.path, &error))?;
        stream.read(Some(chain.end), each, &mut Lined::new(chain))
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
    for (path, metadata) in folder::ending(root, DEPTH, "jsonl", &mut found) {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
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
        is_ours |= matches!(&*kind, "user" | "assistant") && object.object("message").is_some();
        peeked.session = peeked.session.or_else(|| object.said("sessionId"));
        peeked.folder = peeked.folder.or_else(|| object.said("cwd"));
        if peeked.folder.is_some() && peeked.session.is_some() {
            break;
        }
    }
    is_ours.then_some(peeked)
}
