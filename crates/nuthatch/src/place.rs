//! What a request means where it is made: which project `project` is, what is seen when no
//! scope is named, where a memory goes, and what holds when the caller says nothing.
//!
//! Every door stands at a place, so that the same words mean the same through all of them.
//! It decides nothing about memories; that is the [`Engine`]'s.

use jiff::Zoned;
use jiff::tz::TimeZone;

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::autonomy::Autonomy;
use crate::category::Category;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::{Filter, Scopes, Superseded};
use crate::forget::Forgotten;
use crate::id::{MemoryId, SessionId};
use crate::memory::Memory;
use crate::preamble::PreambleRequest;
use crate::recall::Mode;
use crate::scope::Scope;
use crate::time::{self, Edge};

/// What holds when the caller says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usual {
    /// How recall looks.
    pub mode: Mode,
    /// How many hits it gives.
    pub limit: usize,
    /// How many tokens a block of memory may take.
    pub budget_tokens: usize,
}

impl Default for Usual {
    fn default() -> Self {
        Usual { mode: Mode::default(), limit: 10, budget_tokens: 5000 }
    }
}

/// Where requests are made.
#[derive(Clone)]
pub struct Place {
    engine: Engine,
    project: Scope,
    home: Scope,
    zone: TimeZone,
    usual: Usual,
    autonomy: Option<Autonomy>,
}

/// What an address names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Read {
    /// The address.
    pub address: String,
    /// What is there.
    pub text: String,
}

/// Which memories a caller means, in the caller's words.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only these scopes; the visible ones if none is named.
    pub scopes: Vec<String>,
    /// Every scope of every project: only ever by the user's own wish.
    pub all_projects: bool,
    /// Only these categories.
    pub categories: Vec<String>,
    /// Stored at or after this time, as people write it.
    pub since: Option<String>,
    /// Stored at or before this time.
    pub until: Option<String>,
    /// Whether replaced memories are wanted.
    pub superseded: Superseded,
}

impl Place {
    /// A place in `project`; what is remembered without naming a scope goes `home`.
    #[must_use]
    pub fn new(engine: Engine, project: Scope, home: Scope, zone: TimeZone) -> Self {
        Place { engine, project, home, zone, usual: Usual::default(), autonomy: None }
    }

    /// The same place with other habits.
    #[must_use]
    pub fn with_usual(mut self, usual: Usual) -> Self {
        self.usual = usual;
        self
    }

    /// The same habits over another engine, without autonomous memory: what was learnt from sessions
    /// belongs to the engine it was learnt with.
    #[must_use]
    pub fn over(&self, engine: Engine) -> Self {
        Place { engine, autonomy: None, ..self.clone() }
    }

    /// The same place with autonomous memory.
    #[must_use]
    pub fn with_autonomy(mut self, autonomy: Autonomy) -> Self {
        self.autonomy = Some(autonomy);
        self
    }

    /// Autonomous memory here.
    ///
    /// # Errors
    /// `unavailable`, where there is none.
    pub fn autonomy(&self) -> Result<&Autonomy> {
        self.autonomy.as_ref().ok_or_else(|| {
            Error::unavailable("there is no autonomous memory here")
                .with_hint("it needs sessions and a data folder, which only the command has")
        })
    }

    /// What is put in at the start of a session, from the documents of this project; empty
    /// where there is nothing.
    #[must_use]
    pub fn guidance(&self) -> String {
        self.guidance_within(usize::MAX)
    }

    /// The same with a summary of at most so many tokens.
    #[must_use]
    pub fn guidance_within(&self, tokens: usize) -> String {
        let told = self.autonomy.as_ref().and_then(|autonomy| autonomy.guide(tokens).ok());
        told.unwrap_or_default()
    }

    /// Removes memories, and takes what documents say of them out of those, too.
    ///
    /// # Errors
    /// Whatever the store says, and when documents cannot be written.
    pub async fn forget(&self, ids: &[MemoryId]) -> Result<Forgotten> {
        if let Some(autonomy) = &self.autonomy {
            autonomy.before_forgetting(ids).await?;
        }
        let gone = self.engine.forget(ids).await?;
        if let Some(autonomy) = &self.autonomy {
            autonomy.after_forgetting(&gone.forgotten).await?;
        }
        Ok(gone)
    }

