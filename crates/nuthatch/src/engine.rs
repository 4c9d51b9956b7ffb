//! One method per verb. An engine is a store, a clock and the rules; doors hold nothing else.
//!
//! Cheap to clone and safe to share: any number of threads and processes may work on one
//! store through engines of their own.

mod moving;
mod recording;
mod vectors;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::audit::{Asked, Auditor};
use crate::category::Category;
use crate::change::{Applied, Change, ChangeSet, Outcome, Wish};
use crate::clock::{Clock, Ids};
use crate::edit::{self, EditRequest};
use crate::error::{Error, Result};
use crate::filter::{Filter, Page, Scopes, Superseded};
use crate::forget::{self, Forgotten};
use crate::growth::{self, Grown, GrowthRequest};
use crate::guard::{Passed, sanitise_label};
use crate::id::{ChangeSetId, MemoryId, SessionId};
use crate::limits::{Rules, ScopeLimits};
use crate::memory::{Memory, Version};
use crate::preamble::{self, Preamble, PreambleRequest};
use crate::recall::{self, RecallRequest, Recalled};
use crate::remember::{self, RememberRequest, Remembered};
use crate::review::{self, Approved, Waiting};
use crate::scan::{self, Scanned};
use crate::scope::Scope;
use crate::session::{Session, Turn};
use crate::session_context::{SessionContexts, SessionEntry};
use crate::store::{Finding, Listed, ScopeUsage, Store, StoreStats};
use crate::time;

use self::vectors::Meanings;

/// A memory with everything it said before: the answer of `show` and `edit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shown {
    /// As it is now.
    pub memory: Memory,
    /// As it was, oldest first.
    pub versions: Vec<Version>,
}

/// Remembers, recalls, edits and forgets.
#[derive(Clone)]
pub struct Engine {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
    threads: Arc<SessionContexts>,
    auditor: Auditor,
    meanings: Option<Meanings>,
}

