//! What a record becomes before both sides get it: clean, and not said twice. Circles of
//! replacements are in `circles.rs`.

use jiff::SignedDuration;

use super::Meeting;
use super::plan::Plan;
use super::report::Side;
use crate::error::Result;
use crate::guard::{Form, admit_memory, admit_version};
use crate::memory::{Memory, Record};
use crate::store::saying;

impl Meeting<'_> {
    /// The same text in the same scope is the same memory: where a side that is about to get one
    /// says it already, the younger gives way to the older, unless that is trusted less.
    pub(super) async fn untwin(&mut self, plans: &mut [Plan]) -> Result<()> {
        for side in [Side::Here, Side::There] {
            let comes = |plan: &&Plan| plan.on(side).is_none() && may_yield(&plan.record.memory);
            let coming: Vec<&Memory> =
                plans.iter().filter(comes).map(|plan| &plan.record.memory).collect();
            let twins = saying(self.store(side), &coming).await?;
            for plan in plans.iter_mut().filter(|plan| comes(&&**plan)) {
                let Some(twin) = twins.iter().find(|twin| yields(&plan.record.memory, twin)) else {
                    continue;
                };
                plan.record.memory.superseded_by = Some(twin.id);
                renew(&mut plan.record.memory);
                if self.ended.contains(&plan.record.memory.id) {
                    // What led to it leads on from now.
                    self.ended.clear();
                }
            }
        }
        Ok(())
    }
}

fn may_yield(memory: &Memory) -> bool {
    memory.is_current() && !memory.pinned
}

/// Whether a memory gives way to one that a store has.
fn yields(memory: &Memory, twin: &Memory) -> bool {
    (&twin.scope, &twin.content) == (&memory.scope, &memory.content)
        && twin.trust >= memory.trust
        && (twin.created_at, twin.id) < (memory.created_at, memory.id)
        && (memory.key.is_none() || twin.key == memory.key)
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
pub(super) fn renew(memory: &mut Memory) {
    let next = memory.updated_at.checked_add(SignedDuration::from_micros(1));
    memory.updated_at = next.unwrap_or(memory.updated_at);
}
