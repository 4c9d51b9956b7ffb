//! `nuthatch doctor`: checks configuration, data folder, project, stores and their limits.
//!
//! Mends nothing, but finishes what a forget could not; a store that does not exist yet is
//! not made. What stops other commands is a finding here, among the rest of what was found.

mod erasure;
mod hooks;
mod limits;
mod model;
mod places;

use clap::Args;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::store::{Finding, Severity};
use nuthatch_stores::{StoreUrl, check_within};
use serde::Serialize;

use super::Ending;
use crate::cli::Globals;
use crate::output::Output;
use crate::project::How;
use crate::wiring::{Site, StoreUrls};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember uses tabs
  $ nuthatch doctor
  $ nuthatch doctor --json";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DoctorArgs {}

#[derive(Debug, Serialize)]
struct Answer {
    checks: Vec<Finding>,
    ok: bool,
}

/// Checks everything.
pub async fn run(_: &DoctorArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    let mut checks = vec![Finding::ok("version", concat!("nuthatch ", env!("CARGO_PKG_VERSION")))];
    if let Err(error) = look(globals, &mut checks).await {
        checks.push(failed("configuration", &error));
    }
    let ok = checks.iter().all(|check| check.severity != Severity::Failure);
    out.answer(&Answer { checks, ok }, |out, answer| {
        answer.checks.iter().try_for_each(|check| print(check, out))
    })?;
    Ok(if ok { Ending::Well } else { Ending::Badly(Kind::Unavailable) })
}

async fn look(globals: &Globals, checks: &mut Vec<Finding>) -> Result<()> {
    let site = Site::find(globals)?;
    let Site { root, config } = &site;
    let files = [Some(config.places().config_file.as_path()), root.config_file.as_deref()];
    let read: Vec<String> = files
        .into_iter()
        .flatten()
        .filter(|f| f.is_file())
        .map(|f| f.display().to_string())
        .collect();
    let detail =
        if read.is_empty() { "no files, defaults only".to_owned() } else { read.join(", ") };
    checks.push(Finding::ok("configuration", detail));
    checks.push(places::data_folder(&config.places().data_dir));
    checks.push(project(&site));
    checks.push(model::check(&config.settings().embeddings, &config.places().data_dir).await);
    checks.extend(hooks::check(&config.places().data_dir));
    let urls = site.store_urls(globals)?;
    store("store", &site, (&urls, &urls.default), checks).await;
    for (kind, (url, _)) in &urls.routes {
        store(&format!("store of scope {}", kind.name()), &site, (&urls, url), checks).await;
    }
    Ok(())
}

fn project(site: &Site) -> Finding {
    let project = site.project();
    let how = match project.how {
        How::Key => "its key",
        How::Git => "git",
        How::Path => "its path",
    };
    let detail = format!("{} by {how}, at {}", project.id, project.root.display());
    match &project.note {
        None => Finding::ok("project", detail),
        Some(note) => Finding::warning(
            "project",
            format!("{detail}; {note}"),
            "a key under [project] in .nuthatch/config.toml is a name that stays",
        ),
    }
}

async fn store(
    name: &str,
    site: &Site,
    (urls, url): (&StoreUrls, &StoreUrl),
    checks: &mut Vec<Finding>,
) {
    if let Some(failure) = url.path().and_then(|path| places::unwritable(name, path)) {
        checks.push(failure);
    }
    if url.path().is_some_and(|path| !path.exists()) {
        let detail = format!("{url} is not there yet; the first memory makes it");
        checks.push(Finding::ok(name, detail));
        return;
    }
    match examine(site, urls, url).await {
        Ok(findings) => {
            checks.push(Finding::ok(name, format!("{url} opens")));
            let named = |f: Finding| Finding { name: format!("{name}: {}", f.name), ..f };
            checks.extend(findings.into_iter().map(named));
        }
        Err(error) => checks.push(failed(name, &error)),
    }
}

async fn examine(site: &Site, urls: &StoreUrls, url: &StoreUrl) -> Result<Vec<Finding>> {
    let store = site.open(url).await?;
    let mut findings = check_within(&*store, &urls.reach_of(url)).await?;
    findings.push(erasure::finished(&store.wipe().await?));
    findings.extend(limits::exceeded(&*store, &site.config.settings().rules).await?);
    Ok(findings)
}

fn failed(name: &str, error: &Error) -> Finding {
    Finding {
        name: name.to_owned(),
        severity: Severity::Failure,
        detail: error.to_string(),
        hint: error.hint().map(str::to_owned),
    }
}

fn print(check: &Finding, out: &mut Output) -> Result<()> {
    let severity = match check.severity {
        Severity::Ok => "ok",
        Severity::Warning => "warning",
        Severity::Failure => "failure",
    };
    out.line(format_args!("{severity:<8} {}: {}", check.name, check.detail))?;
    check.hint.iter().try_for_each(|hint| out.line(format_args!("         hint: {hint}")))
}
