//! Connecting, creating, migrating; and looking for damage.
//!
//! Migrations only add: a process of an older version goes on working beside a newer one, unless a
//! migration says from which version on its tables are understood. One process migrates at a time;
//! one that finds everything in place asks for no right to change tables.

use std::sync::Arc;

use nuthatch::error::{Error, Kind, Result};
use nuthatch::store::Finding;

use super::address::PostgresAddress;
use super::codec::{column, number};
use super::connect::{Conn, Link, Mode, OPENING, elsewhere, transact};
use super::{PostgresStore, embedded};

/// Numbered, applied in order, never edited after a release; with the first version of the tables
/// whose programs understand what each makes of them.
const MIGRATIONS: [(&str, i64); 3] = [
    (include_str!("migrations/0001_memories.sql"), 1),
    (include_str!("migrations/0002_tokens.sql"), 1),
    (include_str!("migrations/0003_tombstones.sql"), 1),
];

/// Whoever holds it migrates; the letters `Nuth`.
const LOCK: i64 = 0x4E75_7468;

/// The oldest PostgreSQL whose partial indexes and row security this relies on.
const OLDEST_SERVER: i64 = 150_000;

/// The extension for vectors, where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pgvector {
    /// The schema it is in, quoted.
    pub schema: String,
    pub version: String,
}

impl PostgresStore {
    /// Opens the store at an address, creating its tables if there are none.
    ///
    /// # Errors
    /// `unavailable`, naming the server and never the password, when it cannot be used.
    pub async fn open(address: &PostgresAddress) -> Result<Self> {
        let link = Arc::new(Link::new(address)?);
        let work = |conn: Arc<Conn>| async move { prepared(&conn).await };
        let vectors = match transact(Arc::clone(&link), None, Mode::Read, OPENING, work).await? {
            Some(found) => found,
            None => {
                migrate(&link).await?;
                let work = |conn: Arc<Conn>| async move { pgvector(&conn).await };
                transact(Arc::clone(&link), None, Mode::Read, OPENING, work).await?
            }
        };
        Ok(PostgresStore { link, vectors })
    }
}

/// What is there of pgvector, if everything is in place; otherwise somebody has to migrate.
async fn prepared(conn: &Conn) -> Result<Option<Option<Pgvector>>> {
    let sql = "SELECT current_setting('server_version_num')::bigint, \
               to_regclass('nuthatch.migrations') IS NOT NULL AND $1::text IS NOT NULL";
    let Some(row) = conn.one(sql, &[]).await? else { return Ok(None) };
    if column::<i64>(&row, 0)? < OLDEST_SERVER {
        return Err(Error::unavailable("the server is older than PostgreSQL 15"));
    }
    if !column::<bool>(&row, 1)? || applied(conn).await? < MIGRATIONS.len() {
        return Ok(None);
    }
    let found = pgvector(conn).await?;
    let sql = "SELECT 1 FROM pg_attribute WHERE attrelid = 'nuthatch.vectors'::regclass \
               AND attname = 'direction' AND NOT attisdropped AND $1::text IS NOT NULL";
    let has_column = conn.one(sql, &[]).await?.is_some();
    Ok((found.is_none() || has_column).then_some(found))
}

/// How many migrations were applied. Tables of a version that this one does not understand are
/// refused as they are.
async fn applied(conn: &Conn) -> Result<usize> {
    let sql = "SELECT coalesce(max(number), 0), coalesce(max(understood_from), 0) \
               FROM nuthatch.migrations WHERE $1::text IS NOT NULL";
    let Some(row) = conn.one(sql, &[]).await? else { return Ok(0) };
    if column::<i64>(&row, 1)? > MIGRATIONS.len() as i64 {
        return Err(Error::unavailable("the store was written by a newer version of nuthatch")
            .with_hint("update nuthatch; nothing was changed"));
    }
    Ok(usize::try_from(number(&row, 0)?).unwrap_or(usize::MAX))
}

