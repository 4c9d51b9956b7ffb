//! What a record becomes before both sides get it: clean, hidden by nobody whom it hides, and not
//! said twice.

use jiff::SignedDuration;

use super::Meeting;
use super::report::Side;
use super::walk::Pair;
use crate::error::Result;
use crate::filter::{Filter, Page, Scopes};
use crate::guard::{Form, admit_memory, admit_version};
use crate::memory::{Memory, Record};

impl Meeting<'_> {
    /// Two memories that replaced each other, one on each side, would both be hidden: the younger
    /// one holds.
    pub(super) async fn uncircled(&self, mut record: Record) -> Result<Record> {
        let Some(by) = record.memory.superseded_by.filter(|by| record.memory.id > *by) else {
            return Ok(record);
        };
        let Pair { here, there } = self.pair(by).await?;
        let back = |other: &Memory| other.superseded_by == Some(record.memory.id);
        if here.iter().chain(&there).any(back) {
            record.memory.superseded_by = None;
            renew(&mut record.memory);
        }
        Ok(record)
    }

    /// The same text in the same scope is the same memory: where a side that is about to get one
    /// says it already, the younger gives way to the older, unless that is trusted less.
    pub(super) async fn untwinned(&self, side: Side, mut record: Record) -> Result<Record> {
        let memory = &record.memory;
        let mut filter = Filter::scoped(Scopes::These(vec![memory.scope.clone()]));
        filter.content = Some(memory.content.clone());
        filter.min_trust = Some(memory.trust);
        let named_alike = |twin: &Memory| memory.key.is_none() || twin.key == memory.key;
        let yields = |twin: &&Memory| {
            (twin.created_at, twin.id) < (memory.created_at, memory.id)
                && named_alike(twin)
                && !memory.pinned
        };
        if memory.is_current() {
            let twins = self.store(side).list(&filter, Page::first(10)).await?.memories;
            if let Some(twin) = twins.iter().filter(yields).map(|twin| twin.id).next() {
                record.memory.superseded_by = Some(twin);
                renew(&mut record.memory);
            }
        }
        Ok(record)
    }
}

/// A record as the gate lets it in, so that both sides get the same; its trust is decided where
/// it comes in. What the gate refuses is refused there, too.
pub(super) fn cleaned(record: Record) -> Record {
    let Ok((memory, _)) = admit_memory(record.memory.clone(), Form::Note) else { return record };
    let versions = record.versions.iter().cloned().map(admit_version);
    let Ok(versions) = versions.collect::<Result<Vec<_>>>() else { return record };
    let versions = versions.into_iter().map(|(version, _)| version).collect();
    let mut clean = Record { memory: Memory { trust: record.memory.trust, ..memory }, versions };
    if clean != record {
        renew(&mut clean.memory);
    }
    clean
}

/// Makes a memory a little younger: it is as neither side has it.
fn renew(memory: &mut Memory) {
    let next = memory.updated_at.checked_add(SignedDuration::from_micros(1));
    memory.updated_at = next.unwrap_or(memory.updated_at);
}
