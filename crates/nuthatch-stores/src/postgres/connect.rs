//! Connections: a pool, transactions of one tenant, and trying again what a lost server undid.
//!
//! Every statement carries the types of its parameters and is nameless on the server, and every
//! setting belongs to a transaction, so that a pooler in transaction mode may stand in between.
//! Statements that do not wait for each other's answers are sent together (`join`): the server does
//! them in the order in which they are polled first.
//! Work runs on threads of its own: whoever stops waiting does not stop a write half-way.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use futures_util::future::join;
use nuthatch::error::{Error, Kind, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::PostgresAddress;
use super::codec::Param;
use super::open::Pgvector;

/// How long a transaction is tried again: longer than a standby needs to take over.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a store is tried to be opened: somebody waits, and an address may be wrong.
pub(super) const OPENING: Duration = Duration::from_secs(3);
/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How long a connection may take to be made or to become free.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long a server may leave bytes unacknowledged, or a still connection unproven.
const VANISHED: Duration = Duration::from_secs(20);
/// Milliseconds that one statement may take. Longer than any of ours, and short enough that a
/// client that hangs does not hold others up for ever.
const STATEMENT_MS: u32 = 120_000;

/// One or two threads, made when the first store is opened, do all the talking.
static THREADS: LazyLock<Option<tokio::runtime::Runtime>> = LazyLock::new(|| {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    threads.worker_threads(2).thread_name("nuthatch-postgres").enable_all().build().ok()
});

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Reads one snapshot.
    Read,
    /// Writes, after every other writer of the tenant.
    Write,
    /// Writes, and takes everything back.
    Rehearse,
    /// Writes what needs no place among the writers.
    Beside,
}

/// A pool of connections of one tenant.
pub struct Link {
    pool: Pool,
    pub address: PostgresAddress,
}

impl Link {
    pub fn new(address: &PostgresAddress) -> Result<Self> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(settings(address)?, tls(address)?, recycling);
        let pool = Pool::builder(manager)
            .max_size(address.pool())
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(CONNECTING))
            .build()
            .map_err(|error| Error::internal("no pool of connections").with_source(error))?;
        Ok(Link { pool, address: address.clone() })
    }

    /// The same connections for another tenant: a transaction belongs to one, a connection to none.
    pub fn of_tenant(&self, tenant: &str) -> Result<Self> {
        Ok(Link { pool: self.pool.clone(), address: self.address.of_tenant(tenant)? })
    }

    async fn client(&self) -> Result<Object> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => failure(&self.address, error),
            PoolError::Timeout(_) => {
                Error::unavailable(format!("{} does not answer in time", self.address))
                    .with_hint("it is overloaded or cannot be reached; pool=N in its address allows more connections")
            }
            error => Error::internal("no connection can be had").with_source(error),
        })
    }

    /// A connection without a transaction, for what PostgreSQL refuses to do in one.
    pub async fn bare(self: &Arc<Self>) -> Result<Conn> {
        Ok(Conn { client: self.client().await?, link: Arc::clone(self), vectors: None })
    }
}

/// How a connection is made.
pub(super) fn settings(address: &PostgresAddress) -> Result<tokio_postgres::Config> {
    let mut config = address.config()?;
    config.application_name("nuthatch");
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECTING);
    }
    // A machine that vanishes says nothing: what it does not answer in this time is lost.
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(VANISHED);
    }
    if config.get_keepalives_idle() == tokio_postgres::Config::new().get_keepalives_idle() {
        config.keepalives_idle(VANISHED);
    }
    Ok(config)
}

