//! Grants in the database, so that every process that serves it knows them.
//!
//! A grant is asked for as the tenant that its token names: the wall between tenants stands here
//! as everywhere.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use jiff::Timestamp;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::grant::{Ear, Grant, Grants, Kept, Role};
use tokio_postgres::Row;

use super::PostgresStore;
use super::codec::{column, moment, text, time};
use super::connect::{Conn, Mode, params};
use super::listen::{listen, tell};

const COLUMNS: &str = "id, name, role, hash, created_at, expires_at, revoked_at";

fn read(row: &Row, tenant: &str) -> Result<Kept> {
    let role = text(row, 2)?;
    let optional = |place| column::<Option<i64>>(row, place)?.map(moment).transpose();
    let grant = Grant {
        id: text(row, 0)?,
        tenant: tenant.to_owned(),
        name: text(row, 1)?,
        // A role of a newer version opens nothing here.
        role: Role::parse(&role).ok_or_else(|| {
            Error::unavailable("a token has a role that this version does not know")
                .with_hint("update nuthatch; nothing was changed")
        })?,
        created_at: time(row, 4)?,
        expires_at: optional(5)?,
        revoked_at: optional(6)?,
    };
    Ok(Kept { grant, hash: text(row, 3)? })
}

#[async_trait]
impl Grants for PostgresStore {
    async fn keep(&self, kept: &Kept) -> Result<()> {
        let kept = kept.clone();
        let own = self.of_tenant(&kept.grant.tenant)?;
        let work = move |conn: Arc<Conn>| {
            let kept = kept.clone();
            async move {
                let Kept { grant, hash } = &kept;
                let micros = |at: Option<Timestamp>| at.map(Timestamp::as_microsecond);
                let sql = format!(
                    "INSERT INTO nuthatch.tokens (tenant, {COLUMNS}) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING"
                );
                let values = params![
                    &grant.id,
                    &grant.name,
                    grant.role.name(),
                    hash,
                    grant.created_at,
                    micros(grant.expires_at),
                    micros(grant.revoked_at),
                ];
                if conn.execute(&sql, &values).await? == 1 {
                    return tell(&conn, &grant.id).await;
                }
                // What was kept although the answer got lost is kept.
                let sql =
                    "SELECT 1 FROM nuthatch.tokens WHERE tenant = $1 AND id = $2 AND hash = $3";
                match conn.one(sql, &params![&grant.id, hash]).await? {
                    Some(_) => Ok(()),
                    None => Err(Error::new(Kind::Conflict, "this id of a token is taken")),
                }
            }
        };
        own.transact(Mode::Beside, work).await
    }

    async fn find(&self, tenant: &str, id: &str) -> Result<Option<Kept>> {
        let (own, id) = (self.of_tenant(tenant)?, id.to_owned());
        let work = move |conn: Arc<Conn>| {
            let id = id.clone();
            async move {
                let sql =
                    format!("SELECT {COLUMNS} FROM nuthatch.tokens WHERE tenant = $1 AND id = $2");
                let found = conn.one(&sql, &params![&id]).await?;
                found.map(|row| read(&row, conn.tenant())).transpose()
            }
        };
        own.transact(Mode::Read, work).await
    }

    async fn all(&self, tenant: &str) -> Result<Vec<Kept>> {
        let work = |conn: Arc<Conn>| async move {
            let sql = format!(
                "SELECT {COLUMNS} FROM nuthatch.tokens WHERE tenant = $1 ORDER BY created_at, id"
            );
            let rows = conn.rows(&sql, &[]).await?;
            rows.iter().map(|row| read(row, conn.tenant())).collect()
        };
        self.of_tenant(tenant)?.transact(Mode::Read, work).await
    }

    async fn end(&self, tenant: &str, id: &str, at: Timestamp) -> Result<bool> {
        let (own, id) = (self.of_tenant(tenant)?, id.to_owned());
        let work = move |conn: Arc<Conn>| {
            let id = id.clone();
            async move {
                let sql = "UPDATE nuthatch.tokens SET revoked_at = least(revoked_at, $3) \
                           WHERE tenant = $1 AND id = $2";
                let is_ended = conn.execute(sql, &params![&id, at]).await? == 1;
                if is_ended {
                    tell(&conn, &id).await?;
                }
                Ok(is_ended)
            }
        };
        own.transact(Mode::Beside, work).await
    }

    fn tell(&self, ear: Weak<dyn Ear>) {
        listen(Arc::clone(&self.link), ear);
    }
}
