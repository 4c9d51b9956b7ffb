//! What a store notes of a set it applied, so that the same set again gets the same answer.
//!
//! A receipt holds ids and never content: forgetting a memory must not leave its text in a
//! note about the day it was stored.

use nuthatch::change::{Applied, Change, ChangeSet, Outcome, Stored};
use nuthatch::error::{Error, Result};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::session::Session;
use serde::{Deserialize, Serialize};

use crate::tx::Tx;

#[derive(Serialize, Deserialize)]
enum Line {
    Remembered(StoredLine),
    Edited(StoredLine),
    Touched(Vec<MemoryId>),
    Session(SessionId),
    SessionsGone(Vec<SessionId>),
    Forgotten(MemoryId),
    Done,
}

#[derive(Serialize, Deserialize)]
struct StoredLine {
    id: MemoryId,
    duplicate: bool,
    evicted: Vec<MemoryId>,
    superseded: Vec<MemoryId>,
}

impl StoredLine {
    fn of(stored: &Stored) -> Self {
        StoredLine {
            id: stored.memory.id,
            duplicate: stored.duplicate,
            evicted: stored.evicted.clone(),
            superseded: stored.superseded.clone(),
        }
    }

    /// The memory as it is now; if it is gone since, as the change had it.
    async fn restored<T: Tx>(self, tx: &mut T, change: &Change) -> Result<Stored> {
        let now = tx.memory(self.id).await?;
        let memory = match (now, change) {
            (Some(memory), _) => memory,
            (None, Change::Remember(change)) => change.memory.clone(),
            (None, _) => return Err(Error::not_found(format!("no memory {}", self.id))),
        };
        let StoredLine { duplicate, evicted, superseded, .. } = self;
        Ok(Stored { memory, duplicate, evicted, superseded })
    }
}

/// The receipt of a set's outcomes.
pub fn write(outcomes: &[Outcome]) -> Result<String> {
    let lines: Vec<Line> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::Remembered(stored) => Line::Remembered(StoredLine::of(stored)),
            Outcome::Edited(stored) => Line::Edited(StoredLine::of(stored)),
            Outcome::Touched { ids } => Line::Touched(ids.clone()),
            Outcome::Session(session) => Line::Session(session.id.clone()),
            Outcome::SessionsGone { ids } => Line::SessionsGone(ids.clone()),
            Outcome::Forgotten { id } => Line::Forgotten(*id),
            Outcome::Done => Line::Done,
        })
        .collect();
    serde_json::to_string(&lines)
        .map_err(|error| Error::internal("a receipt cannot be written").with_source(error))
}

/// The answer to a set that was applied before.
pub async fn replay<T: Tx>(tx: &mut T, set: &ChangeSet, receipt: &str) -> Result<Applied> {
    let lines: Vec<Line> = serde_json::from_str(receipt)
        .map_err(|error| Error::internal("a receipt cannot be read").with_source(error))?;
    let mut outcomes = Vec::with_capacity(lines.len());
    for (line, change) in lines.into_iter().zip(set.changes()) {
        outcomes.push(match line {
            Line::Remembered(line) => {
                Outcome::Remembered(Box::new(line.restored(tx, change).await?))
            }
            Line::Edited(line) => Outcome::Edited(Box::new(line.restored(tx, change).await?)),
            Line::Touched(ids) => Outcome::Touched { ids },
            Line::Session(id) => {
                let gone = Session::new(id.clone(), set.at());
                Outcome::Session(Box::new(tx.session(&id).await?.unwrap_or(gone)))
            }
            Line::SessionsGone(ids) => Outcome::SessionsGone { ids },
            Line::Forgotten(id) => Outcome::Forgotten { id },
            Line::Done => Outcome::Done,
        });
    }
    Ok(Applied::new(outcomes))
}
