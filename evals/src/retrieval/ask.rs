//! Questions as recalls: each in its own project, at the time it was asked, and held to what
//! it may see.

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use nuthatch::filter::{Filter, Include, Scopes};
use nuthatch::id::SessionId;
use nuthatch::recall::{Mode, RecallRequest};

use super::Ranked;
use super::record::{Recorded, Recording, Space, scope};
use crate::metrics::DEPTH;
use crate::uniform::{Level, Query};
use crate::when;
use crate::world::World;

/// Whether what scores too little is left out, as usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Floor {
    /// As the product has it.
    Usual,
    /// What each lane sees, however little it is worth.
    Off,
}

/// Asks a recorded set.
pub(super) struct Asker<'a> {
    pub(super) world: &'a World,
    pub(super) recorded: &'a Recorded,
    pub(super) mode: Mode,
    pub(super) level: Level,
}

impl Asker<'_> {
    /// Every question in its own name space.
    pub(super) async fn ask_all(&self, queries: &[Query]) -> anyhow::Result<Vec<Ranked>> {
        let mut ranked = Vec::with_capacity(queries.len());
        for (number, query) in queries.iter().enumerate() {
            let ids = self.ask(query, &query.ns, Floor::Usual).await?;
            ranked.push(Ranked { query: number, ids });
        }
        Ok(ranked)
    }

    /// What one question finds in a name space: ids of the level, best first.
    pub(super) async fn ask(
        &self,
        query: &Query,
        ns: &str,
        floor: Floor,
    ) -> anyhow::Result<Vec<String>> {
        let space = self.recorded.spaces.get(ns).with_context(|| format!("no turns of {ns}"))?;
        let mut filter = Filter::scoped(Scopes::These(vec![scope(ns)?]));
        filter.include = Include::Sessions;
        if ns == query.ns {
            match visible(space, query) {
                None => {}
                // A filter of no sessions means all of them.
                Some(none) if none.is_empty() => return Ok(Vec::new()),
                Some(some) => filter.sessions = some,
            }
        }
        let request = RecallRequest {
            filter,
            mode: self.mode,
            level: self.level.into(),
            limit: DEPTH,
            ..World::recall_request(&query.text)
        };
        self.world.clock.set(asked_at(query, space));
        let found = match floor {
            Floor::Usual => self.world.found(&request).await?,
            Floor::Off => self.world.seen(&request).await?,
        };
        self.world.clock.set(None);
        let named = found.iter().filter_map(|hit| self.name(space, hit, query)).collect::<Vec<_>>();
        let mut ids: Vec<String> = Vec::new();
        for id in named {
            if !ids.contains(&id) && ids.len() < DEPTH {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// What the corpus calls a hit, unless the question may not see it.
    fn name(&self, space: &Space, hit: &Found, query: &Query) -> Option<String> {
        let session = space.sessions.iter().find(|session| session.id == hit.session)?;
        let place = hit.seq.and_then(|seq| session.places.get(usize::try_from(seq).ok()?));
        let hidden = |most| place.or(session.places.first()).is_some_and(|place| *place >= most);
        if query.max_seq.is_some_and(hidden) {
            return None;
        }
        match (self.level, hit.seq) {
            (Level::Session, _) => Some(session.name.clone()),
            (Level::Turn, Some(seq)) => {
                let id = nuthatch::id::TurnId { session: hit.session.clone(), seq };
                self.recorded.turns.get(&id).cloned()
            }
            (Level::Turn, None) => None,
        }
    }
}

/// A turn or a session that was found.
pub(crate) struct Found {
    pub(crate) session: SessionId,
    /// Which turn, unless the whole session was found.
    pub(crate) seq: Option<u64>,
}

/// The sessions a question may see, if it may not see all.
fn visible(space: &Space, query: &Query) -> Option<Vec<SessionId>> {
    if query.max_seq.is_none() && query.haystack.is_none() {
        return None;
    }
    let early = |session: &Recording| {
        query.max_seq.is_none_or(|most| session.places.iter().any(|place| *place < most))
    };
    let named = |session: &Recording| {
        query.haystack.as_ref().is_none_or(|names| names.contains(&session.name))
    };
    let seen = space.sessions.iter().filter(|session| early(session) && named(session));
    Some(seen.map(|session| session.id.clone()).collect())
}

/// When a question was asked: as it says, else soon after the last turn of its name space.
pub(super) fn asked_at(query: &Query, space: &Space) -> Option<Timestamp> {
    let soon = |end: Timestamp| end + SignedDuration::from_hours(1);
    when::parse(&query.ts).or(space.end.map(soon))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let session = |name: &str, places: &[u64]| Recording {
            id: SessionId::new(format!("ns/{name}")).unwrap(),
            name: name.to_owned(),
            places: places.to_vec(),
        };
        Space {
            sessions: vec![session("a", &[0, 1]), session("b", &[2, 3]), session("c", &[4])],
            end: None,
        }
    }

    fn query(extra: &str) -> Query {
        let head = r#"{"id": "q", "ns": "ns", "text": "t", "ts": "2024-05-01"#;
        serde_json::from_str(&format!("{head}\"{extra}}}")).unwrap()
    }

    fn names(extra: &str) -> Option<Vec<String>> {
        let seen = visible(&space(), &query(extra))?;
        Some(seen.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_question_sees_what_was_said_before_it_and_its_haystack() {
        assert_eq!(names(""), None);
        assert_eq!(names(r#", "max_seq": 3"#).unwrap(), ["ns/a", "ns/b"]);
        assert_eq!(names(r#", "haystack": ["c", "a"]"#).unwrap(), ["ns/a", "ns/c"]);
        assert_eq!(names(r#", "max_seq": 3, "haystack": ["c", "a"]"#).unwrap(), ["ns/a"]);
        assert_eq!(names(r#", "max_seq": 0"#).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_question_is_asked_at_its_time_or_after_all_that_was_said() {
        let end: Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
        let space = Space { end: Some(end), ..Space::default() };
        assert_eq!(asked_at(&query(""), &space).unwrap().to_string(), "2024-05-01T00:00:00Z");
        let mut timeless = query("");
        timeless.ts.clear();
        assert_eq!(asked_at(&timeless, &space).unwrap().to_string(), "2025-01-01T01:00:00Z");
    }
}