    /// Removes a conversation, and what documents say of it.
    ///
    /// # Errors
    /// `not_found`, when there is none of that id.
    pub async fn forget_session(&self, id: SessionId) -> Result<Forgotten> {
        if let Some(autonomy) = &self.autonomy {
            autonomy.before_forgetting_session(&id).await?;
        }
        let gone = self.engine.forget_session(id).await?;
        if let Some(autonomy) = &self.autonomy {
            autonomy.after_forgetting(&gone.forgotten).await?;
        }
        Ok(gone)
    }

    /// What an address names.
    ///
    /// # Errors
    /// `not_found`, when there is nothing.
    pub async fn read(&self, address: &Address) -> Result<Read> {
        let text = match address {
            Address::Root => match self.guidance() {
                text if text.is_empty() => {
                    let request = PreambleRequest {
                        scopes: Scopes::These(self.visible()),
                        thread: None,
                        query: None,
                        budget_tokens: self.usual.budget_tokens,
                    };
                    self.engine.preamble(&request).await?.text
                }
                text => text,
            },
            Address::Document(name) => self.autonomy()?.document(name)?,
            Address::Memory(id) => self.engine.show(*id).await?.memory.content,
        };
        Ok(Read { address: address.to_string(), text })
    }

    /// The verbs.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The scope of the current project.
    #[must_use]
    pub fn project(&self) -> &Scope {
        &self.project
    }

    /// Where a memory goes whose scope nobody names.
    #[must_use]
    pub fn home(&self) -> &Scope {
        &self.home
    }

    /// What holds when the caller says nothing.
    #[must_use]
    pub fn usual(&self) -> &Usual {
        &self.usual
    }

    /// Now, in the caller's own time zone.
    #[must_use]
    pub fn now(&self) -> Zoned {
        self.engine.now().to_zoned(self.zone.clone())
    }

    /// A scope as people write it: `project` is the current one.
    ///
    /// # Errors
    /// `invalid`, when it is no scope.
    pub fn scope(&self, text: &str) -> Result<Scope> {
        if text == "project" { Ok(self.project.clone()) } else { text.parse() }
    }

    /// What is seen from here when nothing else is said.
    #[must_use]
    pub fn visible(&self) -> Vec<Scope> {
        vec![Scope::Global, Scope::User, self.project.clone()]
    }

    /// Where a key is looked for: in the scope that is named, or in the visible ones.
    ///
    /// # Errors
    /// `invalid`, when it is no scope.
    pub fn scopes_of_key(&self, scope: Option<&str>) -> Result<Vec<Scope>> {
        scope.map_or_else(|| Ok(self.visible()), |scope| Ok(vec![self.scope(scope)?]))
    }

    /// The memory of an id, or of a key in one of `scopes`.
    ///
    /// # Errors
    /// `not_found`, and `conflict` when several scopes have the key.
    pub async fn find(&self, name: &str, scopes: Vec<Scope>) -> Result<Memory> {
        if let Ok(id) = name.parse::<MemoryId>()
            && let Some(memory) = self.engine.store().memories(&[id]).await?.into_iter().next()
        {
            return Ok(memory);
        }
        self.engine.keyed(name, Scopes::These(scopes)).await
    }

    /// The filter of what is wanted, as seen from `session` where one is named.
    ///
    /// # Errors
    /// `invalid` for what is no scope, category or time.
    pub fn filter(&self, wanted: &Wanted, session: Option<&SessionId>) -> Result<Filter> {
        let mut filter = Filter::scoped(self.scopes(wanted, session)?);
        let categories = wanted.categories.iter().map(|name| Category::new(name.as_str()));
        filter.categories = categories.collect::<Result<_>>()?;
        let now = self.now();
        let read = |text: &Option<String>, edge| {
            text.as_deref().map(|text| time::parse(text, edge, &now)).transpose()
        };
        filter.since = read(&wanted.since, Edge::Start)?;
        filter.until = read(&wanted.until, Edge::End)?;
        filter.superseded = wanted.superseded;
        Ok(filter)
    }

    /// The scopes that are wanted, as seen from `session` where one is named.
    ///
    /// # Errors
    /// `invalid` for what is no scope.
    pub fn scopes(&self, wanted: &Wanted, session: Option<&SessionId>) -> Result<Scopes> {
        if wanted.all_projects {
            return Ok(Scopes::All);
        }
        let mut scopes = match wanted.scopes.as_slice() {
            [] => self.visible(),
            named => named.iter().map(|text| self.scope(text)).collect::<Result<_>>()?,
        };
        scopes.extend(session.cloned().map(Scope::Session));
        Ok(Scopes::These(scopes))
    }
}
