//! Opening a store of files: its folders and its index.
//!
//! Nothing canonical is read here; the first access does that, under the lock.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nuthatch::error::{Error, Kind, Result};

use super::{FileStore, Shared, codec, jobs, lock};
use crate::disk;
use crate::files::layout::Layout;
use crate::sqlite::{Role, SqliteStore, blocking, place, sql_error};

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
    pub(crate) async fn open(at: Place, layout: Box<dyn Layout>) -> Result<Self> {
        blocking(move || {
            disk::create_private_dir(&at.root)?;
            refuse_planted_links(&at.state)?;
            disk::create_private_dir(&at.state.join("stage"))?;
            keep_out_of_git(&at.state)?;
            let index = open_index(&at.state)?;
            let Place { url, root, state } = at;
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

/// Everything of ours in the state folder. Writing through a planted link would put it into
/// somebody else's place, or take their files for ours.
const OURS: [&str; 14] = [
    ".gitignore",
    "conflicts",
    "index.db",
    "index.db-journal",
    "index.db-shm",
    "index.db-wal",
    jobs::JOBS,
    "journal",
    "lock",
    "stage",
    codec::SESSIONS,
    codec::TOMBSTONES,
    codec::TURNS,
    codec::VERSIONS,
];

fn refuse_planted_links(state: &Path) -> Result<()> {
    let parent = state.parent().unwrap_or(state);
    OURS.iter().try_for_each(|name| disk::refuse_links(parent, &state.join(name)))
}

/// The index, made anew if what is there cannot be used. A busy index is never taken for a
/// broken one.
fn open_index(state: &Path) -> Result<SqliteStore> {
    let path = state.join("index.db");
    let open = || -> Result<SqliteStore> {
        let index = SqliteStore::open_as(&path, Role::Derived)?;
        add_tables(&index)?;
        Ok(index)
    };
    match open() {
        Err(error) if error.kind() == Kind::Unavailable && !is_busy(&error) => {
            let _guard = lock::lock(state)?;
            remove_database(&path)?;
            open()
        }
        result => result,
    }
}

fn add_tables(index: &SqliteStore) -> Result<()> {
    index.shared().with_writer(|connection| {
        connection.execute_batch(TABLES).map_err(|error| sql_error(&place(connection), error))
    })
}

fn remove_database(path: &Path) -> Result<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.to_path_buf().into_os_string();
        name.push(ending);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(disk::io_error("remove", Path::new(&name), error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Throws a damaged index away and makes it anew from the files.
pub fn rebuild_index(shared: &Shared) -> Result<()> {
    let _guard = shared.lock()?;
    shared.index.shared().replace(|path| {
        remove_database(path)?;
        SqliteStore::open_as(path, Role::Derived).map(|_| ())
    })?;
    add_tables(&shared.index)?;
    shared.refresh()
}

/// Whether an error tells of a damaged database, and not of a damaged file of the user's.
pub fn is_damage(error: &Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    let source = std::error::Error::source(error);
    let sqlite = source.and_then(|source| source.downcast_ref::<rusqlite::Error>());
    let code = sqlite.and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(DatabaseCorrupt | NotADatabase))
}

fn is_busy(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let sqlite = source.and_then(|source| source.downcast_ref::<rusqlite::Error>());
    sqlite.is_some_and(crate::sqlite::busy)
}
