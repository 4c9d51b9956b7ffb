//! The one place where configuration, project and store meet.
//!
//! A [`Site`] is where a command was started: root and configuration. A [`Desk`] is
//! what it works with: an engine over the opened stores, and what the words `project` and
//! "visible" mean here. Opening is the only expensive step, and nothing is opened twice.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use nuthatch::audit::{Actor, Audit as _, Auditor, Event};
use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Scopes;
use nuthatch::id::ProjectId;
use nuthatch::place::Usual;
use nuthatch::scope::ScopeKind;
use nuthatch::store::Store;
use nuthatch::{Engine, Place, Rules, Scope};
use nuthatch_sources::transcripts::Environment;
use nuthatch_stores::{AuditLog, CompositeStore, Reach, Route, StoreUrl, SystemClock, SystemIds};

use crate::autonomy;
use crate::cli::Globals;
use crate::config::settings::{self, Recall};
use crate::config::{self, Config, Flag, Origin, Value};
use crate::embedder;
use crate::opening;
use crate::private;
use crate::project::{self, Git, Project, Root};
use crate::servers::Running;

/// The file in the data folder that remembers which repository has which id.
const REGISTRY: &str = "projects.json";
/// The file in the data folder that records what was done.
const AUDIT_LOG: &str = "audit.jsonl";

/// The root of the project a command was started in.
pub fn find_root(globals: &Globals) -> Result<Root> {
    project::find_root(globals.project.as_deref().unwrap_or(Path::new(".")))
}

/// The configuration that holds there.
pub fn configuration(root: &Root, globals: &Globals) -> Result<Config> {
    let store = globals.store.iter().map(|url| Flag {
        key: "stores.default".to_owned(),
        value: url.clone(),
        name: "--store".to_owned(),
    });
    Config::from_machine(root.config_file.as_deref(), store.collect())
}

/// Where a command was started.
pub struct Site {
    pub root: Root,
    pub config: Config,
}

impl Site {
    /// Finds root and configuration.
    pub fn find(globals: &Globals) -> Result<Site> {
        let root = find_root(globals)?;
        let config = configuration(&root, globals)?;
        Ok(Site { root, config })
    }

    /// The project here. Asks git when the registry does not know it.
    pub fn project(&self) -> Project {
        let key = self.config.project_key();
        let registry = self.registry();
        project::identify_root(&self.root, key.as_deref(), Some(&registry), &Git::default())
    }

    /// The file that remembers which repository has which id.
    pub fn registry(&self) -> PathBuf {
        self.config.places().data_dir.join(REGISTRY)
    }

    /// Where the sessions of agents are looked for.
    pub fn transcripts(&self) -> Environment {
        let look = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let home = self.config.places().home.clone();
        Environment::of(home, look, vec![self.root.folder.clone()])
    }

    /// A store address as typed or configured; a relative path is taken from the root.
    pub fn store_url(&self, address: &str) -> Result<StoreUrl> {
        let expanded = config::stores::expand(address, self.config.places())?;
        StoreUrl::parse(&expanded, &self.root.folder)
    }

    /// The stores in use: the default one, and those of scopes that have their own.
    pub fn store_urls(&self, globals: &Globals) -> Result<StoreUrls> {
        let default = self.store_url(&self.config.settings().stores.default)?;
        let mut routes = BTreeMap::new();
        // A store named on the command line is meant for everything.
        for kind in ScopeKind::ALL.into_iter().filter(|_| globals.store.is_none()) {
            let Some((url, reach)) = self.route(kind)? else { continue };
            if url != default {
                routes.insert(kind, (url, reach));
            }
        }
        Ok(StoreUrls { default, routes })
    }

