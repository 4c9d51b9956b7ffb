//! From memories to documents: one set for each project, published whole or not at all.
//!
//! Nothing is asked and nothing is written while nothing changed. The lease is checked right
//! before a set is published; whoever lost it leaves everything as it is. A project without
//! memories keeps the documents it has: an empty run deletes nothing.

use super::pulse::Held;
use super::report::Rewritten;
use super::run::{DOCUMENTS, rest};
use super::{Autonomy, artifacts, documents_of};
use crate::consolidate::{self, Change, Consolidated, Given, is_generated};
use crate::error::{Error, Kind, Result};
use crate::extract::Synopsis;
use crate::failpoint;
use crate::filter::{Cursor, Filter, Page, Scopes, Superseded};
use crate::id::ProjectId;
use crate::jobs::{self, Claim, Finish, NotNow, Wanted};
use crate::memory::Memory;
use crate::model::Guarded;
use crate::scope::Scope;
use crate::shelf::{self, Documents, Edition, Present};
use crate::store::{Job, JobKey};
use crate::trust::Trust;

/// Memories that are read at once.
const BATCH: u64 = 500;

/// What documents are made of.
pub(super) struct Material {
    pub memories: Vec<Memory>,
    pub synopses: Vec<Synopsis>,
}

impl Material {
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.synopses.is_empty()
    }
}

impl Autonomy {
    /// Everything that stands behind a project's documents.
    pub(super) async fn material(&self, project: &ProjectId) -> Result<Material> {
        let scopes = vec![Scope::Project(project.clone()), Scope::Global, Scope::User];
        let mut filter = Filter::scoped(Scopes::These(scopes));
        filter.superseded = Superseded::Shown;
        filter.min_trust = Some(Trust::Inferred);
        let mut memories = Vec::new();
        loop {
            let batch = self.engine.list(&filter, Page::first(BATCH)).await?.memories;
            let Some(last) = batch.last() else { break };
            filter.after = Some(Cursor::at(last));
            memories.extend(batch);
        }
        let synopses = self.synopses(project).await?;
        Ok(Material { memories, synopses })
    }

