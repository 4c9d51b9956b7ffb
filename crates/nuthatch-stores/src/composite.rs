//! Several stores behind one: each kind of scope may live in a store of its own.
//!
//! A store answers only for the scopes that are routed to it; whatever else it holds is not
//! there (`child.rs`), because a store that came with a repository must not speak for the
//! user. Conversations, turns and jobs live in the default store. A set that concerns one store is
//! that store's business alone; one that concerns several (`split.rs`) is rehearsed in each
//! before it is applied in any, so that what can be refused is refused before anything
//! happened.

mod child;
mod homes;
mod join;
mod search;
mod split;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, Region, Scopes, newest_first};
use nuthatch::id::{DocId, MemoryId, ModelId, ProjectId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::{Scope, ScopeKind};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{
    Around, Description, Embedded, Finding, Job, JobKey, JobSwap, Listed, Store, StoreStats,
    Swapped, TextMatches, TextQuery, Unembedded, VectorMatch, VectorMatches, VectorQuery,
};

pub use child::check_within;

use child::Child;

/// A store for a kind of scope.
pub struct Route {
    /// The store.
    pub store: Arc<dyn Store>,
    /// How much of the kind it is trusted with.
    pub reach: Reach,
}

/// How much of a kind of scope a store is trusted with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every scope of the kind.
    Kind,
    /// Only what belongs to this project; the rest stays in the default store. Kinds that
    /// belong to no project are not narrowed.
    Only(ProjectId),
}

impl Reach {
    /// The scopes of a kind that lie within.
    #[must_use]
    pub fn region(&self, kind: ScopeKind) -> Region {
        match (self, kind) {
            (Reach::Only(project), ScopeKind::Project | ScopeKind::Plan) => {
                Region { kind, project: Some(project.clone()) }
            }
            _ => Region::kind(kind),
        }
    }
}

/// Several stores behind one.
pub struct CompositeStore {
    /// Every store once, the default first. Each scope is within reach of exactly one.
    children: Vec<Child>,
    /// Which of them has which kind, or a part of it.
    routes: BTreeMap<ScopeKind, usize>,
}

impl CompositeStore {
    /// Memories of a kind of scope that has a route go there, everything else to `default`.
    #[must_use]
    pub fn new(default: Arc<dyn Store>, routes: BTreeMap<ScopeKind, Arc<dyn Store>>) -> Self {
        let whole = |(kind, store)| (kind, Route { store, reach: Reach::Kind });
        CompositeStore::routed(default, routes.into_iter().map(whole).collect())
    }

    /// Memories of a scope within reach of a route go there, everything else to `default`.
    #[must_use]
    pub fn routed(default: Arc<dyn Store>, given: BTreeMap<ScopeKind, Route>) -> Self {
        let mut stores = vec![(default, Vec::new())];
        let mut routes = BTreeMap::new();
        for (kind, Route { store, reach }) in given {
            let known = stores.iter().position(|(known, _)| Arc::ptr_eq(known, &store));
            let number = known.unwrap_or(stores.len());
            if known.is_none() {
                stores.push((store, Vec::new()));
            }
            stores[number].1.push(reach.region(kind));
            routes.insert(kind, number);
        }
        let elsewhere = stores[1..].iter().flat_map(|(_, regions)| regions.clone()).collect();
        let outside = Scopes::outside(elsewhere);
        let children = stores.into_iter().enumerate().map(|(number, (store, regions))| {
            let reach = if number == 0 { outside.clone() } else { Scopes::within(regions) };
            Child { store, reach }
        });
        CompositeStore { children: children.collect(), routes }
    }

    /// The number of the store that a scope is kept in.
    fn home_of(&self, scope: &Scope) -> usize {
        self.children.iter().position(|child| child.reach.contains(scope)).unwrap_or(0)
    }

    fn default_store(&self) -> &dyn Store {
        &*self.children[0].store
    }
}

