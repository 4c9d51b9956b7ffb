//! Several stores behind one: each kind of scope may live in a store of its own.
//!
//! Conversations and turns live in the default store. A set that concerns one store is
//! that store's business alone; one that concerns several is rehearsed in each before it is
//! applied in any, so that what can be refused is refused before anything happened.

mod split;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, newest_first};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::memory::{Memory, Version};
use nuthatch::scope::{Scope, ScopeKind};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{Description, Finding, Listed, Store, StoreStats, TextMatches, TextQuery};

/// Several stores behind one.
pub struct CompositeStore {
    default: Arc<dyn Store>,
    routes: BTreeMap<ScopeKind, Arc<dyn Store>>,
}

impl CompositeStore {
    /// Memories of a kind of scope that has a route go there, everything else to `default`.
    #[must_use]
    pub fn new(default: Arc<dyn Store>, routes: BTreeMap<ScopeKind, Arc<dyn Store>>) -> Self {
        CompositeStore { default, routes }
    }

    fn of_scope(&self, scope: &Scope) -> &Arc<dyn Store> {
        self.routes.get(&scope.kind()).unwrap_or(&self.default)
    }

    /// Every store once, the default first.
    fn stores(&self) -> Vec<&Arc<dyn Store>> {
        let mut stores = vec![&self.default];
        for store in self.routes.values() {
            if !stores.iter().any(|known| Arc::ptr_eq(known, store)) {
                stores.push(store);
            }
        }
        stores
    }
}

#[async_trait]
impl Store for CompositeStore {
    fn describe(&self) -> Description {
        let mut url = self.default.describe().url;
        for (kind, store) in &self.routes {
            url.push_str(&format!(" {}={}", kind.name(), store.describe().url));
        }
        Description { backend: "composite".into(), url }
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        let parts = split::split(self, set).await?;
        if parts.len() > 1 {
            for part in &parts {
                part.store.rehearse(&part.set).await?;
            }
        }
        let mut answers = Vec::new();
        for part in &parts {
            answers.push(part.store.apply(&part.set).await?);
        }
        split::join(set, &parts, answers)
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        let parts = split::split(self, set).await?;
        let mut answers = Vec::new();
        for part in &parts {
            answers.push(part.store.rehearse(&part.set).await?);
        }
        split::join(set, &parts, answers)
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let mut found: BTreeMap<MemoryId, Memory> = BTreeMap::new();
        for store in self.stores() {
            found.extend(store.memories(ids).await?.into_iter().map(|memory| (memory.id, memory)));
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        let mut memories = Vec::new();
        let mut total = 0;
        let reach = Page::first(page.offset.saturating_add(page.limit));
        for store in self.stores() {
            let listed = store.list(filter, reach).await?;
            total += listed.total;
            memories.extend(listed.memories);
        }
        memories.sort_by(newest_first);
        let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let memories =
            memories.into_iter().skip(whole(page.offset)).take(whole(page.limit)).collect();
        Ok(Listed { memories, total })
    }

    async fn versions(&self, id: MemoryId) -> Result<Vec<Version>> {
        for store in self.stores() {
            let versions = store.versions(id).await?;
            if !versions.is_empty() {
                return Ok(versions);
            }
        }
        Ok(Vec::new())
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        let mut all = TextMatches { frequencies: vec![0; query.terms.len()], ..Default::default() };
        for store in self.stores() {
            let found = store.search_text(query).await?;
            all.indexed += found.indexed;
            for (sum, one) in all.frequencies.iter_mut().zip(found.frequencies) {
                *sum += one;
            }
            all.matches.extend(found.matches);
        }
        all.matches.sort_by(|a, b| b.bm25.total_cmp(&a.bm25).then(b.id.cmp(&a.id)));
        all.matches.truncate(query.limit);
        Ok(all)
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.default.sessions(page).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        self.default.turns(session, page).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        let mut sum = StoreStats::default();
        let mut categories: BTreeMap<String, u64> = BTreeMap::new();
        for store in self.stores() {
            let stats = store.stats().await?;
            sum.memories += stats.memories;
            sum.versions += stats.versions;
            sum.sessions += stats.sessions;
            sum.turns += stats.turns;
            sum.bytes += stats.bytes;
            sum.scopes.extend(stats.scopes);
            for (category, count) in stats.categories {
                *categories.entry(category).or_default() += count;
            }
        }
        sum.scopes.sort_by_key(|usage| usage.scope.to_string());
        sum.categories = categories.into_iter().collect();
        Ok(sum)
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for store in self.stores() {
            let backend = store.describe().backend;
            findings.extend(store.check().await?.into_iter().map(|finding| Finding {
                name: format!("{backend}: {}", finding.name),
                ..finding
            }));
        }
        Ok(findings)
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let total = self.stats().await?.memories;
        let mut done = 0;
        for store in self.stores() {
            let before = done;
            done += store.reindex(&|some, _| progress(before + some, total)).await?;
        }
        progress(done, total.max(done));
        Ok(done)
    }
}
