//! Removing what was learnt about a project, and what documents say of what was forgotten.
//!
//! What a person stored or wrote by hand is left alone; memories themselves are forgotten by
//! the engine.

use std::collections::BTreeSet;

use super::documents::{key, ours};
use super::extraction::QUIET;
use super::pick::FORGOTTEN;
use super::report::Emptied;
use super::standing::{is_telling, synopsis_of};
use super::{Autonomy, artifacts};
use crate::consolidate;
use crate::error::{Error, Kind, Result};
use crate::filter::{Filter, Page, Scopes, Superseded};
use crate::id::{MemoryId, ProjectId, SessionId};
use crate::jobs::{self, Wanted};
use crate::record::RecordRequest;
use crate::scope::Scope;
use crate::session::Session;
use crate::shelf::Edition;
use crate::store::{JobKey, JobKind};
use crate::trust::Origin;

/// How often documents are looked at again that others publish at the same time. Each time one of
/// them gets on, so it takes as many of them at once to use it up.
const MOST_TRIES: u32 = 50;

/// What happens to the jobs of a project that is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// What was learnt from stays learnt from: nothing comes back by itself.
    StayAway,
    /// Everything is learnt anew at the next run.
    LearnAnew,
}

impl Autonomy {
    /// What [`clear`](Autonomy::clear) would remove.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn learnt_here(&self) -> Result<Vec<MemoryId>> {
        let scope = Scope::Project(self.project.clone());
        let mut filter = Filter::scoped(Scopes::These(vec![scope]));
        filter.superseded = Superseded::Shown;
        let memories = self.engine.meant(&filter).await?;
        let extracted = memories.iter().filter(|memory| memory.origin == Origin::Extracted);
        Ok(extracted.map(|memory| memory.id).collect())
    }

    /// Removes what was learnt about this project and its documents. What people stored or
    /// wrote stays, and so does every other project.
    ///
    /// # Errors
    /// Whatever the store says, and when documents cannot be removed.
    pub async fn clear(&self, afterwards: Afterwards) -> Result<Emptied> {
        let ids = self.learnt_here().await?;
        self.drop_synopses(|session| session.project.as_ref() == Some(&self.project)).await?;
        let gone = self.engine.forget(&ids).await?;
        let shelf = self.outside.shelf.clear(&self.project)?;
        let store = self.engine.store();
        let mut begun_anew = 0;
        for job in store.jobs().await? {
            let mine = job.project.as_ref() == Some(&self.project);
            let anew = afterwards == Afterwards::LearnAnew || job.key.kind == JobKind::Consolidate;
            if mine && anew && jobs::remove(store, &job.key).await? {
                begun_anew += 1;
            }
        }
        Ok(Emptied {
            project: self.project.clone(),
            memories: gone.forgotten.len() as u64,
            shelf,
            jobs: begun_anew,
            lingers: gone.lingers,
        })
    }

    /// Empties what is told of some conversations, and sees to it that it stays so.
    async fn drop_synopses(&self, of: impl Fn(&Session) -> bool) -> Result<()> {
        let store = self.engine.store();
        let mut jobs = store.jobs().await?;
        jobs.retain(|job| job.key.kind != JobKind::Consolidate);
        for mut session in self.engine.sessions(Page::first(u64::MAX)).await? {
            if !of(&session) || synopsis_of(&session).is_none() {
                continue;
            }
            for (name, told) in &mut session.metadata {
                if is_telling(name) {
                    told.clear();
                }
            }
            let id = session.id.as_str().to_owned();
            self.engine.record(RecordRequest::new(session, Vec::new()), &|_, _| ()).await?;
            for job in jobs.iter().filter(|job| is_of(&job.key.name, &id)) {
                jobs::annotate(store, &job.key, (QUIET, "yes")).await?;
            }
        }
        Ok(())
    }

    /// Empties what is told of the conversations that these memories were learnt from: it may
    /// say the same in other words.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn before_forgetting(&self, ids: &[MemoryId]) -> Result<()> {
        let memories = self.engine.store().memories(ids).await?;
        let learnt = memories.into_iter().filter(|memory| memory.origin == Origin::Extracted);
        let sources = learnt.filter_map(|memory| memory.source?.session);
        let sources: BTreeSet<SessionId> = sources.collect();
        if sources.is_empty() {
            return Ok(());
        }
        self.drop_synopses(|session| sources.contains(&session.id)).await
    }

    /// Sees to it that a conversation that is about to be forgotten is not learnt from again,
    /// while its file exists.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn before_forgetting_session(&self, id: &SessionId) -> Result<()> {
        let sessions = self.engine.sessions(Page::first(u64::MAX)).await?;
        let Some(session) = sessions.into_iter().find(|session| session.id == *id) else {
            return Ok(());
        };
        let Some(agent) = session.agent else { return Ok(()) };
        let key = JobKey::new(JobKind::Extract, format!("{agent}:{id}"))?;
        let (project, watermark) = (session.project, String::new());
        let store = self.engine.store();
        if store.job(&key).await?.is_none() {
            let wanted = Wanted { key: key.clone(), project, watermark };
            jobs::want(store, &wanted, self.engine.now()).await?;
        }
        jobs::annotate(store, &key, (FORGOTTEN, "yes")).await
    }

    /// Takes what was just forgotten out of every document that speaks of it, and out of those
    /// of this project whatever else is gone: a conversation leaves no id behind.
    ///
    /// # Errors
    /// Whatever the store says, and when documents cannot be written.
    pub async fn after_forgetting(&self, gone: &[MemoryId]) -> Result<()> {
        let names: Vec<String> = gone.iter().map(ToString::to_string).collect();
        let mut projects = self.outside.shelf.mentioning(&names)?;
        projects.push(self.project.clone());
        projects.sort();
        projects.dedup();
        for project in projects {
            self.scrub(&project).await?;
        }
        Ok(())
    }

    /// Takes out of a project's documents what no memory stands behind any more, and lets go of
    /// every earlier set: what was forgotten must not be read there. Asks no model.
    async fn scrub(&self, project: &ProjectId) -> Result<()> {
        let mut tries = 0;
        loop {
            match self.scrub_present(project).await {
                // Others published since it was looked at, or let go of what it was compared with.
                Err(error) if tries < MOST_TRIES && was_overtaken(&error) => tries += 1,
                done => return done,
            }
        }
    }

    async fn scrub_present(&self, project: &ProjectId) -> Result<()> {
        let present = self.present(project)?;
        if present.generation.is_none() {
            return Ok(());
        }
        let material = self.material(project).await?;
        let made = consolidate::by_rules(&artifacts(&present.documents), self.given(&material));
        let documents = ours(&made, &present);
        if self.published(project, &present)? != documents {
            let at = self.engine.now();
            let why = "something was forgotten";
            let edition = Edition { seen: present.generation, documents: &documents, at, why };
            self.outside.shelf.stage(project, &edition)?.publish()?;
        }
        self.outside.shelf.forget_earlier(project)?;
        // The next run looks again, with whatever words a model finds for it.
        jobs::remove(self.engine.store(), &key(project)?).await?;
        Ok(())
    }
}

fn was_overtaken(error: &Error) -> bool {
    matches!(error.kind(), Kind::Conflict | Kind::NotFound)
}

/// Whether a job, by its name, is about a session.
fn is_of(job: &str, session: &str) -> bool {
    job == session || job.strip_suffix(session).is_some_and(|agent| agent.ends_with(':'))
}
