//! Who speaks, once a token was looked at: as whom, for which tenant, in which room.
//!
//! Grants are looked up for every token, and what was found is believed for a moment only, so that
//! a token that is taken back is refused by every process within it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nuthatch::clock::Clock;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::grant::{Claim, Grants, Kept, Role, Standing};

use crate::Room;

/// How long a grant that was found is believed.
pub const FRESH: Duration = Duration::from_secs(1);
/// Grants remembered at once; more are simply asked for again.
const REMEMBERED: usize = 10_000;

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
    seen: Arc<Mutex<HashMap<String, (Kept, Instant)>>>,
}

impl Keeper {
    /// Over these grants; what was found is believed for `fresh`.
    #[must_use]
    pub fn new(grants: Arc<dyn Grants>, clock: Arc<dyn Clock>, fresh: Duration) -> Self {
        Keeper { grants, clock, fresh, seen: Arc::default() }
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
        let key = format!("{} {}", claim.tenant, claim.id);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some((kept, at)) = seen
            && at.elapsed() < self.fresh
        {
            return Ok(Some(kept));
        }
        let found = self.grants.find(claim.tenant, claim.id).await?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= REMEMBERED {
            seen.clear();
        }
        match &found {
            Some(kept) => seen.insert(key, (kept.clone(), Instant::now())),
            None => seen.remove(&key),
        };
        Ok(found)
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper(…)")
    }
}
