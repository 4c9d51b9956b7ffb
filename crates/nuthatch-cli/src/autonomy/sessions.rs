//! Sessions of other agents where they lie, and what was completed here, behind one port.
//!
//! Reading blocks, so it happens off the threads that answer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nuthatch::autonomy::ports::{Candidate, Each, FoundSessions, Sessions, Told};
use nuthatch::error::{Error, Result};
use nuthatch::id::ProjectId;
use nuthatch::store::{JobKey, JobKind};
use nuthatch_sources::transcripts::{self, Located, Transcripts, Watermark};
use nuthatch_workspace::Workspace;

use super::completed::{self, Waiting};
use crate::wiring::Site;

/// Everything that can be learnt from on this machine.
pub struct MachineSessions {
    inner: Arc<Inner>,
}

struct Inner {
    site: Arc<Site>,
    found: Mutex<HashMap<JobKey, Source>>,
}

/// Where a candidate came from.
#[derive(Clone)]
enum Source {
    Session(Box<Located>),
    Completed(Arc<Waiting>),
}

impl MachineSessions {
    /// As a place sees them.
    pub fn new(site: Arc<Site>) -> MachineSessions {
        MachineSessions { inner: Arc::new(Inner { site, found: Mutex::default() }) }
    }

    async fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let inner = Arc::clone(&self.inner);
        match tokio::task::spawn_blocking(move || work(&inner)).await {
            Ok(result) => result,
            Err(error) => Err(Error::internal("reading sessions ended early").with_source(error)),
        }
    }
}

#[async_trait]
impl Sessions for MachineSessions {
    async fn find(&self) -> Result<FoundSessions> {
        self.blocking(Inner::find).await
    }

    async fn tell(&self, candidate: &Candidate, mut each: Each) -> Result<Told> {
        let candidate = candidate.clone();
        self.blocking(move |inner| inner.tell(&candidate, &mut each)).await
    }

    async fn settle(&self, candidate: &Candidate) -> Result<()> {
        let candidate = candidate.clone();
        self.blocking(move |inner| match inner.source(&candidate) {
            Ok(Source::Completed(waiting)) => completed::settle(&inner.workspace(), &waiting),
            _ => Ok(()),
        })
        .await
    }
}

impl Inner {
    fn workspace(&self) -> Workspace {
        Workspace::new(self.site.root.folder.clone())
    }

    fn readers(&self) -> Vec<Arc<dyn Transcripts>> {
        let wanted = &self.site.config.settings().memories.agents;
        let readers = transcripts::readers(&self.site.transcripts());
        readers.into_iter().filter(|one| wanted.iter().any(|name| name == one.agent())).collect()
    }

    fn find(&self) -> Result<FoundSessions> {
        let mut projects = Projects { site: &self.site, known: HashMap::new() };
        let (mut answer, mut found) = (FoundSessions::default(), HashMap::new());
        for reader in self.readers() {
            let seen = reader.discover();
            for (kind, count) in seen.skipped {
                *answer.skipped.entry(format!("{}: {kind}", reader.agent())).or_default() += count;
            }
            for located in seen.sessions {
                let candidate = candidate(&located, &mut projects);
                if let Ok(key) = candidate.key() {
                    found.insert(key, Source::Session(Box::new(located)));
                }
                answer.candidates.push(candidate);
            }
        }
        let here = self.site.project_id().ok();
        for waiting in completed::waiting(&self.workspace(), here.as_ref())? {
            answer.candidates.push(waiting.candidate.clone());
            found.insert(waiting.candidate.key()?, Source::Completed(Arc::new(waiting)));
        }
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
        Ok(answer)
    }

    fn source(&self, candidate: &Candidate) -> Result<Source> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.get(&candidate.key()?).cloned().ok_or_else(|| completed::gone(candidate))
    }

    fn tell(&self, candidate: &Candidate, each: &mut Each) -> Result<Told> {
        match self.source(candidate)? {
            Source::Completed(waiting) => completed::tell(&self.workspace(), &waiting, each),
            Source::Session(located) => {
                let readers = self.readers();
                let reader = readers.iter().find(|one| one.agent() == candidate.head.agent);
                let reader = reader.ok_or_else(|| completed::gone(candidate))?;
                let read = reader.read(&located, &Watermark::default(), &mut *each)?;
                Ok(Told { head: read.head, skipped: read.skipped })
            }
        }
    }
}

fn candidate(located: &Located, projects: &mut Projects<'_>) -> Candidate {
    let Located { path, head, stamp, span } = located;
    let span = span.map(|(from, to)| format!(" {from} {to}")).unwrap_or_default();
    let active_at = head.updated_at.or(stamp.at()).or(head.started_at);
    Candidate {
        kind: JobKind::Extract,
        project: head.folder.as_deref().and_then(|folder| projects.of(Path::new(folder))),
        head: head.clone(),
        place: path.display().to_string(),
        watermark: format!("{} {}{span}", stamp.size, stamp.modified),
        active_at: active_at.unwrap_or_default(),
    }
}

/// Which project a folder belongs to, asked once for each.
struct Projects<'a> {
    site: &'a Site,
    known: HashMap<PathBuf, Option<ProjectId>>,
}

impl Projects<'_> {
    fn of(&mut self, folder: &Path) -> Option<ProjectId> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let project = self.site.project_of(folder);
        self.known.insert(folder.to_owned(), project.clone());
        project
    }
}
