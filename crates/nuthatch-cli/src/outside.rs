//! What is read from outside at a place: context files, and the sources of a context.
//!
//! Credentials of trackers come from the environment. What is wrong about them is said in
//! the place of that tracker and costs nobody the rest.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nuthatch::error::{Error, Result};
use nuthatch_sources::Keeping;
use nuthatch_sources::context::{FilesSource, OutsideSource};
use nuthatch_sources::files::{ContextFiles, FilesRequest, Product};
use nuthatch_sources::source::{Address, Sources};
use nuthatch_sources::trackers::{Braingrid, Jira, Token};
use nuthatch_sources::web::{Guard, Web, WebLimits};
use nuthatch_stores::SystemClock;

use crate::wiring::Site;

/// The folder in the data folder that keeps what sources said.
const KEPT: &str = "sources";

/// What is asked about the context files of `target`.
pub fn files(site: &Site, product: Product, target: &Path) -> Result<FilesRequest> {
    let (settings, places) = (&site.config.settings().context, site.config.places());
    let allowed = settings.import_from.iter();
    let allowed = allowed.map(|path| places.expand(path).map(PathBuf::from)).collect::<Result<_>>();
    let target = std::path::absolute(target).map_err(|error| {
        Error::invalid(format!("{} is no path", target.display())).with_source(error)
    })?;
    Ok(FilesRequest {
        product,
        names: settings.files.clone(),
        root: site.root.folder.clone(),
        target,
        user: places.config_file.parent().map(PathBuf::from),
        home: places.home.clone(),
        allowed: allowed?,
    })
}

/// The context files of where the user stands, as a part of a context.
pub fn files_source(site: &Site) -> FilesSource {
    let root = &site.root.folder;
    let here = std::env::current_dir().ok().filter(|here| here.starts_with(root));
    let here = here.unwrap_or_else(|| root.clone());
    let request = files(site, Product::Nuthatch, &here).unwrap_or_else(|_| FilesRequest {
        product: Product::Nuthatch,
        names: site.config.settings().context.files.clone(),
        root: root.clone(),
        target: root.clone(),
        user: None,
        home: None,
        allowed: Vec::new(),
    });
    FilesSource { files: ContextFiles::default(), request }
}

/// The sources that are configured here, as a part of a context.
pub fn outside_source(site: &Site) -> OutsideSource<SystemClock> {
    let (sources, wrong) = sources(site);
    let mut wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    let addresses = addresses(site).unwrap_or_else(|error| {
        wrong.push(error.to_string());
        Vec::new()
    });
    OutsideSource { sources, addresses, wrong, clock: SystemClock }
}

/// The sources that are configured here.
pub fn addresses(site: &Site) -> Result<Vec<Address>> {
    site.config.settings().context.sources.iter().map(|text| Address::parse(text)).collect()
}

/// The way to sources, and what is wrong with the configuration of trackers.
pub fn sources(site: &Site) -> (Sources, Vec<Error>) {
    let settings = &site.config.settings().sources;
    let guard = Guard::public().allowing(settings.private_hosts.iter().cloned());
    let time = Duration::from_secs(settings.timeout_seconds);
    let mut wrong = Vec::new();
    let mut usable = |error: Error| wrong.push(error);
    let jira = jira().unwrap_or_else(|error| {
        usable(error);
        None
    });
    let braingrid = braingrid().unwrap_or_else(|error| {
        usable(error);
        None
    });
    let keeping = Keeping::in_folder(site.config.places().data_dir.join(KEPT));
    let sources = Sources {
        root: site.root.folder.clone(),
        web: Web::new(guard, WebLimits { time, ..WebLimits::default() }),
        jira,
        braingrid,
        keeping: Some((keeping, Duration::from_secs(settings.recent_minutes * 60))),
    };
    (sources, wrong)
}

fn jira() -> Result<Option<Jira>> {
    let (Some(base), Some(token)) = (variable("JIRA_BASE_URL"), variable("JIRA_TOKEN")) else {
        return Ok(None);
    };
    let token = Token::new("JIRA_TOKEN", &token)?;
    Jira::new(&base, variable("JIRA_EMAIL").as_deref(), token).map(Some)
}

fn braingrid() -> Result<Option<Braingrid>> {
    let (project, token) = (variable("BRAINGRID_PROJECT_ID"), variable("BRAINGRID_TOKEN"));
    let (Some(project), Some(token)) = (project, token) else { return Ok(None) };
    let base = variable("BRAINGRID_BASE_URL").unwrap_or_else(|| Braingrid::BASE.to_owned());
    let path = variable("BRAINGRID_PATH").unwrap_or_else(|| Braingrid::PATH.to_owned());
    let token = Token::new("BRAINGRID_TOKEN", &token)?;
    Braingrid::new(&base, &path, &project, token).map(Some)
}

/// A variable that says something.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}
