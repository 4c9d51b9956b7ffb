//! pi and oh-my-pi: a tree of entries in one file, `sessions/<folder>/<time>_<id>.jsonl`.
//!
//! The first versions wrote no ids: without them nothing hangs together, and nothing is aside.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::transcript::Event;

use super::chain::{Chain, Link};
use super::environment::Environment;
use super::folder;
use super::json::{self, Object};
use super::stream::{Stream, Teller};
use super::telling::{Beside, Telling};
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "pi";
const DEPTH: usize = 4;
/// Entries that say nothing of what was said.
const BOOKS: &[&str] = &[
    "custom",
    "label",
    "model_usage",
    "reset_boundary",
    "service_tier_change",
    "thinking_level_change",
    "title",
];

/// Reads the sessions of pi and of oh-my-pi.
#[derive(Debug)]
pub struct Pi {
    roots: Vec<PathBuf>,
}

impl Pi {
    /// With the roots that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let pi = environment.root("PI_CODING_AGENT_DIR", ".pi/agent");
        let omp = environment.home.as_ref().map(|home| home.join(".omp/agent"));
        Pi { roots: [pi, omp].into_iter().flatten().map(|root| root.join("sessions")).collect() }
    }
}

impl Transcripts for Pi {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        for root in &self.roots {
            below(root, &mut found);
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
        let mut stream = Stream::open(session, from)?;
        let chain = stream.lines().and_then(|lines| Chain::of(lines, link));
        let chain = chain.map_err(|error| folder::refusal(&session.path, &error))?;
        stream.read(Some(chain.end), each, &mut Entries { chain, model: None })
    }
}

fn below(root: &Path, found: &mut Found) {
    for (path, metadata) in folder::ending(root, DEPTH, "jsonl", found) {
        let beginning = folder::beginning(&path);
        let head = beginning.lines().take(4).find_map(|line| {
            let line = Object::parse(line.trim_end()).ok()?;
            (line.text("type").as_deref() == Some("session")).then_some(())?;
            Some((line.said("id")?, line.said("cwd")))
        });
        let Some((id, cwd)) = head else { continue };
        let mut located = folder::located(AGENT, id, path, &metadata);
        located.head.folder = cwd;
        found.sessions.push(located);
    }
}

fn link(entry: &Object<'_>) -> Link {
    let is_entry = entry.text("type").is_some_and(|kind| kind != "session");
    let is_prompt = entry.inner("message").text("role").as_deref() == Some("user");
    Link {
        id: if is_entry { Link::named(entry, "id") } else { 0 },
        parent: Link::named(entry, "parentId"),
        is_prompt,
        is_talk: is_entry,
        ..Link::default()
    }
}

struct Entries {
    chain: Chain,
    model: Option<String>,
}

impl Teller for Entries {
    fn line(
        &mut self,
        at: usize,
        entry: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str> {
        let marks = self.chain.marks(at);
        let Some(kind) = entry.text("type") else { return Err("no type") };
        if marks.repeated {
            return Err("repeated");
        }
        let time = entry.time("timestamp");
        telling.seen(time);
        let beside = Beside { at: time, aside: marks.aside, ..Beside::default() };
        match &*kind {
            "session" => {
                let head = &mut telling.head;
                head.folder = entry.said("cwd").or(head.folder.take());
                head.title = entry.said("title").or(head.title.take());
            }
            "message" => self.message(&entry.inner("message"), &beside, telling),
            "model_change" => self.model = entry.said("modelId").or(self.model.take()),
            "compaction" | "branch_summary" => {
                telling.summary(&beside, &entry.text("summary").unwrap_or_default());
            }
            "custom_message" => {
                let text = entry.raw("content").map(json::texts).unwrap_or_default();
                telling.host(&beside, &text);
            }
            "session_info" | "title_change" => {
                let title = entry.said("name").or(entry.said("title"));
                telling.head.title = title.or(telling.head.title.take());
            }
            kind if BOOKS.contains(&kind) => {}
            kind => telling.unknown("type", Some(kind)),
        }
        Ok(())
    }
}

impl Entries {
    fn message(&self, message: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
        let text = || message.raw("content").map(json::texts).unwrap_or_default();
        match message.text("role").as_deref() {
            Some("user") => telling.user(beside, &text()),
            Some("assistant") => self.reply(message, beside, telling),
            Some("toolResult") => {
                let id = message.text("toolCallId").unwrap_or_default();
                telling.result(beside, &id, message.is("isError"), &text());
            }
            Some("bashExecution") => {
                let command = message.text("command").unwrap_or_default();
                let id = format!("bash-{}", message.number("timestamp").unwrap_or_default());
                telling.call(beside, &id, "bash", &command);
                let failed = message.number("exitCode").is_some_and(|code| code != 0);
                let output = message.text("output").unwrap_or_default();
                telling.result(beside, &id, failed, &output);
            }
            Some("branchSummary" | "compactionSummary") => {
                telling.summary(beside, &message.text("summary").unwrap_or_default());
            }
            Some("custom" | "hookMessage") => telling.host(beside, &text()),
            role => telling.unknown("role", role),
        }
    }

    fn reply(&self, message: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
        let model = message.said("model").or(self.model.clone());
        let beside = &Beside { model, ..beside.clone() };
        for block in message.items("content").into_iter().filter_map(json::object) {
            match block.text("type").as_deref() {
                Some("text") => telling.assistant(beside, &block.text("text").unwrap_or_default()),
                Some("toolCall") => {
                    let (id, name) = (block.text("id"), block.text("name"));
                    let input = block.raw("arguments").map_or("", |input| input.get());
                    let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
                    telling.call(beside, &id, &name, input);
                }
                Some("thinking" | "image") => {}
                kind => telling.unknown("block", kind),
            }
        }
        let usage = message.inner("usage");
        telling.cost(usage.usage(&["input", "cacheRead", "cacheWrite"], &["output"]));
    }
}
