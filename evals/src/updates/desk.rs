//! One user's beliefs in one store, remembered and recalled as that user would.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use nuthatch::category::Category;
use nuthatch::edit::EditRequest;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::{MemoryId, ProjectId};
use nuthatch::recall::RecallRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::scope::Scope;

use super::belief::Belief;
use crate::embedding::Choice;
use crate::world::World;

/// What of a belief becomes the text of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wording {
    /// Name, other names, content and why it matters, as the benchmark gives everybody.
    Whole,
    /// Without why it matters.
    WithoutWhy,
}

impl Wording {
    pub(super) const ALL: [Wording; 2] = [Wording::Whole, Wording::WithoutWhy];

    pub(super) fn name(self) -> &'static str {
        match self {
            Wording::Whole => "whole text",
            Wording::WithoutWhy => "without the reason",
        }
    }
}

/// Which kinds of beliefs a recall asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Routing {
    /// Beliefs, not questions that are open or settled: by category, as the benchmark's own
    /// reader does.
    Beliefs,
    /// Whatever there is.
    Everything,
}

impl Routing {
    pub(super) const ALL: [Routing; 2] = [Routing::Beliefs, Routing::Everything];

    pub(super) fn name(self) -> &'static str {
        match self {
            Routing::Beliefs => "categories of beliefs",
            Routing::Everything => "every category",
        }
    }
}

/// A user's store, and which memory is which belief.
pub(super) struct Desk {
    world: World,
    wording: Wording,
    routing: Routing,
    beliefs: BTreeMap<String, Belief>,
    /// A belief of several scopes is a memory in each.
    memories: BTreeMap<MemoryId, String>,
}

impl Desk {
    /// A store that holds these beliefs, the replaced ones superseded.
    pub(super) async fn seeded(
        beliefs: &[&Belief],
        (wording, routing): (Wording, Routing),
        embedder: &Choice,
    ) -> anyhow::Result<Desk> {
        let world = World::open(None, embedder).await?;
        let (known, memories) = (BTreeMap::new(), BTreeMap::new());
        let mut desk = Desk { world, wording, routing, beliefs: known, memories };
        // What is replaced was there first: successors come after all they replace.
        let mut waiting: Vec<&Belief> = beliefs.to_vec();
        while !waiting.is_empty() {
            let open: BTreeSet<&str> =
                waiting.iter().filter_map(|belief| belief.superseded_by.as_deref()).collect();
            let (later, now): (Vec<&Belief>, Vec<&Belief>) =
                waiting.iter().partition(|belief| open.contains(belief.id.as_str()));
            anyhow::ensure!(!now.is_empty(), "beliefs replace each other in a circle");
            for belief in now {
                desk.remember(belief).await?;
            }
            waiting = later;
        }
        Ok(desk)
    }

    /// Remembers a belief in each of its scopes; what it replaces is superseded.
    pub(super) async fn remember(&mut self, belief: &Belief) -> anyhow::Result<()> {
        self.world.clock.set(belief.created_at);
        for name in &belief.scope {
            let mut request = RememberRequest::new(self.text(belief), scope(name)?);
            request.category = Some(Category::new(category(belief))?);
            request.pinned = belief.pinned;
            request.supersedes = self.replaced_by(&belief.id);
            let remembered = self.world.engine.remember(request).await?;
            self.memories.insert(remembered.memory.id, belief.id.clone());
        }
        self.world.clock.set(None);
        self.beliefs.insert(belief.id.clone(), belief.clone());
        self.world.settle().await?;
        Ok(())
    }

    /// Gives a belief further names.
    pub(super) async fn add_names(&mut self, id: &str, names: &[String]) -> anyhow::Result<()> {
        let belief = self.beliefs.get_mut(id).with_context(|| format!("no belief {id}"))?;
        belief.aliases.extend(names.iter().cloned());
        let belief = belief.clone();
        let ids = self.memories.iter().filter(|(_, known)| *known == id).map(|(memory, _)| *memory);
        for memory in ids.collect::<Vec<_>>() {
            let mut request = EditRequest::new(memory);
            request.content = Some(self.text(&belief));
            self.world.engine.edit(request).await?;
        }
        self.world.settle().await?;
        Ok(())
    }

