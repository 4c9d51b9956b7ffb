//! What decides where worths are equal, and what age alone is worth.
//!
//! The same in every store: nothing here depends on the order in which candidates came.

use super::candidate::Candidate;
use crate::id::DocId;
use crate::trust::Trust;

/// The score of a memory by age alone: halves every week.
pub fn recency_score(age_days: f64) -> f64 {
    /// A week: what happened since the last one still counts for half.
    const HALF_LIFE_DAYS: f64 = 7.0;
    0.5_f64.powf(age_days.max(0.0) / HALF_LIFE_DAYS)
}

/// What decides between equal scores: trust, then pins, then the newer, then the id, so
/// that every store gives the same order.
pub fn tie_break(candidate: &Candidate) -> impl Ord + use<> {
    let trust = match (&candidate.memory, candidate.role) {
        (Some(memory), _) => memory.trust,
        (None, Some(role)) => role.trust(),
        (None, None) => Trust::Quarantined,
    };
    let pinned = candidate.memory.as_ref().is_some_and(|memory| memory.pinned);
    let doc: DocId = candidate.doc.clone();
    (trust, pinned, candidate.at, doc)
}
