//! A room for each tenant: the server's own, and others that are opened when a token first asks.
//!
//! Rooms share nothing but what is behind their stores: not the notes of threads, not sessions of
//! MCP.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use nuthatch::grant::DEFAULT_TENANT;

use crate::Room;

type Opening = dyn Fn(&str) -> Room + Send + Sync;

/// The rooms of a server.
#[derive(Clone)]
pub struct Rooms {
    own: Room,
    tenant: String,
    opening: Option<Arc<Opening>>,
    others: Arc<Mutex<HashMap<String, Room>>>,
}

impl Rooms {
    /// The room of one tenant, and how those of others are opened.
    pub fn of_tenants(
        own: Room,
        tenant: String,
        opening: impl Fn(&str) -> Room + Send + Sync + 'static,
    ) -> Self {
        Rooms { opening: Some(Arc::new(opening)), tenant, ..Rooms::from(own) }
    }

    /// The server's own.
    #[must_use]
    pub fn own(&self) -> &Room {
        &self.own
    }

    /// The tenant of the server's own.
    #[must_use]
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The room of a tenant that a grant names, if this server has rooms for others.
    #[must_use]
    pub fn of(&self, tenant: &str) -> Option<Room> {
        if tenant == self.tenant {
            return Some(self.own.clone());
        }
        let opening = self.opening.as_ref()?;
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        Some(others.entry(tenant.to_owned()).or_insert_with(|| opening(tenant)).clone())
    }
}

impl From<Room> for Rooms {
    /// One room, for one tenant.
    fn from(own: Room) -> Self {
        Rooms { own, tenant: DEFAULT_TENANT.to_owned(), opening: None, others: Arc::default() }
    }
}
