//! A sign of life for every job that is held, as long as work goes on.
//!
//! A lease that was lost all the same is noted, and whoever held it stops before it writes.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use uuid::Uuid;

use super::Autonomy;
use crate::error::{Error, Kind, Result};
use crate::jobs::{self, Hold};
use crate::store::JobKey;

/// Jobs that one run holds.
#[derive(Debug)]
pub struct Held {
    /// The token of the run.
    pub owner: Uuid,
    jobs: Mutex<BTreeMap<JobKey, Lease>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lease {
    Good,
    Lost,
}

impl Held {
    /// Nothing yet.
    pub fn new(owner: Uuid) -> Held {
        Held { owner, jobs: Mutex::default() }
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<JobKey, Lease>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a job alive from now on.
    pub fn take(&self, key: &JobKey) {
        self.jobs().insert(key.clone(), Lease::Good);
    }

    /// Lets a job go.
    pub fn drop(&self, key: &JobKey) {
        self.jobs().remove(key);
    }

    /// Whether a job is still held.
    ///
    /// # Errors
    /// `conflict`, when it was lost.
    pub fn check(&self, key: &JobKey) -> Result<()> {
        match self.jobs().get(key) {
            Some(Lease::Good) => Ok(()),
            _ => Err(Error::conflict(format!("the job {key} is in other hands"))),
        }
    }
}

impl Autonomy {
    /// The hold of a run on its jobs, now.
    pub(super) fn hold(&self, held: &Held) -> Hold {
        Hold { owner: held.owner, at: self.engine.now(), lease: self.settings.lease }
    }

    /// Does `work` while every held job is kept alive.
    pub(super) async fn alive<R>(&self, held: &Held, work: impl Future<Output = R>) -> R {
        let beat = pin!(self.beat(held));
        let work = pin!(work);
        match select(work, beat).await {
            Either::Left((done, _)) => done,
            Either::Right((never, _)) => match never {},
        }
    }

    async fn beat(&self, held: &Held) -> std::convert::Infallible {
        // Three signs for each lease: two may come late.
        let third = Duration::try_from(self.settings.lease / 3).unwrap_or(Duration::from_secs(1));
        loop {
            self.outside.pace.wait(third.max(Duration::from_millis(100))).await;
            let keys: Vec<JobKey> = held.jobs().keys().cloned().collect();
            for key in keys {
                let renewed = jobs::renew(self.engine.store(), &key, &self.hold(held)).await;
                // A store that cannot be reached now may be reached in time; another owner stays.
                if renewed.is_err_and(|error| error.kind() == Kind::Conflict)
                    && let Some(lease) = held.jobs().get_mut(&key)
                {
                    *lease = Lease::Lost;
                }
            }
        }
    }
}
