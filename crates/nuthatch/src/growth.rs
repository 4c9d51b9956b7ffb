//! How memory grew and was used: day by day, by trust, by origin, by agent.
//!
//! Counted by looking at every memory once, in batches, so that no store needs a count of its
//! own for it. Nothing of what memories say is in the answer. What is in the store right now,
//! scope by scope, is [`crate::store::StoreStats`].

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::filter::{Cursor, Filter, Page, Scopes, Superseded};
use crate::id::SessionId;
use crate::memory::Memory;
use crate::session::Session;
use crate::store::Store;
use crate::trust::{Origin, Trust};

/// Memories and conversations looked at in one go: bounds memory, not the answer.
const BATCH: u64 = 1000;
/// Most days that are told apart: two years fit on a screen.
pub const MOST_DAYS: u32 = 731;

/// What is counted.
#[derive(Clone, Debug)]
pub struct GrowthRequest {
    /// Whose memories.
    pub scopes: Scopes,
    /// So many days, up to and with today.
    pub days: u32,
    /// What a day is.
    pub zone: TimeZone,
}

/// How memory grew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Grown {
    /// One for each day, oldest first.
    pub days: Vec<Day>,
    /// Memories that are there now, replaced ones included.
    pub memories: u64,
    /// How many of them were replaced by others.
    pub replaced: u64,
    /// How many are pinned.
    pub pinned: u64,
    /// How often they were used, all together.
    pub uses: u64,
    /// How many are believed how far.
    pub trust: BTreeMap<Trust, u64>,
    /// How many were said by whom.
    pub origins: BTreeMap<Origin, u64>,
    /// Agents whose conversations are stored, and how many of them.
    pub agents: BTreeMap<String, u64>,
}

/// One day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Day {
    /// Which, for example `2026-03-01`.
    pub date: String,
    /// Memories first stored on it, as far as they are still there.
    pub stored: u64,
    /// Memories last used on it.
    pub used: u64,
    /// Memories stored until its end, as far as they are still there.
    pub held: u64,
}

/// Counts.
pub(crate) async fn count(
    store: &dyn Store,
    request: &GrowthRequest,
    now: Timestamp,
) -> Result<Grown> {
    if request.days == 0 || request.days > MOST_DAYS {
        return Err(Error::invalid(format!("1 to {MOST_DAYS} days can be told apart")));
    }
    let mut tally = Tally::new(request, now);
    let mut filter = Filter::scoped(request.scopes.clone());
    filter.superseded = Superseded::Shown;
    loop {
        let batch = store.list(&filter, Page::first(BATCH)).await?.memories;
        let Some(last) = batch.last() else { break };
        filter.after = Some(Cursor::at(last));
        batch.iter().for_each(|memory| tally.see(memory));
    }
    for session in sessions(store).await? {
        if request.scopes.contains(&session.scope()) {
            tally.hear(session);
        }
    }
    Ok(tally.done())
}

/// Every conversation there is.
async fn sessions(store: &dyn Store) -> Result<Vec<Session>> {
    let mut found = Vec::new();
    loop {
        let page = Page { offset: found.len() as u64, limit: BATCH };
        let batch = store.sessions(page).await?;
        if batch.is_empty() {
            return Ok(found);
        }
        found.extend(batch);
    }
}

/// The conversations of an agent, last active first, at most so many.
pub(crate) async fn sessions_of(
    store: &dyn Store,
    agent: &str,
    most: usize,
) -> Result<Vec<SessionId>> {
    let own = sessions(store).await?.into_iter().filter(|s| s.agent.as_deref() == Some(agent));
    Ok(own.map(|session| session.id).take(most).collect())
}

/// What has been counted so far.
struct Tally {
    zone: TimeZone,
    first: Date,
    before: u64,
    grown: Grown,
}

impl Tally {
    fn new(request: &GrowthRequest, now: Timestamp) -> Self {
        let today = now.to_zoned(request.zone.clone()).date();
        let first = today.saturating_sub(i64::from(request.days - 1).days());
        let date = |day: u32| first.saturating_add(i64::from(day).days()).to_string();
        let days = (0..request.days).map(date);
        let days = days.map(|date| Day { date, stored: 0, used: 0, held: 0 }).collect();
        let grown = Grown { days, ..Grown::default() };
        Tally { zone: request.zone.clone(), first, before: 0, grown }
    }

    /// The place of a time among the days; nothing, where it lies before or after them.
    fn day(&self, at: Timestamp) -> Option<usize> {
        let date = at.to_zoned(self.zone.clone()).date();
        let since = self.first.until(date).ok()?.get_days();
        usize::try_from(since).ok().filter(|day| *day < self.grown.days.len())
    }

    fn see(&mut self, memory: &Memory) {
        match self.day(memory.created_at) {
            Some(day) => self.grown.days[day].stored += 1,
            None => self.before += 1,
        }
        if let Some(day) = memory.last_used_at.and_then(|at| self.day(at)) {
            self.grown.days[day].used += 1;
        }
        self.grown.memories += 1;
        self.grown.replaced += u64::from(!memory.is_current());
        self.grown.pinned += u64::from(memory.pinned);
        self.grown.uses += memory.used;
        *self.grown.trust.entry(memory.trust).or_default() += 1;
        *self.grown.origins.entry(memory.origin).or_default() += 1;
    }

    fn hear(&mut self, session: Session) {
        if let Some(agent) = session.agent {
            *self.grown.agents.entry(agent).or_default() += 1;
        }
    }

    fn done(mut self) -> Grown {
        let mut held = self.before;
        for day in &mut self.grown.days {
            held += day.stored;
            day.held = held;
        }
        self.grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::MemoryId;
    use crate::scope::Scope;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn tally(days: u32) -> Tally {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let request = GrowthRequest { scopes: Scopes::All, days, zone };
        Tally::new(&request, at("2026-03-01T23:30:00Z"))
    }

    fn memory(created: &str) -> Memory {
        let id: MemoryId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        Memory::new(id, "x", Scope::Global, at(created))
    }

    #[test]
    fn days_are_those_of_the_caller_and_end_with_today() {
        let grown = tally(3).done();
        let dates: Vec<&str> = grown.days.iter().map(|day| day.date.as_str()).collect();
        assert_eq!(dates, ["2026-02-28", "2026-03-01", "2026-03-02"]);
    }

    #[test]
    fn what_is_older_than_the_days_is_held_on_each_of_them() {
        let mut tally = tally(3);
        tally.see(&memory("2020-01-01T00:00:00Z"));
        tally.see(&memory("2026-02-28T22:30:00Z"));
        let used = Memory {
            last_used_at: Some(at("2026-03-01T22:30:00Z")),
            used: 4,
            ..memory("2026-02-28T12:00:00Z")
        };
        tally.see(&used);
        let grown = tally.done();
        let told: Vec<_> = grown.days.iter().map(|d| (d.stored, d.used, d.held)).collect();
        assert_eq!(told, [(1, 0, 2), (1, 0, 3), (0, 1, 3)]);
        assert_eq!((grown.memories, grown.uses), (3, 4));
        assert_eq!(grown.trust, BTreeMap::from([(Trust::Confirmed, 3)]));
    }
}
