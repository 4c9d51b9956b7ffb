//! How far a plan has been carried out: `plan/<requirement>/state.json`.
//!
//! A task is done when its state says so and it still says what it said then: whoever changes
//! a task wants it done again. Only one process carries out a plan at a time.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::id::{ContentHash, RequirementId};
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::layout::Workspace;
use crate::plan::Task;

const LONGEST_FILE: u64 = 4 * 1024 * 1024;

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It was begun; after a crash it is begun again.
    Running,
    /// It is done.
    Done,
    /// It failed.
    Failed,
}

/// What is known of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskState {
    /// How far it is.
    pub stage: Stage,
    /// Since when.
    pub at: Timestamp,
    /// What the task said.
    pub task: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How far a plan is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanState {
    /// By task.
    #[serde(default)]
    pub tasks: BTreeMap<String, TaskState>,
}

impl PlanState {
    /// Reads it; nothing was begun where there is none.
    ///
    /// # Errors
    /// `unavailable`, when the file cannot be read; it is left as it is.
    pub fn load(workspace: &Workspace, id: &RequirementId) -> Result<PlanState> {
        let path = workspace.plan(id).join("state.json");
        disk::refuse_links(workspace.root(), &path)?;
        let Some(bytes) = disk::read(&path, LONGEST_FILE)? else {
            return Ok(PlanState::default());
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            Error::unavailable(format!("{} cannot be read: {error}", path.display()))
                .with_hint("move it away to carry out the whole plan again; it was not changed")
        })
    }

    pub(crate) fn save(&self, workspace: &Workspace, id: &RequirementId) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::internal("a state cannot be written").with_source(error))?;
        disk::replace(workspace.root(), &workspace.plan(id).join("state.json"), &bytes)
    }

    /// Whether a task is done as it stands.
    #[must_use]
    pub fn is_done(&self, task: &Task) -> bool {
        let known = self.tasks.get(&task.id);
        known.is_some_and(|known| known.stage == Stage::Done && known.task == fingerprint(task))
    }

    pub(crate) fn set(&mut self, task: &Task, stage: Stage, at: Timestamp, error: Option<String>) {
        let state = TaskState { stage, at, task: fingerprint(task), error };
        self.tasks.insert(task.id.clone(), state);
    }
}

/// What a task says, in few characters.
fn fingerprint(task: &Task) -> String {
    let ContentHash(hash) = ContentHash::of(Some(&task.agent.to_string()), &task.prompt);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps others from carrying out the same plan; let go of when dropped.
pub(crate) struct Claim(#[allow(dead_code, reason = "the lock lives as long as the file")] File);

impl Claim {
    pub(crate) fn take(workspace: &Workspace, id: &RequirementId) -> Result<Claim> {
        let folder = workspace.plan(id);
        disk::private_folder(workspace.root(), &folder)?;
        let path = folder.join("craft.lock");
        disk::refuse_links(workspace.root(), &path)?;
        let file = disk::private_options().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| disk::trouble("open", &path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Claim(file)),
            Err(TryLockError::WouldBlock) => {
                Err(Error::conflict(format!("plan {id} is being carried out by another process"))
                    .with_hint("wait for it, or stop it"))
            }
            Err(TryLockError::Error(error)) => Err(disk::trouble("lock", &path, error)),
        }
    }
}