impl Engine {
    /// An engine over a store.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Engine {
            store,
            clock,
            ids,
            rules,
            threads: Arc::default(),
            auditor: Auditor::default(),
            meanings: None,
        }
    }

    /// The same engine, recording what is done through it.
    #[must_use]
    pub fn audited(self, auditor: Auditor) -> Self {
        Engine { auditor, ..self }
    }

    /// The last failure to record something, told once: what was done is done.
    #[must_use]
    pub fn audit_trouble(&self) -> Option<Error> {
        self.auditor.trouble()
    }

    /// The store underneath, for reading.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// How much of a scope is kept.
    #[must_use]
    pub fn limits_of(&self, scope: &Scope) -> ScopeLimits {
        self.rules.limits_of(scope)
    }

    async fn apply(&self, wishes: Vec<Wish>) -> Result<Applied> {
        self.apply_at(self.now(), wishes).await.map(|(applied, _)| applied)
    }

    /// Now, as exactly as every store can keep it.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        time::to_micros(self.clock.now())
    }

    /// A token that nobody else has.
    pub(crate) fn fresh(&self) -> Uuid {
        self.ids.fresh(self.now())
    }

    /// Takes wishes through the gate and into the store: what was done, and what the gate
    /// made of each.
    async fn apply_at(&self, at: Timestamp, wishes: Vec<Wish>) -> Result<(Applied, Vec<Passed>)> {
        let id = ChangeSetId(self.ids.fresh(at));
        let asked: Vec<Asked> = wishes.iter().map(|wish| Asked::of(wish.change())).collect();
        let answer = match ChangeSet::admit(id, at, wishes) {
            Ok((set, passed)) => self.store.apply(&set).await.map(|applied| (applied, passed)),
            Err(error) => Err(error),
        };
        self.auditor.note(at, &asked, answer.as_ref().map(|(applied, _)| applied));
        answer
    }

    /// Stores a memory; the same text in the same scope is the same memory.
    ///
    /// # Errors
    /// `invalid` for a text that is empty once sanitised, `not_found` when it should replace
    /// something that is not there, `conflict` when a character limit leaves no room.
    pub async fn remember(&self, request: RememberRequest) -> Result<Remembered> {
        let at = self.now();
        let id = MemoryId(self.ids.fresh(at));
        let wishes = remember::wishes(request, id, at, &self.rules);
        let (applied, _) = self.apply_at(at, wishes).await?;
        let remembered = remember::answer(applied.outcomes)?;
        if remembered.kept() && !remembered.duplicate {
            self.embed_now(&remembered.memory).await;
        }
        Ok(remembered)
    }

    /// Finds memories again, best first.
    ///
    /// # Errors
    /// `invalid` for a limit of nothing or of too much; whatever the store says.
    pub async fn recall(&self, request: &RecallRequest) -> Result<Recalled> {
        let meanings = self.meanings.as_ref();
        let means = recall::Means {
            store: &*self.store,
            embedder: meanings.map(|known| &*known.embedder),
            calibration: meanings.map(|known| &*known.calibration),
            retention: &self.rules.retention,
            now: self.now(),
        };
        recall::recall(&means, request).await
    }

    /// One memory with its versions.
    ///
    /// # Errors
    /// `not_found`, when there is none of that id.
    pub async fn show(&self, id: MemoryId) -> Result<Shown> {
        let memory = self.memory(id).await?;
        let versions = self.store.versions(&[id]).await?;
        Ok(Shown { memory, versions })
    }

    async fn memory(&self, id: MemoryId) -> Result<Memory> {
        let found = self.store.memories(&[id]).await?.into_iter().next();
        found.ok_or_else(|| Error::not_found(format!("no memory {id}")))
    }

    /// The memory of a key, looked for in the given scopes: first as it is given, then as it
    /// would have been stored.
    ///
    /// # Errors
    /// `not_found` when no scope has it, `conflict` when several do.
    pub async fn keyed(&self, key: &str, scopes: Scopes) -> Result<Memory> {
        let mut filter = Filter::scoped(scopes);
        filter.key = Some(key.to_owned());
        filter.superseded = Superseded::Shown;
        let mut found = self.store.list(&filter, Page::first(2)).await?.memories;
        // What no key can be is the key of nothing.
        let clean = sanitise_label("key", key).ok().filter(|clean| clean != key);
        if found.is_empty() && clean.is_some() {
            filter.key = clean;
            found = self.store.list(&filter, Page::first(2)).await?.memories;
        }
        match (found.pop(), found.is_empty()) {
            (Some(memory), true) => Ok(memory),
            (Some(_), false) => {
                Err(Error::conflict(format!("several scopes have the key {key:?}"))
                    .with_hint("name the scope, or use the id"))
            }
            (None, _) => Err(Error::not_found(format!("no memory has the id or key {key:?}"))),
        }
    }

    /// Memories that pass a filter, newest first.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn list(&self, filter: &Filter, page: Page) -> Result<Listed> {
        self.store.list(filter, page).await
    }

    /// How many memories pass a filter.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn count(&self, filter: &Filter) -> Result<u64> {
        Ok(self.store.list(filter, Page::first(0)).await?.total)
    }

    /// Changes a memory and keeps what it said.
    ///
    /// # Errors
    /// `not_found`, `invalid` for an edit of nothing, `conflict` when the memory has moved on,
    /// the key is taken or a limit leaves no room.
    pub async fn edit(&self, request: EditRequest) -> Result<Shown> {
        let id = request.id;
        let memory = self.memory(id).await?;
        let wish = edit::wish(request, &memory, &self.rules)?;
        self.apply(vec![wish]).await?;
        let shown = self.show(id).await?;
        self.embed_now(&shown.memory).await;
        Ok(shown)
    }

    /// Brings back what a memory said in a version, or in the last one. What it says now is
    /// kept as a version in turn.
    ///
    /// # Errors
    /// `not_found`, when there is no such memory or version.
    pub async fn undo(&self, id: MemoryId, version: Option<u32>) -> Result<Shown> {
        let Shown { memory, versions } = self.show(id).await?;
        let wish = edit::undo(&memory, &versions, version, &self.rules)?;
        self.apply(vec![wish]).await?;
        let shown = self.show(id).await?;
        self.embed_now(&shown.memory).await;
        Ok(shown)
    }

    /// Marks a memory as replaced by another, or, with none, as current again.
    ///
    /// # Errors
    /// `not_found` for either, `invalid` when it would replace itself.
    pub async fn supersede(&self, old: MemoryId, by: Option<MemoryId>) -> Result<Shown> {
        self.apply(vec![Change::Supersede { old, by }.into()]).await?;
        self.show(old).await
    }

    /// Counts one use of each memory.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn mark_used(&self, ids: &[MemoryId]) -> Result<()> {
        self.apply(vec![Change::Use { ids: ids.to_vec() }.into()]).await.map(|_| ())
    }

    /// Removes memories and everything they ever said. Ids that do not exist are passed over.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn forget(&self, ids: &[MemoryId]) -> Result<Forgotten> {
        let Applied { outcomes, lingers } =
            self.apply(vec![Change::Forget { ids: ids.to_vec() }.into()]).await?;
        match outcomes.into_iter().next() {
            Some(Outcome::Touched { ids }) => Ok(Forgotten { forgotten: ids, lingers }),
            _ => Err(Error::internal("the store did not say what was forgotten")),
        }
    }

    /// What [`forget`](Engine::forget) of everything a filter means would remove.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn meant(&self, filter: &Filter) -> Result<Vec<Memory>> {
        forget::meant(&*self.store, filter).await
    }

    /// Looks again at everything that is stored, by the rules of today. Changes nothing.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn scan(&self) -> Result<Scanned> {
        scan::everything(&*self.store).await
    }

    /// What is quarantined of what a filter means, and why.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn review(&self, filter: &Filter) -> Result<Vec<Waiting>> {
        review::waiting(&*self.store, filter).await
    }

    /// One memory as a person should see it before deciding.
    ///
    /// # Errors
    /// `not_found`, when there is none of that id.
    pub async fn examine(&self, id: MemoryId) -> Result<Waiting> {
        review::look(&*self.store, self.memory(id).await?).await
    }

    /// Makes memories the user's own word. Those that hold a secret stay as they are.
    ///
    /// # Errors
    /// `not_found` for one that is not there, `conflict` for one that was changed meanwhile.
    pub async fn approve(&self, ids: &[MemoryId]) -> Result<Approved> {
        let mut answer = Approved::default();
        let mut wishes = Vec::new();
        for id in ids {
            match review::approval(&self.examine(*id).await?, &self.rules) {
                Ok(wish) => {
                    wishes.push(wish);
                    answer.approved.push(*id);
                }
                Err(_) => answer.refused.push(*id),
            }
        }
        self.apply(wishes).await?;
        Ok(answer)
    }

    /// The conversation of a channel and a user: the same id every time, until it expires.
    ///
    /// # Errors
    /// `invalid` for an empty channel or user.
    pub async fn session(&self, channel: &str, user: &str) -> Result<Session> {
        if channel.trim().is_empty() || user.trim().is_empty() {
            return Err(Error::invalid("a conversation needs a channel and a user"));
        }
        let now = self.now();
        let fresh = SessionId::new(self.ids.fresh(now).to_string())?;
        let expire = self.rules.retention.idle_since(now);
        let mut wishes: Vec<Wish> = Vec::new();
        wishes.extend(expire.map(|idle_since| Change::ExpireSessions { idle_since }.into()));
        let (channel, user) = (channel.to_owned(), user.to_owned());
        wishes.push(Change::OpenSession { channel, user, fresh }.into());
        match self.apply_at(now, wishes).await?.0.outcomes.into_iter().last() {
            Some(Outcome::Session(session)) => Ok(*session),
            _ => Err(Error::internal("the store did not say which conversation it is")),
        }
    }

    /// Conversations, last active first.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn sessions(&self, page: Page) -> Result<Vec<Session>> {
        self.store.sessions(page).await
    }

    /// What was said in a conversation.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn turns(&self, session: &SessionId, page: Page) -> Result<Vec<Turn>> {
        self.store.turns(session, page).await
    }

    /// Removes a conversation, its turns and the memories of its scope.
    ///
    /// # Errors
    /// `not_found`, when there is none of that id.
    pub async fn forget_session(&self, id: SessionId) -> Result<Forgotten> {
        let applied = self.apply(vec![Change::ForgetSession { id: id.clone() }.into()]).await?;
        match applied.outcomes.first() {
            Some(Outcome::SessionsGone { ids }) if ids.is_empty() => {
                Err(Error::not_found(format!("no conversation {id}")))
            }
            _ => Ok(Forgotten { forgotten: Vec::new(), lingers: applied.lingers }),
        }
    }

    /// Notes something for a running thread: in RAM, for that thread alone.
    ///
    /// # Errors
    /// `invalid`, when the text is empty once sanitised.
    pub fn note(&self, thread: &str, category: Category, content: &str) -> Result<SessionEntry> {
        self.threads.note(thread, category, content, self.now())
    }

    /// What a thread noted, oldest first.
    #[must_use]
    pub fn notes(&self, thread: &str) -> Vec<SessionEntry> {
        self.threads.entries(thread)
    }

    /// Ends a thread: what it noted is gone.
    pub fn end_thread(&self, thread: &str) {
        self.threads.end(thread);
    }

    /// The block of memory for a prompt: persistent first, session context last.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn preamble(&self, request: &PreambleRequest) -> Result<Preamble> {
        let session = request.thread.as_deref().map(|thread| self.notes(thread));
        preamble::build(&*self.store, request, &session.unwrap_or_default()).await
    }

    /// What is in the store.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn stats(&self) -> Result<StoreStats> {
        self.store.stats().await
    }

    /// How memory grew and was used. Looks at every memory once.
    ///
    /// # Errors
    /// `invalid` for no days or too many; whatever the store says.
    pub async fn growth(&self, request: &GrowthRequest) -> Result<Grown> {
        growth::count(&*self.store, request, self.now()).await
    }

    /// The conversations of an agent, last active first, at most so many.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn sessions_of(&self, agent: &str, most: usize) -> Result<Vec<SessionId>> {
        growth::sessions_of(&*self.store, agent, most).await
    }

    /// What one scope holds.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn usage(&self, scope: &Scope) -> Result<ScopeUsage> {
        let known = self.store.stats().await?.scopes.into_iter().find(|u| u.scope == *scope);
        Ok(known.unwrap_or(ScopeUsage { scope: scope.clone(), entries: 0, chars: 0 }))
    }

    /// Tries whether a memory could be stored right now, and leaves everything as it is.
    ///
    /// # Errors
    /// Whatever the store says.
    pub async fn rehearse_write(&self) -> Result<()> {
        let at = self.now();
        let request = RememberRequest::new("whether a memory can be stored", Scope::Global);
        let wishes = remember::wishes(request, MemoryId(self.ids.fresh(at)), at, &self.rules);
        let (set, _) = ChangeSet::admit(ChangeSetId(self.ids.fresh(at)), at, wishes)?;
        self.store.rehearse(&set).await.map(|_| ())
    }

    /// Looks for damage.
    ///
    /// # Errors
    /// Only when it cannot look at all.
    pub async fn health(&self) -> Result<Vec<Finding>> {
        self.store.check().await
    }
}
