//! One store of several, held to the scopes that are routed to it.
//!
//! What else it holds is neither read nor counted nor changed; only a check tells of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::MemoryId;
use nuthatch::memory::{Memory, Tombstone};
use nuthatch::store::{Finding, ScopeUsage, Store, StoreStats};

/// A store and the scopes it answers for.
pub struct Child {
    pub store: Arc<dyn Store>,
    pub reach: Scopes,
}

impl Child {
    /// A filter, less what this store does not answer for.
    pub fn narrowed(&self, filter: &Filter) -> Filter {
        Filter { scopes: filter.scopes.narrowed(&self.reach), ..filter.clone() }
    }

    /// The memories of these ids that it answers for.
    pub async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let mut found = self.store.memories(ids).await?;
        found.retain(|memory| self.reach.contains(&memory.scope));
        Ok(found)
    }

    /// What is in it, of what it answers for. Size on disk, conversations and turns belong
    /// to no scope and are the whole store's.
    pub async fn stats(&self) -> Result<StoreStats> {
        let mut stats = self.store.stats().await?;
        let outside = foreign(&mut stats, &self.reach);
        if outside.is_empty() {
            return Ok(stats);
        }
        let scopes = outside.into_iter().map(|usage| usage.scope).collect();
        let filter = Filter { scopes: Scopes::These(scopes), ..Filter::everything() };
        let memories = self.store.list(&filter, Page::first(u64::MAX)).await?.memories;
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let versions = self.store.versions(&ids).await?.len() as u64;
        stats.versions = stats.versions.saturating_sub(versions);
        for memory in memories {
            stats.memories = stats.memories.saturating_sub(1);
            for (_, count) in
                stats.categories.iter_mut().filter(|(name, _)| name == memory.category.as_str())
            {
                *count = count.saturating_sub(1);
            }
        }
        stats.categories.retain(|(_, count)| *count > 0);
        Ok(stats)
    }
}

/// What was forgotten of what each store answers for, in the order of its ids. The same id in two
/// stores counts once, with its later time.
pub async fn tombstones(
    children: &[Child],
    after: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<Tombstone>> {
    let mut found: BTreeMap<MemoryId, Tombstone> = BTreeMap::new();
    for child in children {
        let (mut from, mut own) = (after, 0);
        while own < limit {
            let batch = child.store.tombstones(from, limit).await?;
            let Some(last) = batch.last() else { break };
            from = Some(last.id);
            for one in batch.into_iter().filter(|one| child.reach.contains(&one.scope)) {
                own += 1;
                match found.get(&one.id) {
                    Some(known) if known.at >= one.at => {}
                    _ => drop(found.insert(one.id, one)),
                }
            }
        }
    }
    Ok(found.into_values().take(limit).collect())
}

/// Takes the scopes out that lie outside.
fn foreign(stats: &mut StoreStats, reach: &Scopes) -> Vec<ScopeUsage> {
    let (inside, outside) =
        std::mem::take(&mut stats.scopes).into_iter().partition(|u| reach.contains(&u.scope));
    stats.scopes = inside;
    outside
}

/// Adds what is in one store to a sum over several. Conversations count in the default
/// store alone, where they are looked for.
pub fn add(sum: &mut StoreStats, stats: StoreStats, is_default: bool) {
    if is_default {
        sum.sessions = stats.sessions;
        sum.turns = stats.turns;
    }
    sum.memories += stats.memories;
    sum.versions += stats.versions;
    sum.bytes += stats.bytes;
    for usage in stats.vectors {
        match sum.vectors.iter_mut().find(|known| known.model == usage.model) {
            Some(known) => {
                known.documents += usage.documents;
                known.pending += usage.pending;
                known.passages += usage.passages;
            }
            None => sum.vectors.push(usage),
        }
    }
    sum.vectors.sort_by(|a, b| a.model.cmp(&b.model));
    let mut scopes: BTreeMap<String, ScopeUsage> = BTreeMap::new();
    for usage in sum.scopes.drain(..).chain(stats.scopes) {
        let empty = ScopeUsage { scope: usage.scope.clone(), entries: 0, chars: 0 };
        let known = scopes.entry(usage.scope.to_string()).or_insert(empty);
        known.entries += usage.entries;
        known.chars += usage.chars;
    }
    sum.scopes = scopes.into_values().collect();
    let mut categories: BTreeMap<String, u64> = BTreeMap::new();
    for (category, count) in sum.categories.drain(..).chain(stats.categories) {
        *categories.entry(category).or_default() += count;
    }
    sum.categories = categories.into_iter().collect();
}

/// What a store's own check finds, and whether it holds memories that nobody asks it for.
///
/// # Errors
/// Whatever the store says.
pub async fn check_within(store: &dyn Store, reach: &Scopes) -> Result<Vec<Finding>> {
    let mut findings = store.check().await?;
    let outside = foreign(&mut store.stats().await?, reach);
    let count: u64 = outside.iter().map(|usage| usage.entries).sum();
    if count > 0 {
        let kinds: BTreeSet<&str> = outside.iter().map(|usage| usage.scope.kind().name()).collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        let memories = if count == 1 { "1 memory".into() } else { format!("{count} memories") };
        findings.push(Finding::warning(
            "scopes",
            format!("{memories} of {} that this store is not asked for", kinds.join(", ")),
            "nothing reads them here; `nuthatch list --all-projects --store URL` shows them",
        ));
    }
    Ok(findings)
}