/// How a server's certificate is checked: always, against the authority that the address names,
/// or those that browsers know.
pub(super) fn tls(address: &PostgresAddress) -> Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    match address.root_certificate() {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let unreadable = |why: String| {
                Error::invalid(format!(
                    "{} holds no certificates that can be read: {why}",
                    path.display()
                ))
                .with_hint("sslrootcert names a file in PEM form")
            };
            let found =
                CertificateDer::pem_file_iter(path).map_err(|e| unreadable(e.to_string()))?;
            for certificate in found {
                let certificate = certificate.map_err(|e| unreadable(e.to_string()))?;
                roots.add(certificate).map_err(|e| unreadable(e.to_string()))?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::internal("TLS cannot be set up").with_source(error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Runs `work` on the threads of the stores.
pub async fn elsewhere<R: Send + 'static>(
    work: impl Future<Output = Result<R>> + Send + 'static,
) -> Result<R> {
    let Some(threads) = &*THREADS else {
        return Err(Error::unavailable("no threads can be had for PostgreSQL"));
    };
    match threads.spawn(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::internal("a store task ended early").with_source(error)),
    }
}

/// Lets `work` go on by itself, on the threads of the stores.
pub fn aside(work: impl Future<Output = ()> + Send + 'static) {
    if let Some(threads) = &*THREADS {
        threads.spawn(work);
    }
}

/// A transaction, tried again while what stopped it passes. `work` may be called many times.
pub async fn transact<R, W, F>(
    link: Arc<Link>,
    vectors: Option<Pgvector>,
    mode: Mode,
    patience: Duration,
    work: W,
) -> Result<R>
where
    R: Send + 'static,
    W: Fn(Arc<Conn>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<R>> + Send + 'static,
{
    elsewhere(async move {
        let began = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            match attempt(&link, vectors.clone(), mode, &work).await {
                Err(error) if passes(&error) && began.elapsed() < patience => {
                    if is_demoted(&error) {
                        // Every other connection of the pool leads to the same server.
                        link.pool.retain(|_, _| false);
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                result => return result,
            }
        }
    })
    .await
}

/// [`transact`] for as long as a standby may need to take over.
pub async fn patiently<R, W, F>(
    link: Arc<Link>,
    vectors: Option<Pgvector>,
    mode: Mode,
    work: W,
) -> Result<R>
where
    R: Send + 'static,
    W: Fn(Arc<Conn>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<R>> + Send + 'static,
{
    transact(link, vectors, mode, PATIENCE, work).await
}

async fn attempt<R, W, F>(
    link: &Arc<Link>,
    vectors: Option<Pgvector>,
    mode: Mode,
    work: &W,
) -> Result<R>
where
    W: Fn(Arc<Conn>) -> F,
    F: Future<Output = Result<R>>,
{
    let client = link.client().await?;
    let conn = Arc::new(Conn { client, link: Arc::clone(link), vectors });
    let begin = begin(mode, link.address.tenant());
    let begun = conn.batch(&begin);
    let result = match mode {
        // What is read is asked for before it is known that the transaction began.
        Mode::Read => {
            let (begun, result) = join(begun, work(Arc::clone(&conn))).await;
            begun?;
            result
        }
        Mode::Beside => {
            begun.await?;
            work(Arc::clone(&conn)).await
        }
        Mode::Write | Mode::Rehearse => {
            let (begun, queued) = join(begun, conn.queue()).await;
            begun?;
            match queued {
                Ok(()) => work(Arc::clone(&conn)).await,
                Err(error) => Err(error),
            }
        }
    };
    match (&result, mode) {
        (Ok(_), Mode::Read | Mode::Write | Mode::Beside) => conn.batch("COMMIT").await?,
        _ => {
            // What cannot be taken back was on a connection that is gone, and with it.
            let _ = conn.batch("ROLLBACK").await;
        }
    }
    result
}

/// How a transaction begins. The name of a tenant holds nothing that has a meaning in SQL.
fn begin(mode: Mode, tenant: &str) -> String {
    let kind = match mode {
        Mode::Read => "REPEATABLE READ READ ONLY",
        _ => "READ COMMITTED READ WRITE",
    };
    format!(
        "BEGIN ISOLATION LEVEL {kind}; SET LOCAL nuthatch.tenant = '{tenant}'; \
         SET LOCAL statement_timeout = {STATEMENT_MS}; \
         SET LOCAL idle_in_transaction_session_timeout = {STATEMENT_MS}"
    )
}

/// Whether the server takes no writes any more.
fn is_demoted(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let code =
        source.and_then(|e| e.downcast_ref::<tokio_postgres::Error>()).and_then(|e| e.code());
    code == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
}

/// Whether what stopped a transaction is gone when it is tried again.
fn passes(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let Some(error) = source.and_then(|e| e.downcast_ref::<tokio_postgres::Error>()) else {
        return false;
    };
    match error.code() {
        Some(code) => {
            const PASSING: [SqlState; 9] = [
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::T_R_DEADLOCK_DETECTED,
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
                SqlState::READ_ONLY_SQL_TRANSACTION,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                SqlState::LOCK_NOT_AVAILABLE,
            ];
            PASSING.contains(code) || code.code().starts_with("08")
        }
        None => error.is_closed() || lost(error),
    }
}

/// Whether the connection failed, and not what was sent over it.
fn lost(error: &tokio_postgres::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if error.is::<std::io::Error>() {
            return true;
        }
        source = error.source();
    }
    // Neither the server nor the operating system said why: none of the hosts took it.
    error.to_string().contains("connect")
}

/// A failure of PostgreSQL, with the place it was about and nothing of what was stored there.
pub fn failure(address: &PostgresAddress, error: tokio_postgres::Error) -> Error {
    let Some(db) = error.as_db_error() else {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        return Error::unavailable(format!("{address} cannot be reached{}", cause.unwrap_or_default()))
            .with_hint("is it running, and is the address right? sslmode=disable for a server without TLS, sslrootcert=FILE for one with a certificate of its own")
            .with_source(error);
    };
    let code = db.code().code();
    let (kind, message, hint) = match code {
        "57014" => (
            Kind::Unavailable,
            "a statement took too long".to_owned(),
            "try again when it is less busy",
        ),
        "25006" => (
            Kind::Unavailable,
            "it takes no writes: it is a standby".to_owned(),
            "name every host in the address, with target_session_attrs=read-write",
        ),
        "42501" => (
            Kind::Denied,
            "the user may not do this".to_owned(),
            "docs/postgres.md has the rights that a user needs",
        ),
        "53100" => (Kind::Unavailable, "no space is left".to_owned(), "free some space"),
        _ if code.starts_with("28") => (
            Kind::Denied,
            "the server refuses the user".to_owned(),
            "check user, password and pg_hba.conf",
        ),
        _ if code.starts_with("3D") => {
            (Kind::Unavailable, db.message().to_owned(), "create the database first")
        }
        _ if code.starts_with("08")
            || code.starts_with("57")
            || code.starts_with("53")
            || code.starts_with("40") =>
        {
            (Kind::Unavailable, db.message().to_owned(), "try again in a moment")
        }
        _ => (Kind::Internal, format!("{} ({code})", db.message()), "run nuthatch doctor"),
    };
    Error::new(kind, format!("{address}: {message}")).with_hint(hint).with_source(error)
}

/// One connection, inside a transaction of its tenant. The tenant is `$1` of every statement.
pub struct Conn {
    client: Object,
    link: Arc<Link>,
    pub vectors: Option<Pgvector>,
}

impl Conn {
    pub fn tenant(&self) -> &str {
        self.link.address.tenant()
    }

    /// How many vectors of a model are worth an index.
    pub fn index_from(&self) -> u64 {
        self.link.address.vector_index()
    }

    pub async fn batch(&self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).await.map_err(|error| failure(&self.link.address, error))
    }

    pub async fn rows(&self, sql: &str, params: &[Param]) -> Result<Vec<Row>> {
        let tenant = Param::from(self.link.address.tenant());
        let typed: Vec<_> = std::iter::once(&tenant).chain(params).map(Param::typed).collect();
        let found = self.client.query_typed(sql, &typed).await;
        found.map_err(|error| failure(&self.link.address, error))
    }

    pub async fn one(&self, sql: &str, params: &[Param]) -> Result<Option<Row>> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    pub async fn execute(&self, sql: &str, params: &[Param]) -> Result<u64> {
        let tenant = Param::from(self.link.address.tenant());
        let typed: Vec<_> = std::iter::once(&tenant).chain(params).map(Param::typed).collect();
        let done = self.client.execute_typed(sql, &typed).await;
        done.map_err(|error| failure(&self.link.address, error))
    }

    /// Takes its place among the writers of the tenant: one at a time, so that what a set finds
    /// stays true until it is applied.
    async fn queue(&self) -> Result<()> {
        let sql = "SELECT 1 FROM nuthatch.tenants WHERE tenant = $1 FOR UPDATE";
        while self.one(sql, &[]).await?.is_none() {
            let sql = "INSERT INTO nuthatch.tenants (tenant) VALUES ($1) ON CONFLICT DO NOTHING";
            self.execute(sql, &[]).await?;
        }
        Ok(())
    }
}

/// Parameters of a statement, after the tenant.
macro_rules! params {
    ($($value:expr),* $(,)?) => { [$($crate::postgres::codec::Param::from($value)),*] };
}
pub(super) use params;

/// Collects parameters while a statement is being written.
#[derive(Default)]
pub struct Binds(pub Vec<Param>);

impl Binds {
    /// The place of a value in the statement.
    pub fn bind(&mut self, value: impl Into<Param>) -> String {
        self.0.push(value.into());
        // The tenant is the first.
        format!("${}", self.0.len() + 1)
    }
}
