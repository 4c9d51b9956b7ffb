//! What is to become of memories that differ, and the writing of it.
//!
//! A side gets a state only if it is still as it was seen: what somebody writes in between is
//! looked at again. Where something in a set is refused, each is tried by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::agreed::Agreed;
use super::arrange::cleaned;
use super::merge::{self, Clash};
use super::report::{Side, SyncConflict};
use super::walk::Pair;
use super::{BATCH, Meeting};
use crate::audit::Asked;
use crate::change::{Adopt, Applied, Change, ChangeSet, Outcome, Pick, Wish};
use crate::error::{Error, Kind, Result};
use crate::guard::Verdict;
use crate::id::{ChangeSetId, MemoryId};
use crate::memory::{Memory, Record, Tombstone};
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

    fn is_done(&self, side: Side) -> bool {
        self.sides.get(&side).and_then(Option::as_ref).is_some_and(|now| {
            now.memory.fingerprint() == self.record.memory.fingerprint()
                && now.versions == self.record.versions
        })
    }
}

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
        let mut plans = Vec::new();
        for pair in pairs {
            plans.extend(self.plan(pair).await?);
        }
        self.carry_out(plans).await
    }

    /// Looks again at what somebody was in the way of.
    pub(super) async fn settle_again(&mut self) -> Result<()> {
        let ids: Vec<MemoryId> = std::mem::take(&mut self.again).into_iter().collect();
        let mut plans = Vec::new();
        for id in ids {
            plans.extend(self.plan(self.pair(id).await?).await?);
        }
        let plans = self.settle_keys(plans).await?;
        self.carry_out(plans).await
    }

    pub(super) async fn pair(&self, id: MemoryId) -> Result<Pair> {
        let here = self.here.memories(&[id]).await?.pop();
        let there = self.there.memories(&[id]).await?.pop();
        Ok(Pair { here, there })
    }

    /// What was seen on one side alone is looked for on the other: somebody may have written it
    /// just now, or it is of another time there.
    async fn completed(&self, mut pairs: Vec<Pair>) -> Result<Vec<Pair>> {
        for side in [Side::Here, Side::There] {
            let lacks = |pair: &Pair| match side {
                Side::Here => pair.here.is_none(),
                Side::There => pair.there.is_none(),
            };
            let ids: Vec<MemoryId> =
                pairs.iter().filter(|pair| lacks(pair)).filter_map(Pair::id).collect();
            if ids.is_empty() {
                continue;
            }
            let found = self.store(side).memories(&ids).await?;
            let mut found: BTreeMap<MemoryId, Memory> =
                found.into_iter().map(|memory| (memory.id, memory)).collect();
            for pair in pairs.iter_mut().filter(|pair| lacks(pair)) {
                let other = pair.id().and_then(|id| found.remove(&id));
                match side {
                    Side::Here => pair.here = other,
                    Side::There => pair.there = other,
                }
            }
        }
        Ok(pairs)
    }

    /// What a pair shall become; none where nothing is to be done.
    pub(super) async fn plan(&mut self, pair: Pair) -> Result<Option<Plan>> {
        let Pair { here, there } = &pair;
        let both = || here.iter().chain(there);
        let Some(id) = pair.id() else { return Ok(None) };
        let shared = &self.syncer.request.scopes;
        if both().any(|memory| self.is_gone(memory) || !shared.contains(&memory.scope)) {
            return Ok(None);
        }
        if !self.syncer.request.quarantined
            && both().any(|memory| memory.trust == Trust::Quarantined)
        {
            self.synced.held_back += 1;
            return Ok(None);
        }
        if let (Some(here), Some(there)) = (here, there)
            && here.fingerprint() == there.fingerprint()
        {
            self.synced.same += 1;
            self.agreed.insert(id, Agreed::of(here));
            return Ok(None);
        }
        let agreed = self.agreed.get(&id);
        if let (Some(only), None) | (None, Some(only)) = (here, there)
            && agreed.is_some_and(|agreed| agreed.is(only))
        {
            self.synced.pushed_out += 1;
            return Ok(None);
        }
        let here = self.record(Side::Here, pair.here.as_ref()).await?;
        let there = self.record(Side::There, pair.there.as_ref()).await?;
        let (record, clash) = match (&here, &there) {
            (Some(here), Some(there)) => {
                let merged = merge::merge(here, there, agreed);
                (merged.record, merged.clash)
            }
            (Some(only), None) => (self.untwinned(Side::There, only.clone()).await?, None),
            (None, Some(only)) => (self.untwinned(Side::Here, only.clone()).await?, None),
            (None, None) => return Ok(None),
        };
        let record = self.uncircled(cleaned(record)).await?;
        let sides = BTreeMap::from([(Side::Here, here), (Side::There, there)]);
        Ok(Some(Plan { record, sides, clash }))
    }

    pub(super) async fn record(
        &self,
        side: Side,
        memory: Option<&Memory>,
    ) -> Result<Option<Record>> {
        let Some(memory) = memory else { return Ok(None) };
        let versions = self.store(side).versions(memory.id).await?;
        Ok(Some(Record { memory: memory.clone(), versions }))
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
                let was_there = plan.sides.get(&side).is_some_and(Option::is_some);
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
        let now = |plan: &Plan| plan.sides.get(&side).and_then(Clone::clone);
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
