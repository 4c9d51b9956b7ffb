//! One run: sessions first, then the documents of every project they were about.
//!
//! A run that is told to look only writes nothing, not even a job. A budget that is spent or a
//! model that does not answer ends the asking, not the run: what was not begun waits as it was.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream;

use super::Autonomy;
use super::extraction::through;
use super::pick::{Picked, Reach, Skip, pick};
use super::ports::Candidate;
use super::pulse::Held;
use super::report::{Learnt, Ran, SessionLine};
use crate::error::{Error, Kind, Result};
use crate::extract::{self, Extracted, Shape, Windows};
use crate::failpoint;
use crate::id::ProjectId;
use crate::jobs::{self, Claim, Wanted};
use crate::model::{Ceiling, Guarded};
use crate::prompts::Prompts;
use crate::store::{Job, JobKind, JobState};

/// Failures in a row after which a model is left alone for the rest of a run.
const PATIENCE: u32 = 2;

/// Whether anything is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Everything that is due.
    Work,
    /// Nothing: what would be done, and what it would cost.
    LookOnly,
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRequest {
    /// Whose sessions and documents.
    pub reach: Reach,
    /// Whether anything is done.
    pub mode: RunMode,
}

/// What came of an attempt on one session.
enum Attempt {
    /// It was read and is to be stored.
    Found(Box<(Candidate, Job, Extracted, u64)>),
    /// It was not begun after all.
    Skipped(Candidate, Skip),
    /// It was put back: whatever stopped it is no fault of its own.
    PutBack(Candidate),
    /// It failed.
    Failed(Candidate, String),
}

/// What all sessions of a run share.
struct Shared<'a> {
    held: &'a Held,
    model: Option<Guarded>,
    failures: AtomicU32,
    stopped: AtomicBool,
    why: Mutex<Option<String>>,
}

impl Shared<'_> {
    fn stop(&self, why: String) {
        self.stopped.store(true, Ordering::SeqCst);
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    fn why(&self) -> Option<String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A run, from its beginning on.
pub struct Running<'a> {
    autonomy: &'a Autonomy,
    request: RunRequest,
    held: Held,
}

impl Running<'_> {
    /// Learns from sessions and renews documents.
    ///
    /// # Errors
    /// When sessions cannot be looked for or the store fails; what failed for one session is
    /// in the answer.
    pub async fn finish(&self) -> Result<Ran> {
        let Running { autonomy, request, held } = self;
        let picked = autonomy.picked(&request.reach).await?.0;
        if request.mode == RunMode::LookOnly {
            return autonomy.look(picked, &request.reach).await;
        }
        autonomy.alive(held, autonomy.work(picked, &request.reach, held)).await
    }

    /// Gives back what it holds, after it was broken off: no job has lost a try by that.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn let_go(&self) -> Result<()> {
        let (store, hold) = (self.autonomy.engine.store(), self.autonomy.hold(&self.held));
        for job in store.jobs().await? {
            if job.state == JobState::Running && job.owner == Some(hold.owner) {
                // Somebody else may have it by now, and then it is theirs.
                let _ = jobs::put_back(store, &job.key, &hold, "interrupted").await;
            }
        }
        Ok(())
    }
}

