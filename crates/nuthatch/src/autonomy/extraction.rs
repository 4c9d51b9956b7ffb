//! From a session to memories: taken in, read, extracted, through the gate, noted as done.
//!
//! Reading and asking happen for several sessions at once; storing happens for one after the
//! other, oldest first. What was learnt once is known by its mark: it is neither stored twice
//! nor brought back after somebody forgot it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::Autonomy;
use super::ports::{Candidate, Each};
use super::pulse::Held;
use super::report::Learnt;
use crate::error::{Error, Kind, Result};
use crate::extract::{self, About, Extracted, Learned, Rules, Shape, Synopsis, Window, Windows};
use crate::failpoint;
use crate::filter::{Filter, Page, Scopes, Superseded};
use crate::id::SessionId;
use crate::jobs::{self, Finish};
use crate::model::Guarded;
use crate::record::RecordRequest;
use crate::scope::Scope;
use crate::session::Session;
use crate::store::Job;

/// Notes of a job.
pub(super) const THROUGH: &str = "through";
/// Nothing more is told of the session: something that it taught was forgotten.
pub(super) const QUIET: &str = "quiet";
const STORED: &str = "stored";
const TOKENS: &str = "tokens";
const BY: &str = "by";

/// A session as it was read.
pub(super) struct ReadSession {
    /// What the rules found.
    pub found: Extracted,
    /// What a model would read: what came since it was last read.
    pub windows: Vec<Window>,
    /// The place after the last event.
    pub through: u64,
}

struct Reading {
    rules: Rules,
    windows: Option<Windows>,
    since: u64,
    through: u64,
}

