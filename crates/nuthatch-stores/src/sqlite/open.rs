//! Opening a SQLite store: settings, schema, versions, and what to say of a file that is
//! not one.
//!
//! Nothing is ever overwritten here: a file that is no store of ours, or one of a newer
//! version, is refused as it is.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nuthatch::error::{Error, Result};
use nuthatch::store::{Finding, VectorUsage};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::cache::Cache;
use super::codec::sql_error;
use super::{Shared, SqliteStore, vector, words};
use crate::disk;

/// How long a writer waits for another: far longer than any write takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
/// Pages kept by a connection: SQLite's own two megabytes make a recall over a hundred thousand
/// memories read every third page twice.
const CACHE_KIB: u32 = 16 << 10;
/// How much of the file young readers see mapped: a command that searches once reads some ten
/// thousand pages, and a call to the system for each costs as much as the search. What is mapped
/// counts as memory of the process, so a store of a million is not mapped whole.
const MAPPED_BYTES: u64 = 1 << 28;
/// Reads of a handle that see the file mapped. Who stays longer has the pages that matter in its
/// own cache by then, and does not hold the whole file.
pub(super) const MAPPED_READS: u64 = 100;
/// Marks the file as ours; the letters `Nuth`.
const APPLICATION_ID: i32 = 0x4E75_7468;
/// What a file of this engine begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Numbered, applied in order, never edited after a release.
const MIGRATIONS: [&str; 4] = [
    include_str!("migrations/0001_memories.sql"),
    include_str!("migrations/0002_piles.sql"),
    include_str!("migrations/0003_jobs.sql"),
    include_str!("migrations/0004_tombstones.sql"),
];

/// What a database is to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The only place where things are.
    Truth,
    /// Made out of something else, and made again if it is lost.
    Derived,
}

impl SqliteStore {
    /// Opens the store at `path`, creating it if there is nothing.
    ///
    /// # Errors
    /// `unavailable`, naming the file, when it is not a store or cannot be used.
    pub async fn open(path: &Path) -> Result<Self> {
        let path = path.to_path_buf();
        super::blocking(move || Self::open_as(&path, Role::Truth)).await
    }

    pub(crate) fn open_as(path: &Path, role: Role) -> Result<Self> {
        let path = disk::resolved(path)?;
        create_private(&path)?;
        look_first(&path)?;
        let connection = connect(&path, role)?;
        prepare(&connection, &path)?;
        let reader = Reader { connection, is_mapped: false }.aged(&path, 0)?;
        let shared = Shared {
            path,
            role,
            writer: Mutex::new(None),
            readers: Mutex::new(vec![reader]),
            reads: AtomicU64::new(0),
            sketches: Cache::default(),
        };
        Ok(SqliteStore { shared: Arc::new(shared) })
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
}

/// Makes the file with the right permissions before SQLite would make it with others; the
/// journal beside it inherits them.
fn create_private(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        disk::create_private_dir(folder)?;
    }
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(not_a_store(path, "it is not a regular file")),
        Ok(_) => check_magic(path),
        Err(_) => {
            let made = disk::private_options().write(true).create(true).truncate(false).open(path);
            made.map(|_| ()).map_err(|error| disk::io_error("create", path, error))
        }
    }
}

fn check_magic(path: &Path) -> Result<()> {
    let start = read_start(path, MAGIC.len())?;
    if start.is_empty() || start == MAGIC {
        return Ok(());
    }
    Err(not_a_store(path, "it does not begin like a SQLite database"))
}

/// The first bytes of a file, as many as it has.
fn read_start(path: &Path, bytes: usize) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    let file = fs::File::open(path).map_err(|error| disk::io_error("open", path, error))?;
    file.take(bytes as u64)
        .read_to_end(&mut start)
        .map_err(|error| disk::io_error("read", path, error))?;
    Ok(start)
}

fn not_a_store(path: &Path, why: &str) -> Error {
    Error::unavailable(format!("{} is not a store: {why}", path.display())).with_hint(
        "nothing was changed; move the file away, or name another place with --store or NUTHATCH_STORE",
    )
}

/// A connection with the settings every connection has.
pub(super) fn connect(path: &Path, role: Role) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| sql_error(path, e))?;
    connection.busy_timeout(PATIENCE).map_err(|e| sql_error(path, e))?;
    // Without it a statement whose plan might depend on its parameters is compiled again each
    // time they change: ranges and limits would cost ten times as much.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(|e| sql_error(path, e))?;
    // FULL: an acknowledged write survives not only a killed process but a lost power cord.
    let synchronous = match role {
        Role::Truth => "FULL",
        Role::Derived => "OFF",
    };
    let settings = format!(
        "PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; \
         PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; \
         PRAGMA cache_size = -{CACHE_KIB};"
    );
    patiently(|| connection.execute_batch(&settings)).map_err(|e| sql_error(path, e))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A connection that reads.
