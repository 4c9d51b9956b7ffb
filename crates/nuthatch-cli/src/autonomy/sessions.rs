//! Sessions of other agents where they lie, and what was completed here, behind one port.
//!
//! Reading blocks, so it happens off the threads that answer.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nuthatch::Engine;
use nuthatch::autonomy::ports::{Candidate, Each, FoundSessions, Sessions, Told};
use nuthatch::error::{Error, Result};
use nuthatch::session::Session;
use nuthatch::store::{JobKey, JobKind};
use nuthatch_sources::transcripts::{self, Located, Transcripts, Watermark};
use nuthatch_workspace::Workspace;

use super::completed::{self, Waiting};
use crate::intake;
use crate::shelf::{self, Ledger, Projects, Shelved, State};
use crate::wiring::Site;

/// Everything that can be learnt from on this machine.
pub struct MachineSessions {
    inner: Arc<Inner>,
}

struct Inner {
    site: Arc<Site>,
    found: Mutex<HashMap<JobKey, Source>>,
    /// What the store had when it was first asked for after a look.
    stored: tokio::sync::Mutex<Option<BTreeMap<String, Session>>>,
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
        MachineSessions {
            inner: Arc::new(Inner {
                site,
                found: Mutex::default(),
                stored: tokio::sync::Mutex::default(),
            }),
        }
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
        *self.inner.stored.lock().await = None;
        self.blocking(Inner::find).await
    }

    async fn take_in(&self, candidate: &Candidate, engine: &Engine) -> Result<()> {
        // What was completed here is small, and its history is a session of its own.
        let Source::Session(located) = self.inner.source(candidate)? else { return Ok(()) };
        let known = self.inner.known(&located.head.id, engine).await?;
        let mut ledger = Ledger::open(&self.inner.site.config.places().data_dir, engine);
        let reader = self.inner.reader(candidate)?;
        let one = Shelved::new(reader, *located, candidate.project.clone(), known, &ledger);
        match one.state {
            State::Imported | State::Forgotten => Ok(()),
            _ => ledger.note(&intake::take(engine, &one).await?.id),
        }
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

    fn reader(&self, candidate: &Candidate) -> Result<Arc<dyn Transcripts>> {
        let mut readers = self.readers().into_iter();
        let reader = readers.find(|one| one.agent() == candidate.head.agent);
        reader.ok_or_else(|| completed::gone(candidate))
    }

    /// What the store has of a session.
    async fn known(&self, id: &str, engine: &Engine) -> Result<Option<Session>> {
        let mut stored = self.stored.lock().await;
        if stored.is_none() {
            *stored = Some(shelf::stored(engine).await?);
        }
        Ok(stored.as_ref().and_then(|stored| stored.get(id)).cloned())
    }

    fn find(&self) -> Result<FoundSessions> {
        let mut projects = Projects::new(&self.site);
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
                let reader = self.reader(candidate)?;
                let read = reader.read(&located, &Watermark::default(), &mut *each)?;
                Ok(Told { head: read.head, skipped: read.skipped })
            }
        }
    }
}

fn candidate(located: &Located, projects: &mut Projects) -> Candidate {
    let Located { path, head, stamp, span } = located;
    let span = span.map(|(from, to)| format!(" {from} {to}")).unwrap_or_default();
    let active_at = head.updated_at.or(stamp.at()).or(head.started_at);
    Candidate {
        kind: JobKind::Extract,
        project: projects.of(head.folder.as_deref()),
        head: head.clone(),
        place: path.display().to_string(),
        watermark: format!("{} {}{span}", stamp.size, stamp.modified),
        active_at: active_at.unwrap_or_default(),
    }
}
