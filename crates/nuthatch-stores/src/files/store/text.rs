//! Building the index anew from the files.
//!
//! Searching is the index's own business: see `sqlite/text.rs`.

use nuthatch::error::Result;
use nuthatch::id::SessionId;

use super::ledger::rows;
use super::read::index_error;
use super::{Shared, codec};
use crate::sqlite::{remove_turns, write_transaction};

/// What the index must not keep when everything is read again. Memories that it knows in
/// some file stay until that file was read: when a person wrote them is told nowhere else.
const UNSURE: &str = "
    UPDATE files SET look = '', young = 1, hash = '';
    DELETE FROM placed WHERE 'memories:' || path NOT IN (SELECT path FROM files);
    DELETE FROM memories WHERE id NOT IN (SELECT id FROM placed);
    DELETE FROM versions;
";

/// Takes nothing that the index knows of the files for granted, and reads every one of them
/// again.
pub fn reread(shared: &Shared) -> Result<()> {
    let _guard = shared.lock()?;
    shared.index.shared().with_writer(|connection| {
        let transaction = write_transaction(connection)?;
        transaction.execute_batch(UNSURE).map_err(|error| index_error(shared, error))?;
        transaction.commit().map_err(|error| index_error(shared, error))
    })?;
    shared.refresh()?;
    shared.index.shared().with_writer(|connection| {
        let transaction = write_transaction(connection)?;
        for id in rows(&transaction, "SELECT id FROM sessions", [], |row| row.get::<_, String>(0))?
        {
            let id = SessionId::new(id)?;
            if !shared.state.join(codec::turns_file(&id)).exists() {
                remove_turns(&transaction, &id)?;
            }
        }
        transaction.commit().map_err(|error| index_error(shared, error))
    })
}
