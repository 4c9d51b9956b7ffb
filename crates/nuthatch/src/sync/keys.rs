//! Two memories that bear one key, because each side gave it to another.
//!
//! A key names one memory of a scope. The one whose text was written last keeps it, as if it had
//! been said later on one side; the other keeps what it says, without the key and replaced by the
//! first, so that a person can bring it back.

use std::collections::BTreeSet;

use super::Meeting;
use super::merge::{self, Clash, said_at};
use super::plan::Plan;
use super::report::Side;
use super::walk::Pair;
use crate::error::Result;
use crate::filter::{Filter, Page, Scopes};
use crate::id::MemoryId;
use crate::memory::Record;

impl Meeting<'_> {
    /// Settles who has which key; those that give one up come first.
    pub(super) async fn settle_keys(&mut self, plans: Vec<Plan>) -> Result<Vec<Plan>> {
        let mut open: Vec<Plan> = plans;
        let mut rivals: BTreeSet<MemoryId> = BTreeSet::new();
        for plan in &open {
            rivals.extend(self.holders(plan).await?);
        }
        rivals.retain(|id| !open.iter().any(|plan| plan.id() == *id));
        open.extend(self.standing(&rivals).await?);
        // The strongest claim to a key comes last, and is met by those before it.
        open.sort_by_key(|plan| (said_at(&plan.record), plan.id()));
        let mut settled: Vec<Plan> = Vec::new();
        while let Some(mut plan) = open.pop() {
            let key = |record: &Record| (record.memory.scope.clone(), record.memory.key.clone());
            let rival = settled.iter().find(|other| {
                plan.record.memory.key.is_some() && key(&other.record) == key(&plan.record)
            });
            if let Some(winner) = rival {
                let is_here = winner.on(Side::Here).is_some();
                let kept = if is_here { Side::Here } else { Side::There };
                plan.record = merge::demoted(&plan.record, &winner.record);
                plan.clash.get_or_insert(Clash { kept, fields: Vec::new() }).fields.push("key");
            }
            settled.push(plan);
        }
        settled.reverse();
        Ok(settled)
    }

    /// Who has the key that a plan wants, on either side.
    async fn holders(&self, plan: &Plan) -> Result<BTreeSet<MemoryId>> {
        let memory = &plan.record.memory;
        let mut holders = BTreeSet::new();
        if memory.key.is_none() {
            return Ok(holders);
        }
        let mut filter = Filter::everything();
        filter.scopes = Scopes::These(vec![memory.scope.clone()]);
        filter.key.clone_from(&memory.key);
        for store in [self.here, self.there] {
            let found = store.list(&filter, Page::first(2)).await?.memories;
            holders.extend(found.iter().map(|found| found.id).filter(|id| *id != memory.id));
        }
        Ok(holders)
    }

    /// Memories as they stand: what they shall be, though nothing is to be done with them; without
    /// those that are nobody's business here.
    async fn standing(&self, ids: &BTreeSet<MemoryId>) -> Result<Vec<Plan>> {
        let ids: Vec<MemoryId> = ids.iter().copied().collect();
        let mut pairs = self.pairs(&ids).await?;
        let is_open = |pair: &Pair| !pair.both().any(|memory| self.is_gone(memory));
        pairs.retain(|pair| is_open(pair) && !self.is_held_back(pair));
        let mut plans = self.merged(pairs).await?;
        plans.iter_mut().for_each(|plan| plan.clash = None);
        Ok(plans)
    }
}
