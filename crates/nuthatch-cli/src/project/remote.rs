//! Where a repository comes from, in one spelling.
//!
//! The many ways to write one address become `host/owner/repo`, without login, port or
//! protocol. A remote that is a folder on this machine is followed to where that one
//! comes from, so that a local clone belongs to the project it was cloned from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git::{Failure, Git};
use super::layout::Layout;

/// More local clones of clones than anyone keeps; a guard, as loops are found anyway.
const MOST_HOPS: usize = 16;

/// What a remote's address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A repository on some host, as `host/owner/repo`.
    Hosted(String),
    /// A folder on this machine.
    Local(PathBuf),
}

/// The hosted remote behind a repository; `None` where there is none.
pub fn resolve(git: &Git, layout: &Layout) -> Result<Option<String>, Failure> {
    let mut visited = BTreeSet::new();
    let mut current = layout.clone();
    for _ in 0..MOST_HOPS {
        if !visited.insert(current.common_dir.clone()) {
            return Ok(None);
        }
        let remotes = match git.remotes(&current.config_file()) {
            Ok(remotes) => remotes,
            Err(Failure::NotInstalled) => return Err(Failure::NotInstalled),
            Err(_) => return Ok(None),
        };
        let next = match preferred(&remotes).and_then(|url| parse(url, current.base())) {
            Some(Address::Hosted(hosted)) => return Ok(Some(hosted)),
            Some(Address::Local(path)) => Layout::of_remote(&path),
            None => None,
        };
        match next {
            Some(layout) => current = layout,
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// `origin`, else the first by name.
fn preferred(remotes: &[(String, String)]) -> Option<&str> {
    let origin = remotes.iter().find(|(name, _)| name == "origin");
    // The first of several addresses is the one git fetches from, and `min` keeps it.
    let chosen = origin.or_else(|| remotes.iter().min_by_key(|(name, _)| name));
    chosen.map(|(_, url)| url.as_str())
}

/// Understands an address the way git does. `base` is what relative paths start from.
pub fn parse(url: &str, base: &Path) -> Option<Address> {
    let url = without_helper(url.trim());
    if let Some(path) = url.strip_prefix("file://") {
        let path = path.strip_prefix("localhost").unwrap_or(path);
        return Some(Address::Local(base.join(percent_decoded(path))));
    }
    if let Some((_, rest)) = url.split_once("://") {
        // Whatever follows these may be a token, and names no other repository.
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        let (authority, path) = rest.split_once('/')?;
        return hosted(host_of(authority), path);
    }
    match scp_like(url) {
        Some((host, path)) => hosted(host_of(host), path),
        None if url.is_empty() => None,
        None => Some(Address::Local(base.join(url))),
    }
}

/// `HELPER::ADDRESS` asks another program to fetch the address.
fn without_helper(url: &str) -> &str {
    match url.split_once("::") {
        Some((helper, address)) if helper.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            address
        }
        _ => url,
    }
}

/// `host:path`, told from a path by the colon that comes before any slash.
fn scp_like(url: &str) -> Option<(&str, &str)> {
    let login_end = url.find('@').map_or(0, |at| at + 1);
    let host_end = match url[login_end..].strip_prefix('[') {
        Some(_) => login_end + url[login_end..].find("]:")? + 1,
        None => url.find(':')?,
    };
    let (host, path) = (&url[..host_end], &url[host_end + 1..]);
    (!host.contains('/')).then_some((host, path))
}

/// The host without login and port.
fn host_of(authority: &str) -> &str {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or(host),
    }
}

fn hosted(host: &str, path: &str) -> Option<Address> {
    let host = host.trim_end_matches('.').to_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let path = parts.join("/");
    let path = path.strip_suffix(".git").unwrap_or(&path).trim_end_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| Address::Hosted(format!("{host}/{path}")))
}

fn percent_decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], code.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
