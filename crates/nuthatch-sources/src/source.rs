//! Sources of context outside the project's memory: a file, a page, an issue, a requirement.
//!
//! [`Sources::gather`] never fails for a source's sake: what could not be had is a note, and
//! what was had before is given again with the time it is from. Secrets are taken out of
//! everything that comes in.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::guard;
use serde::Serialize;

use crate::kept::{Keeping, Kept};
use crate::trackers::{Braingrid, Jira, Said};
use crate::web::{Ask, Url, Web, page};
use crate::within;

/// A file of a project is not longer than this.
const LONGEST_FILE: u64 = 1 << 20;

/// Where something is to be had.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// A file, relative to the project's root.
    File(PathBuf),
    /// A page.
    Page(String),
    /// An issue, by its key.
    Jira(String),
    /// A requirement, by its id.
    Braingrid(String),
}

impl Address {
    /// Reads an address: `https://…`, `jira:KEY`, `braingrid:ID`, `file:PATH` or a path.
    ///
    /// # Errors
    /// `invalid`, with what is wrong about it.
    pub fn parse(text: &str) -> Result<Address> {
        let text = text.trim();
        let wrong = |what: String| {
            Error::invalid(what)
                .with_hint("a source is https://…, jira:KEY, braingrid:ID, file:PATH or a path")
        };
        let name = |rest: &str| rest.trim_start_matches("//").to_owned();
        match text.split_once(':') {
            Some(("http" | "https", _)) => Url::parse(text).map(|_| Address::Page(text.to_owned())),
            Some(("jira", rest)) if Jira::is_key(&name(rest)) => Ok(Address::Jira(name(rest))),
            Some(("jira", _)) => Err(wrong(format!("`{text}` names no issue"))),
            Some(("braingrid", rest)) if Braingrid::is_id(&name(rest)) => {
                Ok(Address::Braingrid(name(rest)))
            }
            Some(("braingrid", _)) => Err(wrong(format!("`{text}` names no requirement"))),
            Some(("file", rest)) if !rest.is_empty() => Ok(Address::File(name(rest).into())),
            Some((scheme, rest)) if rest.starts_with("//") => {
                Err(wrong(format!("nothing is fetched by `{scheme}:`")))
            }
            _ if text.is_empty() => Err(wrong("a source has no address".to_owned())),
            _ => Ok(Address::File(text.into())),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::File(path) => write!(f, "file:{}", path.display()),
            Address::Page(url) => f.write_str(url),
            Address::Jira(key) => write!(f, "jira:{key}"),
            Address::Braingrid(id) => write!(f, "braingrid:{id}"),
        }
    }
}

/// How something was had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Had {
    /// Just now.
    Fresh,
    /// From what was kept, which is recent enough.
    Kept,
    /// From what was kept, because it cannot be had now.
    Stale,
    /// Not at all.
    Missing,
}

/// What came of asking a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gathered {
    /// Where it is from.
    pub source: String,
    /// What it calls itself.
    pub title: String,
    /// What it says, where anything could be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How it was had.
    pub had: Had,
    /// What went wrong, or is worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Whether what was kept is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// What is recent is given again.
    Usual,
    /// The source is asked in any case.
    Anew,
}

/// Everything that is needed to ask sources.
pub struct Sources {
    /// The project's root, for files.
    pub root: PathBuf,
    /// The way to pages.
    pub web: Web,
    /// Jira, where it is configured.
    pub jira: Option<Jira>,
    /// Braingrid, where it is configured.
    pub braingrid: Option<Braingrid>,
    /// Where answers are kept, and for how long they are recent.
    pub keeping: Option<(Keeping, Duration)>,
}

