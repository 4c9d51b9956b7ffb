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
mod tests;
