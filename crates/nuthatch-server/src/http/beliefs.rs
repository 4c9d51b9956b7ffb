//! What was found of grants, for as long as it may be believed.
//!
//! Where changes are told, what changed is dropped at once, and the rest is believed for longer.
//! Whatever may have been missed is dropped, too: nothing that was found before changes were told
//! outlives the moment in which it would be believed anyway.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nuthatch::grant::{Ear, Kept};

/// How long a grant is believed while changes are told: only a bound on what nobody asked for
/// again.
const TOLD: Duration = Duration::from_secs(60);
/// Grants remembered at once; more are simply asked for again.
const REMEMBERED: usize = 10_000;

/// The name of a grant among all.
pub(super) fn key(tenant: &str, id: &str) -> String {
    format!("{tenant} {id}")
}

/// What is believed.
#[derive(Default)]
pub(super) struct Beliefs(Mutex<State>);

#[derive(Default)]
struct State {
    seen: HashMap<String, (Kept, Instant)>,
    /// Until when changes are told, if they are.
    told_until: Option<Instant>,
    /// How often something changed: what was asked for before may be found as it was.
    changes: u64,
}

/// How often something had changed when a grant was asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked(u64);

impl State {
    fn is_told(&self, now: Instant) -> bool {
        self.told_until.is_some_and(|until| now < until)
    }
}

impl Beliefs {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A grant that is believed; otherwise what [`note`](Beliefs::note) wants to know.
    pub(super) fn of(&self, key: &str, fresh: Duration) -> Result<Kept, Asked> {
        let (state, now) = (self.state(), Instant::now());
        let time = if state.is_told(now) { TOLD } else { fresh };
        match state.seen.get(key) {
            Some((kept, at)) if now.duration_since(*at) < time => Ok(kept.clone()),
            _ => Err(Asked(state.changes)),
        }
    }

    /// Believes what was found, unless something changed while it was asked for.
    pub(super) fn note(&self, key: String, found: Option<Kept>, asked: Asked) {
        let mut state = self.state();
        if state.seen.len() >= REMEMBERED {
            state.seen.clear();
        }
        match found {
            Some(kept) if state.changes == asked.0 => {
                state.seen.insert(key, (kept, Instant::now()));
            }
            _ => drop(state.seen.remove(&key)),
        }
    }
}

impl Ear for Beliefs {
    fn changed(&self, tenant: &str, id: &str) {
        let mut state = self.state();
        state.changes += 1;
        state.seen.remove(&key(tenant, id));
    }

    fn reliable_for(&self, time: Duration) {
        let (mut state, now) = (self.state(), Instant::now());
        if !state.is_told(now) {
            // What changed before was told to nobody.
            state.changes += 1;
            state.seen.clear();
        }
        state.told_until = Some(now + time);
    }

    fn lost(&self) {
        self.state().told_until = None;
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use nuthatch::grant::{Grant, Role};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn kept(id: &str) -> Kept {
        let grant = Grant {
            id: id.to_owned(),
            tenant: "acme".to_owned(),
            name: id.to_owned(),
            role: Role::Reader,
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
        };
        Kept { grant, hash: String::new() }
    }

    /// Asks for a grant and notes what was found, with something that happens in between.
    fn find(beliefs: &Beliefs, id: &str, between: impl FnOnce()) {
        let asked = beliefs.of(&key("acme", id), Duration::ZERO).err().unwrap();
        between();
        beliefs.note(key("acme", id), Some(kept(id)), asked);
    }

    fn is_believed(beliefs: &Beliefs, id: &str, fresh: Duration) -> bool {
        beliefs.of(&key("acme", id), fresh).is_ok()
    }

    #[test]
    fn where_nobody_tells_a_grant_is_believed_for_its_moment() {
        let beliefs = Beliefs::default();
        find(&beliefs, "one", || {});
        assert!(
            is_believed(&beliefs, "one", HOUR) && !is_believed(&beliefs, "one", Duration::ZERO)
        );
    }

    #[test]
    fn while_changes_are_told_it_is_believed_for_longer_and_what_changed_is_not() {
        let beliefs = Beliefs::default();
        beliefs.reliable_for(HOUR);
        find(&beliefs, "one", || {});
        find(&beliefs, "two", || {});
        beliefs.changed("acme", "one");
        beliefs.changed("else", "two");
        assert!(!is_believed(&beliefs, "one", HOUR));
        assert!(is_believed(&beliefs, "two", Duration::ZERO));
    }

    #[test]
    fn what_changes_while_it_is_asked_for_is_not_believed() {
        let beliefs = Beliefs::default();
        beliefs.reliable_for(HOUR);
        find(&beliefs, "one", || beliefs.changed("acme", "one"));
        assert!(!is_believed(&beliefs, "one", HOUR));
    }

    #[test]
    fn what_was_found_while_nobody_told_does_not_outlive_its_moment() {
        let beliefs = Beliefs::default();
        find(&beliefs, "one", || beliefs.reliable_for(HOUR));
        assert!(!is_believed(&beliefs, "one", HOUR));
        find(&beliefs, "one", || {});
        assert!(is_believed(&beliefs, "one", Duration::ZERO));
        beliefs.lost();
        assert!(
            !is_believed(&beliefs, "one", Duration::ZERO) && is_believed(&beliefs, "one", HOUR)
        );
        beliefs.reliable_for(HOUR);
        assert!(!is_believed(&beliefs, "one", HOUR), "what was missed meanwhile is not known");
        // A promise ends by itself, too.
        find(&beliefs, "one", || {});
        beliefs.reliable_for(Duration::ZERO);
        assert!(!is_believed(&beliefs, "one", Duration::ZERO));
        beliefs.reliable_for(HOUR);
        assert!(!is_believed(&beliefs, "one", HOUR));
    }
}
