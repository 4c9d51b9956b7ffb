//! Nuthatch's own chats: `.nuthatch/_internals/sessions/<name>/history.json` of projects.
//!
//! Only the last interactions are kept there, so places come from their times: they stay the
//! same when the first ones are gone.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::transcript::{Event, Voice, What};

use super::document;
use super::environment::Environment;
use super::folder;
use super::json::{self, Object};
use super::watermark::{Stamp, hash};
use super::words::{self, LONGEST_TEXT};
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "nuthatch";
const PLACE: &str = ".nuthatch/_internals/sessions";
const NAME: &str = "history.json";

/// Reads the chats of Nuthatch itself.
#[derive(Debug)]
pub struct Own {
    projects: Vec<PathBuf>,
}

impl Own {
    /// With the folders of projects.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Own { projects: environment.projects.clone() }
    }
}

impl Transcripts for Own {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        for project in &self.projects {
            below(&project.join(PLACE), &mut found);
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
        let (text, metadata) = folder::whole(&session.path, document::LONGEST)?;
        let mut read = document::read(
            session,
            Stamp::of(&metadata),
            from,
            &mut |_| ControlFlow::Continue(()),
            |telling| {
                if let Err(kind) = Object::parse(&text) {
                    telling.skip(kind);
                }
                Ok(())
            },
        )?;
        let Ok(history) = Object::parse(&text) else { return Ok(read) };
        for one in history.items("interactions").into_iter().filter_map(json::object) {
            let Some(at) = one.time("timestamp") else {
                *read.skipped.entry("no time".to_owned()).or_default() += 1;
                continue;
            };
            read.head.started_at = read.head.started_at.or(Some(at));
            read.head.updated_at = Some(at);
            let goal = one.text("goal").and_then(|goal| words::of_user(&goal));
            if read.head.title.is_none() {
                read.head.title = goal.as_ref().map(|(_, goal)| words::title(goal));
            }
            let goal = goal.map(|(_, text)| What::User {
                voice: Voice::Person,
                text: words::cut(&text, LONGEST_TEXT).into_owned(),
            });
            let output = one
                .said("output")
                .map(|text| What::Assistant { text: words::cut(&text, LONGEST_TEXT).into_owned() });
            // Two places for each microsecond: what was asked, and what was answered.
            let seq = u64::try_from(at.as_microsecond()).unwrap_or_default().saturating_mul(2);
            for (what, seq) in [(goal, seq), (output, seq + 1)] {
                let Some(what) = what else { continue };
                read.watermark.seq = seq + 1;
                let event =
                    Event { seq, at: Some(at), model: None, usage: None, aside: false, what };
                if each(event).is_break() {
                    return Ok(read);
                }
            }
        }
        Ok(read)
    }
}

fn below(root: &Path, found: &mut Found) {
    for (path, metadata) in folder::files(root, 4, found) {
        if path.file_name().is_none_or(|name| name != NAME) {
            continue;
        }
        let Some(name) = path.parent().and_then(Path::file_name).and_then(|name| name.to_str())
        else {
            continue;
        };
        let project = path.ancestors().find(|folder| folder.join(".nuthatch").is_dir());
        let project = project.map(|project| project.canonicalize().unwrap_or(project.to_owned()));
        // Two projects may both have a chat called "monday".
        let place =
            project.as_ref().map_or(0, |project| hash(project.as_os_str().as_encoded_bytes()));
        let id = format!("{AGENT}:{:08x}:{name}", place >> 32);
        let mut located = folder::located(AGENT, id, path.clone(), &metadata);
        located.head.folder = project.map(|project| project.display().to_string());
        found.sessions.push(located);
    }
}
