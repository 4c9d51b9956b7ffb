//! Where a PostgreSQL store is, and as which tenant.
//!
//! The address is that of other tools (`postgres://user:password@host:port/database?…`) with some
//! parameters of ours: `tenant`, `sslrootcert`, `pool` and `vector_index`. What is shown of it never holds the password.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use nuthatch::error::{Error, Result};
use nuthatch::grant::{DEFAULT_TENANT, check_tenant};

/// An address of a PostgreSQL store. Two of the same place and tenant are the same, whatever
/// their passwords.
#[derive(Clone)]
pub struct PostgresAddress {
    /// What the client understands, password included: never shown.
    connect: String,
    shown: String,
    tenant: String,
    root_certificate: Option<PathBuf>,
    pool: usize,
    vector_index: u64,
}

/// Connections kept at most by one process, where the address does not say.
const POOL: usize = 8;
/// From so many vectors of a tenant and model on an index is worth its making; below, looking at
/// all of them takes milliseconds and misses nothing.
const VECTOR_INDEX: u64 = 20_000;

impl PostgresAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// Of kind `invalid`, without repeating what may be a secret.
    pub fn parse(text: &str) -> Result<Self> {
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let mut tenant = DEFAULT_TENANT.to_owned();
        let (mut root_certificate, mut pool, mut vector_index) = (None, POOL, VECTOR_INDEX);
        let mut kept: Vec<String> = Vec::new();
        let mut told: Vec<String> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "tenant" => tenant = value.to_owned(),
                "sslrootcert" => root_certificate = Some(PathBuf::from(value)),
                "pool" => {
                    let number = value.parse().ok().filter(|n| (1..=500).contains(n));
                    pool = number.ok_or_else(|| bad("pool is a number from 1 to 500"))?;
                }
                "vector_index" => {
                    let number = value.parse().ok().filter(|n| *n > 0);
                    vector_index = number.ok_or_else(|| bad("vector_index is a number above 0"))?;
                }
                // Certificates are always checked, so both mean what `require` does here.
                "sslmode" if value.starts_with("verify-") => kept.push("sslmode=require".into()),
                _ => kept.push(pair.to_owned()),
            }
            if !matches!(name, "password" | "user") {
                told.push(pair.to_owned());
            }
        }
        check_tenant(&tenant)?;
        let connect = joined(base, &kept);
        // The client's own words may repeat a part of the address: they are not passed on.
        connect
            .parse::<tokio_postgres::Config>()
            .map_err(|_| bad("it cannot be read as an address of PostgreSQL"))?;
        let shown = joined(&without_password(base), &told);
        Ok(PostgresAddress { connect, shown, tenant, root_certificate, pool, vector_index })
    }

    /// Whose memory it is.
    #[must_use]
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The same place for another tenant.
    ///
    /// # Errors
    /// Of kind `invalid`, when that is no name of a tenant.
    pub fn of_tenant(&self, tenant: &str) -> Result<Self> {
        check_tenant(tenant)?;
        let (base, query) = self.shown.split_once('?').unwrap_or((&self.shown, ""));
        let others =
            query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("tenant="));
        let told: Vec<String> =
            others.map(str::to_owned).chain([format!("tenant={tenant}")]).collect();
        Ok(PostgresAddress {
            shown: joined(base, &told),
            tenant: tenant.to_owned(),
            ..self.clone()
        })
    }

    pub(super) fn root_certificate(&self) -> Option<&PathBuf> {
        self.root_certificate.as_ref()
    }

    pub(super) fn pool(&self) -> usize {
        self.pool
    }

    /// How many vectors of a tenant and model are worth an index.
    pub(super) fn vector_index(&self) -> u64 {
        self.vector_index
    }

    /// The settings of a connection.
    pub(super) fn config(&self) -> Result<tokio_postgres::Config> {
        self.connect.parse().map_err(|_| bad("it cannot be read as an address of PostgreSQL"))
    }
}

fn joined(base: &str, pairs: &[String]) -> String {
    match pairs {
        [] => base.to_owned(),
        pairs => format!("{base}?{}", pairs.join("&")),
    }
}

/// An address without what stands between the first colon after the scheme and the last `@`.
fn without_password(base: &str) -> String {
    let Some((scheme, rest)) = base.split_once("://") else { return String::from("postgres://") };
    match rest.rsplit_once('@') {
        Some((who, place)) => {
            let user = who.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

fn bad(why: &str) -> Error {
    Error::invalid(format!("not a PostgreSQL store: {why}"))
        .with_hint("postgres://USER:PASSWORD@HOST:5432/DATABASE?tenant=NAME; write special characters of a password as %XX")
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresAddress({})", self.shown)
    }
}

impl PartialEq for PostgresAddress {
    fn eq(&self, other: &Self) -> bool {
        self.shown == other.shown
    }
}

impl Eq for PostgresAddress {}

impl PartialOrd for PostgresAddress {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PostgresAddress {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.shown.cmp(&other.shown)
    }
}

impl Hash for PostgresAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shown.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_never_holds_the_password() {
        let secret = ["hun", "ter2"].concat();
        for address in [
            format!("postgres://me:{secret}@host:5433/db?tenant=acme&sslmode=require"),
            format!("postgres://me:{secret}@x@host/db"),
            format!("postgresql://me@host/db?password={secret}"),
        ] {
            let read = PostgresAddress::parse(&address).unwrap();
            let told = format!("{read} {read:?} {}", read.of_tenant("other").unwrap());
            assert!(!told.contains(&secret), "{told}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_read_is_not_repeated() {
        let secret = ["hun", "ter2"].concat();
        for rest in [
            "host:port/db",
            "host/db?pool=0",
            "host/db?vector_index=0",
            "host/db?nonsense=1",
            "host/db?tenant=a/b",
        ] {
            let error =
                PostgresAddress::parse(&format!("postgres://me:{secret}@{rest}")).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(&secret), "{error:?}");
        }
    }

    #[test]
    fn the_tenant_is_named_by_the_address() {
        let read = PostgresAddress::parse("postgres://host/db").unwrap();
        assert_eq!(read.tenant(), "default");
        let other = read.of_tenant("acme").unwrap();
        assert_eq!(
            (other.tenant(), other.to_string().as_str()),
            ("acme", "postgres://host/db?tenant=acme")
        );
        assert_ne!(read, other);
    }
}
