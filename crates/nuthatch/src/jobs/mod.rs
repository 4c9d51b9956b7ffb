//! Durable work that several processes share and none does twice.
//!
//! What the steps mean is in [`lease`]; here each is exchanged with the store, again and
//! again while others are faster. A clock is passed in with every step.

pub mod lease;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::store::{Job, JobKey, JobSwap, Store, Swapped};

pub use lease::{Finish, MOST_TRIES, NotNow, Wanted};

/// Exchanges before it is clear that something is wrong: each failure means that somebody
/// else got one step further.
const MOST_EXCHANGES: usize = 1000;

/// What came of an attempt to begin a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is the caller's until its lease ends.
    Mine(Box<Job>),
    /// It is not to be begun.
    NotNow(NotNow),
}

/// Notes that a job is wanted for an input, and gives it as it is then.
///
/// # Errors
/// Whatever the store says.
pub async fn want(store: &dyn Store, wanted: &Wanted, at: Timestamp) -> Result<Job> {
    let left = step(store, &wanted.key, |seen| Ok(lease::wanted(seen, wanted, at))).await?;
    left.ok_or_else(|| Error::internal(format!("the job {} was not kept", wanted.key)))
}

/// Takes a job for `owner`, if nobody has it and it is due.
///
/// # Errors
/// Whatever the store says.
pub async fn claim(store: &dyn Store, key: &JobKey, hold: &Hold) -> Result<Claim> {
    for _ in 0..MOST_EXCHANGES {
        let Some(seen) = store.job(key).await? else {
            return Ok(Claim::NotNow(NotNow::Unknown));
        };
        let job = match lease::claimed(&seen, hold.owner, hold.at, hold.lease) {
            Ok(job) => job,
            Err(why) => {
                if let Some(given_up) = lease::settled(&seen, hold.at) {
                    store.swap_job(&JobSwap::of(Some(&seen), given_up)).await?;
                }
                return Ok(Claim::NotNow(why));
            }
        };
        let swap = JobSwap::of(Some(&seen), job);
        if store.swap_job(&swap).await? == Swapped::Yes {
            let mine = swap.stored().expect("an exchange for a job has one");
            return Ok(Claim::Mine(Box::new(mine)));
        }
    }
    Err(restless(key))
}

/// Who holds a job, since when, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The token of whoever is at it.
    pub owner: Uuid,
    /// Now.
    pub at: Timestamp,
    /// How long nobody else may take it.
    pub lease: SignedDuration,
}

/// Prolongs a lease, so that slow work is not taken for dead.
///
/// # Errors
/// `conflict`, when the job is in other hands by now.
pub async fn renew(store: &dyn Store, key: &JobKey, hold: &Hold) -> Result<Job> {
    owned(store, key, |seen| lease::renewed(seen, hold.owner, hold.at, hold.lease)).await
}

/// Ends a job that was done.
///
/// # Errors
/// `conflict`, when the job is in other hands by now: then nothing is noted.
pub async fn finish(store: &dyn Store, key: &JobKey, hold: &Hold, done: &Finish) -> Result<Job> {
    owned(store, key, |seen| lease::finished(seen, hold.owner, hold.at, done)).await
}

/// Ends a try that failed.
///
/// # Errors
/// `conflict`, when the job is in other hands by now: then nothing is noted.
pub async fn fail(store: &dyn Store, key: &JobKey, hold: &Hold, why: &str) -> Result<Job> {
    owned(store, key, |seen| lease::failed(seen, hold.owner, hold.at, why)).await
}

/// Gives a job back as if it had not been begun.
///
/// # Errors
/// `conflict`, when the job is in other hands by now: then nothing is noted.
pub async fn put_back(store: &dyn Store, key: &JobKey, hold: &Hold, why: &str) -> Result<Job> {
    owned(store, key, |seen| lease::put_back(seen, hold.owner, hold.at, why)).await
}

/// Lets a job be done again, whatever became of it; one that somebody is at is left alone.
///
/// # Errors
/// Whatever the store says.
pub async fn again(store: &dyn Store, key: &JobKey, at: Timestamp) -> Result<Option<Job>> {
    step(store, key, |seen| {
        let is_free = |seen: &&Job| seen.lease_until.is_none_or(|until| until <= at);
        Ok(seen.filter(is_free).map(|seen| lease::anew(seen, at)))
    })
    .await
}

/// Notes something with a job, whoever has it.
///
/// # Errors
/// Whatever the store says.
pub async fn annotate(store: &dyn Store, key: &JobKey, note: (&str, &str)) -> Result<()> {
    let (name, value) = note;
    step(store, key, |seen| {
        let Some(mut job) = seen.cloned() else { return Ok(None) };
        job.notes.insert(name.to_owned(), value.to_owned());
        Ok(Some(job))
    })
    .await
    .map(|_| ())
}

/// Removes a job, and says whether there was one.
///
/// # Errors
/// Whatever the store says.
pub async fn remove(store: &dyn Store, key: &JobKey) -> Result<bool> {
    for _ in 0..MOST_EXCHANGES {
        let Some(seen) = store.job(key).await? else { return Ok(false) };
        if store.swap_job(&JobSwap::removal(&seen)).await? == Swapped::Yes {
            return Ok(true);
        }
    }
    Err(restless(key))
}

/// Repeats a step until nobody else was faster; gives the job as it is then. A step that leads
/// nowhere leaves it as it is.
async fn step(
    store: &dyn Store,
    key: &JobKey,
    decide: impl Fn(Option<&Job>) -> Result<Option<Job>>,
) -> Result<Option<Job>> {
    for _ in 0..MOST_EXCHANGES {
        let seen = store.job(key).await?;
        let Some(job) = decide(seen.as_ref())? else { return Ok(seen) };
        let swap = JobSwap::of(seen.as_ref(), job);
        if store.swap_job(&swap).await? == Swapped::Yes {
            return Ok(swap.stored());
        }
    }
    Err(restless(key))
}

async fn owned(
    store: &dyn Store,
    key: &JobKey,
    decide: impl Fn(&Job) -> Result<Job>,
) -> Result<Job> {
    let left = step(store, key, |seen| match seen {
        Some(seen) => decide(seen).map(Some),
        None => Err(Error::conflict(format!("the job {key} is gone"))),
    });
    left.await?.ok_or_else(|| Error::internal(format!("the job {key} was not kept")))
}

fn restless(key: &JobKey) -> Error {
    Error::conflict(format!("the job {key} never stops changing"))
}
