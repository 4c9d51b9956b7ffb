//! The answers of several stores put together, one outcome for each change of the whole set.
//!
//! Who was asked for what is decided in `split.rs`; what others say is left out.

use nuthatch::change::{Applied, Change, ChangeSet, Outcome};
use nuthatch::error::{Error, Result};
use nuthatch::id::{MemoryId, SessionId};

use super::split::Part;

/// Puts the answers of the parts together.
pub fn join(set: &ChangeSet, parts: &[Part], answers: Vec<Applied>) -> Result<Applied> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; set.changes().len()];
    let mut lingers = Vec::new();
    for (part, answer) in parts.iter().zip(answers) {
        lingers.extend(answer.lingers);
        for (place, outcome) in answer.outcomes.into_iter().enumerate() {
            if !part.asked.contains(&place) {
                continue;
            }
            let slot = &mut outcomes[place];
            *slot = Some(match slot.take() {
                Some(before) => both(before, outcome, &set.changes()[place]),
                None => outcome,
            });
        }
    }
    let missing = || Error::internal("a store did not say what a change did");
    let outcomes: Result<Vec<Outcome>> =
        outcomes.into_iter().map(|outcome| outcome.ok_or_else(missing)).collect();
    Ok(Applied { outcomes: outcomes?, lingers })
}

/// Two stores' share in one change.
fn both(first: Outcome, second: Outcome, change: &Change) -> Outcome {
    match (first, second) {
        (Outcome::Touched { ids }, Outcome::Touched { ids: more }) => {
            let all: Vec<MemoryId> = ids.into_iter().chain(more).collect();
            Outcome::Touched { ids: in_order(all, change) }
        }
        (Outcome::SessionsGone { ids }, Outcome::SessionsGone { ids: more }) => {
            let mut all: Vec<SessionId> = ids.into_iter().chain(more).collect();
            all.dedup();
            Outcome::SessionsGone { ids: all }
        }
        // Conversations that ended say nothing of their memories in another store.
        (gone @ Outcome::SessionsGone { .. }, Outcome::Touched { .. }) => gone,
        (_, second) => second,
    }
}

/// Ids in the order in which the change named them.
fn in_order(found: Vec<MemoryId>, change: &Change) -> Vec<MemoryId> {
    match change {
        Change::Use { ids } | Change::Forget { ids } | Change::Release { ids } => {
            ids.iter().filter(|id| found.contains(id)).copied().collect()
        }
        _ => found,
    }
}
