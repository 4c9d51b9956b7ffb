//! Gemini CLI: `tmp/<project>/chats/session-….jsonl`, and single documents of older versions.
//!
//! Lines are records of a changing list: a message again under its id replaces the first one,
//! `$rewindTo` takes messages away, `$set` may put a whole list in its place. So the file is
//! gone through twice: first for what became of each message (`list.rs`), then for what it
//! says (`message.rs`).

mod list;
mod message;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::transcript::Event;

use self::list::List;
use super::document;
use super::environment::Environment;
use super::folder;
use super::json::{self, Object};
use super::stream::{Stream, Teller};
use super::telling::Telling;
use super::watermark::Stamp;
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "gemini-cli";
/// `tmp/<project>/chats/<parent>/<id>.jsonl`.
const DEPTH: usize = 4;

/// Reads the sessions of Gemini CLI.
#[derive(Debug)]
pub struct GeminiCli {
    root: Option<PathBuf>,
}

impl GeminiCli {
    /// With the root that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let moved = environment.variables.get("GEMINI_CLI_HOME").or(environment.home.as_ref());
        GeminiCli { root: moved.map(|home| home.join(".gemini")) }
    }

    /// The folders of projects, by the names that stand for them.
    fn projects(&self) -> BTreeMap<String, String> {
        let list = self.root.as_ref().map(|root| root.join("projects.json"));
        let text = list.and_then(|list| folder::whole(&list, 1 << 20).ok());
        let Some((text, _)) = text else { return BTreeMap::new() };
        let Ok(document) = Object::parse(&text) else { return BTreeMap::new() };
        let projects = document.object("projects").unwrap_or(document);
        let named = projects
            .fields()
            .filter_map(|(path, slug)| Some((json::text(slug)?.into_owned(), path.to_owned())));
        named.collect()
    }
}

impl Transcripts for GeminiCli {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        if let Some(root) = &self.root {
            below(&root.join("tmp"), &self.projects(), &mut found);
        }
        found.newest_only()
    }

    fn at(&self, path: &Path) -> Found {
        let mut found = Found::default();
        below(path, &self.projects(), &mut found);
        found.newest_only()
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        if session.path.extension().is_some_and(|end| end == "json") {
            let (text, metadata) = folder::whole(&session.path, document::LONGEST)?;
            let stamp = Stamp::of(&metadata);
            return document::read(session, stamp, from, each, |telling| {
                match Object::parse(&text) {
                    Ok(document) => message::document(&document, telling),
                    Err(kind) => telling.skip(kind),
                }
                Ok(())
            });
        }
        // What was told may be gone by now: it is always told from the beginning.
        let mut stream = Stream::open(session, &Watermark::default())?;
        let mut list = List::default();
        let end = stream.look(|at, line| list.see(at, line))?;
        let read = stream.read(Some(end), each, &mut Messages { list })?;
        Ok(Read { restarted: !from.is_start(), ..read })
    }
}

struct Messages {
    list: List,
}

impl Teller for Messages {
    fn line(
        &mut self,
        at: usize,
        line: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str> {
        if line.raw("$rewindTo").is_some() {
            return Ok(());
        }
        if line.raw("id").is_some() && line.raw("type").is_some() {
            return match self.list.fate(at, 0) {
                Some(aside) => message::tell(line, aside, telling),
                None => Ok(()),
            };
        }
        if let Some(set) = line.object("$set") {
            message::head(&set, telling);
            for (nth, inner) in
                set.items("messages").into_iter().filter_map(json::object).enumerate()
            {
                if let Some(aside) = self.list.fate(at, nth) {
                    message::tell(&inner, aside, telling)?;
                }
            }
            return Ok(());
        }
        if line.raw("sessionId").is_some() {
            message::head(line, telling);
            return Ok(());
        }
        Err("unknown record")
    }
}

fn below(root: &Path, projects: &BTreeMap<String, String>, found: &mut Found) {
    for (path, metadata) in folder::files(root, DEPTH, found) {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let id = match end {
            "jsonl" => header(&folder::beginning(&path)),
            "json" => document_id(&path, stem),
            _ => None,
        };
        let Some(id) = id else { continue };
        let chats =
            path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "chats"));
        // Below a folder of chats lie those of sub-agents, in one that bears their parent's name.
        let parent = chats.and_then(|chats| {
            let above = path.parent().filter(|above| *above != chats)?;
            Some(above.file_name()?.to_str()?.to_owned())
        });
        let project = chats.and_then(Path::parent).and_then(|project| folder_of(project, projects));
        let mut located = folder::located(AGENT, id, path, &metadata);
        located.head.parent = parent;
        located.head.folder = project;
        found.sessions.push(located);
    }
}

/// The id in the header of a file of lines.
fn header(beginning: &str) -> Option<String> {
    beginning.lines().take(4).find_map(|line| {
        let line = Object::parse(line).ok()?;
        (line.raw("type").is_none()).then_some(())?;
        line.raw("projectHash").or(line.raw("startTime"))?;
        line.said("sessionId")
    })
}

/// The id of a session that is a document, or the name of its file.
fn document_id(path: &Path, stem: &str) -> Option<String> {
    let beginning = folder::beginning(path);
    let looks = ["\"messages\"", "\"history\""].iter().any(|name| beginning.contains(name));
    let is_ours = looks
        && ["projectHash", "startTime", "start_time", "lastUpdated"]
            .iter()
            .any(|name| beginning.contains(name));
    if !is_ours || !beginning.trim_start().starts_with('{') {
        return None;
    }
    let (text, _) = folder::whole(path, document::LONGEST).ok()?;
    let id = Object::parse(&text).ok().and_then(|document| document.said("sessionId"));
    Some(id.unwrap_or_else(|| stem.to_owned()))
}

/// The project that a folder of chats stands for.
fn folder_of(project: &Path, projects: &BTreeMap<String, String>) -> Option<String> {
    let marked = fs::read_to_string(project.join(".project_root")).ok();
    let marked = marked.map(|path| path.trim().to_owned()).filter(|path| !path.is_empty());
    marked.or_else(|| projects.get(project.file_name()?.to_str()?).cloned())
}