    pub(super) fn given<'a>(&self, material: &'a Material) -> Given<'a> {
        Given {
            memories: &material.memories,
            synopses: &material.synopses,
            now: self.engine.now(),
            summary_tokens: self.settings.summary_tokens,
        }
    }

    /// What would be asked for the documents of a project.
    pub(super) async fn look_at_documents(&self, project: &ProjectId) -> Result<Option<Rewritten>> {
        let material = self.material(project).await?;
        let present = self.present(project)?;
        if material.is_empty() && present.generation.is_none() {
            return Ok(None);
        }
        let given = self.given(&material);
        let job = self.engine.store().job(&key(project)?).await?;
        let done = job.and_then(|job| job.done_watermark) == Some(given.fingerprint());
        let asks = self.outside.minds.consolidation()?.is_some() && !done;
        let shown = artifacts(&present.documents);
        let prompts = self.outside.minds.prompts()?;
        let cost = if asks { consolidate::estimate(&prompts, &shown, given) } else { 0 };
        let state = if done { "unchanged" } else { "due" };
        Ok(Some(Rewritten { estimate: Some(cost), ..rewritten(project, state, &present) }))
    }

    /// Makes the documents of a project anew, if anything changed.
    pub(super) async fn renew_documents(
        &self,
        project: &ProjectId,
        left: u64,
        held: &Held,
    ) -> Result<Option<Rewritten>> {
        let material = self.material(project).await?;
        let present = self.present(project)?;
        if material.is_empty() {
            let kept = present.generation.is_some();
            let note = "no memories are left to make documents of; those that are there stay";
            return Ok(kept.then(|| Rewritten {
                notes: vec![note.to_owned()],
                ..rewritten(project, "unchanged", &present)
            }));
        }
        let store = self.engine.store();
        let watermark = self.given(&material).fingerprint();
        let wanted = Wanted { key: key(project)?, project: Some(project.clone()), watermark };
        jobs::want(store, &wanted, self.engine.now()).await?;
        let job = match jobs::claim(store, &wanted.key, &self.hold(held)).await? {
            Claim::Mine(job) => *job,
            Claim::NotNow(NotNow::Done) => {
                return Ok(Some(rewritten(project, "unchanged", &present)));
            }
            Claim::NotNow(why) => {
                let told = super::pick::Skip::from(why).told(&self.settings);
                let notes = vec![told];
                return Ok(Some(Rewritten { notes, ..rewritten(project, "skipped", &present) }));
            }
        };
        held.take(&job.key);
        failpoint::reach("consolidate: claimed");
        let made = self.rewrite(project, &job, &material, left, held).await;
        held.drop(&job.key);
        match made {
            Ok(rewritten) => Ok(Some(rewritten)),
            Err(error) => {
                let why = error.to_string();
                // Whoever has it now has it; there is nothing left to note then.
                let _ = jobs::fail(store, &job.key, &self.hold(held), &why).await;
                Ok(Some(Rewritten { notes: vec![why], ..rewritten(project, "failed", &present) }))
            }
        }
    }

    async fn rewrite(
        &self,
        project: &ProjectId,
        job: &Job,
        material: &Material,
        left: u64,
        held: &Held,
    ) -> Result<Rewritten> {
        let present = self.present(project)?;
        let made = self.consolidate(&present, material, left).await?;
        failpoint::reach("consolidate: made");
        let documents = ours(&made, &present);
        let tokens = made.usage.total();
        let unchanged = self.published(project, &present)? == documents;
        let generation = match unchanged {
            true => present.generation,
            false => Some(self.publish(project, &present, &documents, job, held).await?),
        };
        let done = Finish {
            watermark: job.watermark.clone(),
            notes: vec![("tokens".to_owned(), tokens.to_string())],
            ..Finish::default()
        };
        jobs::finish(self.engine.store(), &job.key, &self.hold(held), &done).await?;
        let state = if unchanged { "unchanged" } else { "published" };
        let changes = match unchanged {
            true => Vec::new(),
            false => made.changes.iter().map(told).collect(),
        };
        let base = rewritten(project, state, &present);
        Ok(Rewritten { generation, changes, notes: made.notes, tokens, ..base })
    }

    /// The documents as they should be: worded by a model where there is one and it may be
    /// asked, by rules otherwise.
    async fn consolidate(
        &self,
        present: &Present,
        material: &Material,
        left: u64,
    ) -> Result<Consolidated> {
        let (shown, given) = (artifacts(&present.documents), self.given(material));
        let minds = &self.outside.minds;
        let Some(model) = minds.consolidation()? else {
            return Ok(consolidate::by_rules(&shown, given));
        };
        let model = Guarded::new(model, rest(minds.ceiling(), left), minds.ledger());
        match consolidate::by_model(&model, &minds.prompts()?, &shown, given).await {
            Err(error) if matches!(error.kind(), Kind::Denied | Kind::Unavailable) => {
                let mut made = consolidate::by_rules(&shown, given);
                made.usage.output_tokens = model.spent();
                made.notes.push(format!("rules were used, because {error}"));
                Ok(made)
            }
            made => made,
        }
    }

    /// The set that was last published.
    pub(super) fn published(&self, project: &ProjectId, present: &Present) -> Result<Documents> {
        match present.generation {
            Some(number) => self.outside.shelf.generation(project, number),
            None => Ok(Documents::new()),
        }
    }

    async fn publish(
        &self,
        project: &ProjectId,
        present: &Present,
        documents: &Documents,
        job: &Job,
        held: &Held,
    ) -> Result<u64> {
        let (at, seen) = (self.engine.now(), present.generation);
        let edition = Edition { seen, documents, at, why: "memory run" };
        let staged = self.outside.shelf.stage(project, &edition)?;
        jobs::renew(self.engine.store(), &job.key, &self.hold(held)).await?;
        held.check(&job.key)?;
        staged.publish()
    }

    /// Lets the documents of a project be made anew, although nothing changed.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn enqueue(&self, project: &ProjectId) -> Result<Job> {
        let material = self.material(project).await?;
        let watermark = self.given(&material).fingerprint();
        let wanted = Wanted { key: key(project)?, project: Some(project.clone()), watermark };
        let store = self.engine.store();
        let job = jobs::want(store, &wanted, self.engine.now()).await?;
        Ok(jobs::again(store, &wanted.key, self.engine.now()).await?.unwrap_or(job))
    }

    /// Makes the documents of a project anew, now.
    ///
    /// # Errors
    /// `conflict`, when somebody else is at it; `not_found`, when there is nothing to make
    /// them of.
    pub async fn rebuild(&self, project: &ProjectId) -> Result<Rewritten> {
        self.enqueue(project).await?;
        let held = Held::new(self.token());
        let left = self.outside.minds.ceiling().per_run;
        let renewed = self.alive(&held, self.renew_documents(project, left, &held)).await?;
        renewed.ok_or_else(|| {
            Error::not_found("this project has nothing to make documents of")
                .with_hint("`nuthatch memory run` learns from sessions first")
        })
    }
}

/// The job that makes the documents of a project.
pub(super) fn key(project: &ProjectId) -> Result<JobKey> {
    JobKey::new(DOCUMENTS, project.as_str())
}

fn rewritten(project: &ProjectId, state: &str, present: &Present) -> Rewritten {
    Rewritten {
        project: project.clone(),
        state: state.to_owned(),
        generation: present.generation,
        changes: Vec::new(),
        notes: Vec::new(),
        tokens: 0,
        estimate: None,
    }
}

/// A change for people.
fn told(change: &Change) -> String {
    match change {
        Change::Added { text } => format!("added: {text}"),
        Change::Removed { text } => format!("removed: {text}"),
        Change::Replaced { id, by } => format!("{id} is history, {by} holds"),
        Change::Faded { id } => format!("{id} has faded"),
        Change::Skill { name } => format!("skill {name}"),
        Change::Pruned { name } => format!("skill {name} is gone"),
    }
}

/// What is ours of it: skills that people wrote or changed are theirs.
pub(super) fn ours(made: &Consolidated, present: &Present) -> Documents {
    let mut documents = documents_of(&made.artifacts);
    documents.retain(|name, text| {
        shelf::skill_of(name).is_none() || (is_generated(text) && !present.by_hand.contains(name))
    });
    documents
}
