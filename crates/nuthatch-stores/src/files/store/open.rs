//! Opening a store of files: its folders and its index.
//!
//! Nothing canonical is read here; the first access does that, under the lock.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuthatch::error::{Error, Kind, Result};

use super::{FileStore, Shared};
use crate::disk;
use crate::files::layout::Layout;
use crate::sqlite::{Role, SqliteStore, blocking, sql_error};

/// What the index knows of the files it was made from. Not part of the numbered schema:
/// an index is thrown away rather than migrated.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS files (
        path  TEXT PRIMARY KEY,
        look  TEXT NOT NULL,
        young INTEGER NOT NULL,
        hash  TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS placed (
        id   BLOB PRIMARY KEY,
        path TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS placed_by_path ON placed (path);
";

/// Where a store of files is.
pub struct Place {
    /// How to open it again.
    pub url: String,
    /// The folder that paths of the layout are relative to.
    pub root: PathBuf,
    /// The folder of everything that is not for people.
    pub state: PathBuf,
}

impl FileStore {
    /// Opens a store, creating its folders if there is nothing.
    ///
    /// # Errors
    /// `unavailable`, naming the file, when something cannot be read.
    pub(crate) async fn open(place: Place, layout: Box<dyn Layout>) -> Result<Self> {
        blocking(move || {
            disk::create_private_dir(&place.root)?;
            refuse_link(&place.state)?;
            disk::create_private_dir(&place.state.join("stage"))?;
            keep_out_of_git(&place.state)?;
            let index = open_index(&place.state)?;
            let Place { url, root, state } = place;
            let shared = Arc::new(Shared { layout, url, root, state, index });
            Ok(FileStore { shared })
        })
        .await
    }
}

/// A store in a repository is there to be reviewed; what only this machine needs is not.
fn keep_out_of_git(state: &Path) -> Result<()> {
    let path = state.join(".gitignore");
    if path.exists() { Ok(()) } else { disk::write_new(&path, b"*\n") }
}

/// Writing through a planted link would put our files into somebody else's folder.
fn refuse_link(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => {
            Err(Error::unavailable(format!("{} is a symbolic link", path.display()))
                .with_hint("remove the link; nothing was changed"))
        }
        _ => Ok(()),
    }
}

/// The index, made anew if what is there cannot be used. A busy index is never taken for a
/// broken one.
fn open_index(state: &Path) -> Result<SqliteStore> {
    let path = state.join("index.db");
    let open = || -> Result<SqliteStore> {
        let index = SqliteStore::open_as(&path, Role::Derived)?;
        index.shared().with_writer(|connection| {
            connection.execute_batch(TABLES).map_err(|error| sql_error(&path, error))
        })?;
        Ok(index)
    };
    match open() {
        Err(error) if error.kind() == Kind::Unavailable && !is_busy(&error) => {
            for ending in ["", "-wal", "-shm", "-journal"] {
                let mut name = path.clone().into_os_string();
                name.push(ending);
                match fs::remove_file(&name) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(disk::io_error("remove", Path::new(&name), error));
                    }
                    _ => {}
                }
            }
            open()
        }
        result => result,
    }
}

fn is_busy(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let sqlite = source.and_then(|source| source.downcast_ref::<rusqlite::Error>());
    sqlite.is_some_and(crate::sqlite::busy)
}
