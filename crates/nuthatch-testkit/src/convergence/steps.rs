//! What happens to two stores, step by step: all that people do to memories, and meetings.
//! What must hold at the end is in `convergence.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use jiff::SignedDuration;
use nuthatch::Engine;
use nuthatch::change::{Change, ChangeSet, Edit, Patch};
use nuthatch::clock::{Clock as _, Ids as _};
use nuthatch::edit::EditRequest;
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{ChangeSetId, MemoryId};
use nuthatch::limits::{Limits, Rules, ScopeLimits};
use nuthatch::memory::Memory;
use nuthatch::remember::RememberRequest;
use nuthatch::scope::Scope;
use nuthatch::sync::{Agreements, SyncRequest, Unremembered};
use nuthatch::trust::Trust;

use super::{Story, is_private};
use crate::fakes::SequentialIds;
use crate::unsteady::{Meddler, Unsteady};

/// So many requests that a line does not break.
const STEADY: i64 = 1 << 40;
/// Requests of one side in a sync of a page, and a few more.
const REQUESTS: u64 = 14;

impl Story {
    pub(super) async fn step(&mut self) {
        let side = self.rng.below(2) as usize;
        let by = SignedDuration::from_secs(self.rng.below(40) as i64);
        self.parties[side].clock.advance(by);
        match self.rng.below(24) {
            0..=4 => self.remember(side).await,
            5..=7 => self.edit(side).await,
            8..=10 => self.mark(side).await,
            11 => self.forget(side).await,
            12 => self.supersede(side).await,
            13 => self.rename(side).await,
            14 => self.ring().await,
            15 => self.rival().await,
            16 => self.keep_private(side).await,
            17 => self.change_private(side).await,
            _ => self.meet().await,
        }
    }

    fn text(&mut self) -> String {
        self.counter += 1;
        format!("the harbour of day {} opens at {}", self.counter, self.rng.below(24))
    }

    fn key(&mut self) -> Option<String> {
        self.rng.chance(3).then(|| format!("key {}", self.rng.below(4)))
    }

    async fn all(&self, side: usize) -> Vec<Memory> {
        let listed = self.parties[side].store.list(&Filter::everything(), Page::first(1000)).await;
        listed.expect("a list").memories
    }

    fn one_of(&mut self, memories: &[Memory]) -> Option<MemoryId> {
        let place = self.rng.below(memories.len() as u64) as usize;
        memories.get(place).map(|memory| memory.id)
    }

    /// A memory that is shared.
    async fn any(&mut self, side: usize) -> Option<MemoryId> {
        let mut memories = self.all(side).await;
        memories.retain(|memory| !is_private(memory));
        self.one_of(&memories)
    }

    fn note(&mut self, id: MemoryId, text: String) {
        self.expected.said.entry(id).or_default().insert(text);
    }

    async fn remember(&mut self, side: usize) {
        let (scope, key) = (self.scope(), self.key());
        self.remember_as(side, scope, key).await;
    }

    fn scope(&mut self) -> Scope {
        let scope = if self.rng.chance(2) { "global" } else { "project:alpha" };
        scope.parse().expect("a scope")
    }

    async fn remember_as(&mut self, side: usize, scope: Scope, key: Option<String>) -> MemoryId {
        let text = self.text();
        let mut request = RememberRequest::new(text.clone(), scope);
        request.key = key;
        let stored = self.parties[side].engine.remember(request).await.expect("remembering");
        self.note(stored.memory.id, text);
        stored.memory.id
    }

    /// Each side gives one key to a memory, which are two unless both knew it.
    async fn rival(&mut self) {
        let (scope, key) = (self.scope(), Some(format!("key {}", self.rng.below(4))));
        let here = self.remember_as(0, scope.clone(), key.clone()).await;
        let there = self.remember_as(1, scope, key).await;
        self.expected.rivals += u64::from(here != there);
    }

    async fn edit(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        let text = self.text();
        let mut request = EditRequest::new(id);
        request.content = Some(text.clone());
        self.parties[side].engine.edit(request).await.expect("editing");
        self.note(id, text);
    }

    async fn mark(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        self.touched = Some(id);
        let mut request = EditRequest::new(id);
        request.pinned = Some(self.rng.chance(2));
        self.counter += 1;
        let mark = format!("mark {}", self.counter);
        request.metadata = BTreeMap::from([(mark.clone(), "set".to_owned())]);
        self.parties[side].engine.edit(request).await.expect("marking");
        self.expected.marks.entry(id).or_default().insert(mark);
    }

    async fn rename(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        let mut request = EditRequest::new(id);
        request.key = Some(self.key());
        // A key that somebody has is refused.
        let _ = self.parties[side].engine.edit(request).await;
    }

    async fn forget(&mut self, side: usize) {
        let Some(id) = self.any(side).await else { return };
        self.parties[side].engine.forget(&[id]).await.expect("forgetting");
        self.expected.forgotten.insert(id);
    }

    async fn supersede(&mut self, side: usize) {
        let (Some(old), Some(by)) = (self.any(side).await, self.any(side).await) else { return };
        let by = (!self.rng.chance(4)).then_some(by);
        // Circles, and memories of themselves, are refused.
        let _ = self.parties[side].engine.supersede(old, by).await;
    }

