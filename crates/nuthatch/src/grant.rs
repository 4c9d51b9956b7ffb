//! Who may do what through a server: roles, grants, and the tokens they are known by.
//!
//! A token is shown once and never kept: what is kept is its hash. It names its tenant and its
//! grant, so that a grant is looked up inside its own tenant and nowhere else. Where grants are
//! kept is behind the port [`Grants`]; which route needs which role is the server's business.

mod issue;

use std::sync::Weak;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

pub use issue::{GrantRequest, Issued, RotateRequest, Seed, issue, revoke, rotate};

/// Whose memory it is where nobody says.
pub const DEFAULT_TENANT: &str = "default";

/// What every token begins with, so that people and scanners know one when they see it.
const PREFIX: &str = "nht_";
/// Characters of a grant's id, and of the secret behind it.
const ID: usize = 16;
const SECRET: usize = 64;

/// What a token may do; each may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Finds and reads.
    Reader,
    /// Stores, changes and forgets.
    Writer,
    /// Decides about what is quarantined.
    Reviewer,
    /// Rebuilds, learns, and sees how the server stands.
    Admin,
}

impl Role {
    /// All of them, the least first.
    pub const ALL: [Role; 4] = [Role::Reader, Role::Writer, Role::Reviewer, Role::Admin];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Reviewer => "reviewer",
            Role::Admin => "admin",
        }
    }

    /// The role of a word.
    #[must_use]
    pub fn parse(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What one token was given for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// By which it is found again; no secret.
    pub id: String,
    /// Whose memory it opens.
    pub tenant: String,
    /// Who or what has it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Since when.
    pub created_at: Timestamp,
    /// Until when, if not for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// From when on it opens nothing any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

impl Grant {
    /// How it stands.
    #[must_use]
    pub fn standing(&self, now: Timestamp) -> Standing {
        match (self.revoked_at, self.expires_at) {
            (Some(at), _) if at <= now => Standing::Revoked,
            (_, Some(at)) if at <= now => Standing::Expired,
            _ => Standing::Valid,
        }
    }
}

/// How a grant stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It opens.
    Valid,
    /// Its time is over.
    Expired,
    /// Somebody took it back.
    Revoked,
}

impl Standing {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Standing::Valid => "valid",
            Standing::Expired => "expired",
            Standing::Revoked => "revoked",
        }
    }
}

/// A grant as it is kept: with the hash of its token, and never the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// What it was given for.
    #[serde(flatten)]
    pub grant: Grant,
    /// The hash of the whole token, in hexadecimal.
    pub hash: String,
}

impl Kept {
    /// Whether this is its token; in the same time wherever they differ.
    #[must_use]
    pub fn is_opened_by(&self, token: &str) -> bool {
        blake3::Hash::from_hex(&self.hash).is_ok_and(|kept| kept == blake3::hash(token.as_bytes()))
    }
}

/// Where a token says it belongs; nothing of it is believed before its hash was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The grant.
    pub id: &'a str,
}

impl<'a> Claim<'a> {
    /// Reads it off a token; nothing, where that has not the shape of one.
    #[must_use]
    pub fn read(token: &'a str) -> Option<Claim<'a>> {
        let (body, tenant) = token.strip_prefix(PREFIX)?.split_once('_')?;
        let is_hex = body.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
        (is_hex && body.len() == ID + SECRET && check_tenant(tenant).is_ok())
            .then(|| Claim { tenant, id: &body[..ID] })
    }
}

/// Whether a text can be the name of a tenant.
///
/// # Errors
/// Of kind `invalid`, with what a name may hold.
pub fn check_tenant(tenant: &str) -> Result<()> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let starts_well = tenant.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    if starts_well && tenant.len() <= 64 && tenant.chars().all(legal) {
        return Ok(());
    }
    Err(Error::invalid("not a name of a tenant").with_hint(
        "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit, as in ?tenant=acme",
    ))
}

/// Where grants are kept.
#[async_trait]
pub trait Grants: Send + Sync {
    /// Keeps a new one, for good once this is answered.
    ///
    /// # Errors
    /// `conflict`, when its id is taken; `unavailable`, when it cannot be kept.
    async fn keep(&self, kept: &Kept) -> Result<()>;

    /// One of a tenant.
    ///
    /// # Errors
    /// `unavailable`, when nobody can say.
    async fn find(&self, tenant: &str, id: &str) -> Result<Option<Kept>>;

    /// Every one of a tenant, oldest first.
    ///
    /// # Errors
    /// `unavailable`, when nobody can say.
    async fn all(&self, tenant: &str) -> Result<Vec<Kept>>;

    /// Ends one from `at` on; one that ends sooner stays as it is. Says whether there is one.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be written.
    async fn end(&self, tenant: &str, id: &str, at: Timestamp) -> Result<bool>;

    /// Tells an ear of changes from now on, whoever makes them, for as long as somebody has it.
    /// Where changes are not told, it never hears that it may rely on them.
    fn tell(&self, ear: Weak<dyn Ear>) {
        let _ = ear;
    }
}

/// Hears of changes that others make to grants.
pub trait Ear: Send + Sync {
    /// A grant was kept or ended: what was found of it before may not hold any more.
    fn changed(&self, tenant: &str, id: &str);

    /// Every change that is made within this time from now is told; so was every one since this
    /// was said last, if that time is not over.
    fn reliable_for(&self, time: Duration);

    /// Nothing is told until [`reliable_for`](Ear::reliable_for) is heard again.
    fn lost(&self);
}
