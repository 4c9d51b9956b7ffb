//! Changes of tokens are told to whoever listens, in whatever process, and silence is noticed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use jiff::Timestamp;
use nuthatch::grant::{self, Ear, GrantRequest, Grants as _, Role, RotateRequest, Seed};
use nuthatch_stores::PostgresStore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_postgres::NoTls;

use crate::Test;
use crate::bench::{Postgres, server};

pub const TESTS: &[Test] = &[
    ("postgres::whoever_listens_is_told_what_changed_of_a_token", told),
    ("postgres::a_connection_that_is_lost_is_noticed_and_made_again", lost_and_found),
    ("postgres::nobody_listens_any_more_when_the_ear_is_gone", ended),
];

#[derive(Debug, PartialEq)]
enum Heard {
    Changed(String, String),
    Reliable,
    Lost,
}

struct Recorder(UnboundedSender<Heard>);

impl Ear for Recorder {
    fn changed(&self, tenant: &str, id: &str) {
        let _ = self.0.send(Heard::Changed(tenant.to_owned(), id.to_owned()));
    }

    fn reliable_for(&self, time: Duration) {
        assert!(!time.is_zero() && time <= Duration::from_secs(12), "{time:?}");
        let _ = self.0.send(Heard::Reliable);
    }

    fn lost(&self) {
        let _ = self.0.send(Heard::Lost);
    }
}

struct Listener {
    ear: Arc<Recorder>,
    heard: UnboundedReceiver<Heard>,
}

impl Listener {
    fn of(store: &PostgresStore) -> Listener {
        let (tell, heard) = unbounded_channel();
        let ear = Arc::new(Recorder(tell));
        let weak: Weak<Recorder> = Arc::downgrade(&ear);
        store.tell(weak);
        Listener { ear, heard }
    }

    /// Waits until this is heard; other tests change tokens of theirs meanwhile.
    async fn until(&mut self, wanted: Heard) {
        let found = async { while self.heard.recv().await.expect("the ear is there") != wanted {} };
        let limit = Duration::from_secs(60);
        tokio::time::timeout(limit, found).await.unwrap_or_else(|_| panic!("no {wanted:?}"));
    }
}

fn drive(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

fn request(store: &PostgresStore, name: &str) -> GrantRequest {
    let (tenant, name) = (store.tenant().to_owned(), name.to_owned());
    GrantRequest { tenant, name, role: Role::Reader, expires_at: None }
}

async fn issued(store: &PostgresStore, name: &str, number: u8) -> String {
    let seed = Seed { id: number.into(), secret: [number; 32] };
    let now = Timestamp::from_second(1_770_000_000).unwrap();
    grant::issue(store, request(store, name), seed, now).await.unwrap().grant.id
}

fn told() {
    let bench = Postgres::fresh_without_pooler();
    drive(async {
        let serving = PostgresStore::open(&bench.0).await.unwrap();
        let changing = PostgresStore::open(&bench.0).await.unwrap();
        let tenant = changing.tenant().to_owned();
        let mut listener = Listener::of(&serving);
        listener.until(Heard::Reliable).await;
        let changed = |id: &str| Heard::Changed(tenant.clone(), id.to_owned());
        let first = issued(&changing, "ci", 1).await;
        listener.until(changed(&first)).await;
        let now = Timestamp::from_second(1_770_000_001).unwrap();
        let rotate = RotateRequest {
            tenant: tenant.clone(),
            which: "ci".to_owned(),
            old_until: now,
            expires_at: None,
        };
        let seed = Seed { id: 2, secret: [2; 32] };
        let second = grant::rotate(&changing, rotate, seed, now).await.unwrap().grant.id;
        listener.until(changed(&second)).await;
        listener.until(changed(&first)).await;
        grant::revoke(&changing, &tenant, "ci", now).await.unwrap();
        listener.until(changed(&second)).await;
    });
}

/// Ends every connection that listens, those of other tests included: they bear it.
async fn cut() -> u64 {
    let (client, connection) = tokio_postgres::connect(&server().unwrap(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE application_name = 'nuthatch listening'";
    client.execute(sql, &[]).await.unwrap()
}

fn lost_and_found() {
    let bench = Postgres::fresh_without_pooler();
    drive(async {
        let store = PostgresStore::open(&bench.0).await.unwrap();
        let mut listener = Listener::of(&store);
        listener.until(Heard::Reliable).await;
        assert!(cut().await > 0);
        listener.until(Heard::Lost).await;
        listener.until(Heard::Reliable).await;
        let id = issued(&store, "ci", 3).await;
        listener.until(Heard::Changed(store.tenant().to_owned(), id)).await;
    });
}

fn ended() {
    let bench = Postgres::fresh_without_pooler();
    drive(async {
        let store = PostgresStore::open(&bench.0).await.unwrap();
        let mut listener = Listener::of(&store);
        listener.until(Heard::Reliable).await;
        let Listener { ear, mut heard } = listener;
        drop(ear);
        let over = async { while heard.recv().await.is_some() {} };
        let limit = Duration::from_secs(30);
        tokio::time::timeout(limit, over).await.expect("nothing is told to nobody");
    });
}
