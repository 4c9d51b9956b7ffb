//! Which sessions are learnt from now, and why the others are not.
//!
//! Pure: sessions, jobs, settings and the time go in. The newest come first under the cap,
//! because they matter most; they are then worked through oldest first, so that what was
//! said later wins.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::Settings;
use super::ports::Candidate;
use crate::id::ProjectId;
use crate::jobs::{MOST_TRIES, NotNow};
use crate::store::{Job, JobKey, JobKind, JobState};

/// Whatever was touched so recently is being written right now.
const RUNNING: SignedDuration = SignedDuration::from_mins(5);

/// Noted with the job of a session that somebody forgot: its file may well go on.
pub const FORGOTTEN: &str = "forgotten";

/// Why a session is not learnt from now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Nothing happened in it for longer than it matters.
    TooOld,
    /// It may well go on.
    TooFresh,
    /// It is going on, or somebody is learning from it.
    Running,
    /// Others come first; it comes at the next start.
    OverCap,
    /// Nothing happened in it since it was last learnt from.
    Done,
    /// It failed, and pauses.
    Waiting {
        /// Until then.
        until: Timestamp,
    },
    /// It failed too often; it is tried again once it has changed.
    GivenUp,
    /// Somebody forgot it.
    Forgotten,
    /// It is a part of another session.
    Part,
    /// It belongs to another project.
    Elsewhere,
    /// Its name cannot be kept.
    Unnamed,
}

impl Skip {
    /// The name used on the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Skip::TooOld => "too_old",
            Skip::TooFresh => "too_fresh",
            Skip::Running => "running",
            Skip::OverCap => "over_cap",
            Skip::Done => "done",
            Skip::Waiting { .. } => "waiting",
            Skip::GivenUp => "given_up",
            Skip::Forgotten => "forgotten",
            Skip::Part => "part",
            Skip::Elsewhere => "elsewhere",
            Skip::Unnamed => "unnamed",
        }
    }

    /// For people.
    #[must_use]
    pub fn told(&self, settings: &Settings) -> String {
        match self {
            Skip::TooOld => format!("older than {} days", settings.max_session_age_days),
            Skip::TooFresh => format!("active within the last {} hours", settings.min_idle_hours),
            Skip::Running => "running now".to_owned(),
            Skip::OverCap => format!("beyond {} per start", settings.max_sessions_per_run),
            Skip::Done => "already done at this watermark".to_owned(),
            Skip::Waiting { until } => format!("failed; tried again after {until}"),
            Skip::GivenUp => "failed too often; tried again once it has changed".to_owned(),
            Skip::Forgotten => "forgotten".to_owned(),
            Skip::Part => "part of another session".to_owned(),
            Skip::Elsewhere => "of another project".to_owned(),
            Skip::Unnamed => "its name cannot be kept".to_owned(),
        }
    }
}

impl From<NotNow> for Skip {
    fn from(why: NotNow) -> Skip {
        match why {
            NotNow::Done | NotNow::Unknown => Skip::Done,
            NotNow::Running { .. } => Skip::Running,
            NotNow::Waiting { until } => Skip::Waiting { until },
            NotNow::GivenUp => Skip::GivenUp,
        }
    }
}

/// Whose sessions are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of one project.
    Project(ProjectId),
    /// All.
    AllProjects,
}

impl Reach {
    fn covers(&self, project: Option<&ProjectId>) -> bool {
        match self {
            Reach::Project(wanted) => project == Some(wanted),
            Reach::AllProjects => true,
        }
    }
}

/// The sessions that are learnt from now, oldest first, and the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picked {
    /// To be done.
    pub due: Vec<Candidate>,
    /// Not to be done, each with its reason.
    pub skipped: Vec<(Candidate, Skip)>,
}

/// Chooses among what was found.
#[must_use]
pub fn pick(
    candidates: Vec<Candidate>,
    jobs: &[Job],
    reach: &Reach,
    settings: &Settings,
    now: Timestamp,
) -> Picked {
    let jobs: BTreeMap<&JobKey, &Job> = jobs.iter().map(|job| (&job.key, job)).collect();
    let mut picked = Picked::default();
    for candidate in candidates {
        let job = candidate.key().map(|key| jobs.get(&key).copied());
        match job.map(|job| reason(&candidate, job, reach, settings, now)) {
            Ok(None) => picked.due.push(candidate),
            Ok(Some(skip)) => picked.skipped.push((candidate, skip)),
            Err(_) => picked.skipped.push((candidate, Skip::Unnamed)),
        }
    }
    picked.due.sort_by(|a, b| newest_first(a).cmp(&newest_first(b)));
    // What was completed here waits in a queue of its own, and is small.
    let (sessions, mut due): (Vec<_>, Vec<_>) =
        picked.due.into_iter().partition(|one| one.kind == JobKind::Extract);
    for (place, candidate) in sessions.into_iter().enumerate() {
        if place < settings.max_sessions_per_run {
            due.push(candidate);
        } else {
            picked.skipped.push((candidate, Skip::OverCap));
        }
    }
    due.sort_by(|a, b| newest_first(b).cmp(&newest_first(a)));
    picked.skipped.sort_by(|(a, _), (b, _)| newest_first(a).cmp(&newest_first(b)));
    picked.due = due;
    picked
}

/// What sorts the newest first, and never changes for no reason.
fn newest_first(one: &Candidate) -> (std::cmp::Reverse<Timestamp>, &str, &str) {
    (std::cmp::Reverse(one.active_at), &one.head.agent, &one.head.id)
}

fn reason(
    candidate: &Candidate,
    job: Option<&Job>,
    reach: &Reach,
    settings: &Settings,
    now: Timestamp,
) -> Option<Skip> {
    if !reach.covers(candidate.project.as_ref()) {
        return Some(Skip::Elsewhere);
    }
    if candidate.kind == JobKind::Extract {
        let idle = now.duration_since(candidate.active_at);
        if candidate.head.parent.is_some() {
            return Some(Skip::Part);
        }
        if idle > SignedDuration::from_hours(24 * settings.max_session_age_days) {
            return Some(Skip::TooOld);
        }
        if idle < RUNNING {
            return Some(Skip::Running);
        }
        if idle < SignedDuration::from_hours(settings.min_idle_hours) {
            return Some(Skip::TooFresh);
        }
    }
    job.and_then(|job| stands(candidate, job, now))
}

/// Why its job is not begun.
fn stands(candidate: &Candidate, job: &Job, now: Timestamp) -> Option<Skip> {
    if job.notes.contains_key(FORGOTTEN) {
        return Some(Skip::Forgotten);
    }
    if job.state == JobState::Running && job.lease_until.is_some_and(|until| until > now) {
        return Some(Skip::Running);
    }
    if job.done_watermark.as_ref() == Some(&candidate.watermark) {
        return Some(Skip::Done);
    }
    if job.watermark != candidate.watermark {
        return None;
    }
    if let Some(until) = job.retry_at.filter(|until| *until > now) {
        return Some(Skip::Waiting { until });
    }
    (job.state == JobState::Error || job.tries >= MOST_TRIES).then_some(Skip::GivenUp)
}

#[cfg(test)]
mod tests;
