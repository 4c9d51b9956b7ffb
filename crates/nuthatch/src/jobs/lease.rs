//! What leases, tries and watermarks mean: pure steps from one state of a job to the next.
//!
//! A step is given the job as it was seen and answers with the job as it should be, or with
//! why not; [`super`] exchanges one for the other. Every step that ends or prolongs work
//! names its owner, so that whoever lost a lease cannot undo what the next one does.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::guard;
use crate::id::ProjectId;
use crate::store::{Job, JobKey, JobState};

/// Tries for one input: what fails three times fails for a reason that waiting does not mend.
pub const MOST_TRIES: u32 = 3;
/// The first pause after a failure; each further one is four times as long.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_mins(2);
/// Longest text of a failure that is kept.
const ERROR_CHARS: usize = 300;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which job.
    pub key: JobKey,
    /// The project it is about.
    pub project: Option<ProjectId>,
    /// The input it is to be done for.
    pub watermark: String,
}

/// Why a job is not begun now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "why")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NotNow {
    /// Done for this very input.
    Done,
    /// Somebody is at it.
    Running {
        /// At least until then.
        until: Timestamp,
    },
    /// It failed, and pauses.
    Waiting {
        /// Until then.
        until: Timestamp,
    },
    /// It failed too often for this input.
    GivenUp,
    /// There is no such job.
    Unknown,
}

/// The job as it waits for an input: as it is, if it was done for that or waits already.
#[must_use]
pub fn wanted(seen: Option<&Job>, wanted: &Wanted, at: Timestamp) -> Option<Job> {
    let Some(seen) = seen else {
        let job = Job::new(wanted.key.clone(), wanted.watermark.clone(), at);
        return Some(Job { project: wanted.project.clone(), ..job });
    };
    let same_input = seen.watermark == wanted.watermark;
    if same_input && seen.project == wanted.project {
        return None;
    }
    let mut job = seen.clone();
    job.project.clone_from(&wanted.project);
    job.watermark.clone_from(&wanted.watermark);
    job.updated_at = at;
    if !same_input {
        // Whoever is at it finishes for the input they were given, and finds the new one then.
        (job.tries, job.retry_at, job.last_error) = (0, None, None);
        if job.state != JobState::Running {
            job.state = JobState::Pending;
        }
    }
    Some(job)
}

/// The job in the hands of `owner`.
///
/// # Errors
/// Not an error of the program: why it is not begun now.
pub fn claimed(
    seen: &Job,
    owner: Uuid,
    at: Timestamp,
    lease: SignedDuration,
) -> std::result::Result<Job, NotNow> {
    if let (JobState::Running, Some(until)) = (seen.state, seen.lease_until)
        && until > at
    {
        return Err(NotNow::Running { until });
    }
    if seen.done_watermark.as_ref() == Some(&seen.watermark) && seen.state != JobState::Running {
        return Err(NotNow::Done);
    }
    if let Some(until) = seen.retry_at.filter(|until| *until > at) {
        return Err(NotNow::Waiting { until });
    }
    if seen.tries >= MOST_TRIES {
        return Err(NotNow::GivenUp);
    }
    let vanished = seen.state == JobState::Running;
    let mut job = seen.clone();
    job.state = JobState::Running;
    job.owner = Some(owner);
    job.lease_until = Some(at + lease);
    job.tries += 1;
    job.retry_at = None;
    job.updated_at = at;
    if vanished {
        job.last_error = Some("whoever was at it vanished".to_owned());
    }
    Ok(job)
}

/// The job with a longer lease.
///
/// # Errors
/// `conflict`, when it is in other hands.
pub fn renewed(seen: &Job, owner: Uuid, at: Timestamp, lease: SignedDuration) -> Result<Job> {
    held(seen, owner)?;
    Ok(Job { lease_until: Some(at + lease), updated_at: at, ..seen.clone() })
}

/// What came of a job that was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// The input it was done for.
    pub watermark: String,
    /// Hashes of what it has learnt, added to those it knows.
    pub marks: Vec<String>,
    /// Counts and names, in place of those of the same name.
    pub notes: Vec<(String, String)>,
}

/// The job as done. If it was wanted for another input meanwhile, it waits for that.
///
/// # Errors
/// `conflict`, when it is in other hands.
pub fn finished(seen: &Job, owner: Uuid, at: Timestamp, finish: &Finish) -> Result<Job> {
    held(seen, owner)?;
    let mut job = let_go(seen, at);
    let is_last = finish.watermark == job.watermark;
    job.state = if is_last { JobState::Done } else { JobState::Pending };
    job.done_watermark = Some(finish.watermark.clone());
    job.finished_at = Some(at);
    job.marks.extend(finish.marks.iter().cloned());
    job.notes.extend(finish.notes.iter().cloned());
    (job.tries, job.last_error) = (0, None);
    Ok(job)
}

/// The job after a try that failed: it pauses, longer each time, or is given up.
///
/// # Errors
/// `conflict`, when it is in other hands.
pub fn failed(seen: &Job, owner: Uuid, at: Timestamp, why: &str) -> Result<Job> {
    held(seen, owner)?;
    let mut job = let_go(seen, at);
    job.last_error = Some(shown(why));
    if job.tries >= MOST_TRIES {
        job.state = JobState::Error;
    } else {
        job.state = JobState::Pending;
        job.retry_at = Some(at + pause(job.tries));
    }
    Ok(job)
}

/// The job as if it had not been begun: what stopped it is no fault of its own.
///
/// # Errors
/// `conflict`, when it is in other hands.
pub fn put_back(seen: &Job, owner: Uuid, at: Timestamp, why: &str) -> Result<Job> {
    held(seen, owner)?;
    let mut job = let_go(seen, at);
    job.state = JobState::Pending;
    job.tries = job.tries.saturating_sub(1);
    job.last_error = Some(shown(why));
    Ok(job)
}

/// The job as it waits again, whatever became of it.
#[must_use]
pub fn anew(seen: &Job, at: Timestamp) -> Job {
    let mut job = let_go(seen, at);
    job.state = JobState::Pending;
    job.done_watermark = None;
    (job.tries, job.last_error) = (0, None);
    job
}

/// A job whose worker vanished in its last try is given up; anything else is as it is.
#[must_use]
pub fn settled(seen: &Job, at: Timestamp) -> Option<Job> {
    let expired = seen.lease_until.is_some_and(|until| until <= at);
    if seen.state != JobState::Running || !expired || seen.tries < MOST_TRIES {
        return None;
    }
    let mut job = let_go(seen, at);
    job.state = JobState::Error;
    job.last_error = Some("whoever was at it vanished, each time".to_owned());
    Some(job)
}

fn pause(tries: u32) -> SignedDuration {
    FIRST_PAUSE * 4_i32.saturating_pow(tries.saturating_sub(1))
}

fn let_go(seen: &Job, at: Timestamp) -> Job {
    Job { owner: None, lease_until: None, retry_at: None, updated_at: at, ..seen.clone() }
}

fn held(seen: &Job, owner: Uuid) -> Result<()> {
    if seen.state == JobState::Running && seen.owner == Some(owner) {
        return Ok(());
    }
    Err(Error::conflict(format!("the job {} is in other hands", seen.key)))
}

/// A failure as it may be kept: in one line, short, without a secret.
fn shown(why: &str) -> String {
    let (clean, _) = guard::redact(why);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(ERROR_CHARS).collect()
}

#[cfg(test)]
mod tests;
