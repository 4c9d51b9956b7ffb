//! Two memories that bear one key, because each side gave it to another.
//!
//! A key names one memory of a scope. The one whose text was written last keeps it, as if it had
//! been said later on one side; the other keeps what it says, without the key and replaced by the
//! first, so that a person can bring it back.

use std::collections::BTreeSet;

use super::Meeting;
use super::merge::{self, Clash, said_at};
use super::report::Side;
use super::settle::Plan;
use crate::error::Result;
use crate::filter::{Filter, Page, Scopes};
use crate::id::MemoryId;
use crate::memory::Record;
use crate::trust::Trust;

impl Meeting<'_> {
    /// Settles who has which key; those that give one up come first.
    pub(super) async fn settle_keys(&mut self, plans: Vec<Plan>) -> Result<Vec<Plan>> {
        let mut open: Vec<Plan> = plans;
        let mut known: BTreeSet<MemoryId> = open.iter().map(Plan::id).collect();
        let mut rivals = Vec::new();
        for plan in &open {
            for id in self.holders(plan).await? {
                if known.insert(id) {
                    rivals.extend(self.standing(id).await?);
                }
            }
        }
        open.extend(rivals);
        // The strongest claim to a key comes last, and is met by those before it.
        open.sort_by_key(|plan| (said_at(&plan.record), plan.id()));
        let mut settled: Vec<Plan> = Vec::new();
        while let Some(mut plan) = open.pop() {
            let key = |record: &Record| (record.memory.scope.clone(), record.memory.key.clone());
            let rival = settled.iter().find(|other| {
                plan.record.memory.key.is_some() && key(&other.record) == key(&plan.record)
            });
            if let Some(winner) = rival {
                let is_here = winner.sides.get(&Side::Here).is_some_and(Option::is_some);
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

    /// A memory as it stands: what it shall be, though nothing is to be done with it. None if it
    /// is nobody's business here.
    async fn standing(&mut self, id: MemoryId) -> Result<Option<Plan>> {
        let pair = self.pair(id).await?;
        let either = || pair.here.iter().chain(&pair.there);
        let is_closed = !self.syncer.request.quarantined
            && either().any(|memory| memory.trust == Trust::Quarantined);
        if is_closed || either().any(|memory| self.is_gone(memory)) {
            return Ok(None);
        }
        let here = self.record(Side::Here, pair.here.as_ref()).await?;
        let there = self.record(Side::There, pair.there.as_ref()).await?;
        let record = match (&here, &there) {
            (Some(here), Some(there)) => merge::merge(here, there, self.agreed.get(&id)).record,
            (Some(only), None) | (None, Some(only)) => only.clone(),
            (None, None) => return Ok(None),
        };
        let sides = [(Side::Here, here), (Side::There, there)].into();
        Ok(Some(Plan { record, sides, clash: None }))
    }
}
