//! Autonomous memory as this machine has it: sessions of agents where they lie, documents in
//! the data folder, models of the configuration.
//!
//! Nothing is looked at or opened before it is asked for.

mod completed;
mod minds;
mod sessions;

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::SignedDuration;
use nuthatch::Engine;
use nuthatch::autonomy::pick::Reach;
use nuthatch::autonomy::ports::Pace;
use nuthatch::autonomy::{Autonomy, Outside, RunMode, RunRequest, Settings};
use nuthatch::id::ProjectId;
use nuthatch_server::Room;
use nuthatch_stores::DiskShelf;

use crate::cli::Globals;
use crate::config::Config;
use crate::spend::SpendLog;
use crate::wiring::Site;

/// The folder of documents in the data folder.
const DOCUMENTS: &str = "memories";
/// How long a worker waits after a start: whoever started it wants an answer first.
const AFTER_START: Duration = Duration::from_secs(3);

/// Autonomous memory of a place.
pub fn open(site: &Arc<Site>, engine: Engine, project: ProjectId) -> Autonomy {
    let data = &site.config.places().data_dir;
    let outside = Outside {
        sessions: Arc::new(sessions::MachineSessions::new(Arc::clone(site))),
        shelf: Arc::new(DiskShelf::at(data.join(DOCUMENTS))),
        minds: Arc::new(minds::Configured::new(Arc::clone(site))),
        receipts: Arc::new(SpendLog::at(data)),
        pace: Arc::new(RealTime),
    };
    Autonomy::new(engine, project, outside, settings(&site.config))
}

fn settings(config: &Config) -> Settings {
    let memories = &config.settings().memories;
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Settings {
        enabled: memories.enabled,
        max_session_age_days: whole(memories.max_session_age_days),
        min_idle_hours: whole(memories.min_idle_hours),
        max_sessions_per_run: size(memories.max_sessions_per_run),
        summary_tokens: size(memories.summary_tokens),
        concurrency: size(memories.concurrency),
        lease: SignedDuration::from_secs(whole(memories.lease_seconds)),
    }
}

/// Time as it passes.
struct RealTime;

#[async_trait]
impl Pace for RealTime {
    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// Whose sessions a worker learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// Of the project it was started in.
    OfProject,
    /// Of every project.
    OfAll,
}

/// Runs once in the background while `serving` goes on, if the user switched that on, and
/// gives back what it holds when that ends.
pub async fn beside<R>(
    room: Room,
    worker: Worker,
    globals: &Globals,
    serving: impl Future<Output = R>,
) -> R {
    let begun = OnceCell::new();
    let work = async {
        tokio::time::sleep(AFTER_START).await;
        let site = Site::find(globals);
        if !site.is_ok_and(|site| site.config.settings().memories.enabled) {
            return;
        }
        let place = room.place().await;
        let Ok(autonomy) = place.and_then(nuthatch::Place::autonomy) else { return };
        let reach = match worker {
            Worker::OfProject => Reach::Project(autonomy.project().clone()),
            Worker::OfAll => Reach::AllProjects,
        };
        let running =
            begun.get_or_init(|| autonomy.begin(RunRequest { reach, mode: RunMode::Work }));
        // What failed is noted with its job, and `nuthatch memory status` shows it.
        let _ = running.finish().await;
    };
    let (mut serving, mut work) = (std::pin::pin!(serving), std::pin::pin!(work));
    tokio::select! {
        served = &mut serving => {
            if let Some(running) = begun.get() {
                // What is not given back is taken over when its lease ends.
                let _ = running.let_go().await;
            }
            served
        }
        () = &mut work => serving.await,
    }
}
