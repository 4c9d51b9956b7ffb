//! A store in one file, documents in a folder, sessions in RAM, a clock that stands still.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use nuthatch::autonomy::pick::Reach;
use nuthatch::autonomy::ports::{
    Candidate, Each, FoundSessions, Minds, Pace, Receipt, Receipts, Sessions, Told,
};
use nuthatch::autonomy::report::Ran;
use nuthatch::autonomy::{Autonomy, Outside, RunMode, RunRequest, Settings};
use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{ProjectId, SessionId};
use nuthatch::limits::{Limit, Limits};
use nuthatch::model::{Ceiling, ChatModel, Ledger, ModelInfo, Need, Reserved, Usage};
use nuthatch::prompts::Prompts;
use nuthatch::record::RecordRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::session::Session;
use nuthatch::shelf::{Documents, Shelf as _};
use nuthatch::store::{Job, JobKey, JobKind, Store};
use nuthatch::transcript::{Event, SessionHead, Voice, What};
use nuthatch::{Engine, Memory, Place, Rules, Scope};
use nuthatch_stores::{DiskShelf, SqliteStore, SystemIds};
use nuthatch_testkit::FixedClock;

/// What a person said, a turn after the other, with an answer to each.
pub fn said(texts: &[&str]) -> Option<Vec<Event>> {
    let event = |seq, what| Event { seq, at: None, model: None, usage: None, aside: false, what };
    let pair = |(place, text): (usize, &&str)| {
        let seq = place as u64 * 2;
        let asked = What::User { voice: Voice::Person, text: (*text).to_owned() };
        let answered = What::Assistant { text: "All right.".to_owned() };
        [event(seq, asked), event(seq + 1, answered)]
    };
    Some(texts.iter().enumerate().flat_map(pair).collect())
}

/// A session and what was said in it; none, where it cannot be read.
type Talk = (Candidate, Option<Vec<Event>>);

/// Sessions in RAM.
#[derive(Default)]
pub struct Talks {
    sessions: Mutex<BTreeMap<String, Talk>>,
    told: AtomicUsize,
}

#[async_trait]
impl Sessions for Talks {
    async fn find(&self) -> Result<FoundSessions> {
        let sessions = self.sessions.lock().unwrap();
        let candidates = sessions.values().map(|(candidate, _)| candidate.clone()).collect();
        Ok(FoundSessions { candidates, ..FoundSessions::default() })
    }

    async fn tell(&self, candidate: &Candidate, mut each: Each) -> Result<Told> {
        self.told.fetch_add(1, Ordering::SeqCst);
        let events = self.sessions.lock().unwrap()[&candidate.head.id].1.clone();
        let events = events.ok_or_else(|| Error::unavailable("the session cannot be read"))?;
        for event in events {
            if each(event) == ControlFlow::Break(()) {
                break;
            }
        }
        tokio::task::yield_now().await;
        Ok(Told { head: candidate.head.clone(), ..Told::default() })
    }

    async fn take_in(&self, candidate: &Candidate, engine: &Engine) -> Result<()> {
        let events = self.sessions.lock().unwrap()[&candidate.head.id].1.clone();
        let id = SessionId::new(&candidate.head.id)?;
        let turns = events.into_iter().flatten();
        let turns = turns.filter_map(|event| event.turn(&id, Timestamp::UNIX_EPOCH)).collect();
        let mut session = Session::new(id, Timestamp::UNIX_EPOCH);
        session.project.clone_from(&candidate.project);
        engine.record(RecordRequest::new(session, turns), &|_, _| ()).await.map(|_| ())
    }

    async fn settle(&self, _: &Candidate) -> Result<()> {
        Ok(())
    }
}

/// A model that a test decides, with its budget and its receipts.
#[derive(Default)]
pub struct Purse {
    pub model: Option<Arc<dyn ChatModel>>,
    pub ceiling: Ceiling,
    pub receipts: Arc<Paid>,
}

/// Receipts, and what is set aside.
#[derive(Default)]
pub struct Paid(Mutex<Vec<Receipt>>, Mutex<u64>);

impl Ledger for Paid {
    fn spent_today(&self) -> Result<u64> {
        let receipts = self.0.lock().unwrap();
        let spent: u64 = receipts.iter().filter(|one| one.paid).map(Receipt::total).sum();
        Ok(spent + *self.1.lock().unwrap())
    }

    fn reserve(&self, _: &ModelInfo, need: Need, per_day: u64) -> Result<Option<Reserved>> {
        let tokens = need.most.min(per_day.saturating_sub(self.spent_today()?));
        if tokens < need.least {
            return Ok(None);
        }
        *self.1.lock().unwrap() += tokens;
        Ok(Some(Reserved { call: String::new(), tokens }))
    }

    fn release(&self, reserved: &Reserved) -> Result<()> {
        *self.1.lock().unwrap() -= reserved.tokens;
        Ok(())
    }

    fn spend(&self, model: &ModelInfo, usage: Usage, reserved: Option<&Reserved>) -> Result<()> {
        *self.1.lock().unwrap() -= reserved.map_or(0, |reserved| reserved.tokens);
        self.0.lock().unwrap().push(Receipt {
            at: Timestamp::UNIX_EPOCH,
            provider: model.provider.clone(),
            model: model.name.clone(),
            paid: model.paid,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        });
        Ok(())
    }
}

impl Receipts for Paid {
    fn all(&self) -> Result<Vec<Receipt>> {
        Ok(self.0.lock().unwrap().clone())
    }
}

impl Minds for Purse {
    fn extraction(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        Ok(self.model.clone())
    }

    fn consolidation(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        Ok(self.model.clone())
    }

