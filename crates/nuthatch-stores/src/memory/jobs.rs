//! Jobs in a map.
//!
//! Whoever holds the lock of the state exchanges one; nothing else is needed in RAM.

use nuthatch::store::{Job, JobKey, JobSwap, Swapped};

use super::open::State;

/// Every job, by kind and name.
pub fn all(state: &State) -> Vec<Job> {
    let mut jobs: Vec<Job> = state.jobs.values().cloned().collect();
    jobs.sort_by(|a, b| (a.key.kind.name(), &a.key.name).cmp(&(b.key.kind.name(), &b.key.name)));
    jobs
}

/// One job.
pub fn one(state: &State, key: &JobKey) -> Option<Job> {
    state.jobs.get(key).cloned()
}

/// Exchanges a job, if it is as it was seen.
pub fn swap(state: &mut State, swap: &JobSwap) -> Swapped {
    if state.jobs.get(&swap.key).map(|job| job.revision) != swap.seen {
        return Swapped::Overtaken;
    }
    match swap.stored() {
        Some(job) => state.jobs.insert(swap.key.clone(), job),
        None => state.jobs.remove(&swap.key),
    };
    Swapped::Yes
}
