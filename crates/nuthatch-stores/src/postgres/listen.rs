//! News of tokens: whoever changes one tells every process that serves the database.
//!
//! A change notifies in its own transaction, so it is heard when, and only when, it holds. Who
//! listens has a connection of its own, and proves again and again that it hears: a notification
//! sent over another connection must come back. A pooler that keeps no sessions, a server that was
//! demoted, or a line that died without a word fail that, and then nothing is promised.

use std::sync::{Arc, Weak};
use std::time::Duration;

use nuthatch::error::Result;
use nuthatch::grant::Ear;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::{AsyncMessage, Notification};

use super::connect::{Conn, Link, Mode, aside, failure, settings, tls, transact};

/// Where changes are told; the payload is a tenant and the id of a token.
const CHANNEL: &str = "nuthatch_tokens";
/// Between two proofs.
const EVERY: Duration = Duration::from_secs(5);
/// How long a proof may take: a database that is busy for longer is not relied on.
const ECHO: Duration = Duration::from_secs(4);
/// How long a proof holds, from when it was begun: until the next one can have come.
const HOLDS: Duration = Duration::from_secs(12);
/// Pauses before it is tried again.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Tells, when the transaction holds, that a token of the tenant changed.
pub async fn tell(conn: &Conn, id: &str) -> Result<()> {
    let sql = format!("SELECT pg_notify('{CHANNEL}', $1 || ' ' || $2)");
    conn.rows(&sql, &[id.into()]).await.map(drop)
}

/// Listens for as long as somebody has the ear.
pub fn listen(link: Arc<Link>, ear: Weak<dyn Ear>) {
    aside(async move {
        let mut pause = FIRST_PAUSE;
        loop {
            let heard = attend(&link, &ear).await;
            let Some(ear) = ear.upgrade() else { return };
            ear.lost();
            drop(ear);
            if heard == Heard::Something {
                pause = FIRST_PAUSE;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    });
}

/// Whether a connection was good for anything.
#[derive(PartialEq, Eq)]
enum Heard {
    Something,
    Nothing,
}

/// One connection, until it is lost, proves nothing, or nobody cares any more.
async fn attend(link: &Arc<Link>, ear: &Weak<dyn Ear>) -> Heard {
    let own = format!("nuthatch_echo_{}", uuid::Uuid::now_v7().simple());
    let mut heard = Heard::Nothing;
    let Ok(mut line) = Line::open(link, &own).await else { return heard };
    loop {
        let sent = Instant::now();
        if !matches!(timeout(ECHO, echo(link, &own)).await, Ok(Ok(()))) {
            return heard;
        }
        if line.pass_on(ear, Some(&own), sent + ECHO).await != Passed::Echo {
            return heard;
        }
        heard = Heard::Something;
        match ear.upgrade() {
            Some(ear) => ear.reliable_for(HOLDS.saturating_sub(sent.elapsed())),
            None => return heard,
        }
        if line.pass_on(ear, None, sent + EVERY).await == Passed::Ended {
            return heard;
        }
    }
}

/// Sends what must come back: over another connection, because a pooler would hand back to a
/// client what that client itself has sent.
async fn echo(link: &Arc<Link>, own: &str) -> Result<()> {
    let sql = format!("SELECT pg_notify('{own}', $1)");
    let work = move |conn: Arc<Conn>| {
        let sql = sql.clone();
        async move { conn.rows(&sql, &[]).await.map(drop) }
    };
    transact(Arc::clone(link), None, Mode::Beside, Duration::ZERO, work).await
}

/// How passing on what comes in ended.
#[derive(PartialEq, Eq)]
enum Passed {
    /// What was sent came back.
    Echo,
    /// It was time.
    Time,
    /// The connection is gone.
    Ended,
}

/// A connection that listens.
struct Line {
    /// Dropping it ends the connection.
    _client: tokio_postgres::Client,
    news: UnboundedReceiver<Notification>,
}

impl Line {
    async fn open(link: &Link, own: &str) -> Result<Line> {
        let address = &link.address;
        let failed = |error| failure(address, error);
        let mut config = settings(address)?;
        config.application_name("nuthatch listening");
        let (client, mut connection) = config.connect(tls(address)?).await.map_err(failed)?;
        let (tell, news) = unbounded_channel();
        aside(async move {
            while let Some(Ok(message)) =
                std::future::poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notification(told) = message
                    && tell.send(told).is_err()
                {
                    return;
                }
            }
        });
        let sql = format!("LISTEN {CHANNEL}; LISTEN {own}");
        client.batch_execute(&sql).await.map_err(failed)?;
        Ok(Line { _client: client, news })
    }

    /// Passes on what comes in until then, or until what was sent comes back.
    async fn pass_on(
        &mut self,
        ear: &Weak<dyn Ear>,
        awaited: Option<&str>,
        until: Instant,
    ) -> Passed {
        loop {
            let told = match timeout_at(until, self.news.recv()).await {
                Err(_) => return Passed::Time,
                Ok(None) => return Passed::Ended,
                Ok(Some(told)) => told,
            };
            if awaited == Some(told.channel()) {
                return Passed::Echo;
            }
            if told.channel() == CHANNEL
                && let Some((tenant, id)) = told.payload().split_once(' ')
                && let Some(ear) = ear.upgrade()
            {
                ear.changed(tenant, id);
            }
        }
    }
}