    /// What recall adds to the pinned beliefs, best first.
    pub(super) async fn relevant(
        &self,
        query: &str,
        scopes: &[String],
        most: Option<usize>,
    ) -> anyhow::Result<Vec<String>> {
        let limit = most.unwrap_or(usize::MAX);
        if query.trim().is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let named: Vec<Scope> = scopes.iter().map(|name| scope(name)).collect::<Result<_, _>>()?;
        let mut filter = Filter::scoped(Scopes::These(named));
        if self.routing == Routing::Beliefs {
            let kinds = ["preference", "decision", "entity", "relation"];
            filter.categories =
                kinds.iter().map(|k| Category::new(*k)).collect::<Result<_, _>>()?;
        }
        let request = RecallRequest { filter, ..World::recall_request(query) };
        let recalled = self.world.engine.recall(&request).await?;
        let pinned = self.pinned(scopes);
        let mut found: Vec<String> = Vec::new();
        for id in World::memories_of(&recalled).filter_map(|memory| self.memories.get(&memory)) {
            if !pinned.contains(id.as_str()) && !found.contains(id) {
                found.push(id.clone());
            }
        }
        found.extend(self.participants(&found, scopes, &pinned));
        found.truncate(limit.saturating_sub(pinned.len()));
        Ok(found)
    }

    /// Whether a belief is pinned.
    pub(super) fn is_pinned(&self, id: &str) -> bool {
        self.beliefs.get(id).is_some_and(|belief| belief.pinned)
    }

    /// The facts that are shown with every question in these scopes.
    fn pinned(&self, scopes: &[String]) -> BTreeSet<&str> {
        let shown = |belief: &&Belief| {
            belief.pinned
                && belief.kind != "open_question"
                && belief.superseded_by.is_none()
                && belief.resolved_at.is_none()
                && belief.scope.iter().any(|scope| scopes.contains(scope))
        };
        self.beliefs.values().filter(shown).map(|belief| belief.id.as_str()).collect()
    }

    /// What the relations among `found` speak of.
    fn participants(
        &self,
        found: &[String],
        scopes: &[String],
        pinned: &BTreeSet<&str>,
    ) -> Vec<String> {
        let mut more: Vec<String> = Vec::new();
        let relations = found.iter().filter_map(|id| self.beliefs.get(id));
        for id in relations.filter(|b| b.kind == "relation").flat_map(|b| &b.participants) {
            let fits = self.beliefs.get(id).is_some_and(|belief| {
                belief.kind != "open_question"
                    && belief.scope.iter().any(|scope| scopes.contains(scope))
            });
            if fits && !pinned.contains(id.as_str()) && !found.contains(id) && !more.contains(id) {
                more.push(id.clone());
            }
        }
        more
    }

    /// The memories of beliefs that `id` replaces.
    fn replaced_by(&self, id: &str) -> Vec<MemoryId> {
        let replaced = |known: &String| {
            self.beliefs.get(known).is_some_and(|b| b.superseded_by.as_deref() == Some(id))
        };
        self.memories.iter().filter(|(_, known)| replaced(known)).map(|(m, _)| *m).collect()
    }

    fn text(&self, belief: &Belief) -> String {
        let why = belief.why.as_deref().filter(|_| self.wording == Wording::Whole);
        let names = std::iter::once(belief.canonical_name.as_str());
        let names = names.chain(belief.aliases.iter().map(String::as_str));
        names.chain([belief.content.as_str()]).chain(why).collect::<Vec<_>>().join(" ")
    }
}

/// What kind of memory a belief is: a question that is settled is no open one.
fn category(belief: &Belief) -> String {
    match (&belief.resolved_at, belief.subtype.as_deref()) {
        (Some(_), _) => format!("settled_{}", belief.kind),
        (None, Some(subtype)) => subtype.to_owned(),
        (None, None) => belief.kind.clone(),
    }
}

/// `user:universal` is the person, any domain a project.
fn scope(name: &str) -> anyhow::Result<Scope> {
    match name.split_once(':') {
        Some(("domain", domain)) => Ok(Scope::Project(ProjectId::new(domain)?)),
        _ => Ok(Scope::User),
    }
}
