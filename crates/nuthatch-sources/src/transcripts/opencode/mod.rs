//! OpenCode: a database (`rows.rs`), files of older versions (`storage.rs`), or an export.
//!
//! In each of them a session is a list of messages, each with parts (`part.rs`).

mod part;
mod rows;
mod storage;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use nuthatch::transcript::{Event, SessionHead};

use super::document;
use super::environment::Environment;
use super::folder;
use super::json::{self, Object};
use super::telling::Telling;
use super::watermark::Stamp;
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "opencode";

/// Reads the sessions of OpenCode.
#[derive(Debug)]
pub struct OpenCode {
    root: Option<PathBuf>,
}

impl OpenCode {
    /// With the root that the environment names.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let moved = environment.variables.get("OPENCODE_DATA_DIR").cloned();
        OpenCode { root: moved.or_else(|| environment.data("opencode")) }
    }
}

impl Transcripts for OpenCode {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        let Some(root) = &self.root else { return found };
        for (path, _) in folder::files(root, 0, &mut found) {
            if is_database(&path) {
                rows::discover(&path, &mut found);
            }
        }
        storage::discover(&root.join("storage"), &mut found);
        storage::discover_oldest(&root.join("project"), &mut found);
        found.newest_only()
    }

    fn at(&self, path: &Path) -> Found {
        let mut found = Found::default();
        if path.is_dir() {
            storage::discover(path, &mut found);
            storage::discover(&path.join("storage"), &mut found);
        }
        for (path, metadata) in folder::files(path, 3, &mut found) {
            if is_database(&path) {
                rows::discover(&path, &mut found);
            } else if path.extension().is_some_and(|end| end == "json")
                && let Some(head) = exported(&path)
            {
                let stamp = Stamp::of(&metadata);
                found.sessions.push(Located { path, head, stamp, span: None });
            }
        }
        found.newest_only()
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        if is_database(&session.path) {
            return document::read(session, session.stamp, from, each, |telling| {
                rows::tell(session, telling)
            });
        }
        let (text, metadata) = folder::whole(&session.path, document::LONGEST)?;
        let document = Object::parse(&text)
            .map_err(|why| Error::invalid(format!("{} is {why}", session.path.display())))?;
        if document.raw("messages").is_none() {
            return document::read(session, session.stamp, from, each, |telling| {
                storage::tell(session, &document, telling);
                Ok(())
            });
        }
        document::read(session, Stamp::of(&metadata), from, each, |telling| {
            export(&document, telling);
            Ok(())
        })
    }
}

fn is_database(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("opencode") && name.ends_with(".db")
}

/// The head of a session that was exported into a file.
fn exported(path: &Path) -> Option<SessionHead> {
    let beginning = folder::beginning(path);
    let bare = beginning.trim_start();
    if !bare.starts_with('{') || !bare.contains("\"info\"") || !bare.contains("\"messages\"") {
        return None;
    }
    let (text, _) = folder::whole(path, document::LONGEST).ok()?;
    let document = Object::parse(&text).ok()?;
    document.raw("messages")?;
    Some(head(&document.object("info")?))
}

/// What a session says of itself.
fn head(info: &Object<'_>) -> SessionHead {
    let time = info.inner("time");
    SessionHead {
        id: info.said("id").unwrap_or_default(),
        agent: AGENT.to_owned(),
        folder: info.said("directory"),
        title: info.said("title"),
        parent: info.said("parentID"),
        started_at: time.time("created"),
        updated_at: time.time("updated"),
        ..SessionHead::default()
    }
}

fn export(document: &Object<'_>, telling: &mut Telling<'_>) {
    let revert = document.inner("info").inner("revert").said("messageID");
    let mut aside = false;
    for message in document.items("messages").into_iter().filter_map(json::object) {
        let info = message.inner("info");
        aside |= revert.is_some() && info.said("id") == revert;
        let parts = message.items("parts").into_iter().filter_map(json::object);
        part::message(&info, parts, aside, telling);
    }
}
