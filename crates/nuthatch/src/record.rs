//! Recording conversations: what was said is kept, and found by its words at once.
//!
//! Turns come in great numbers, so they are stored many at a time: each part is whole or not
//! there at all, and what a stopped recording has stored stays. Recording the same again
//! changes nothing. Vectors follow later; nothing here waits for a model.

mod lines;

use serde::{Deserialize, Serialize};

use crate::change::{Change, Wish};
use crate::error::{Error, Result};
use crate::id::TurnId;
use crate::session::{Session, Turn};
use crate::text::questions;
use crate::time::to_micros;

pub use self::lines::{Habits, Lines};

/// Turns stored at a time: enough that a term is written once for many of them, few enough
/// that other writers hardly wait.
const BATCH: usize = 4000;

/// A conversation and what was said in it.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The conversation. It begins no later and was active no earlier than its turns say.
    pub session: Session,
    /// What was said, in any order; each replaces what is known of its place.
    pub turns: Vec<Turn>,
}

/// What is to be recorded.
#[derive(Clone, Debug, Default)]
pub struct RecordRequest {
    /// Each with its turns; a long one may come in parts.
    pub conversations: Vec<Conversation>,
}

impl RecordRequest {
    /// One conversation.
    #[must_use]
    pub fn new(session: Session, turns: Vec<Turn>) -> Self {
        RecordRequest { conversations: vec![Conversation { session, turns }] }
    }

    /// How many turns there are.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.conversations.iter().map(|conversation| conversation.turns.len()).sum()
    }
}

/// What was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recorded {
    /// Conversations.
    pub sessions: u64,
    /// Turns, those that were known already included.
    pub turns: u64,
}

/// The turns right before the first of each conversation, where there may be one.
pub(crate) fn before(request: &RecordRequest) -> Vec<TurnId> {
    let first = |conversation: &Conversation| {
        let first = conversation.turns.iter().min_by_key(|turn| turn.seq)?;
        let seq = first.seq.checked_sub(1)?;
        Some(TurnId { session: first.session.clone(), seq })
    };
    request.conversations.iter().filter_map(first).collect()
}

/// Puts turns in order, and notes for each what the one before it asks, unless somebody said
/// what it answers. `before` are turns that are stored already.
pub(crate) fn link(request: &mut RecordRequest, before: &[Turn]) {
    for Conversation { turns, .. } in &mut request.conversations {
        turns.sort_by_key(|turn| turn.seq);
        let first = turns.first().map(Turn::id);
        let stored = first.and_then(|TurnId { session, seq }| {
            before
                .iter()
                .find(|turn| turn.session == session && Some(turn.seq) == seq.checked_sub(1))
        });
        let mut asked = stored.and_then(|turn| questions(&turn.text));
        for turn in turns {
            let asks = questions(&turn.text);
            turn.asked = turn.asked.take().or(asked);
            asked = asks;
        }
    }
}

/// The wishes of a request, in sets that are stored one after another, each with how many
/// turns it has.
///
/// # Errors
/// `invalid` for a turn of another conversation than the one it stands in.
pub(crate) fn wishes(request: RecordRequest) -> Result<Vec<(Vec<Wish>, usize)>> {
    let mut sets = Vec::new();
    let (mut changes, mut turns) = (Vec::new(), Vec::new());
    for Conversation { mut session, turns: said } in request.conversations {
        if let Some(stray) = said.iter().find(|turn| turn.session != session.id) {
            return Err(Error::invalid(format!(
                "turn {} of {} was given as one of {}",
                stray.seq, stray.session, session.id
            )));
        }
        let at = said.iter().map(|turn| turn.at);
        let first = at.clone().chain([session.started_at]).min();
        let last = at.chain([session.last_active_at]).max();
        session.started_at = to_micros(first.unwrap_or(session.started_at));
        session.last_active_at = to_micros(last.unwrap_or(session.last_active_at));
        changes.push(Change::RenewSession(Box::new(session)).into());
        for turn in said {
            turns.push(Turn { at: to_micros(turn.at), ..turn });
            if turns.len() == BATCH {
                close(&mut sets, &mut changes, &mut turns);
            }
        }
        if turns.len() + changes.len() >= BATCH {
            close(&mut sets, &mut changes, &mut turns);
        }
    }
    close(&mut sets, &mut changes, &mut turns);
    Ok(sets)
}

/// Ends a set.
fn close(sets: &mut Vec<(Vec<Wish>, usize)>, changes: &mut Vec<Wish>, turns: &mut Vec<Turn>) {
    let (mut set, turns) = (std::mem::take(changes), std::mem::take(turns));
    let count = turns.len();
    if count > 0 {
        set.push(Change::PutTurns { turns }.into());
    }
    if !set.is_empty() {
        sets.push((set, count));
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::id::SessionId;
    use crate::session::Role;

    fn turn(session: &Session, seq: u64) -> Turn {
        let at = Timestamp::from_second(seq as i64).unwrap();
        let session = session.id.clone();
        Turn { session, seq, at, role: Role::User, text: format!("turn {seq}?"), asked: None }
    }

    fn session(name: &str) -> Session {
        Session::new(SessionId::new(name).unwrap(), Timestamp::from_second(50).unwrap())
    }

    #[test]
    fn many_turns_are_stored_in_parts_and_none_is_left_out() {
        let session = session("s");
        let turns = (0..2 * BATCH as u64 + 7).map(|seq| turn(&session, seq)).collect();
        let sets = wishes(RecordRequest::new(session, turns)).unwrap();
        let counts: Vec<usize> = sets.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [BATCH, BATCH, 7]);
    }

    #[test]
    fn many_small_conversations_share_a_set() {
        let one = |n: usize| {
            let session = session(&format!("s{n}"));
            let turns = vec![turn(&session, 0)];
            Conversation { session, turns }
        };
        let conversations: Vec<Conversation> = (0..100).map(one).collect();
        let sets = wishes(RecordRequest { conversations }).unwrap();
        assert_eq!((sets.len(), sets[0].1, sets[0].0.len()), (1, 100, 101));
        assert!(wishes(RecordRequest::default()).unwrap().is_empty());
    }

    #[test]
    fn a_turn_knows_the_question_before_it_unless_somebody_said_another() {
        let session = session("s");
        let mut turns: Vec<Turn> = [7, 5, 6].map(|seq| turn(&session, seq)).to_vec();
        turns[0].asked = Some("who?".into());
        let mut request = RecordRequest::new(session.clone(), turns);
        let stored = turn(&session, 4);
        assert_eq!(before(&request), [stored.id()]);
        link(&mut request, &[stored]);
        let turns = &request.conversations[0].turns;
        let asked: Vec<_> = turns.iter().map(|turn| turn.asked.as_deref()).collect();
        assert_eq!(asked, [Some("turn 4?"), Some("turn 5?"), Some("who?")]);
    }

    #[test]
    fn a_turn_of_another_conversation_is_refused() {
        let turns = vec![turn(&session("other"), 0)];
        let error = wishes(RecordRequest::new(session("s"), turns)).unwrap_err();
        assert_eq!(error.kind(), crate::Kind::Invalid);
    }
}
