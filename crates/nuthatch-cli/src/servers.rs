//! Which servers of this user are running, without asking the network.
//!
//! Each holds a lock on a small file in the data folder while it lives. A lock that can be had
//! belongs to nobody; what is under one that cannot is true. So nobody else on the machine can
//! pass for a server of ours, and get its token shown.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::private;
use crate::wiring::make_private;

/// Their folder in the data folder.
const FOLDER: &str = "servers";

/// What is known of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Where it is.
    pub url: String,
    /// The project it stands in.
    pub project: String,
    /// The stores it serves.
    pub stores: Vec<String>,
    /// Whether it wants the token.
    pub locked: bool,
}

/// A server that can be found, until this is dropped.
#[derive(Debug)]
pub struct Announced {
    path: PathBuf,
    // Held for its lock.
    _file: File,
}

impl Announced {
    /// Lets others find a server.
    pub fn at(data: &Path, addr: SocketAddr, server: &Running) -> Result<Announced> {
        let folder = data.join(FOLDER);
        make_private(&folder)?;
        let path = folder.join(format!("{}.json", addr.port()));
        let trouble = |error: std::io::Error| {
            Error::unavailable(format!("cannot write {}: {error}", path.display()))
        };
        let text = serde_json::to_string(server)
            .map_err(|error| Error::internal("a server is no JSON").with_source(error))?;
        let mut file = private::options()
            .read(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(trouble)?;
        // Whoever looks holds the lock for a moment only.
        file.lock().map_err(trouble)?;
        file.set_len(0).map_err(trouble)?;
        file.write_all(text.as_bytes()).map_err(trouble)?;
        Ok(Announced { path, _file: file })
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // Where it cannot be removed, the lock is gone all the same.
        let _ = fs::remove_file(&self.path);
    }
}

/// Every server that is running.
pub fn running(data: &Path) -> Vec<Running> {
    let entries = fs::read_dir(data.join(FOLDER)).into_iter().flatten().flatten();
    entries.filter_map(|entry| alive(&entry.path())).collect()
}

fn alive(path: &Path) -> Option<Running> {
    let mut file = File::open(path).ok()?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {}
        // Nobody holds it: whoever wrote it is gone.
        Ok(()) | Err(TryLockError::Error(_)) => return None,
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Running {
        let stores = vec!["sqlite:/x.db".to_owned()];
        Running { url: "http://127.0.0.1:1".into(), project: "p".into(), stores, locked: true }
    }

    #[test]
    fn a_server_is_found_while_it_lives_and_no_longer() {
        let data = tempfile::tempdir().unwrap();
        let addr = "127.0.0.1:1".parse().unwrap();
        assert_eq!(running(data.path()), []);
        let announced = Announced::at(data.path(), addr, &server()).unwrap();
        assert_eq!(running(data.path()), [server()]);
        drop(announced);
        assert_eq!(running(data.path()), []);
    }

    #[test]
    fn what_a_killed_server_left_behind_is_no_server() {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir(data.path().join(FOLDER)).unwrap();
        let left = data.path().join(FOLDER).join("7.json");
        fs::write(&left, serde_json::to_string(&server()).unwrap()).unwrap();
        assert_eq!(running(data.path()), []);
        let again = Announced::at(data.path(), "127.0.0.1:7".parse().unwrap(), &server());
        assert_eq!(running(data.path()).len(), 1);
        drop(again);
    }
}
