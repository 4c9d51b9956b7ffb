//! The writing of what both sides shall have (`plan.rs`).
//!
//! A side gets a state only if it is still as it was seen: what somebody writes in between is
//! looked at again. Where something in a set is refused, each is tried by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::agreed::Agreed;
use super::merge::Clash;
use super::plan::Plan;
use super::report::{Side, SyncConflict};
use super::walk::Pair;
use super::{BATCH, Meeting};
use crate::audit::Asked;
use crate::change::{Adopt, Applied, Change, ChangeSet, Outcome, Pick, Wish};
use crate::error::{Error, Kind, Result};
use crate::guard::Verdict;
use crate::id::{ChangeSetId, MemoryId};
use crate::memory::{Record, Tombstone};

/// What became of one memory on one side.
enum Fate {
    Came(Verdict),
    /// Somebody was in the way, or has its key.
    Again,
    /// It was forgotten a moment ago: the next sync tells the other side.
    Forgotten,
    Refused(Error),
}

impl Meeting<'_> {
    /// Brings pairs into step, as far as they are not.
    pub(super) async fn settle(&mut self, pairs: Vec<Pair>) -> Result<()> {
        let pairs = self.completed(pairs).await?;
        let plans = self.plans(pairs).await?;
        self.carry_out(plans).await
    }

    /// Looks again at what somebody was in the way of.
    pub(super) async fn settle_again(&mut self) -> Result<()> {
        let ids: Vec<MemoryId> = std::mem::take(&mut self.again).into_iter().collect();
        self.ended.clear();
        let pairs = self.pairs(&ids).await?;
        let plans = self.plans(pairs).await?;
        let plans = self.settle_keys(plans).await?;
        self.carry_out(plans).await
    }

    /// Writes plans to both sides and counts what came of them.
    pub(super) async fn carry_out(&mut self, plans: Vec<Plan>) -> Result<()> {
        let mut came: BTreeMap<(Side, MemoryId), Verdict> = BTreeMap::new();
        let mut unsettled = BTreeSet::new();
        for side in [Side::Here, Side::There] {
            let due: Vec<&Plan> = plans.iter().filter(|plan| !plan.is_done(side)).collect();
            for (plan, fate) in due.iter().zip(self.write(side, &due).await?) {
                match fate {
                    Fate::Came(verdict) => drop(came.insert((side, plan.id()), verdict)),
                    Fate::Forgotten => drop(unsettled.insert(plan.id())),
                    Fate::Again => {
                        unsettled.insert(plan.id());
                        self.again.insert(plan.id());
                    }
                    Fate::Refused(error) => {
                        unsettled.insert(plan.id());
                        self.synced.refuse(&error);
                    }
                }
            }
        }
        for plan in &plans {
            let mut is_same = !unsettled.contains(&plan.id());
            for side in [Side::Here, Side::There] {
                let Some(verdict) = came.get(&(side, plan.id())) else { continue };
                let was_there = plan.on(side).is_some();
                let counts = self.synced.came(side);
                *if was_there { &mut counts.changed } else { &mut counts.new } += 1;
                if *verdict != Verdict::Accept {
                    self.synced.quarantined += 1;
                    is_same = false;
                }
            }
            if is_same {
                self.agreed.insert(plan.id(), Agreed::of(&plan.record.memory));
                self.note(plan);
            }
        }
        Ok(())
    }

    fn note(&mut self, plan: &Plan) {
        let Some(Clash { kept, fields }) = &plan.clash else { return };
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        self.synced.conflicts.push(SyncConflict { id: plan.id(), fields, kept: *kept });
    }

    /// Writes plans to one side: what became of each. Together, and where that is refused each by
    /// itself, so that only one is.
    async fn write(&self, side: Side, plans: &[&Plan]) -> Result<Vec<Fate>> {
        let steps = Steps::of(side, plans);
        let (all, passed) = ChangeSet::agreed(self.fresh(), self.syncer.at, steps.adopts);
        let mut fates: Vec<Option<Fate>> = plans.iter().map(|_| None).collect();
        let mut verdicts = vec![Verdict::Accept; plans.len()];
        let mut admitted: Vec<(usize, Pick)> = Vec::new();
        for (number, passed) in steps.plans.iter().zip(passed) {
            match passed {
                Ok(passed) => {
                    verdicts[*number] = verdicts[*number].max(passed.verdict);
                    admitted.push((*number, Pick::Same(admitted.len())));
                }
                Err(error) => fates[*number] = Some(Fate::Refused(error)),
            }
        }
        admitted.retain(|(number, _)| fates[*number].is_none());
        let picks: Vec<Pick> = admitted.iter().map(|(_, pick)| pick.clone()).collect();
        let together = match picks.is_empty() {
            true => Ok(Applied::default()),
            false => self.apply(side, &all.part(self.fresh(), &picks)).await,
        };
        for (number, fate) in fates.iter_mut().enumerate() {
            if fate.is_some() {
                continue;
            }
            let own = || admitted.iter().enumerate().filter(|(_, (of, _))| *of == number);
            let answer = match &together {
                Ok(applied) => Ok(own()
                    .next_back()
                    .and_then(|(place, _)| applied.outcomes.get(place))
                    .cloned()),
                Err(error) if is_fatal(error) => return together.map(|_| Vec::new()),
                Err(_) => {
                    let picks: Vec<Pick> = own().map(|(_, (_, pick))| pick.clone()).collect();
                    let applied = self.apply(side, &all.part(self.fresh(), &picks)).await;
                    applied.map(|applied| applied.outcomes.last().cloned())
                }
            };
            *fate = Some(fate_of(answer, verdicts[number])?);
        }
        Ok(fates.into_iter().flatten().collect())
    }

    /// Forgets on one side what the other has forgotten.
    pub(super) async fn bury(&mut self, side: Side, tombstones: Vec<Tombstone>) -> Result<()> {
        for part in tombstones.chunks(BATCH) {
            let wish: Wish = Change::Bury { tombstones: part.to_vec() }.into();
            let (set, _) = ChangeSet::admit(self.fresh(), self.syncer.at, vec![wish])?;
            let applied = self.apply(side, &set).await?;
            if let Some(Outcome::Touched { ids }) = applied.outcomes.first() {
                self.synced.came(side).forgotten += ids.len() as u64;
            }
        }
        Ok(())
    }

    pub(super) fn fresh(&self) -> ChangeSetId {
        ChangeSetId(self.syncer.ids.fresh(self.syncer.at))
    }

    pub(super) async fn apply(&self, side: Side, set: &ChangeSet) -> Result<Applied> {
        let store = self.store(side);
        if self.syncer.request.dry_run {
            return store.rehearse(set).await;
        }
        let asked: Vec<Asked> = set.changes().iter().map(Asked::of).collect();
        let answer = store.apply(set).await;
        self.syncer.auditor.note(self.syncer.at, &asked, answer.as_ref());
        answer
    }
}