impl Autonomy {
    /// Begins a run. Nothing happens before it is asked to finish.
    #[must_use]
    pub fn begin(&self, request: RunRequest) -> Running<'_> {
        Running { autonomy: self, request, held: Held::new(self.token()) }
    }

    /// Runs from beginning to end.
    ///
    /// # Errors
    /// As [`Running::finish`].
    pub async fn run(&self, request: RunRequest) -> Result<Ran> {
        self.begin(request).finish().await
    }

    /// What is due, and what could not be looked at.
    pub(super) async fn picked(
        &self,
        reach: &Reach,
    ) -> Result<(Picked, crate::transcript::Skipped)> {
        let found = self.outside.sessions.find().await?;
        let jobs = self.engine.store().jobs().await?;
        let now = self.engine.now();
        Ok((pick(found.candidates, &jobs, reach, &self.settings, now), found.skipped))
    }

    async fn work(&self, picked: Picked, reach: &Reach, held: &Held) -> Result<Ran> {
        let mut ran = Ran { skipped: self.lines(&picked.skipped), ..Ran::default() };
        let minds = &self.outside.minds;
        let model = minds.extraction()?;
        let model = model.map(|model| Guarded::new(model, minds.ceiling(), minds.ledger()));
        let shared = Shared {
            held,
            model,
            failures: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            why: Mutex::default(),
        };
        let due: Vec<Candidate> = picked.due;
        let mut projects = self.projects_of(reach, &due).await?;
        let attempts = stream::iter(due).map(|candidate| self.attempt(candidate, &shared));
        let mut attempts = std::pin::pin!(attempts.buffered(self.settings.concurrency.max(1)));
        while let Some(attempt) = attempts.next().await {
            self.conclude(attempt?, &shared, &mut ran).await?;
        }
        projects.insert(self.project.clone());
        let spent = shared.model.as_ref().filter(|model| is_paid(model)).map_or(0, Guarded::spent);
        let left = minds.ceiling().per_run.saturating_sub(spent);
        for project in projects {
            let rewritten = self.renew_documents(&project, left, held).await?;
            ran.projects.extend(rewritten);
        }
        ran.tokens = ran.sessions.iter().map(|one| one.tokens).sum::<u64>()
            + ran.projects.iter().map(|one| one.tokens).sum::<u64>();
        ran.stopped = shared.why();
        Ok(ran)
    }

    /// Projects whose documents may be behind: those that anything was ever learnt about.
    async fn projects_of(&self, reach: &Reach, due: &[Candidate]) -> Result<BTreeSet<ProjectId>> {
        if let Reach::Project(project) = reach {
            return Ok(BTreeSet::from([project.clone()]));
        }
        let jobs = self.engine.store().jobs().await?;
        let known = jobs.into_iter().filter_map(|job| job.project);
        Ok(known.chain(due.iter().filter_map(|one| one.project.clone())).collect())
    }

    /// Takes a session's job and reads it.
    async fn attempt(&self, candidate: Candidate, shared: &Shared<'_>) -> Result<Attempt> {
        if shared.stopped.load(Ordering::SeqCst) {
            return Ok(Attempt::PutBack(candidate));
        }
        let store = self.engine.store();
        let wanted = Wanted {
            key: candidate.key()?,
            project: candidate.project.clone(),
            watermark: candidate.watermark.clone(),
        };
        jobs::want(store, &wanted, self.engine.now()).await?;
        let job = match jobs::claim(store, &wanted.key, &self.hold(shared.held)).await? {
            Claim::Mine(job) => *job,
            Claim::NotNow(why) => return Ok(Attempt::Skipped(candidate, why.into())),
        };
        shared.held.take(&job.key);
        failpoint::reach("extract: claimed");
        match self.extract(&candidate, &job, shared.model.as_ref()).await {
            Ok((extracted, through)) => {
                shared.failures.store(0, Ordering::SeqCst);
                Ok(Attempt::Found(Box::new((candidate, job, extracted, through))))
            }
            Err(error) => self.give_up(candidate, &job, &error, shared).await,
        }
    }

    /// Ends a try that failed. A budget that is spent costs no try, and neither does a model
    /// that answered nobody.
    async fn give_up(
        &self,
        candidate: Candidate,
        job: &Job,
        error: &Error,
        shared: &Shared<'_>,
    ) -> Result<Attempt> {
        shared.held.drop(&job.key);
        let (store, hold) = (self.engine.store(), self.hold(shared.held));
        let why = error.to_string();
        let asked = shared.model.is_some();
        if asked && error.kind() == Kind::Denied {
            shared.stop(why.clone());
            jobs::put_back(store, &job.key, &hold, &why).await?;
            return Ok(Attempt::PutBack(candidate));
        }
        if asked && error.kind() == Kind::Unavailable {
            let failures = shared.failures.fetch_add(1, Ordering::SeqCst) + 1;
            if failures >= PATIENCE {
                shared.stop(format!("the model was left alone after {failures} failures: {why}"));
            }
        }
        jobs::fail(store, &job.key, &hold, &why).await?;
        Ok(Attempt::Failed(candidate, why))
    }

    async fn conclude(&self, attempt: Attempt, shared: &Shared<'_>, ran: &mut Ran) -> Result<()> {
        let failed = |candidate: &Candidate, why: String| Learnt {
            id: candidate.head.id.clone(),
            agent: candidate.head.agent.clone(),
            error: Some(why),
            ..Learnt::default()
        };
        match attempt {
            Attempt::Skipped(candidate, skip) => {
                ran.skipped.push(SessionLine::of(&candidate, Some(&skip), &self.settings));
            }
            Attempt::PutBack(candidate) => {
                let why = shared.why().unwrap_or_default();
                ran.sessions.push(failed(&candidate, format!("not begun: {why}")));
            }
            Attempt::Failed(candidate, why) => ran.sessions.push(failed(&candidate, why)),
            Attempt::Found(found) => {
                let (candidate, job, extracted, through) = *found;
                match self.keep(&candidate, &job, (extracted, through), shared.held).await {
                    Ok(learnt) => ran.sessions.push(learnt),
                    Err(error) => {
                        let hold = self.hold(shared.held);
                        let why = error.to_string();
                        // Whoever has it now has it; there is nothing left to note then.
                        let _ = jobs::fail(self.engine.store(), &job.key, &hold, &why).await;
                        ran.sessions.push(failed(&candidate, why));
                    }
                }
                shared.held.drop(&job.key);
            }
        }
        Ok(())
    }

    pub(super) fn lines(&self, skipped: &[(Candidate, Skip)]) -> Vec<SessionLine> {
        // Sessions of other projects are no business of a run in this one.
        let wanted = skipped.iter().filter(|(_, skip)| *skip != Skip::Elsewhere);
        wanted.map(|(one, skip)| SessionLine::of(one, Some(skip), &self.settings)).collect()
    }

    /// What a run would do and cost.
    async fn look(&self, picked: Picked, reach: &Reach) -> Result<Ran> {
        let mut ran = Ran { dry_run: true, skipped: self.lines(&picked.skipped), ..Ran::default() };
        let mut projects = self.projects_of(reach, &picked.due).await?;
        projects.insert(self.project.clone());
        let jobs = self.engine.store().jobs().await?;
        let asks = self.outside.minds.extraction()?.is_some();
        let prompts = self.outside.minds.prompts()?;
        for candidate in &picked.due {
            let key = candidate.key()?;
            let since = jobs.iter().find(|job| job.key == key).map_or(0, through);
            let prompts = asks.then_some(&prompts);
            ran.sessions.push(self.look_at(candidate, since, prompts).await);
        }
        for project in projects {
            ran.projects.extend(self.look_at_documents(&project).await?);
        }
        let sessions = ran.sessions.iter().filter_map(|one| one.estimate).sum::<u64>();
        let documents = ran.projects.iter().filter_map(|one| one.estimate).sum::<u64>();
        ran.estimate = Some(sessions + documents);
        Ok(ran)
    }

    async fn look_at(
        &self,
        candidate: &Candidate,
        since: u64,
        prompts: Option<&Prompts>,
    ) -> Learnt {
        let mut learnt = Learnt {
            id: candidate.head.id.clone(),
            agent: candidate.head.agent.clone(),
            estimate: Some(0),
            ..Learnt::default()
        };
        let Some(prompts) = prompts else { return learnt };
        let windows = Some(Windows::new(Shape::default()));
        match self.read(candidate, since, windows).await {
            Ok(read) => {
                learnt.estimate = Some(extract::estimate(prompts, &candidate.head, &read.windows));
            }
            Err(error) => learnt.error = Some(error.to_string()),
        }
        learnt
    }
}

/// Whether a model's tokens may cost money.
pub(super) fn is_paid(model: &Guarded) -> bool {
    use crate::model::ChatModel as _;
    model.info().paid
}

/// What is left of a run's budget for the next model.
pub(super) fn rest(ceiling: Ceiling, left: u64) -> Ceiling {
    Ceiling { per_run: ceiling.per_run.min(left), ..ceiling }
}

/// The kind of job that makes documents.
pub(super) const DOCUMENTS: JobKind = JobKind::Consolidate;
