//! Memories that replace each other in a circle would all be hidden: none of them would be found.
//!
//! No store lets one be made, but two can make it together, each a part. Of those whose replacement
//! is news to one side, the youngest holds. Which one that is follows from what both sides have,
//! so a sync that breaks off and is done again comes to the same.

use std::collections::{BTreeMap, BTreeSet};

use super::Meeting;
use super::arrange::renew;
use super::merge::{self, Clash};
use super::plan::Plan;
use super::report::Side;
use super::walk::Pair;
use crate::error::Result;
use crate::id::MemoryId;

/// What is known of one memory.
struct Node {
    /// What replaces it once both sides agree; both, where each keeps what it has.
    next: Vec<MemoryId>,
    /// Whether that is news to one side.
    is_news: bool,
}

impl Meeting<'_> {
    /// Opens every circle that plans would close.
    pub(super) async fn uncircle(&mut self, plans: &mut [Plan]) -> Result<()> {
        let mut known: BTreeMap<MemoryId, Node> = BTreeMap::new();
        for plan in plans.iter() {
            let by = plan.record.memory.superseded_by;
            let has = |side| plan.on(side).is_some_and(|now| now.memory.superseded_by == by);
            let is_news = by.is_some() && !(has(Side::Here) && has(Side::There));
            known.insert(plan.id(), Node { next: by.into_iter().collect(), is_news });
        }
        self.follow(&mut known).await?;
        for plan in plans {
            let id = plan.id();
            if !known.get(&id).is_some_and(|node| node.is_news) || !is_circled(&known, id) {
                continue;
            }
            known.insert(id, Node { next: Vec::new(), is_news: false });
            plan.record.memory.superseded_by = None;
            renew(&mut plan.record.memory);
            let is_free = plan.on(Side::Here).is_some_and(|now| now.memory.is_current());
            let kept = if is_free { Side::Here } else { Side::There };
            let clash = plan.clash.get_or_insert(Clash { kept, fields: Vec::new() });
            if !clash.fields.contains(&"superseded_by") {
                clash.fields.push("superseded_by");
            }
        }
        self.note_ends(&known);
        Ok(())
    }

    /// Asks for all that news leads to.
    async fn follow(&self, known: &mut BTreeMap<MemoryId, Node>) -> Result<()> {
        let news = known.values().filter(|node| node.is_news);
        let mut ahead: BTreeSet<MemoryId> = news.flat_map(|node| node.next.clone()).collect();
        let mut seen: BTreeSet<MemoryId> = BTreeSet::new();
        loop {
            ahead.retain(|id| !seen.contains(id) && !self.ended.contains(id));
            if ahead.is_empty() {
                return Ok(());
            }
            let asked: Vec<MemoryId> =
                ahead.iter().copied().filter(|id| !known.contains_key(id)).collect();
            for pair in self.pairs(&asked).await? {
                if let Some(id) = pair.id() {
                    known.insert(id, self.node(&pair));
                }
            }
            for id in asked {
                // What is nowhere replaces nothing.
                known.entry(id).or_insert(Node { next: Vec::new(), is_news: false });
            }
            let next = ahead.iter().filter_map(|id| known.get(id)).flat_map(|node| &node.next);
            let next = next.copied().collect();
            seen.append(&mut ahead);
            ahead = next;
        }
    }

    /// What will replace a memory that is not planned for just now.
    fn node(&self, pair: &Pair) -> Node {
        let mut next: Vec<MemoryId> =
            pair.both().filter_map(|memory| memory.superseded_by).collect();
        if pair.both().any(|memory| self.is_gone(memory)) {
            return Node { next: Vec::new(), is_news: false };
        }
        if self.is_closed(pair) {
            return Node { next, is_news: false };
        }
        let is_news = match (&pair.here, &pair.there) {
            (Some(here), Some(there)) => {
                let by = merge::replaced_by(here, there, self.agreed.get(&here.id));
                next = by.into_iter().collect();
                by.is_some() && (here.superseded_by != by || there.superseded_by != by)
            }
            _ => !next.is_empty(),
        };
        Node { next, is_news }
    }

    /// Remembers what ends somewhere, so that no chain is followed for every page again.
    fn note_ends(&mut self, known: &BTreeMap<MemoryId, Node>) {
        let mut is_new = true;
        while is_new {
            is_new = false;
            // What replaces another is younger as a rule, and comes first here.
            for (id, node) in known.iter().rev() {
                let ends = |next: &MemoryId| self.ended.contains(next);
                if !self.ended.contains(id) && node.next.iter().all(ends) {
                    is_new |= self.ended.insert(*id);
                }
            }
        }
    }
}

/// Whether a memory is replaced by itself in the end, and is the youngest of those that could be
/// freed.
fn is_circled(known: &BTreeMap<MemoryId, Node>, id: MemoryId) -> bool {
    let mut seen = BTreeSet::new();
    let mut ahead: Vec<MemoryId> = known.get(&id).map(|node| node.next.clone()).unwrap_or_default();
    while let Some(at) = ahead.pop() {
        if at == id {
            return true;
        }
        if let Some(node) = known.get(&at).filter(|node| !node.is_news || at < id)
            && seen.insert(at)
        {
            ahead.extend(&node.next);
        }
    }
    false
}