fn is_fatal(error: &Error) -> bool {
    matches!(error.kind(), Kind::Unavailable | Kind::Internal)
}

fn fate_of(answer: Result<Option<Outcome>>, verdict: Verdict) -> Result<Fate> {
    Ok(match answer {
        Ok(Some(Outcome::Forgotten { .. })) => Fate::Forgotten,
        Ok(_) => Fate::Came(verdict),
        Err(error) if is_fatal(&error) => return Err(error),
        Err(error) if error.kind() == Kind::Conflict => Fate::Again,
        Err(error) => Fate::Refused(error),
    })
}

/// What is to be put on one side, in order, and for which plan each is.
struct Steps {
    adopts: Vec<(Adopt, Option<Record>)>,
    plans: Vec<usize>,
}

impl Steps {
    /// Keys that change are given up first, all of them: two memories may have exchanged theirs.
    fn of(side: Side, plans: &[&Plan]) -> Self {
        let mut steps = Steps { adopts: Vec::new(), plans: Vec::new() };
        let now = |plan: &Plan| plan.on(side).cloned();
        let mut seen: Vec<_> =
            plans.iter().map(|plan| now(plan).map(|now| now.memory.fingerprint())).collect();
        for (number, plan) in plans.iter().enumerate() {
            if let Some(now) = now(plan)
                && now.memory.key.is_some()
                && now.memory.key != plan.record.memory.key
            {
                let mut record = now.clone();
                record.memory.key = None;
                let without_key = record.memory.fingerprint();
                steps.push(number, Adopt { record, seen: seen[number] }, Some(now));
                seen[number] = Some(without_key);
            }
        }
        for (number, plan) in plans.iter().enumerate() {
            let adopt = Adopt { record: plan.record.clone(), seen: seen[number] };
            steps.push(number, adopt, now(plan));
        }
        steps
    }

    fn push(&mut self, number: usize, adopt: Adopt, now: Option<Record>) {
        self.adopts.push((adopt, now));
        self.plans.push(number);
    }
}