pub(crate) struct Reader {
    pub connection: Connection,
    is_mapped: bool,
}

impl Reader {
    /// One of a handle that has been read from so often.
    pub fn connect(path: &Path, role: Role, reads: u64) -> Result<Reader> {
        let reader = Reader { connection: connect(path, role)?, is_mapped: false };
        reader.aged(path, reads)
    }

    /// Maps the file while its handle is young, and lets it go afterwards.
    pub fn aged(mut self, path: &Path, reads: u64) -> Result<Reader> {
        let bytes = if reads < MAPPED_READS { MAPPED_BYTES } else { 0 };
        if self.is_mapped != (bytes > 0) {
            let sql = format!("PRAGMA mmap_size = {bytes}");
            patiently(|| self.connection.execute_batch(&sql)).map_err(|e| sql_error(path, e))?;
            self.is_mapped = bytes > 0;
        }
        Ok(self)
    }
}

/// Repeats what SQLite answers with "busy" where its own waiting does not apply, such as
/// when several processes create one file.
pub(crate) fn patiently<R>(mut work: impl FnMut() -> rusqlite::Result<R>) -> rusqlite::Result<R> {
    let began = Instant::now();
    loop {
        match work() {
            Err(error) if busy(&error) && began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(3));
            }
            result => return result,
        }
    }
}

/// Whether somebody else was in the way.
pub(crate) fn busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// A transaction that takes its place among the writers at once, so that it can never find
/// out later that it must not write.
pub(crate) fn write_transaction(connection: &Connection) -> Result<Transaction<'_>> {
    patiently(|| Transaction::new_unchecked(connection, TransactionBehavior::Immediate))
        .map_err(|error| sql_error(&place(connection), error))
}

/// The file behind a connection.
pub(crate) fn place(connection: &Connection) -> PathBuf {
    PathBuf::from(connection.path().unwrap_or_default())
}

/// Runs `work` on one snapshot of the data.
pub(super) fn snapshot<R>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<R>,
) -> Result<R> {
    let failed = |error| sql_error(&place(connection), error);
    patiently(|| connection.execute_batch("BEGIN")).map_err(failed)?;
    let result = work(connection);
    // Nothing was written: how a reading transaction ends makes no difference.
    let ended = connection.execute_batch("COMMIT");
    let value = result?;
    ended.map_err(failed)?;
    Ok(value)
}

/// Looks at a file that does not say it is ours through a connection that cannot write: one
/// that can may already change a database by closing it. What cannot be looked at in this
/// way, for example after a crash, is seen by [`prepare`].
fn look_first(path: &Path) -> Result<()> {
    /// Where a database says which application it belongs to.
    const APPLICATION_ID_AT: usize = 68;
    let start = read_start(path, APPLICATION_ID_AT + 4)?;
    let ours = start.get(APPLICATION_ID_AT..) == Some(&APPLICATION_ID.to_be_bytes()[..]);
    if start.is_empty() || ours {
        return Ok(());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(connection) = Connection::open_with_flags(path, flags) else { return Ok(()) };
    let readable = connection.query_row("PRAGMA schema_version", [], |_| Ok(())).is_ok();
    if readable { snapshot(&connection, |c| check_ours(c, path)).map(|_| ()) } else { Ok(()) }
}

/// The version of a database that is ours or nobody's yet; anything else is refused.
fn check_ours(connection: &Connection, path: &Path) -> Result<i64> {
    let now = version(connection, path)?;
    let owner: i32 = pragma(connection, path, "application_id")?;
    let tables =
        || connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0));
    let tables: i64 = patiently(tables).map_err(|e| sql_error(path, e))?;
    let fresh = owner == 0 && now == 0 && tables == 0;
    if !fresh && (owner != APPLICATION_ID || now < 1) {
        return Err(not_a_store(path, "it is a SQLite database of something else"));
    }
    if now > MIGRATIONS.len() as i64 {
        return Err(Error::unavailable(format!(
            "{} was written by a newer version of nuthatch",
            path.display()
        ))
        .with_hint("update nuthatch; nothing was changed"));
    }
    Ok(now)
}

/// Brings the file to the present version. Nothing is set before it is known to be ours.
fn prepare(connection: &Connection, path: &Path) -> Result<()> {
    let now = snapshot(connection, |connection| check_ours(connection, path))?;
    if now == MIGRATIONS.len() as i64 {
        return Ok(());
    }
    let wal = || connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
    patiently(wal).map_err(|e| sql_error(path, e))?;
    migrate(connection, path)
}

fn version(connection: &Connection, path: &Path) -> Result<i64> {
    pragma(connection, path, "user_version")
}

fn pragma<R: rusqlite::types::FromSql>(
    connection: &Connection,
    path: &Path,
    name: &str,
) -> Result<R> {
    patiently(|| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)))
        .map_err(|e| sql_error(path, e))
}

fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    let target = MIGRATIONS.len();
    let transaction = write_transaction(connection)?;
    // Somebody else may have been faster.
    let now = check_ours(&transaction, path)?;
    for migration in MIGRATIONS.iter().skip(usize::try_from(now).unwrap_or_default()) {
        transaction.execute_batch(migration).map_err(|e| sql_error(path, e))?;
    }
    let mark = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {target};");
    transaction.execute_batch(&mark).map_err(|e| sql_error(path, e))?;
    transaction.commit().map_err(|e| sql_error(path, e))
}

/// Looks for damage in the file and in its index.
pub(super) fn check(path: &Path, role: Role) -> Result<Vec<Finding>> {
    let connection = connect(path, role)?;
    let mut findings = vec![integrity(&connection, path)?];
    findings.push(snapshot(&connection, index)?);
    findings.extend(snapshot(&connection, waiting)?);
    findings.push(permissions(path));
    let engine = format!("SQLite {}", rusqlite::version());
    findings.push(Finding::ok("engine", engine));
    Ok(findings)
}

fn integrity(connection: &Connection, path: &Path) -> Result<Finding> {
    let report: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(|e| sql_error(path, e))?;
    Ok(match report.as_str() {
        "ok" => Finding::ok("integrity", "every page and index is sound"),
        report => Finding::failure(
            "integrity",
            report,
            "copy the file away, then move everything readable with nuthatch migrate",
        ),
    })
}

fn index(connection: &Connection) -> Result<Finding> {
    let wrong = words::miscounted(connection)?;
    Ok(match wrong.as_slice() {
        [] => Finding::ok("text index", "holds every word"),
        wrong => Finding::failure("text index", wrong.join("; "), "run nuthatch reindex"),
    })
}

/// How far each model has got.
fn waiting(connection: &Connection) -> Result<Vec<Finding>> {
    let finding = |usage: VectorUsage| match usage.pending {
        0 => Finding::ok("vectors", format!("{} has embedded everything", usage.model)),
        n => Finding::warning(
            "vectors",
            format!("{n} of {} wait for {}", n + usage.documents, usage.model),
            "run nuthatch reindex --missing",
        ),
    };
    Ok(vector::usage(connection)?.into_iter().map(finding).collect())
}

/// Who may read the file.
pub(crate) fn permissions(path: &Path) -> Finding {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        use std::os::unix::fs::PermissionsExt;
        let mode = found.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Finding::warning(
                "permissions",
                format!("{} can be read by others (mode {mode:o})", path.display()),
                format!("chmod 600 {}", path.display()),
            );
        }
    }
    Finding::ok("permissions", "only the owner can read it")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a database by these statements, tries to open it as a store, and gives what was
    /// said. Not a byte of it may have changed.
    fn refused(statements: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foreign.db");
        let foreign = Connection::open(&path).unwrap();
        foreign.execute_batch(statements).unwrap();
        // With the connection still open, what is in a write-ahead log stays there.
        let before = fs::read(&path).unwrap();
        let error = SqliteStore::open_as(&path, Role::Truth).map(|_| ()).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), before, "{statements}");
        drop(foreign);
        let before = fs::read(&path).unwrap();
        assert!(SqliteStore::open_as(&path, Role::Truth).is_err());
        assert_eq!(fs::read(&path).unwrap(), before, "{statements}");
        error.to_string()
    }

    #[test]
    fn a_database_of_something_else_is_refused_as_it_is() {
        for statements in [
            "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x');",
            "PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url TEXT);",
            "PRAGMA user_version = 1; CREATE TABLE bookmarks (url TEXT);",
            "PRAGMA user_version = 7; CREATE TABLE bookmarks (url TEXT);",
            "PRAGMA application_id = 42;",
        ] {
            let said = refused(statements);
            assert!(said.contains("a SQLite database of something else"), "{said}");
        }
    }

    #[test]
    fn a_statement_is_compiled_once_whatever_its_parameters() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let store = SqliteStore::open_as(&path, Role::Truth).unwrap();
        let work = |connection: &Connection| {
            let sql = "SELECT row FROM turns WHERE session = ?1 AND seq BETWEEN ?2 AND ?3 LIMIT ?4";
            let mut statement = connection.prepare(sql).unwrap();
            for n in 0..5 {
                let found = statement.query_map([1, n, n + 3, n + 1], |_| Ok(())).unwrap();
                assert_eq!(found.count(), 0);
            }
            Ok(statement.get_status(rusqlite::StatementStatus::RePrepare))
        };
        assert_eq!(store.shared().with_reader(work).unwrap(), 0);
    }

    #[test]
    fn a_store_of_a_newer_version_is_refused_as_it_is() {
        let newer = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 99;");
        assert!(refused(&newer).contains("newer version"));
    }
}
