//! Search by words, and the index of words.
//!
//! A query is a list of finished terms, each quoted: whatever they hold, none of it can be
//! query syntax.

use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page};
use nuthatch::store::{TextMatches, TextQuery};
use nuthatch::text::index_terms;
use rusqlite::{Connection, params};

use super::open::write_transaction;
use super::read::{failure, rows};

/// Memories indexed in one transaction: short enough that other writers hardly wait.
const REINDEX_BATCH: i64 = 500;

/// Memories and turns that hold at least one of the terms, best first.
pub(super) fn search(connection: &Connection, query: &TextQuery) -> Result<TextMatches> {
    whole(connection)?.search_text(query)
}

/// Everything searchable, in RAM.
pub(super) fn whole(connection: &Connection) -> Result<crate::memory::Copied> {
    let every = Page { offset: 0, limit: i64::MAX as u64 };
    let memories = super::read::list(connection, &Filter::everything(), every)?.memories;
    let sessions = super::read::sessions(connection, every)?;
    let mut turns = Vec::new();
    for session in &sessions {
        turns.extend(super::read::turns(connection, &session.id, every)?);
    }
    Ok(crate::memory::Copied::new(memories, sessions, turns))
}

/// Empties nothing and promises nothing: counts what a rebuild has before it.
pub(super) fn begin_reindex(connection: &Connection) -> Result<u64> {
    let orphans = "DELETE FROM memories_fts WHERE rowid NOT IN (SELECT row FROM memories)";
    connection.execute(orphans, []).map_err(|e| failure(connection, e))?;
    let total: i64 = connection
        .query_row("SELECT count(*) FROM memories", [], |row| row.get(0))
        .map_err(|e| failure(connection, e))?;
    Ok(u64::try_from(total).unwrap_or_default())
}

/// What one step of a rebuild did.
pub(super) struct Batch {
    /// How many memories were indexed.
    pub done: u64,
    /// The last row, or none when there is nothing left.
    pub last: Option<i64>,
}

/// Indexes the next memories after a row anew.
pub(super) fn reindex_batch(connection: &Connection, after: Option<i64>) -> Result<Batch> {
    let transaction = write_transaction(connection)?;
    let sql = "SELECT row, key, content FROM memories WHERE row > ?1 ORDER BY row LIMIT ?2";
    let from = after.unwrap_or(i64::MIN);
    let batch = rows(&transaction, sql, params![from, REINDEX_BATCH], |row| {
        let key: Option<String> = row.get(1)?;
        let content: String = row.get(2)?;
        Ok((row.get::<_, i64>(0)?, index_terms(key.as_deref(), &content)))
    })?;
    let put = || -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO memories_fts (rowid, terms) VALUES (?1, ?2)";
        let mut statement = transaction.prepare_cached(sql)?;
        for (row, terms) in &batch {
            statement.execute(params![row, terms])?;
        }
        Ok(())
    };
    put().map_err(|e| failure(&transaction, e))?;
    let last = batch.last().map(|(row, _)| *row);
    let done = batch.len() as u64;
    transaction.commit().map_err(|e| failure(connection, e))?;
    Ok(Batch { done, last })
}
