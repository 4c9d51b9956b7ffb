//! The sessions of agents on this machine, beside what the store has of them.
//!
//! How far a session was taken in stands with it in the store, as a watermark. That it was
//! taken in once stands in a file of hashes in the data folder: one that is not in the store
//! any more was forgotten, and stays so while its file exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuthatch::Engine;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Page;
use nuthatch::id::{ProjectId, SessionId};
use nuthatch::session::Session;
use nuthatch::transcript::Skipped;
use nuthatch_sources::transcripts::{self, Environment, Found, Located, Transcripts, Watermark};
use serde::Serialize;

use crate::config::Config;
use crate::private;
use crate::project::{self, Git};
use crate::wiring::{Desk, Site};

/// The file in the data folder that remembers what was taken in.
const LEDGER: &str = "imported-sessions";
/// Sessions asked for at a time.
const PAGE: u64 = 1000;
/// Agents whose sessions lie in the folders of projects.
const IN_PROJECTS: &[&str] = &["aider", "nuthatch"];

/// Name of a watermark in the metadata of a session.
pub const WATERMARK: &str = "watermark";
/// Name of the count of turns there.
pub const TURNS: &str = "turns";
/// Name of the file there.
pub const PATH: &str = "path";

/// How a session stands to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing of it is in the store.
    New,
    /// All of it is.
    Imported,
    /// It went on since.
    Changed,
    /// It was taken in, and removed again.
    Forgotten,
    /// It is in the store, and its file is nowhere.
    Gone,
}

/// A session that lies on this machine.
pub struct Shelved {
    pub reader: Arc<dyn Transcripts>,
    pub located: Located,
    pub project: Option<ProjectId>,
    pub state: State,
    /// What the store has of it.
    pub known: Option<Session>,
}

impl Shelved {
    /// A session beside what the store has of it.
    pub fn new(
        reader: Arc<dyn Transcripts>,
        located: Located,
        project: Option<ProjectId>,
        known: Option<Session>,
        ledger: &Ledger,
    ) -> Shelved {
        let mut one = Shelved { reader, located, project, state: State::New, known };
        one.state = match &one.known {
            None if ledger.has(&one.located.head.id) => State::Forgotten,
            Some(known) if known.metadata.contains_key(WATERMARK) => {
                let is_same = one.located.is_unchanged_since(&one.watermark());
                if is_same { State::Imported } else { State::Changed }
            }
            _ => State::New,
        };
        one
    }

    /// How far it was taken in.
    pub fn watermark(&self) -> Watermark {
        let known = self.known.as_ref().and_then(|known| known.metadata.get(WATERMARK));
        known.and_then(|text| text.parse().ok()).unwrap_or_default()
    }
}

/// Which sessions are meant.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Of every project, not only of this one.
    pub all: bool,
    /// Only of these products.
    pub agents: Vec<String>,
    /// Only these files and folders.
    pub paths: Vec<PathBuf>,
}

/// Everything that was found.
pub struct Shelf {
    pub sessions: Vec<Shelved>,
    /// What could not be looked at, by kind.
    pub skipped: Skipped,
    /// Sessions of other projects, which were not asked for.
    pub elsewhere: usize,
    /// Everything the store has.
    pub stored: BTreeMap<String, Session>,
}

impl Shelf {
    /// Looks at the places of all products, and at the store.
    pub async fn look(site: &Site, desk: &Desk, wanted: &Wanted) -> Result<Shelf> {
        let stored = stored(desk.engine()).await?;
        let ledger = Ledger::open(desk.data(), desk.engine());
        let mut projects = Projects::new(site);
        let mut shelf =
            Shelf { sessions: Vec::new(), skipped: Skipped::new(), elsewhere: 0, stored };
        let here = site.project_id()?;
        for (reader, found) in found(site, wanted)? {
            for (kind, count) in found.skipped {
                *shelf.skipped.entry(kind).or_default() += count;
            }
            for located in found.sessions {
                let project = projects.of(located.head.folder.as_deref());
                if !wanted.all && wanted.paths.is_empty() && project.as_ref() != Some(&here) {
                    shelf.elsewhere += 1;
                    continue;
                }
                let known = shelf.stored.get(&located.head.id).cloned();
                let reader = Arc::clone(&reader);
                shelf.sessions.push(Shelved::new(reader, located, project, known, &ledger));
            }
        }
        let newest = |one: &Shelved| std::cmp::Reverse(one.located.head.updated_at);
        shelf.sessions.sort_by_key(newest);
        Ok(shelf)
    }
}

/// Sessions that are in the store, by id.
pub async fn stored(engine: &Engine) -> Result<BTreeMap<String, Session>> {
    let mut all = BTreeMap::new();
    for offset in (0..).step_by(PAGE as usize) {
        let page = engine.sessions(Page { offset, limit: PAGE }).await?;
        let is_last = (page.len() as u64) < PAGE;
        all.extend(page.into_iter().map(|session| (session.id.to_string(), session)));
        if is_last {
            break;
        }
    }
    Ok(all)
}

type FoundBy = Vec<(Arc<dyn Transcripts>, Found)>;

