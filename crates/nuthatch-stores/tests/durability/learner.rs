//! Processes that are killed at a named moment while they learn from sessions.
//!
//! The child ends itself by `kill -9` when it reaches the moment; another one goes on after it.
//! What is there then is what a child leaves that nobody killed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use nuthatch::Engine;
use nuthatch::autonomy::pick::Reach;
use nuthatch::autonomy::ports::{
    Candidate, Each, FoundSessions, Minds, Pace, Receipt, Receipts, Sessions, Told,
};
use nuthatch::autonomy::{Autonomy, Outside, RunMode, RunRequest, Settings};
use nuthatch::error::{Error, Result};
use nuthatch::failpoint::{self, POINTS};
use nuthatch::filter::{Filter, Page};
use nuthatch::id::ProjectId;
use nuthatch::model::{Ceiling, ChatModel, Ledger, ModelInfo, Need, Reserved, Usage};
use nuthatch::prompts::Prompts;
use nuthatch::shelf::{Documents, Shelf as _};
use nuthatch::store::{JobKind, JobState};
use nuthatch::transcript::{Event, SessionHead, Voice, What};
use nuthatch_stores::DiskShelf;

use crate::place;

/// Each child that is killed leaves what the next one needs, and in the end all is as if
/// nobody had been killed.
pub fn a_run_that_is_killed_is_finished_by_the_next(backend: &str) -> Result<(), String> {
    let whole = tempfile::tempdir().map_err(|e| e.to_string())?;
    learn(backend, whole.path(), "")?;
    let expected = left(backend, whole.path())?;
    if expected.0.is_empty() || expected.1 != 3 {
        return Err(format!("an undisturbed run leaves {expected:?}"));
    }
    for point in POINTS {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        match learn(backend, folder.path(), point) {
            Err(killed) if killed == "killed" => {}
            other => return Err(format!("{point}: the child was not killed: {other:?}")),
        }
        learn(backend, folder.path(), "").map_err(|error| format!("{point}: {error}"))?;
        let found = left(backend, folder.path())?;
        if found != expected {
            return Err(format!("{point}: {found:#?} is not {expected:#?}"));
        }
    }
    Ok(())
}

/// Starts a child that learns, and waits for its end.
fn learn(backend: &str, folder: &Path, point: &str) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let child = Command::new(program)
        .args(["--learner", backend])
        .arg(folder)
        .arg(point)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| e.to_string())?;
    match child.status.code() {
        Some(0) => Ok(()),
        Some(_) => Err(String::from_utf8_lossy(&child.stderr).into_owned()),
        None => Err("killed".to_owned()),
    }
}

/// What is there: the documents without the ids in them, how many memories, how many jobs that
/// are not done.
fn left(backend: &str, folder: &Path) -> Result<(Documents, usize, usize), String> {
    let shelf = DiskShelf::at(folder.join("memories"));
    let present = shelf.present(&project()).map_err(|e| e.to_string())?;
    let documents = present.documents.into_iter().map(|(name, text)| (name, without_ids(&text)));
    let counts = place::block_on(async {
        let engine = place::engine(&place::url(backend, folder)).await?;
        let memories = engine.list(&Filter::everything(), Page::first(100)).await?.memories;
        let jobs = engine.store().jobs().await?;
        let open = jobs.iter().filter(|job| job.state != JobState::Done).count();
        Ok::<_, Error>((memories.len(), open))
    });
    let (memories, open) = counts.map_err(|e| e.to_string())?;
    Ok((documents.collect(), memories, open))
}

fn without_ids(text: &str) -> String {
    let line = |line: &str| line.split("<!--").next().unwrap_or_default().trim_end().to_owned();
    text.lines().map(line).collect::<Vec<String>>().join("\n")
}

fn project() -> ProjectId {
    ProjectId::new("harbour").expect("a project's name")
}

/// The moment at which this process ends.
static POINT: OnceLock<String> = OnceLock::new();