impl Sources {
    /// Asks a source. Never fails: what cannot be had is a note.
    pub fn gather(&self, address: &Address, freshness: Freshness, now: Timestamp) -> Gathered {
        // Files are read where they are.
        let keeping = self.keeping.as_ref().filter(|_| !matches!(address, Address::File(_)));
        let name = self.name_kept(address);
        let kept = keeping.and_then(|(keeping, _)| keeping.find(&name));
        let recent = kept.as_ref().filter(|kept| {
            let age = now.duration_since(kept.at);
            let limit = keeping.map(|(_, recent)| *recent).unwrap_or_default();
            // A time to come is no reason to believe it.
            freshness == Freshness::Usual && !age.is_negative() && age.unsigned_abs() <= limit
        });
        if let Some(kept) = recent {
            return gathered(address, kept.said(), Had::Kept, None);
        }
        match self.ask(address) {
            Ok(said) => {
                let (said, note) = without_secrets(&said);
                let trouble = keeping
                    .and_then(|(keeping, _)| keeping.put(&name, &Kept::new(&said, now)).err());
                let note = note.or(trouble.map(|error| format!("it is not kept: {error}")));
                gathered(address, said, Had::Fresh, note)
            }
            Err(error) => missed(address, kept.as_ref(), &error),
        }
    }

    fn ask(&self, address: &Address) -> Result<Said> {
        match address {
            Address::File(path) => self.file(path),
            Address::Page(url) => self.page(url),
            Address::Jira(key) => match &self.jira {
                Some(jira) => jira.issue(&self.web, key),
                None => Err(unconfigured("Jira", "JIRA_BASE_URL, JIRA_EMAIL and JIRA_TOKEN")),
            },
            Address::Braingrid(id) => match &self.braingrid {
                Some(braingrid) => braingrid.requirement(&self.web, id),
                None => Err(unconfigured("Braingrid", "BRAINGRID_PROJECT_ID and BRAINGRID_TOKEN")),
            },
        }
    }

    fn file(&self, path: &std::path::Path) -> Result<Said> {
        let shown = path.display().to_string();
        let folders = std::slice::from_ref(&self.root);
        let file = within::read(folders, &self.root.join(path), LONGEST_FILE)
            .map_err(|trouble| trouble.about(&shown))?;
        Ok(Said { title: shown, text: file.text })
    }

    fn page(&self, url: &str) -> Result<Said> {
        let reply = self.web.get(url, Ask::default())?;
        let (status, host) = (reply.status, reply.url.to_string());
        let error = |kind, what: &str| Err(Error::new(kind, format!("{host} {what} ({status})")));
        match status {
            200..=299 => Ok(Said { title: url.to_owned(), text: page::text(reply)? }),
            401 | 403 => error(Kind::Denied, "is not for everybody"),
            404 | 410 => error(Kind::NotFound, "is not there"),
            408 | 429 => error(Kind::Unavailable, "asks to be left alone"),
            _ => error(Kind::Unavailable, "fails"),
        }
    }

    /// What an answer is kept under: another server's answer is another one.
    fn name_kept(&self, address: &Address) -> String {
        let server = match address {
            Address::File(_) | Address::Page(_) => String::new(),
            Address::Jira(_) => self.jira.as_ref().map(Jira::base).unwrap_or_default().to_owned(),
            Address::Braingrid(_) => {
                self.braingrid.as_ref().map(Braingrid::base).unwrap_or_default()
            }
        };
        format!("{address} {server}")
    }
}

fn unconfigured(name: &str, variables: &str) -> Error {
    Error::invalid(format!("{name} is not configured")).with_hint(format!("set {variables}"))
}

fn without_secrets(said: &Said) -> (Said, Option<String>) {
    let (text, findings) = guard::redact(&said.text);
    let (title, _) = guard::redact(&said.title);
    let note = (!findings.is_empty()).then(|| format!("{} secrets were taken out", findings.len()));
    (Said { title, text }, note)
}

fn gathered(address: &Address, said: Said, had: Had, note: Option<String>) -> Gathered {
    let Said { title, text } = said;
    Gathered { source: address.to_string(), title, text: Some(text), had, note, hint: None }
}

fn missed(address: &Address, kept: Option<&Kept>, error: &Error) -> Gathered {
    let hint = error.hint().map(str::to_owned);
    match kept {
        Some(kept) => {
            let note = format!("{error}; this is from {}", kept.at);
            Gathered { hint, ..gathered(address, kept.said(), Had::Stale, Some(note)) }
        }
        None => Gathered {
            source: address.to_string(),
            title: address.to_string(),
            text: None,
            had: Had::Missing,
            note: Some(error.to_string()),
            hint,
        },
    }
}