    /// The store of a kind of scope, where it has its own. One that a project brings along,
    /// or that lies elsewhere in every project, can only speak for the project here.
    fn route(&self, kind: ScopeKind) -> Result<Option<(StoreUrl, Reach)>> {
        let name = format!("stores.{}", kind.name());
        let Some(entry) = self.config.entries().find(|entry| entry.key.name == name) else {
            return Ok(None);
        };
        let Some(Value::Text(address)) = &entry.value else { return Ok(None) };
        let url = self.store_url(address)?;
        let expanded = config::stores::expand(address, self.config.places())?;
        let is_relative = StoreUrl::parse(&expanded, Path::new("another place"))? != url;
        let reach = match &entry.origin {
            Origin::ProjectFile(_) => Reach::Only(self.project_id()?),
            _ if is_relative => Reach::Only(self.project_id()?),
            _ => Reach::Kind,
        };
        Ok(Some((url, reach)))
    }

    /// The files and folders of the stores in use.
    fn kept_in(&self, globals: &Globals) -> Result<Vec<PathBuf>> {
        let StoreUrls { default, routes } = self.store_urls(globals)?;
        let urls = std::iter::once(&default).chain(routes.values().map(|(url, _)| url));
        Ok(urls.filter_map(StoreUrl::path).map(Path::to_path_buf).collect())
    }

    /// What others can know of a server that stands here.
    pub fn server(&self, url: &str, globals: &Globals, locked: bool) -> Result<Running> {
        let StoreUrls { default, routes } = self.store_urls(globals)?;
        let stores = std::iter::once(&default).chain(routes.values().map(|(url, _)| url));
        let stores = stores.map(ToString::to_string).collect();
        Ok(Running { url: url.to_owned(), project: self.project().id, stores, locked })
    }

    /// The id of the project here.
    pub fn project_id(&self) -> Result<ProjectId> {
        ProjectId::new(self.project().id)
    }

    /// Where what is done is recorded.
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::at(self.config.places().data_dir.join(AUDIT_LOG))
    }

    /// What records what is done from here, by which door.
    pub fn auditor(&self, door: &str) -> Auditor {
        Auditor::new(Arc::new(self.audit_log()), self.actor(door))
    }

    /// Who stands here, as far as the system says.
    fn actor(&self, door: &str) -> Actor {
        let who = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
        let who = who.filter(|who| !who.is_empty());
        Actor { door: door.to_owned(), who }
    }

    /// Records what was done to something that is no memory.
    pub fn record(&self, operation: &str, id: &str, at: Timestamp) -> Result<()> {
        let Actor { door, who } = self.actor("cli");
        let (operation, ids) = (operation.to_owned(), vec![id.to_owned()]);
        let outcome = "done".to_owned();
        self.audit_log().keep(&Event { at, door, who, origin: None, operation, ids, outcome })
    }

    /// Opens one store, making the data folder first where the store lies in it.
    pub async fn open(&self, url: &StoreUrl) -> Result<Arc<dyn Store>> {
        let data = &self.config.places().data_dir;
        if url.path().is_some_and(|path| path.starts_with(data)) {
            make_private(data)?;
        }
        nuthatch_stores::open(url).await
    }

    async fn open_all(&self, globals: &Globals) -> Result<Arc<dyn Store>> {
        // Before the project is asked for: its registry lies in the folder this makes.
        let default = self.store_url(&self.config.settings().stores.default)?;
        let opened_default = opening::open(self, &default, globals.access).await?;
        let StoreUrls { routes, .. } = self.store_urls(globals)?;
        if routes.is_empty() {
            return Ok(opened_default);
        }
        let mut opened: BTreeMap<StoreUrl, Arc<dyn Store>> = BTreeMap::new();
        let mut stores = BTreeMap::new();
        for (kind, (url, reach)) in routes {
            let store = match opened.get(&url) {
                Some(store) => Arc::clone(store),
                None => opening::open(self, &url, globals.access).await?,
            };
            opened.insert(url, Arc::clone(&store));
            stores.insert(kind, Route { store, reach });
        }
        Ok(Arc::new(CompositeStore::routed(opened_default, stores)))
    }
}

/// Which stores are in use, and what each kind's own one is trusted with.
pub struct StoreUrls {
    pub default: StoreUrl,
    pub routes: BTreeMap<ScopeKind, (StoreUrl, Reach)>,
}

