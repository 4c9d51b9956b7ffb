//! SQLite databases that another program writes to: read, never changed.
//!
//! Columns come and go with versions: one that is not there is nothing.

use std::path::Path;
use std::time::Duration;

use nuthatch::error::{Error, Result};
use rusqlite::{Connection, OpenFlags};

/// How long a writer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// Longest value that is read from a row.
pub(crate) const LONGEST: usize = 16 << 20;

/// Opens a database for reading, with what stands in its write-ahead log.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|database| {
        database.busy_timeout(PATIENCE)?;
        database.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(database)
    });
    opened.map_err(|error| refusal(path, &error))
}

/// Why a database is not read.
pub(crate) fn refusal(path: &Path, error: &rusqlite::Error) -> Error {
    if !path.exists() {
        return Error::not_found(format!("cannot read {}: it is gone", path.display()));
    }
    let code =
        error.sqlite_error_code().map_or("not understood".to_owned(), |code| format!("{code:?}"));
    Error::unavailable(format!("cannot read the database {}: {code}", path.display()))
}

/// Whether a table has a column.
pub(crate) fn has(database: &Connection, table: &str, column: &str) -> bool {
    let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
    database.query_row(sql, [table, column], |row| row.get::<_, i64>(0)).is_ok_and(|n| n > 0)
}

/// A column by its name, or nothing where the table has none.
pub(crate) fn column(database: &Connection, table: &str, column: &str) -> String {
    if has(database, table, column) { format!("{table}.{column}") } else { "NULL".to_owned() }
}