impl Autonomy {
    /// Reads a session; windows are made where a model is going to be asked.
    pub(super) async fn read(
        &self,
        candidate: &Candidate,
        since: u64,
        windows: Option<Windows>,
    ) -> Result<ReadSession> {
        let rules = Rules::new(candidate.head.clone());
        let reading = Reading { rules, windows, since, through: 0 };
        let shared = Arc::new(Mutex::new(Some(reading)));
        let seen = Arc::clone(&shared);
        let each: Each = Box::new(move |event| {
            if let Some(reading) = &mut *seen.lock().unwrap_or_else(PoisonError::into_inner) {
                reading.rules.see(&event);
                if event.seq >= reading.since
                    && let Some(windows) = &mut reading.windows
                {
                    windows.see(&event);
                }
                reading.through = reading.through.max(event.seq.saturating_add(1));
            }
            ControlFlow::Continue(())
        });
        self.outside.sessions.tell(candidate, each).await?;
        let reading = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Reading { rules, windows, through, .. }) = reading else {
            return Err(Error::internal("a reading was lost"));
        };
        let windows = windows.map(Windows::done).unwrap_or_default();
        Ok(ReadSession { found: rules.done(), windows, through })
    }

    /// Everything that was learnt from a session, by a model where there is one.
    pub(super) async fn extract(
        &self,
        candidate: &Candidate,
        job: &Job,
        model: Option<&Guarded>,
    ) -> Result<(Extracted, u64)> {
        self.outside.sessions.take_in(candidate, &self.engine).await?;
        failpoint::reach("extract: taken in");
        let since = through(job);
        let windows = model.map(|_| Windows::new(Shape::default()));
        let read = self.read(candidate, since, windows).await?;
        failpoint::reach("extract: read");
        let extracted = match model {
            Some(model) if !read.windows.is_empty() => {
                let prompts = self.outside.minds.prompts()?;
                extract::by_model(model, &prompts, read.found, &read.windows).await?
            }
            _ => read.found,
        };
        Ok((extracted, read.through))
    }

    /// Stores what is new of it, and notes the job as done.
    pub(super) async fn keep(
        &self,
        candidate: &Candidate,
        job: &Job,
        (extracted, read_through): (Extracted, u64),
        held: &Held,
    ) -> Result<Learnt> {
        let Extracted { memories, synopsis, usage, dropped, .. } = extracted;
        let mut learnt = Learnt {
            id: candidate.head.id.clone(),
            agent: candidate.head.agent.clone(),
            tokens: usage.total(),
            dropped,
            ..Learnt::default()
        };
        let mut marks = Vec::new();
        let mut room = BTreeMap::new();
        for one in memories {
            held.check(&job.key)?;
            let mark = one.fingerprint();
            let old = job.done_watermark.is_some() && is_before(&one, through(job));
            if job.marks.contains(&mark) || old {
                learnt.known += 1;
            } else {
                self.store_one(candidate, &one, &mut room, &mut learnt).await?;
            }
            marks.push(mark);
        }
        if !job.notes.contains_key(QUIET) {
            self.note_synopsis(candidate, &synopsis).await?;
        }
        failpoint::reach("extract: before finish");
        let by = if usage.total() > 0 { "model" } else { "rules" };
        let notes = [
            (THROUGH, read_through.to_string()),
            (STORED, learnt.stored.to_string()),
            (TOKENS, learnt.tokens.to_string()),
            (BY, by.to_owned()),
        ];
        let notes = notes.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let done = Finish { watermark: candidate.watermark.clone(), marks, notes };
        jobs::finish(self.engine.store(), &job.key, &self.hold(held), &done).await?;
        failpoint::reach("extract: finished");
        self.outside.sessions.settle(candidate).await?;
        Ok(learnt)
    }

    /// Stores one memory, unless this session brought it already or nothing would have room.
    async fn store_one(
        &self,
        candidate: &Candidate,
        one: &Learned,
        room: &mut BTreeMap<String, u64>,
        learnt: &mut Learnt,
    ) -> Result<()> {
        let scope = match (one.about, &candidate.project) {
            (About::Person, _) => Scope::Global,
            (About::Project, Some(project)) => Scope::Project(project.clone()),
            (About::Project, None) => {
                *learnt.dropped.entry("of no known project".to_owned()).or_default() += 1;
                return Ok(());
            }
        };
        if self.is_stored(one, &scope).await? {
            learnt.known += 1;
            return Ok(());
        }
        if self.room(&scope, room).await? == 0 {
            *learnt.dropped.entry("no room".to_owned()).or_default() += 1;
            return Ok(());
        }
        let name = scope.to_string();
        match self.engine.remember(one.remember(scope)).await {
            Ok(remembered) if remembered.duplicate => learnt.known += 1,
            Ok(_) => {
                learnt.stored += 1;
                if let Some(left) = room.get_mut(&name) {
                    *left -= 1;
                }
            }
            Err(error) => {
                let reason = match error.kind() {
                    Kind::Denied => "holds a secret",
                    Kind::Conflict => "no room",
                    Kind::Invalid => "cannot be stored",
                    _ => return Err(error),
                };
                *learnt.dropped.entry(reason.to_owned()).or_default() += 1;
            }
        }
        failpoint::reach("extract: memory stored");
        Ok(())
    }

    /// Whether the same session brought the same text before it was cut short.
    async fn is_stored(&self, one: &Learned, scope: &Scope) -> Result<bool> {
        let mut filter = Filter::scoped(Scopes::These(vec![scope.clone()]));
        filter.contents = vec![one.text.clone()];
        filter.superseded = Superseded::Shown;
        let session = one.evidence.first().and_then(|first| SessionId::new(&first.session).ok());
        let found = self.engine.list(&filter, Page::first(10)).await?;
        let from = |memory: &crate::Memory| {
            memory.source.as_ref().and_then(|source| source.session.clone()) == session
        };
        Ok(found.memories.iter().any(from))
    }

    /// How many memories a scope has room for: what is learnt pushes out nothing of anybody's.
    async fn room(&self, scope: &Scope, known: &mut BTreeMap<String, u64>) -> Result<u64> {
        let name = scope.to_string();
        if let Some(left) = known.get(&name) {
            return Ok(*left);
        }
        let limit = self.engine.limits_of(scope).entries.bound();
        let left = match limit {
            Some(limit) => limit.saturating_sub(self.engine.usage(scope).await?.entries),
            None => u64::MAX,
        };
        known.insert(name, left);
        Ok(left)
    }

    /// Notes what a session was about, with the session itself: it is forgotten with it.
    async fn note_synopsis(&self, candidate: &Candidate, synopsis: &Synopsis) -> Result<()> {
        let Ok(id) = SessionId::new(&candidate.head.id) else { return Ok(()) };
        let told = super::standing::synopsis_metadata(synopsis);
        if told.is_empty() {
            return Ok(());
        }
        let head = &candidate.head;
        let mut session = Session::new(id, head.started_at.unwrap_or(candidate.active_at));
        session.last_active_at = head.updated_at.unwrap_or(candidate.active_at);
        session.agent = Some(head.agent.clone()).filter(|agent| !agent.is_empty());
        session.project.clone_from(&candidate.project);
        session.title.clone_from(&head.title);
        session.metadata = told;
        let request = RecordRequest::new(session, Vec::new());
        self.engine.record(request, &|_, _| ()).await.map(|_| ())
    }
}

/// How far a session was read when it was last done.
pub(super) fn through(job: &Job) -> u64 {
    job.notes.get(THROUGH).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Whether everything that shows it was there when the session was last read.
fn is_before(one: &Learned, through: u64) -> bool {
    one.evidence.iter().flat_map(|evidence| &evidence.seqs).all(|seq| *seq < through)
}
