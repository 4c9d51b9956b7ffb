//! A set into a store, as a user's conversations would get there.
//!
//! Every name space is a project, every session a conversation of it, every line a turn at
//! its time. What was said in one session at one written time is a second apart, because the
//! order of turns is known and their times are not.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use nuthatch::id::{MemoryId, ProjectId, SessionId, TurnId};
use nuthatch::record::Conversation;
use nuthatch::scope::Scope;
use nuthatch::session::{Role, Session, Turn};

use crate::uniform::{self, Set};
use crate::when;
use crate::world::World;

/// What became of a set.
pub(crate) struct Recorded {
    /// The corpus' id of every turn.
    pub(crate) turns: BTreeMap<TurnId, String>,
    /// Sessions of each name space, in the order of the corpus.
    pub(crate) spaces: BTreeMap<String, Space>,
    /// How long recording took: durable, and found by words.
    pub(crate) took: Duration,
}

/// One name space.
#[derive(Default)]
pub(crate) struct Space {
    pub(crate) sessions: Vec<Recording>,
    /// When the last turn was said, where the set says so.
    pub(crate) end: Option<Timestamp>,
}

/// One session of the corpus.
pub(crate) struct Recording {
    pub(crate) id: SessionId,
    /// What the corpus calls it.
    pub(crate) name: String,
    /// The places of its turns in the name space, in order.
    pub(crate) places: Vec<u64>,
}

/// Records every turn of a set.
pub(super) async fn record(world: &World, set: &Set) -> anyhow::Result<Recorded> {
    let mut turns = BTreeMap::new();
    let mut spaces: BTreeMap<String, Space> = BTreeMap::new();
    let mut conversations = Vec::new();
    for lines in sessions(set) {
        let first = lines[0];
        let space = spaces.entry(first.ns.clone()).or_default();
        let Conversation { session, turns: said } = conversation(&lines, space.end)?;
        if lines.iter().any(|line| when::parse(&line.ts).is_some()) {
            space.end = space.end.max(Some(session.last_active_at));
        }
        space.sessions.push(Recording {
            id: session.id.clone(),
            name: first.session.clone(),
            places: lines.iter().map(|line| line.seq).collect(),
        });
        turns.extend(said.iter().zip(&lines).map(|(turn, line)| (turn.id(), line.id.clone())));
        conversations.push(Conversation { session, turns: said });
    }
    let begun = Instant::now();
    world.record(conversations).await?;
    Ok(Recorded { turns, spaces, took: begun.elapsed() })
}

/// The lines of each session, in the order of the corpus and by place.
pub(super) fn sessions(set: &Set) -> Vec<Vec<&uniform::Turn>> {
    let mut order: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut sessions: Vec<Vec<&uniform::Turn>> = Vec::new();
    for line in &set.turns {
        let next = order.len();
        let at = *order.entry((&line.ns, &line.session)).or_insert(next);
        if at == sessions.len() {
            sessions.push(Vec::new());
        }
        sessions[at].push(line);
    }
    sessions.iter_mut().for_each(|lines| lines.sort_by_key(|line| line.seq));
    sessions
}

/// A conversation and its turns. A line without a time is as old as the one before it, a
/// session without any as the end of the one before, and a set without any is said now.
pub(super) fn conversation(
    lines: &[&uniform::Turn],
    before: Option<Timestamp>,
) -> anyhow::Result<Conversation> {
    let first = lines[0];
    let id = SessionId::new(format!("{}/{}", first.ns, first.session).trim())?;
    let written = lines.iter().find_map(|line| when::parse(&line.ts));
    let mut last = written.or(before).unwrap_or_else(Timestamp::now);
    let mut turns = Vec::with_capacity(lines.len());
    for (seq, line) in (0..).zip(lines) {
        let at = when::parse(&line.ts).unwrap_or(last);
        // Later than the one before it, whatever the writing rounds away.
        last = if seq == 0 || at > last { at } else { last + SignedDuration::from_secs(1) };
        let (role, text) = (role(&line.who), line.text.clone());
        turns.push(Turn { session: id.clone(), seq, at: last, role, text, asked: None });
    }
    let mut session = Session::new(id, turns[0].at);
    session.last_active_at = last;
    session.project = Some(project(&first.ns)?);
    Ok(Conversation { session, turns })
}

/// Who spoke: a name is a person.
pub(crate) fn role(who: &str) -> Role {
    match who.trim().to_lowercase().as_str() {
        "assistant" | "ai" | "bot" | "model" | "agent" | "gpt" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        "system" => Role::System,
        _ => Role::User,
    }
}

/// The project of a name space: its name where that can be one, else a stable stand-in.
pub(crate) fn project(ns: &str) -> anyhow::Result<ProjectId> {
    let stand_in = || ProjectId::new(format!("ns-{}", MemoryId::derived(&["name space", ns])));
    Ok(ProjectId::new(ns).or_else(|_| stand_in())?)
}

/// Where a name space's turns are found.
pub(super) fn scope(ns: &str) -> anyhow::Result<Scope> {
    Ok(Scope::Project(project(ns)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: u64, ts: &str, who: &str) -> uniform::Turn {
        let (ns, session, text) = ("a b".to_owned(), "S1".to_owned(), format!("said {seq}"));
        let (ts, who) = (ts.to_owned(), who.to_owned());
        uniform::Turn { ns, id: format!("D{seq}"), session, seq, ts, who, text }
    }

    #[test]
    fn turns_of_one_written_time_are_a_second_apart() {
        let lines = [
            line(7, "1:56 pm on 8 May, 2023", "Ann"),
            line(8, "1:56 pm on 8 May, 2023", "Bob"),
            line(9, "", "x"),
        ];
        let Conversation { session, turns } = conversation(&lines.each_ref(), None).unwrap();
        let times: Vec<String> = turns.iter().map(|turn| turn.at.to_string()).collect();
        assert_eq!(times, ["2023-05-08T13:56:00Z", "2023-05-08T13:56:01Z", "2023-05-08T13:56:02Z"]);
        assert_eq!(turns.iter().map(|turn| turn.seq).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(session.started_at.to_string(), "2023-05-08T13:56:00Z");
    }

    #[test]
    fn a_session_without_a_time_follows_the_one_before() {
        let before: Timestamp = "2024-01-01T00:00:00Z".parse().unwrap();
        let talk = conversation(&[&line(0, "", "user")], Some(before)).unwrap();
        assert_eq!(talk.session.started_at, before);
    }

    #[test]
    fn any_name_space_has_a_project_and_any_speaker_a_role() {
        assert_eq!(project("conv-26").unwrap().as_str(), "conv-26");
        assert_eq!(project("a b").unwrap(), project("a b").unwrap());
        assert_ne!(project("a b").unwrap(), project("a  b").unwrap());
        assert_eq!(role("Assistant"), Role::Assistant);
        assert_eq!(role("Caroline"), Role::User);
        assert_eq!(role(""), Role::User);
    }
}
