//! Who speaks, once a token was looked at: as whom, for which tenant, in which room.
//!
//! Grants are looked up for every token, and what was found is believed for a moment only, so that
//! a token that is taken back is refused by every process within it (`beliefs.rs`).

use std::sync::{Arc, Weak};
use std::time::Duration;

use nuthatch::clock::Clock;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::grant::{Claim, Grants, Kept, Role, Standing};

use super::beliefs::{Beliefs, key};
use crate::Room;

/// How long a grant that was found is believed where nobody tells of changes.
pub const FRESH: Duration = Duration::from_secs(1);

/// Who speaks.
#[derive(Clone)]
pub struct Caller {
    /// The grant it came by, or a word for the token of the server itself.
    pub id: String,
    /// Whose memory it is about.
    pub tenant: String,
    /// What may be done.
    pub role: Role,
    /// Whether it may see how the server stands as a whole.
    pub is_operator: bool,
    /// Where its requests are answered.
    pub room: Room,
}

/// Knows the grants.
#[derive(Clone)]
pub struct Keeper {
    grants: Arc<dyn Grants>,
    clock: Arc<dyn Clock>,
    fresh: Duration,
    beliefs: Arc<Beliefs>,
}

impl Keeper {
    /// Over these grants; what was found is believed for `fresh`, and for longer while changes
    /// are told.
    #[must_use]
    pub fn new(grants: Arc<dyn Grants>, clock: Arc<dyn Clock>, fresh: Duration) -> Self {
        let beliefs = Arc::<Beliefs>::default();
        let ear: Weak<Beliefs> = Arc::downgrade(&beliefs);
        grants.tell(ear);
        Keeper { grants, clock, fresh, beliefs }
    }

    /// The grant of a token, if it is one and still opens.
    ///
    /// # Errors
    /// `denied`, when it opens no more; `unavailable`, when nobody can say.
    pub(super) async fn admit(&self, token: &str) -> Result<Option<Kept>> {
        let Some(claim) = Claim::read(token) else { return Ok(None) };
        let Some(kept) = self.known(claim).await? else { return Ok(None) };
        if !kept.is_opened_by(token) {
            return Ok(None);
        }
        match kept.grant.standing(self.clock.now()) {
            Standing::Valid => Ok(Some(kept)),
            over => Err(Error::new(Kind::Denied, format!("this token is {}", over.name()))
                .with_hint("ask whoever gave it to you for another")),
        }
    }

    async fn known(&self, claim: Claim<'_>) -> Result<Option<Kept>> {
        let key = key(claim.tenant, claim.id);
        let told = match self.beliefs.of(&key, self.fresh) {
            Ok(kept) => return Ok(Some(kept)),
            Err(told) => told,
        };
        let found = self.grants.find(claim.tenant, claim.id).await?;
        self.beliefs.note(key, found.clone(), told);
        Ok(found)
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper(…)")
    }
}
