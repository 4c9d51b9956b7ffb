//! Jobs as rows: whole as JSON, exchanged only where nobody else was faster.
//!
//! What a job means is the library's business; here only its revision counts. A job that somebody
//! else is exchanging just now is passed over, not waited for.

use nuthatch::error::{Error, Result};
use nuthatch::store::{Job, JobKey, JobSwap, Swapped};

use super::codec::{column, text};
use super::connect::{Conn, params};

/// Every job, by kind and name.
pub async fn all(conn: &Conn) -> Result<Vec<Job>> {
    let sql = "SELECT body FROM nuthatch.jobs WHERE tenant = $1 ORDER BY kind, name";
    let rows = conn.rows(sql, &[]).await?;
    rows.iter().map(|row| read(&text(row, 0)?)).collect()
}

/// One job.
pub async fn one(conn: &Conn, key: &JobKey) -> Result<Option<Job>> {
    let sql = "SELECT body FROM nuthatch.jobs WHERE tenant = $1 AND kind = $2 AND name = $3";
    let found = conn.one(sql, &params![key.kind.name(), &key.name]).await?;
    found.map(|row| read(&text(&row, 0)?)).transpose()
}

fn read(body: &str) -> Result<Job> {
    serde_json::from_str(body).map_err(|error| {
        Error::unavailable("a job of the store cannot be read")
            .with_hint("a newer version of nuthatch may have written it; nothing was changed")
            .with_source(error)
    })
}

/// Exchanges a job, if it is as it was seen. An exchange that was tried before and whose answer was
/// lost is known by what it would have stored: an owner's token is never given twice.
pub async fn swap(conn: &Conn, swap: &JobSwap) -> Result<Swapped> {
    let stored = swap.stored();
    let body =
        stored.as_ref().map(serde_json::to_string).transpose().map_err(|error| {
            Error::internal("a job cannot be written as JSON").with_source(error)
        })?;
    let (kind, name) = (swap.key.kind.name(), swap.key.name.as_str());
    let revision = stored.as_ref().map_or(0, |job| job.revision.cast_signed());
    let changed = match (swap.seen, &body) {
        (None, None) => conn
            .one(
                "SELECT 1 FROM nuthatch.jobs WHERE tenant = $1 AND kind = $2 AND name = $3",
                &params![kind, name],
            )
            .await?
            .map_or(1, |_| 0),
        (None, Some(body)) => {
            let sql = "INSERT INTO nuthatch.jobs (tenant, kind, name, revision, body) \
                       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
            conn.execute(sql, &params![kind, name, revision, body]).await?
        }
        (Some(seen), body) => {
            let sql = "SELECT 1 FROM nuthatch.jobs WHERE tenant = $1 AND kind = $2 AND name = $3 \
                       AND revision = $4 FOR UPDATE SKIP LOCKED";
            let mine = conn.one(sql, &params![kind, name, seen.cast_signed()]).await?.is_some();
            match (mine, body) {
                (false, _) => 0,
                (true, Some(body)) => {
                    let sql = "UPDATE nuthatch.jobs SET revision = $4, body = $5 \
                               WHERE tenant = $1 AND kind = $2 AND name = $3";
                    conn.execute(sql, &params![kind, name, revision, body]).await?
                }
                (true, None) => {
                    let sql = "DELETE FROM nuthatch.jobs \
                               WHERE tenant = $1 AND kind = $2 AND name = $3";
                    conn.execute(sql, &params![kind, name]).await?
                }
            }
        }
    };
    Ok(if changed > 0 { Swapped::Yes } else { Swapped::Overtaken })
}

/// Whether an exchange whose answer was lost did happen.
pub async fn happened(conn: &Conn, swap: &JobSwap) -> Result<bool> {
    let Some(stored) = swap.stored().filter(|job| job.owner.is_some()) else { return Ok(false) };
    let sql = "SELECT revision FROM nuthatch.jobs WHERE tenant = $1 AND kind = $2 AND name = $3";
    let found = conn.one(sql, &params![swap.key.kind.name(), &swap.key.name]).await?;
    let Some(row) = found else { return Ok(false) };
    let revision: i64 = column(&row, 0)?;
    let same = revision == stored.revision.cast_signed();
    Ok(same && one(conn, &swap.key).await?.is_some_and(|job| job == stored))
}