    fn prompts(&self) -> Result<Prompts> {
        Ok(Prompts::default())
    }

    fn ceiling(&self) -> Ceiling {
        self.ceiling
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        self.receipts.clone()
    }
}

/// Time that never passes by itself.
struct Still;

#[async_trait]
impl Pace for Still {
    async fn wait(&self, _: Duration) {
        std::future::pending().await
    }
}

pub struct Bench {
    folder: tempfile::TempDir,
    clock: Arc<FixedClock>,
    talks: Arc<Talks>,
    purse: Arc<Purse>,
    rules: Rules,
    pub autonomy: Autonomy,
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(Purse::default(), Rules::limited(Limits::NONE))
    }

    pub fn limited(facts: u64) -> Bench {
        let limits = Limits { facts: Limit::At(facts), ..Limits::NONE };
        Bench::with(Purse::default(), Rules::limited(limits))
    }

    pub fn asking(purse: Purse) -> Bench {
        Bench::with(purse, Rules::limited(Limits::NONE))
    }

    fn with(purse: Purse, rules: Rules) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let (clock, talks) = (Arc::<FixedClock>::default(), Arc::<Talks>::default());
        let purse = Arc::new(purse);
        let autonomy = open(folder.path(), &clock, &talks, &purse, rules);
        Bench { folder, clock, talks, purse, rules, autonomy }
    }

    /// The same place, as another process opens it.
    pub fn another(&self) -> Autonomy {
        open(self.folder.path(), &self.clock, &self.talks, &self.purse, self.rules)
    }

    pub fn reach(&self) -> Reach {
        Reach::Project(self.autonomy.project().clone())
    }

    pub async fn run(&self) -> Ran {
        let request = RunRequest { reach: self.reach(), mode: RunMode::Work };
        self.autonomy.run(request).await.unwrap()
    }

    pub fn session(&self, id: &str, idle: SignedDuration, events: Option<Vec<Event>>) {
        let count = events.as_ref().map_or(0, Vec::len);
        let head =
            SessionHead { id: id.into(), agent: "claude-code".into(), ..SessionHead::default() };
        let candidate = Candidate {
            kind: JobKind::Extract,
            head,
            project: Some(self.autonomy.project().clone()),
            place: format!("sessions/{id}"),
            watermark: count.to_string(),
            active_at: self.clock.now() - idle,
        };
        self.talks.sessions.lock().unwrap().insert(id.into(), (candidate, events));
    }

    pub fn broken_session(&self, id: &str, idle: SignedDuration) {
        self.session(id, idle, None);
    }

    pub fn pass(&self, time: SignedDuration) {
        self.clock.advance(time);
    }

    pub fn told(&self) -> usize {
        self.talks.told.load(Ordering::SeqCst)
    }

    pub fn engine(&self) -> Engine {
        engine(self.folder.path(), &self.clock, self.rules)
    }

    pub fn store(&self) -> Arc<dyn Store> {
        store(self.folder.path())
    }

    pub fn spent(&self) -> u64 {
        self.purse.receipts.all().unwrap().iter().map(Receipt::total).sum()
    }

    pub fn place(&self) -> Place {
        let project = Scope::Project(self.autonomy.project().clone());
        Place::new(self.engine(), project.clone(), project, TimeZone::UTC)
            .with_autonomy(self.autonomy.clone())
    }

    pub async fn remember(&self, text: &str) {
        let scope = Scope::Project(self.autonomy.project().clone());
        self.engine().remember(RememberRequest::new(text, scope)).await.unwrap();
    }

    pub async fn remember_globally(&self, text: &str) {
        self.engine().remember(RememberRequest::new(text, Scope::Global)).await.unwrap();
    }

    pub async fn memories(&self) -> Vec<Memory> {
        self.engine().list(&Filter::everything(), Page::first(1000)).await.unwrap().memories
    }

    pub async fn job(&self, kind: JobKind, name: &str) -> Job {
        self.store().job(&JobKey::new(kind, name).unwrap()).await.unwrap().unwrap()
    }

    fn shelf(&self) -> DiskShelf {
        DiskShelf::at(self.folder.path().join("memories"))
    }

    /// The documents that are there.
    pub fn files(&self) -> Documents {
        self.shelf().present(self.autonomy.project()).unwrap().documents
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join("memories/harbour").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Every file of the documents, earlier sets included, by name.
    pub fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().join("memories")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path => {
                        let bytes = std::fs::read(&path).unwrap();
                        files.insert(path, bytes);
                    }
                }
            }
        }
        files
    }

    /// Everything that any document says.
    pub fn everywhere(&self) -> String {
        let texts = self.bytes().into_values();
        texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
    }
}

fn store(folder: &Path) -> Arc<dyn Store> {
    let path = folder.join("memory.db");
    let opened = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(SqliteStore::open(&path)).unwrap()
    });
    Arc::new(opened.join().unwrap())
}

fn engine(folder: &Path, clock: &Arc<FixedClock>, rules: Rules) -> Engine {
    Engine::new(store(folder), clock.clone(), Arc::<SystemIds>::default(), rules)
}

fn open(
    folder: &Path,
    clock: &Arc<FixedClock>,
    talks: &Arc<Talks>,
    purse: &Arc<Purse>,
    rules: Rules,
) -> Autonomy {
    let outside = Outside {
        sessions: talks.clone(),
        shelf: Arc::new(DiskShelf::at(folder.join("memories"))),
        minds: purse.clone(),
        receipts: purse.receipts.clone(),
        pace: Arc::new(Still),
    };
    let project = ProjectId::new("harbour").unwrap();
    Autonomy::new(engine(folder, clock, rules), project, outside, Settings::default())
}
