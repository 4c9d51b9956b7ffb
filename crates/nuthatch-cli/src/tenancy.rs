//! Grants and tenants of the store in use: where tokens are kept, and the rooms of a server.
//!
//! A store on a server keeps its own grants, and a token of any tenant opens a room over the same
//! connections. A local store has one tenant, and its grants lie in the data folder.

use std::sync::Arc;

use nuthatch::Place;
use nuthatch::audit::{Actor, Auditor};
use nuthatch::embedder::Embedder;
use nuthatch::error::Result;
use nuthatch::grant::{DEFAULT_TENANT, Grants, Seed};
use nuthatch::limits::Rules;
use nuthatch_server::Room;
use nuthatch_server::http::rooms::Rooms;
use nuthatch_stores::{AuditLog, FileGrants, PostgresStore, StoreUrl};
use uuid::Uuid;

use crate::embedder;
use crate::wiring::{Site, engine};

/// The file in the data folder that says what tokens were given for.
const FILE: &str = "tokens.json";

/// Where the grants of the store in use are kept.
pub struct Tenancy {
    /// Whose memory it is.
    pub tenant: String,
    /// The grants.
    pub grants: Arc<dyn Grants>,
    database: Option<PostgresStore>,
}

impl Tenancy {
    /// Of the default store.
    pub async fn open(site: &Site) -> Result<Tenancy> {
        let url = site.store_url(&site.config.settings().stores.default)?;
        Ok(match url {
            StoreUrl::Postgres(address) => {
                let database = PostgresStore::open(&address).await?;
                let tenant = database.tenant().to_owned();
                Tenancy { tenant, grants: Arc::new(database.clone()), database: Some(database) }
            }
            _ => Tenancy {
                tenant: DEFAULT_TENANT.to_owned(),
                grants: Arc::new(FileGrants::at(site.config.places().data_dir.join(FILE))),
                database: None,
            },
        })
    }

    /// The rooms of a server whose own one is `place`.
    pub async fn rooms(&self, site: &Site, place: Place) -> Rooms {
        let own = Room::open(place.clone());
        let Some(database) = self.database.clone() else { return Rooms::from(own) };
        let settings = site.config.settings();
        let model = embedder::open(&settings.embeddings, &site.config.places().data_dir).await;
        let others = Others {
            database,
            like: place,
            rules: settings.rules,
            embedder: model,
            audit: site.audit_log(),
        };
        let others = Arc::new(others);
        Rooms::of_tenants(own, self.tenant.clone(), move |tenant| {
            let (others, tenant) = (Arc::clone(&others), tenant.to_owned());
            Room::lazy(move || {
                let place = others.place(&tenant);
                async move { place }
            })
        })
    }
}

/// What the places of other tenants are made of.
struct Others {
    database: PostgresStore,
    /// The server's own place: words mean the same in all of them.
    like: Place,
    rules: Rules,
    embedder: Option<Arc<dyn Embedder>>,
    audit: AuditLog,
}

impl Others {
    /// The place of a tenant. Sessions of agents on this machine are its owner's, so there is no
    /// autonomous memory in it.
    fn place(&self, tenant: &str) -> Result<Place> {
        let store = self.database.of_tenant(tenant)?;
        let who = Actor { door: "http".to_owned(), who: Some(format!("tenant {tenant}")) };
        let engine = engine(Arc::new(store), self.rules)
            .audited(Auditor::new(Arc::new(self.audit.clone()), who));
        let engine = match &self.embedder {
            Some(embedder) => engine.with_embedder(Arc::clone(embedder)),
            None => engine,
        };
        Ok(self.like.over(engine))
    }
}

/// Chance from the system: ids of version 4 are 122 bits of it each.
pub fn seed() -> Seed {
    let chance = || *Uuid::new_v4().as_bytes();
    let mut hasher = blake3::Hasher::new();
    (0..4).for_each(|_| {
        hasher.update(&chance());
    });
    let mut made = [0; 40];
    hasher.finalize_xof().fill(&mut made);
    let (id, secret) = made.split_at(8);
    let id = id.iter().fold(0, |id, byte| id << 8 | u64::from(*byte));
    let mut all = [0; 32];
    all.copy_from_slice(secret);
    Seed { id, secret: all }
}