/// What the readers find, each in its own places or in those that were named.
fn found(site: &Site, wanted: &Wanted) -> Result<FoundBy> {
    let places = site.config.places();
    let look = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let mut environment =
        Environment::of(places.home.clone(), look, vec![site.root.folder.clone()]);
    let is_wanted = |reader: &Arc<dyn Transcripts>| {
        wanted.agents.is_empty() || wanted.agents.iter().any(|agent| agent == reader.agent())
    };
    let readers = transcripts::readers(&environment);
    if let Some(unknown) =
        wanted.agents.iter().find(|agent| !readers.iter().any(|reader| reader.agent() == *agent))
    {
        let known: Vec<&str> = readers.iter().map(|reader| reader.agent()).collect();
        return Err(Error::invalid(format!("no agent is called {unknown:?}"))
            .with_hint(format!("one of: {}", known.join(", "))));
    }
    if !wanted.paths.is_empty() {
        return named(&readers.into_iter().filter(is_wanted).collect::<Vec<_>>(), &wanted.paths);
    }
    let mut all = FoundBy::new();
    for reader in readers.iter().filter(|one| !IN_PROJECTS.contains(&one.agent())) {
        all.push((Arc::clone(reader), reader.discover()));
    }
    // Other agents' sessions say where there are projects.
    let folders = all.iter().flat_map(|(_, found)| &found.sessions);
    let folders: BTreeSet<PathBuf> =
        folders.filter_map(|one| one.head.folder.as_deref().map(PathBuf::from)).collect();
    environment.projects.extend(folders.into_iter().filter(|folder| folder.is_dir()));
    environment.projects.sort();
    environment.projects.dedup();
    for reader in transcripts::readers(&environment) {
        if IN_PROJECTS.contains(&reader.agent()) {
            all.push((Arc::clone(&reader), reader.discover()));
        }
    }
    all.retain(|(reader, _)| is_wanted(reader));
    Ok(all)
}

/// The sessions in files and folders that somebody named.
fn named(readers: &[Arc<dyn Transcripts>], paths: &[PathBuf]) -> Result<FoundBy> {
    let mut all = FoundBy::new();
    for path in paths {
        if !path.exists() {
            return Err(Error::not_found(format!("there is no {}", path.display())));
        }
        let before: usize = all.iter().map(|(_, found)| found.sessions.len()).sum();
        all.extend(readers.iter().map(|reader| (Arc::clone(reader), reader.at(path))));
        let after: usize = all.iter().map(|(_, found)| found.sessions.len()).sum();
        if before == after {
            return Err(Error::invalid(format!("no agent's session is in {}", path.display()))
                .with_hint("docs/sessions.md says which files are read"));
        }
    }
    Ok(all)
}

/// The projects of folders; git is asked once for each.
pub struct Projects {
    registry: PathBuf,
    known: BTreeMap<String, Option<ProjectId>>,
}

impl Projects {
    /// As a place knows them.
    pub fn new(site: &Site) -> Projects {
        Projects { registry: site.registry(), known: BTreeMap::new() }
    }

    /// The project that a session's folder belongs to.
    pub fn of(&mut self, folder: Option<&str>) -> Option<ProjectId> {
        let folder = folder?;
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let id = identified(Path::new(folder), &self.registry);
        let id = ProjectId::new(id).ok();
        self.known.insert(folder.to_owned(), id.clone());
        id
    }
}

/// The project around a folder; one that is gone is known by its path.
fn identified(folder: &Path, registry: &Path) -> String {
    let Ok(root) = project::find_root(folder) else { return project::path_id(folder) };
    let config = Config::from_machine(root.config_file.as_deref(), Vec::new());
    let key = config.ok().and_then(|config| config.project_key());
    project::identify_root(&root, key.as_deref(), Some(registry), &Git::default()).id
}

/// Which sessions were ever taken in, as hashes: nothing of them can be read there.
pub struct Ledger {
    path: PathBuf,
    store: String,
    known: BTreeSet<String>,
}

impl Ledger {
    /// Reads what is there; a file that cannot be read is as good as none.
    pub fn open(data: &Path, engine: &Engine) -> Ledger {
        let path = data.join(LEDGER);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let store = engine.store().describe().url;
        Ledger { path, store, known: text.lines().map(str::to_owned).collect() }
    }

    /// Whether a session was taken into this store once.
    pub fn has(&self, id: &str) -> bool {
        self.known.contains(&self.hash(id))
    }

    /// Notes a session. Each line is one write at the end, so that many may do it.
    pub fn note(&mut self, id: &SessionId) -> Result<()> {
        let hash = self.hash(id.as_str());
        if self.known.contains(&hash) {
            return Ok(());
        }
        let noted = private::options()
            .append(true)
            .create(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(format!("{hash}\n").as_bytes()));
        noted.map_err(|error| {
            Error::unavailable(format!("cannot write {}: {error}", self.path.display()))
        })?;
        self.known.insert(hash);
        Ok(())
    }

    fn hash(&self, id: &str) -> String {
        let hash = blake3::hash(format!("{}\0{id}", self.store).as_bytes());
        hash.to_hex()[..32].to_owned()
    }
}
