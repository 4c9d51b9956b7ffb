//! Store addresses as far as configuration must understand them.
//!
//! It expands `~/`, joins `backend` and `path`, and keeps a repository's store inside
//! the repository. Opening a store, and judging its scheme, is the work of others.

use std::path::{Component, Path, PathBuf};

use nuthatch::error::{Error, Kind, Result};

use super::places::Places;
use super::wording::{Problem, quoted};

/// The values of `stores.backend`, which are also the schemes of store addresses.
pub const BACKENDS: &[&str] = &["sqlite", "markdown", "json", "postgres"];

/// A store in RAM, which has no path.
const IN_RAM: &str = "memory:";

/// The backend that `address` names, and the path behind it.
fn split(address: &str) -> (Option<&'static str>, &str) {
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return (Some("postgres"), address);
    }
    for backend in BACKENDS {
        if let Some(path) = address.strip_prefix(backend).and_then(|rest| rest.strip_prefix(':')) {
            return (Some(backend), path);
        }
    }
    (None, address)
}

/// Refuses what no store can mean.
pub fn check(address: &str) -> Result<(), Problem> {
    let (backend, path) = split(address);
    if let Some(scheme) = scheme(path).filter(|_| backend.is_none() && address != IN_RAM) {
        // What follows the scheme may hold a password.
        return Err(Problem::new(format!("not a store: {}", quoted(scheme))).with_hint(Some(
            "sqlite:PATH, markdown:DIR, json:PATH, or a path that ends in .db or .json".to_owned(),
        )));
    }
    if path.is_empty() {
        return Err(Problem::new("the store's path is missing after the colon"));
    }
    if path.starts_with('~') && path != "~" && !path.starts_with("~/") {
        return Err(Problem::new("only ~/ stands for a home folder")
            .with_hint(Some("write the whole path of the other folder".to_owned())));
    }
    Ok(())
}

/// What stands before a colon, unless it is part of a path: `C:\memory` is one.
fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    (scheme.len() > 1 && !scheme.contains(['/', '.', '\\', '~'])).then_some(scheme)
}

/// Replaces a leading `~` of the address's path by the home folder.
pub fn expand(address: &str, places: &Places) -> Result<String> {
    let (backend, path) = split(address);
    let path = places.expand(path)?;
    Ok(match backend {
        Some("postgres") | None => path,
        Some(backend) => format!("{backend}:{path}"),
    })
}

/// The address that `backend` and `path` spell together.
pub fn join(backend: Option<&str>, path: Option<&str>, places: &Places) -> Result<String> {
    let file = |name: &str| places.data_dir.join(name).display().to_string();
    match (backend, path) {
        (Some("postgres"), path) => match path {
            Some(url) if split(url).0 == Some("postgres") => Ok(url.to_owned()),
            _ => Err(Error::invalid("stores.path is not the URL that stores.backend needs")
                .with_hint("set stores.path to postgres://USER@HOST/DATABASE")),
        },
        (Some(backend), Some(path)) => match split(path).0 {
            None => Ok(format!("{backend}:{path}")),
            Some(same) if same == backend => Ok(path.to_owned()),
            Some(other) => Err(Error::invalid(format!(
                "stores.backend is {backend}, but stores.path names a {other} store"
            ))),
        },
        (None, Some(path)) => Ok(path.to_owned()),
        (Some("markdown"), None) => Ok(format!("markdown:{}", file("memory"))),
        (Some("json"), None) => Ok(format!("json:{}", file("memory.json"))),
        (_, None) => Ok(format!("sqlite:{}", file("memory.db"))),
    }
}

/// Where the address lies below a project's root; `None` where it may lie elsewhere.
///
/// Judged by the text alone, so links are not seen; see [`stays_inside`] for those.
pub fn relative_path(address: &str) -> Option<PathBuf> {
    let (backend, path) = split(address);
    if backend == Some("postgres") || path.starts_with('~') || path.contains("://") {
        return None;
    }
    let mut inside = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) if is_plain(&name.to_string_lossy()) => inside.push(name),
            // Climbing is allowed only as far as the path itself came down.
            Component::ParentDir if inside.pop() => {}
            _ => return None,
        }
    }
    Some(inside)
}

/// A colon may begin another scheme, and git's own files are not for memories.
fn is_plain(name: &str) -> bool {
    !name.contains([':', '\\']) && !name.eq_ignore_ascii_case(".git")
}

/// The refusal of a store that a project may not name; `named` says who named it.
pub fn leads_out(named: &str) -> Error {
    Error::new(Kind::Denied, format!("the store that {named} leads out of the project")).with_hint(
        "a project file may only name a path inside the project, such as \
             \"markdown:.nuthatch/memory\"; set others in your own configuration file",
    )
}

/// Whether `relative` stays below `root` once the links on the way are followed.
pub fn stays_inside(root: &Path, relative: &Path) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    let target = root.join(relative);
    // What does not exist yet cannot be a link, so the deepest existing folder decides.
    // A dangling link exists as a link and resolves to nothing, which is refused.
    let existing = target.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    existing
        .and_then(|folder| folder.canonicalize().ok())
        .is_some_and(|resolved| resolved.starts_with(&root))
}