/// The extension, if the database has it and it is new enough.
async fn pgvector(conn: &Conn) -> Result<Option<Pgvector>> {
    let sql = "SELECT quote_ident(n.nspname), e.extversion FROM pg_extension AS e \
               JOIN pg_namespace AS n ON n.oid = e.extnamespace \
               WHERE e.extname = 'vector' AND $1::text IS NOT NULL";
    let Some(row) = conn.one(sql, &[]).await? else { return Ok(None) };
    let (schema, version): (String, String) = (column(&row, 0)?, column(&row, 1)?);
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let new_enough = (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (0, 8);
    Ok(new_enough.then_some(Pgvector { schema, version }))
}

/// Tries at most so often where others create the same tables at the same moment.
const TRIES: u32 = 10;

/// Brings the tables up to date. Whoever waited for another to create them may not see them in the
/// same transaction, but does in the next.
async fn migrate(link: &Arc<Link>) -> Result<()> {
    let mut tries = 0;
    loop {
        tries += 1;
        match migrate_once(link).await {
            Err(error) if tries < TRIES && was_made_meanwhile(&error) => {}
            done => return done,
        }
    }
}

/// Whether somebody else made what was to be made.
fn was_made_meanwhile(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let code =
        source.and_then(|e| e.downcast_ref::<tokio_postgres::Error>()).and_then(|e| e.code());
    code.is_some_and(|code| {
        ["23505", "42P06", "42P07", "42710", "42701", "XX000"].contains(&code.code())
    })
}

async fn migrate_once(link: &Arc<Link>) -> Result<()> {
    let link = Arc::clone(link);
    elsewhere(async move {
        let conn = link.bare().await?;
        // A user who may not is served by words alone, or by an extension that somebody else makes.
        let _ = conn.batch("CREATE EXTENSION IF NOT EXISTS vector").await;
        conn.batch("BEGIN").await?;
        let done = bring_up(&conn).await;
        match &done {
            Ok(()) => conn.batch("COMMIT").await?,
            Err(_) => {
                let _ = conn.batch("ROLLBACK").await;
            }
        }
        done.map_err(|error| match error.kind() {
            Kind::Denied => Error::new(Kind::Denied, error.to_string()).with_hint(
                "open it once as a user who may create a schema in this database; docs/postgres.md has the rights that others need",
            ),
            _ => error,
        })
    })
    .await
}

async fn bring_up(conn: &Conn) -> Result<()> {
    conn.batch(&format!("SELECT pg_advisory_xact_lock({LOCK})")).await?;
    // Asked for first: a user who may not create schemas may still own the one that is there.
    conn.batch(
        "DO $$ BEGIN IF to_regnamespace('nuthatch') IS NULL THEN CREATE SCHEMA nuthatch; \
         END IF; END $$; \
         CREATE TABLE IF NOT EXISTS nuthatch.migrations (number bigint PRIMARY KEY, \
         understood_from bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())",
    )
    .await?;
    // Somebody else may have been faster.
    let now = applied(conn).await?;
    for (place, (migration, understood_from)) in MIGRATIONS.iter().enumerate().skip(now) {
        conn.batch(migration).await?;
        let number = place + 1;
        conn.batch(&format!(
            "INSERT INTO nuthatch.migrations (number, understood_from) \
             VALUES ({number}, {understood_from})"
        ))
        .await?;
    }
    if let Some(Pgvector { schema, .. }) = pgvector(conn).await? {
        let sql = format!(
            "ALTER TABLE nuthatch.vectors ADD COLUMN IF NOT EXISTS direction {schema}.halfvec"
        );
        conn.batch(&sql).await?;
    }
    Ok(())
}

/// Looks for damage, and for what an operator should know.
pub async fn check(conn: &Conn) -> Result<Vec<Finding>> {
    let sql = "SELECT current_setting('server_version'), \
               (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) \
               WHERE $1::text IS NOT NULL";
    let mut findings = Vec::new();
    if let Some(row) = conn.one(sql, &[]).await? {
        findings.push(Finding::ok("engine", format!("PostgreSQL {}", column::<String>(&row, 0)?)));
        findings.push(match column::<Option<bool>>(&row, 1)? {
            Some(true) => Finding::warning(
                "row security",
                "this user may pass over the wall between tenants",
                "use a role that is neither a superuser nor has BYPASSRLS; see docs/postgres.md",
            ),
            _ => Finding::ok("row security", "the server keeps tenants apart, too"),
        });
    }
    findings.push(match &conn.vectors {
        Some(found) => Finding::ok("pgvector", format!("version {}", found.version)),
        None => Finding::warning(
            "pgvector",
            "is not there, or older than 0.8: only words are searched",
            "install it, then CREATE EXTENSION vector, then nuthatch reindex --missing",
        ),
    });
    findings.push(counted(conn).await?);
    for usage in embedded::usage(conn).await? {
        findings.push(match usage.pending {
            0 => Finding::ok("vectors", format!("{} has embedded everything", usage.model)),
            n => Finding::warning(
                "vectors",
                format!("{n} of {} wait for {}", n + usage.documents, usage.model),
                "run nuthatch reindex --missing",
            ),
        });
    }
    Ok(findings)
}

/// Whether what is derived agrees with what it is derived from.
async fn counted(conn: &Conn) -> Result<Finding> {
    let sql = "SELECT \
        (SELECT count(*) FROM nuthatch.memories WHERE tenant = $1) \
        + (SELECT count(*) FROM nuthatch.turns WHERE tenant = $1), \
        (SELECT count(*) FROM nuthatch.documents WHERE tenant = $1), \
        (SELECT coalesce(sum(documents), 0)::bigint FROM nuthatch.shelves WHERE tenant = $1), \
        (SELECT coalesce(sum(cardinality(terms)), 0)::bigint FROM nuthatch.documents WHERE tenant = $1), \
        (SELECT coalesce(sum(documents), 0)::bigint FROM nuthatch.postings WHERE tenant = $1)";
    let Some(row) = conn.one(sql, &[]).await? else {
        return Ok(Finding::ok("text index", "is empty"));
    };
    let of = |place| column::<i64>(&row, place);
    let (texts, documents, shelved) = (of(0)?, of(1)?, of(2)?);
    Ok(if texts == documents && documents == shelved && of(3)? == of(4)? {
        Finding::ok("text index", "holds every word")
    } else {
        Finding::failure("text index", "does not hold what it should", "run nuthatch reindex")
    })
}