fn end_at(reached: &str) {
    if POINT.get().is_some_and(|point| point == reached) {
        let own = std::process::id().to_string();
        Command::new("kill").args(["-9", &own]).status().expect("kill is there");
        loop {
            std::thread::park();
        }
    }
}

/// What the child does.
pub fn run(arguments: &[String]) {
    let [backend, folder, point] = arguments else { panic!("--learner BACKEND FOLDER POINT") };
    POINT.set(point.clone()).expect("said once");
    failpoint::watch(end_at);
    let ran = place::block_on(async {
        let engine = place::engine(&place::url(backend, Path::new(folder))).await?;
        let outside = Outside {
            sessions: Arc::new(Talks),
            shelf: Arc::new(DiskShelf::at(Path::new(folder).join("memories"))),
            minds: Arc::new(Nobody),
            receipts: Arc::new(Nobody),
            pace: Arc::new(Nobody),
        };
        // Whoever comes next takes over at once.
        let settings = Settings {
            lease: SignedDuration::from_micros(1),
            concurrency: 1,
            ..Settings::default()
        };
        let autonomy = Autonomy::new(engine, project(), outside, settings);
        let request = RunRequest { reach: Reach::Project(project()), mode: RunMode::Work };
        autonomy.run(request).await
    });
    let trouble = match ran {
        Ok(ran) => ran.sessions.iter().find_map(|one| one.error.clone()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(why) = trouble {
        use std::io::Write as _;
        std::io::stderr().write_all(why.as_bytes()).expect("the parent listens");
        std::process::exit(1);
    }
}

/// Three sessions that never change.
struct Talks;

#[async_trait]
impl Sessions for Talks {
    async fn find(&self) -> Result<FoundSessions> {
        let now = Timestamp::now();
        let candidates = (0..3_i64).map(|n| Candidate {
            kind: JobKind::Extract,
            head: SessionHead {
                id: format!("s{n}"),
                agent: "claude-code".into(),
                ..SessionHead::default()
            },
            project: Some(project()),
            place: format!("sessions/{n}"),
            watermark: "1".into(),
            active_at: now - SignedDuration::from_hours(24 * (n + 1)),
        });
        Ok(FoundSessions { candidates: candidates.collect(), skipped: BTreeMap::new() })
    }

    async fn tell(&self, candidate: &Candidate, mut each: Each) -> Result<Told> {
        let number = &candidate.head.id[1..];
        let text = format!("remember that the staging server uses port 844{number}");
        let what = What::User { voice: Voice::Person, text };
        let event = Event { seq: 0, at: None, model: None, usage: None, aside: false, what };
        if each(event) == ControlFlow::Continue(()) {
            return Ok(Told { head: candidate.head.clone(), ..Told::default() });
        }
        Err(Error::internal("nobody breaks off"))
    }

    async fn take_in(&self, _: &Candidate, _: &Engine) -> Result<()> {
        Ok(())
    }

    async fn settle(&self, _: &Candidate) -> Result<()> {
        Ok(())
    }
}

/// No model, no receipts, no time that passes.
struct Nobody;

impl Minds for Nobody {
    fn extraction(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        Ok(None)
    }

    fn consolidation(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        Ok(None)
    }

    fn prompts(&self) -> Result<Prompts> {
        Ok(Prompts::default())
    }

    fn ceiling(&self) -> Ceiling {
        Ceiling::default()
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::new(Nobody)
    }
}

impl Ledger for Nobody {
    fn spent_today(&self) -> Result<u64> {
        Ok(0)
    }

    fn reserve(&self, _: &ModelInfo, _: Need, _: u64) -> Result<Option<Reserved>> {
        Ok(None)
    }

    fn spend(&self, _: &ModelInfo, _: Usage, _: Option<&Reserved>) -> Result<()> {
        Ok(())
    }

    fn release(&self, _: &Reserved) -> Result<()> {
        Ok(())
    }
}

impl Receipts for Nobody {
    fn all(&self) -> Result<Vec<Receipt>> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Pace for Nobody {
    async fn wait(&self, _: Duration) {
        std::future::pending().await
    }
}