impl StoreUrls {
    /// The scopes that the store at `url` answers for.
    pub fn reach_of(&self, url: &StoreUrl) -> Scopes {
        let regions = self.routes.iter().filter(|(_, (own, _))| own == url || *url == self.default);
        let regions = regions.map(|(kind, (_, reach))| reach.region(*kind)).collect();
        if *url == self.default { Scopes::outside(regions) } else { Scopes::within(regions) }
    }
}

/// A folder that only its owner can look into.
pub fn make_private(folder: &Path) -> Result<()> {
    private::folder(folder).map_err(|error| {
        Error::unavailable(format!("cannot make the data folder {}: {error}", folder.display()))
            .with_hint("make it yourself, or set NUTHATCH_HOME to a folder you can write to")
            .with_source(error)
    })
}

/// What a command works with: a place, and how recall works where the command line says
/// nothing.
pub struct Desk {
    place: Place,
    kept_in: Vec<PathBuf>,
    recall: Recall,
    data: PathBuf,
    said: Vec<OsString>,
}

impl Desk {
    /// Opens the stores of the place a command was started in.
    pub async fn open(globals: &Globals) -> Result<Desk> {
        Desk::at_door(globals, "cli").await
    }

    async fn at_door(globals: &Globals, door: &str) -> Result<Desk> {
        let site = Site::find(globals)?;
        let store = site.open_all(globals).await?;
        let settings = site.config.settings();
        let id = site.project_id()?;
        let project = Scope::Project(id.clone());
        // Elsewhere a folder is just where somebody happens to stand.
        let is_project = site.root.repository.is_some() || site.root.config_file.is_some();
        let home = if is_project { project.clone() } else { Scope::Global };
        let engine = engine(store, settings.rules).audited(site.auditor(door));
        let data = &site.config.places().data_dir;
        let engine = match embedder::open(&settings.embeddings, data).await {
            Some(embedder) => engine.with_embedder(embedder),
            None => engine,
        };
        let (kept_in, recall) = (site.kept_in(globals)?, settings.recall.clone());
        let usual = Usual {
            mode: settings.recall.mode.for_recall(),
            limit: settings.recall.limit,
            budget_tokens: settings.context.budget_tokens,
        };
        let data = data.clone();
        let autonomy = autonomy::open(&Arc::new(site), engine.clone(), id);
        let place = Place::new(engine, project, home, TimeZone::system()).with_usual(usual);
        let place = place.with_autonomy(autonomy);
        Ok(Desk { place, kept_in, recall, data, said: globals.said() })
    }

    /// A desk over a store that is thrown away, as nobody configured it.
    pub async fn throwaway(folder: PathBuf) -> Result<Desk> {
        let project = Scope::Project(ProjectId::new("tour")?);
        let store = nuthatch_stores::open(&StoreUrl::Sqlite(folder.join("memory.db"))).await?;
        let engine = engine(store, Rules::default());
        let (data, said) = (folder, Vec::new());
        Ok(Desk {
            place: Place::new(engine, project.clone(), project, TimeZone::system()),
            kept_in: Vec::new(),
            recall: Recall { mode: settings::RecallMode::Hybrid, limit: 10 },
            data,
            said,
        })
    }

    /// The place with the habits of the configuration: what a server stands at. What it
    /// writes is recorded as the server's.
    pub async fn for_server(globals: &Globals, door: &str) -> Result<Place> {
        Ok(Desk::at_door(globals, door).await?.place)
    }

    /// The files and folders of the stores.
    pub fn kept_in(&self) -> &[PathBuf] {
        &self.kept_in
    }

    /// The folder for what the command keeps beside the stores.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Arguments with which the command finds this desk again.
    pub fn said(&self) -> &[OsString] {
        &self.said
    }

    /// How recall works where the command line says nothing.
    pub fn recall(&self) -> &Recall {
        &self.recall
    }
}

impl Deref for Desk {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

/// Now, in the user's own time zone.
pub fn now() -> Zoned {
    SystemClock.now().to_zoned(TimeZone::system())
}

/// An engine over a store, on this machine's clock.
pub fn engine(store: Arc<dyn Store>, rules: Rules) -> Engine {
    Engine::new(store, Arc::new(SystemClock), Arc::<SystemIds>::default(), rules)
}
