//! Search by words, and the index of words.
//!
//! A query is a list of finished terms, each quoted: whatever they hold, none of it can be
//! query syntax.

use nuthatch::error::Result;
use nuthatch::id::MemoryId;
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::index_terms;
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::codec::count;
use super::open::write_transaction;
use super::read::{condition, failure, rows};

/// Memories indexed in one transaction: short enough that other writers hardly wait.
const REINDEX_BATCH: i64 = 500;

/// Memories that hold at least one of the terms, best first.
pub(super) fn search(connection: &Connection, query: &TextQuery) -> Result<TextMatches> {
    let indexed =
        rows(connection, "SELECT count(*) FROM memories", [], |row| row.get::<_, i64>(0))?;
    let indexed = u64::try_from(indexed.first().copied().unwrap_or_default()).unwrap_or_default();
    let mut frequencies = Vec::with_capacity(query.terms.len());
    for term in &query.terms {
        let sql = "SELECT doc FROM memories_vocab WHERE term = ?1";
        let found = rows(connection, sql, [term], |row| row.get::<_, i64>(0))?;
        let found = found.first().copied().unwrap_or_default();
        frequencies.push(u64::try_from(found).unwrap_or_default());
    }
    let expression = match_expression(&query.terms);
    if expression.is_empty() {
        return Ok(TextMatches { indexed, frequencies, matches: Vec::new() });
    }
    let (condition, mut values) = condition(&query.filter);
    let sql = format!(
        "SELECT m.id, f.rank FROM memories_fts AS f CROSS JOIN memories AS m ON m.row = f.rowid \
         WHERE memories_fts MATCH ? AND {condition} \
         ORDER BY f.rank, m.created_at DESC, m.id DESC LIMIT {}",
        count(query.limit as u64)
    );
    values.insert(0, Value::Text(expression));
    let matches = rows(connection, &sql, params_from_iter(&values), |row| {
        let id = MemoryId(row.get(0).map(uuid::Uuid::from_bytes)?);
        // SQLite's score is smaller for better matches.
        Ok(TextMatch { id, bm25: -row.get::<_, f64>(1)? })
    })?;
    Ok(TextMatches { indexed, frequencies, matches })
}

/// Any of the terms, each quoted. One that the index cannot hold is left out: FTS5 would
/// cut it into pieces and find those.
fn match_expression(terms: &[String]) -> String {
    let quoted = terms.iter().filter(|term| is_term(term)).map(|term| format!("\"{term}\""));
    quoted.collect::<Vec<_>>().join(" OR ")
}

/// Whether the tokenizer takes a text as one term, as it is.
fn is_term(text: &str) -> bool {
    let whole = |c: char| !c.is_ascii() || c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !text.is_empty() && text.chars().all(whole)
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
