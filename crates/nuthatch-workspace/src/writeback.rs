//! A queue of what was completed, for whoever learns from it later.
//!
//! A step, a craft or a chat that ends leaves a small file in `_internals/writeback/`, durably
//! and without waiting for anybody. Names sort by time, so the oldest is taken first.

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::disk;
use crate::layout::Workspace;

/// Far more than one has.
const LONGEST_FILE: u64 = 64 * 1024;

/// What was completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completed {
    /// One agent, once.
    Step,
    /// A plan.
    Craft,
    /// A conversation.
    Chat,
}

/// One entry of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writeback {
    /// What was completed.
    pub completed: Completed,
    /// When.
    pub at: Timestamp,
    /// The plan it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session of a chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Puts an entry into the queue, under an id that sorts by time.
///
/// # Errors
/// `unavailable`, when the disk fails.
pub fn queue(workspace: &Workspace, id: Uuid, entry: &Writeback) -> Result<()> {
    let path = workspace.internals().join("writeback").join(format!("{id}.json"));
    let bytes = serde_json::to_vec(entry)
        .map_err(|error| Error::internal("a writeback cannot be written").with_source(error))?;
    disk::replace(workspace.root(), &path, &bytes)
}

/// Everything that waits, oldest first; what cannot be read is passed over.
///
/// # Errors
/// Where the folder cannot be read.
pub fn waiting(workspace: &Workspace) -> Result<Vec<(Uuid, Writeback)>> {
    let folder = workspace.internals().join("writeback");
    let mut found = Vec::new();
    for name in disk::names(&folder)? {
        let id = name.strip_suffix(".json").and_then(|id| Uuid::parse_str(id).ok());
        let read = disk::read(&folder.join(&name), LONGEST_FILE);
        let entry = read.ok().flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        found.extend(id.zip(entry));
    }
    Ok(found)
}

/// Takes an entry out of the queue, once it was dealt with.
///
/// # Errors
/// `unavailable`, when the disk fails.
pub fn settle(workspace: &Workspace, id: Uuid) -> Result<()> {
    let path = workspace.internals().join("writeback").join(format!("{id}.json"));
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(disk::trouble("remove", &path, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_queued_waits_until_it_is_settled_oldest_first() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::new(dir.path());
        let entry = |completed| Writeback {
            completed,
            at: "2026-03-10T12:00:00Z".parse().unwrap(),
            plan: Some("REQ-1".into()),
            agent: None,
            session: None,
        };
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        queue(&workspace, second, &entry(Completed::Craft)).unwrap();
        queue(&workspace, first, &entry(Completed::Step)).unwrap();
        let ids: Vec<Uuid> = waiting(&workspace).unwrap().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, [first, second]);
        settle(&workspace, first).unwrap();
        settle(&workspace, first).unwrap();
        assert_eq!(waiting(&workspace).unwrap(), [(second, entry(Completed::Craft))]);
    }
}