#[async_trait]
impl Store for CompositeStore {
    fn describe(&self) -> Description {
        let mut url = self.default_store().describe().url;
        for (kind, number) in &self.routes {
            let store = self.children[*number].store.describe().url;
            url.push_str(&format!(" {}={store}", kind.name()));
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
        join::join(set, &parts, answers)
    }

    async fn rehearse(&self, set: &ChangeSet) -> Result<Applied> {
        let parts = split::split(self, set).await?;
        let mut answers = Vec::new();
        for part in &parts {
            answers.push(part.store.rehearse(&part.set).await?);
        }
        join::join(set, &parts, answers)
    }

    async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let mut found: BTreeMap<MemoryId, Memory> = BTreeMap::new();
        for child in &self.children {
            for memory in child.memories(ids).await? {
                found.entry(memory.id).or_insert(memory);
            }
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        let mut memories = Vec::new();
        let mut total = 0;
        let reach = Page::first(page.offset.saturating_add(page.limit));
        for child in &self.children {
            let filter = child.narrowed(filter);
            // A store that is not asked cannot fail.
            if filter.scopes.is_empty() {
                continue;
            }
            let listed = child.store.list(&filter, reach).await?;
            total += listed.total;
            memories.extend(listed.memories);
        }
        memories.sort_by(newest_first);
        let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let memories =
            memories.into_iter().skip(whole(page.offset)).take(whole(page.limit)).collect();
        Ok(Listed { memories, total })
    }

    async fn versions(&self, ids: &[MemoryId]) -> Result<Vec<Version>> {
        let mut left: BTreeSet<MemoryId> = ids.iter().copied().collect();
        let mut versions = Vec::new();
        for child in &self.children {
            let ids: Vec<MemoryId> = left.iter().copied().collect();
            let held = child.memories(&ids).await?;
            let ids: Vec<MemoryId> = held.iter().map(|memory| memory.id).collect();
            if !ids.is_empty() {
                versions.extend(child.store.versions(&ids).await?);
            }
            left.retain(|id| !ids.contains(id));
        }
        versions.sort_by_key(|version| (version.memory_id, version.number));
        Ok(versions)
    }

    async fn tombstones(&self, after: Option<MemoryId>, limit: usize) -> Result<Vec<Tombstone>> {
        child::tombstones(&self.children, after, limit).await
    }

    async fn search_text(&self, query: &TextQuery) -> Result<TextMatches> {
        search::text(self, query).await
    }

    async fn words(&self, filter: &Filter, beginning: &str) -> Result<Vec<String>> {
        search::words(self, filter, beginning).await
    }

    async fn search_vectors(&self, query: &VectorQuery) -> Result<VectorMatches> {
        search::vectors(self, query).await
    }

    async fn cosines(&self, query: &VectorQuery, docs: &[DocId]) -> Result<Vec<VectorMatch>> {
        search::cosines(self, query, docs).await
    }

    async fn unembedded(
        &self,
        model: &ModelId,
        after: Option<&DocId>,
        limit: usize,
    ) -> Result<Vec<Unembedded>> {
        search::unembedded(self, model, after, limit).await
    }

    async fn put_vectors(&self, model: &ModelId, items: &[Embedded]) -> Result<u64> {
        search::put_vectors(self, model, items).await
    }

    async fn drop_vectors(&self, keep: &[ModelId]) -> Result<u64> {
        let mut dropped = 0;
        for child in &self.children {
            dropped += child.store.drop_vectors(keep).await?;
        }
        Ok(dropped)
    }

    async fn wipe(&self) -> Result<Vec<String>> {
        let mut lingers = Vec::new();
        for child in &self.children {
            lingers.extend(child.store.wipe().await?);
        }
        Ok(lingers)
    }

    async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.default_store().sessions(page).await
    }

    async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        self.default_store().turns(session, page).await
    }

    async fn around(&self, turns: &[TurnId], reach: u64) -> Result<Around> {
        self.default_store().around(turns, reach).await
    }

    async fn said(&self, ids: &[TurnId]) -> Result<Vec<Turn>> {
        self.default_store().said(ids).await
    }

    async fn jobs(&self) -> Result<Vec<Job>> {
        self.default_store().jobs().await
    }

    async fn job(&self, key: &JobKey) -> Result<Option<Job>> {
        self.default_store().job(key).await
    }

    async fn swap_job(&self, swap: &JobSwap) -> Result<Swapped> {
        self.default_store().swap_job(swap).await
    }

    async fn stats(&self) -> Result<StoreStats> {
        let mut sum = StoreStats::default();
        for (number, child) in self.children.iter().enumerate() {
            let stats = child.stats().await?;
            child::add(&mut sum, stats, number == 0);
        }
        Ok(sum)
    }

    async fn check(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for child in &self.children {
            let backend = child.store.describe().backend;
            let found = check_within(&*child.store, &child.reach).await?;
            findings.extend(found.into_iter().map(|finding| Finding {
                name: format!("{backend}: {}", finding.name),
                ..finding
            }));
        }
        Ok(findings)
    }

    async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<u64> {
        let stats = self.stats().await?;
        let total = stats.memories + stats.turns;
        let mut done = 0;
        for child in &self.children {
            let before = done;
            let tell = |some| progress(before + some, total.max(before + some));
            done += child.store.reindex(&|some, _| tell(some)).await?;
        }
        progress(done, total.max(done));
        Ok(done)
    }
}