    /// Two to four memories that both have come to replace each other in a circle, of which each
    /// side makes a part.
    async fn ring(&mut self) {
        let (mut here, there) = (self.all(0).await, self.all(1).await);
        here.retain(|memory| {
            !is_private(memory) && there.iter().any(|other| other.id == memory.id)
        });
        let size = 2 + self.rng.below(3) as usize;
        let mut ring = Vec::new();
        for _ in 0..size {
            ring.extend(self.one_of(&here));
            here.retain(|memory| !ring.contains(&memory.id));
        }
        if ring.len() < size {
            return;
        }
        let mut made = [0, 0];
        for (place, old) in ring.iter().enumerate() {
            let by = ring[(place + 1) % size];
            // Whoever makes one part first, the rest is for the other.
            let side = if place == 0 { 0 } else { self.rng.below(2) as usize };
            let side = if place + 1 == size && made[1] == 0 { 1 } else { side };
            let done = self.parties[side].engine.supersede(*old, Some(by)).await;
            made[side] += usize::from(done.is_ok());
        }
        self.expected.rings += u64::from(made[0] + made[1] == size);
    }

    /// What is the person's own, or looked suspicious: nobody asked for it to be shared.
    async fn keep_private(&mut self, side: usize) {
        let text = self.text();
        let is_own = self.rng.chance(2);
        let scope = if is_own { Scope::User } else { Scope::Global };
        let mut request = RememberRequest::new(text.clone(), scope);
        request.trust = (!is_own).then_some(Trust::Quarantined);
        let stored = self.parties[side].engine.remember(request).await.expect("remembering");
        self.expected.private[side].insert(stored.memory.id);
        self.expected.kept[side].insert(stored.memory.id);
        self.note(stored.memory.id, text);
    }

    async fn change_private(&mut self, side: usize) {
        let mut memories = self.all(side).await;
        memories.retain(is_private);
        let Some(id) = self.one_of(&memories) else { return };
        if self.rng.chance(4) {
            self.parties[side].engine.forget(&[id]).await.expect("forgetting");
            self.expected.forgotten.insert(id);
            self.expected.private[side].remove(&id);
            return;
        }
        let text = self.text();
        let mut request = EditRequest::new(id);
        request.content = Some(text.clone());
        self.parties[side].engine.edit(request).await.expect("editing");
        self.note(id, text);
    }

    /// Somebody edits a memory of a side while the sync is on its way.
    async fn meddler(&mut self, side: usize) -> Option<(Meddler, MemoryId, String)> {
        // What was marked last is in the way of most: it has to be told to one of the sides.
        let touched = self.touched.take().filter(|_| !self.rng.chance(4));
        let held = self.all(side).await;
        let id = match touched.filter(|id| held.iter().any(|memory| memory.id == *id)) {
            Some(id) => id,
            None if self.rng.chance(2) => self.any(side).await?,
            None => return None,
        };
        let (text, wrote) = (self.text(), Arc::new(AtomicBool::new(false)));
        let patch = Patch { content: Some(text.clone()), ..Patch::default() };
        let edit = Edit { id, expected: None, limits: ScopeLimits::NONE, patch };
        let at = self.parties[side].clock.now();
        let set = SequentialIds::starting_at((3 << 32) + self.counter).fresh(at);
        let change = Change::Edit(Box::new(edit));
        let set = ChangeSet::unguarded(ChangeSetId(set), at, vec![change]);
        let after = AtomicI64::new(self.rng.below(REQUESTS) as i64);
        Some((Meddler { after, set, wrote }, id, text))
    }

    /// A sync that may break off on either side, while others write, by somebody who may not
    /// remember the last one.
    async fn meet(&mut self) {
        let mut left = [STEADY, STEADY];
        let side = self.rng.below(2) as usize;
        if !self.rng.chance(3) {
            left[side] = self.rng.below(REQUESTS) as i64;
        }
        let busy = self.rng.below(2) as usize;
        let meddling = self.meddler(busy).await;
        let wrote = meddling
            .as_ref()
            .map(|(meddler, id, text)| (Arc::clone(&meddler.wrote), *id, text.clone()));
        let mut meddler = meddling.map(|(meddler, ..)| meddler);
        let counters = left.map(|left| Arc::new(AtomicI64::new(left)));
        let mut lines = [0, 1].map(|side: usize| {
            let store = Arc::clone(&self.parties[side].store);
            let line = Unsteady::new(store, Arc::clone(&counters[side]));
            Some(line.meddled(if side == busy { meddler.take() } else { None }))
        });
        let (near, far) = (lines[0].take().expect("one"), lines[1].take().expect("another"));
        let rules = Rules::limited(Limits::NONE);
        let ids = Arc::new(SequentialIds::starting_at((2 << 32) + self.counter * 1000));
        self.counter += 1;
        let engine = Engine::new(Arc::new(near), self.parties[0].clock.clone(), ids, rules);
        let forgetful = self.rng.chance(4);
        let agreements: &dyn Agreements = if forgetful { &Unremembered } else { &self.agreements };
        match engine.sync(&far, &SyncRequest::usual(), agreements, &|_, _| {}).await {
            Ok(synced) => self.expected.conflicts += synced.conflicts.len(),
            Err(_) => self.expected.broken[side] += 1,
        }
        if let Some((_, id, text)) = wrote.filter(|(wrote, ..)| wrote.load(Ordering::SeqCst)) {
            self.expected.meddled += 1;
            self.note(id, text);
        }
    }
}
