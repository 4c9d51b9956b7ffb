//! What each memory that differs shall become on both sides.
//!
//! A page of pairs is looked at together: versions, texts that are said twice and what replaces
//! what are asked for once for all of them, because the other store may be far away.

use std::collections::BTreeMap;

use super::Meeting;
use super::agreed::Agreed;
use super::arrange::cleaned;
use super::merge::{self, Clash};
use super::report::Side;
use super::walk::Pair;
use crate::error::Result;
use crate::id::MemoryId;
use crate::memory::{Memory, Record};
use crate::trust::Trust;

/// What one memory shall be on both sides.
pub(super) struct Plan {
    /// What both shall have.
    pub record: Record,
    /// What each side has now.
    pub sides: BTreeMap<Side, Option<Record>>,
    pub clash: Option<Clash>,
}

impl Plan {
    pub fn id(&self) -> MemoryId {
        self.record.memory.id
    }

    /// What a side has now.
    pub fn on(&self, side: Side) -> Option<&Record> {
        self.sides.get(&side).and_then(Option::as_ref)
    }

    pub fn is_done(&self, side: Side) -> bool {
        self.on(side).is_some_and(|now| {
            now.memory.fingerprint() == self.record.memory.fingerprint()
                && now.versions == self.record.versions
        })
    }
}

impl Meeting<'_> {
    /// Memories as both sides have them now.
    pub(super) async fn pairs(&self, ids: &[MemoryId]) -> Result<Vec<Pair>> {
        let mut found: BTreeMap<MemoryId, Pair> = BTreeMap::new();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        for side in [Side::Here, Side::There] {
            for memory in self.store(side).memories(ids).await? {
                let pair = found.entry(memory.id).or_insert(Pair { here: None, there: None });
                *pair.of(side) = Some(memory);
            }
        }
        Ok(found.into_values().collect())
    }

    /// What was seen on one side alone is looked for on the other: somebody may have written it
    /// just now, or it is of another time there.
    pub(super) async fn completed(&self, mut pairs: Vec<Pair>) -> Result<Vec<Pair>> {
        for side in [Side::Here, Side::There] {
            let lacking = || pairs.iter().filter(|pair| pair.on(side).is_none());
            let ids: Vec<MemoryId> = lacking().filter_map(Pair::id).collect();
            if ids.is_empty() {
                continue;
            }
            let found = self.store(side).memories(&ids).await?;
            let mut found: BTreeMap<MemoryId, Memory> =
                found.into_iter().map(|memory| (memory.id, memory)).collect();
            for pair in pairs.iter_mut().filter(|pair| pair.on(side).is_none()) {
                *pair.of(side) = pair.id().and_then(|id| found.remove(&id));
            }
        }
        Ok(pairs)
    }

    /// What pairs shall become; nothing of those with which nothing is to be done.
    pub(super) async fn plans(&mut self, pairs: Vec<Pair>) -> Result<Vec<Plan>> {
        let differing = pairs.into_iter().filter(|pair| self.is_due(pair)).collect();
        let mut plans = self.merged(differing).await?;
        self.untwin(&mut plans).await?;
        for plan in &mut plans {
            plan.record = cleaned(plan.record.clone());
        }
        self.uncircle(&mut plans).await?;
        Ok(plans)
    }

    /// Whether something is to be done with a pair; what is not is counted.
    fn is_due(&mut self, pair: &Pair) -> bool {
        let Some(id) = pair.id() else { return false };
        if pair.both().any(|memory| self.is_gone(memory)) || !self.is_shared(pair) {
            return false;
        }
        if self.is_held_back(pair) {
            self.synced.held_back += 1;
            return false;
        }
        if let (Some(here), Some(there)) = (&pair.here, &pair.there)
            && here.fingerprint() == there.fingerprint()
        {
            self.synced.same += 1;
            self.agreed.insert(id, Agreed::of(here));
            return false;
        }
        let is_out = self.is_pushed_out(pair);
        self.synced.pushed_out += u64::from(is_out);
        !is_out
    }

    fn is_shared(&self, pair: &Pair) -> bool {
        pair.both().all(|memory| self.syncer.request.scopes.contains(&memory.scope))
    }

    /// Whether it is quarantined on a side, and nobody asked for such.
    pub(super) fn is_held_back(&self, pair: &Pair) -> bool {
        !self.syncer.request.quarantined
            && pair.both().any(|memory| memory.trust == Trust::Quarantined)
    }

    /// Whether one side let go of it since they agreed.
    fn is_pushed_out(&self, pair: &Pair) -> bool {
        let (Pair { here: Some(only), there: None } | Pair { here: None, there: Some(only) }) =
            pair
        else {
            return false;
        };
        self.agreed.get(&only.id).is_some_and(|agreed| agreed.is(only))
    }

    /// Whether this pair stays as it is on both sides, however it differs.
    pub(super) fn is_closed(&self, pair: &Pair) -> bool {
        self.is_held_back(pair) || !self.is_shared(pair) || self.is_pushed_out(pair)
    }

    /// Pairs brought together, each by itself.
    pub(super) async fn merged(&self, pairs: Vec<Pair>) -> Result<Vec<Plan>> {
        let (mut here, mut there) =
            (self.records(Side::Here, &pairs).await?, self.records(Side::There, &pairs).await?);
        let mut plans = Vec::with_capacity(pairs.len());
        for id in pairs.iter().filter_map(Pair::id) {
            let (here, there) = (here.remove(&id), there.remove(&id));
            let (record, clash) = match (&here, &there) {
                (Some(here), Some(there)) => {
                    let merged = merge::merge(here, there, self.agreed.get(&id));
                    (merged.record, merged.clash)
                }
                (Some(only), None) | (None, Some(only)) => (only.clone(), None),
                (None, None) => continue,
            };
            let sides = BTreeMap::from([(Side::Here, here), (Side::There, there)]);
            plans.push(Plan { record, sides, clash });
        }
        Ok(plans)
    }

    /// What one side has of pairs, with all that it said before.
    async fn records(&self, side: Side, pairs: &[Pair]) -> Result<BTreeMap<MemoryId, Record>> {
        let memories: Vec<Memory> =
            pairs.iter().filter_map(|pair| pair.on(side)).cloned().collect();
        if memories.is_empty() {
            return Ok(BTreeMap::new());
        }
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let records = Record::joined(memories, self.store(side).versions(&ids).await?);
        Ok(records.into_iter().map(|record| (record.memory.id, record)).collect())
    }
}
