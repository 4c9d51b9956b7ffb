//! Building the index anew from the files.
//!
//! Searching is the index's own business: see `sqlite/text.rs`.

use nuthatch::error::Result;

use super::Shared;
use super::read::index_error;

/// Forgets what the index knows of the files, and reads every one of them again.
pub fn reread(shared: &Shared) -> Result<()> {
    let _guard = shared.lock()?;
    shared.index.shared().with_writer(|connection| {
        let sql = "DELETE FROM files; DELETE FROM placed; DELETE FROM memories; \
                   DELETE FROM memories_fts; DELETE FROM versions; DELETE FROM sessions; \
                   DELETE FROM turns;";
        connection
            .execute_batch(&format!("BEGIN IMMEDIATE; {sql} COMMIT;"))
            .map_err(|error| index_error(shared, error))
    })?;
    shared.refresh()
}
