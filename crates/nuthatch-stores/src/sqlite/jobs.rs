//! Jobs as rows: whole as JSON, exchanged only where nobody else was faster.
//!
//! What a job means is the library's business; here only its revision counts.

use nuthatch::error::{Error, Result};
use nuthatch::store::{Job, JobKey, JobSwap, Swapped};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::codec::sql_error;
use super::open::{place, write_transaction};

/// Every job, by kind and name.
pub fn all(connection: &Connection) -> Result<Vec<Job>> {
    let run = || -> rusqlite::Result<Vec<String>> {
        let mut statement =
            connection.prepare_cached("SELECT body FROM jobs ORDER BY kind, name")?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    let bodies = run().map_err(|error| sql_error(&place(connection), error))?;
    bodies.iter().map(|body| read(connection, body)).collect()
}

/// One job.
pub fn one(connection: &Connection, key: &JobKey) -> Result<Option<Job>> {
    let run = || {
        let sql = "SELECT body FROM jobs WHERE kind = ?1 AND name = ?2";
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params![key.kind.name(), key.name], |row| row.get(0)).optional()
    };
    let body: Option<String> = run().map_err(|error| sql_error(&place(connection), error))?;
    body.map(|body| read(connection, &body)).transpose()
}

fn read(connection: &Connection, body: &str) -> Result<Job> {
    serde_json::from_str(body).map_err(|error| {
        Error::unavailable(format!("a job in {} cannot be read", place(connection).display()))
            .with_hint("a newer version of nuthatch may have written it; nothing was changed")
            .with_source(error)
    })
}

/// Exchanges a job, if it is as it was seen.
pub fn swap(connection: &Connection, swap: &JobSwap) -> Result<Swapped> {
    let failed = |error| sql_error(&place(connection), error);
    let transaction = write_transaction(connection)?;
    let (kind, name) = (swap.key.kind.name(), &swap.key.name);
    let found: Option<i64> = transaction
        .query_row(
            "SELECT revision FROM jobs WHERE kind = ?1 AND name = ?2",
            params![kind, name],
            |row| row.get(0),
        )
        .optional()
        .map_err(failed)?;
    if found.map(i64::cast_unsigned) != swap.seen {
        return Ok(Swapped::Overtaken);
    }
    let written = match swap.stored() {
        Some(job) => {
            let body = serde_json::to_string(&job).map_err(|error| {
                Error::internal("a job cannot be written as JSON").with_source(error)
            })?;
            let sql = "INSERT OR REPLACE INTO jobs (kind, name, revision, body) \
                       VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(sql, params![kind, name, job.revision.cast_signed(), body])
        }
        None => transaction
            .execute("DELETE FROM jobs WHERE kind = ?1 AND name = ?2", params![kind, name]),
    };
    written.map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(Swapped::Yes)
}
