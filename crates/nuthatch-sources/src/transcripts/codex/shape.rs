//! Which records of a file of Codex CLI to believe, found before anything is told.
//!
//! What was said is recorded twice or three times: as the item the model saw, as an event for
//! the screen, as a finished item of a turn. One kind of record is believed for each side. A
//! roll-back takes the last turns of the user away: they are told as left aside.

use super::super::json::Object;
use super::record;

/// Which kind of record tells what a side said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Believed {
    #[default]
    Nothing,
    /// `item_completed`.
    Completed,
    /// `user_message`, `agent_message`.
    Event,
    /// `response_item`.
    Item,
}

/// What the whole file is like.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub user: Believed,
    pub model: Believed,
    /// Lines on which the user's turns begin, for each kind of record.
    turns: [Vec<usize>; 3],
    /// Lines that were rolled back, for each kind of record.
    undone: [Vec<(usize, usize)>; 3],
}

impl Shape {
    /// Takes note of a line.
    pub(super) fn see(&mut self, at: usize, line: Option<&Object<'_>>) {
        let Some(line) = line else { return };
        let (kind, payload) = record::parts(line);
        let inner = payload.text("type").unwrap_or_default();
        match (&*kind, &*inner) {
            ("response_item", "message" | "") => match payload.text("role").as_deref() {
                Some("user") if record::prompt(&payload).is_some() => {
                    self.begins(at, Believed::Item)
                }
                Some("assistant") => self.model = self.model.max(Believed::Item),
                _ => {}
            },
            ("event_msg", "user_message") => self.begins(at, Believed::Event),
            ("event_msg", "agent_message") => self.model = self.model.max(Believed::Event),
            ("event_msg", "item_completed") => {
                match payload.inner("item").text("type").as_deref() {
                    Some("UserMessage") => self.begins(at, Believed::Completed),
                    Some("AgentMessage") => self.model = self.model.max(Believed::Completed),
                    _ => {}
                }
            }
            ("event_msg", "thread_rolled_back") => {
                let turns = payload.number("num_turns").and_then(|n| usize::try_from(n).ok());
                self.roll_back(at, turns.unwrap_or(1));
            }
            _ => {}
        }
    }

    /// Whether a line was rolled back.
    pub(super) fn is_undone(&self, at: usize) -> bool {
        let Some(kind) = place(self.user) else { return false };
        self.undone[kind].iter().any(|(from, to)| (*from..*to).contains(&at))
    }

    fn begins(&mut self, at: usize, by: Believed) {
        self.user = self.user.max(by);
        if let Some(kind) = place(by) {
            self.turns[kind].push(at);
        }
    }

    fn roll_back(&mut self, at: usize, turns: usize) {
        for (began, undone) in self.turns.iter_mut().zip(&mut self.undone) {
            let kept = began.len().saturating_sub(turns);
            if let Some(first) = began.get(kept) {
                undone.push((*first, at));
            }
            began.truncate(kept);
        }
    }
}

fn place(by: Believed) -> Option<usize> {
    match by {
        Believed::Nothing => None,
        Believed::Completed => Some(0),
        Believed::Event => Some(1),
        Believed::Item => Some(2),
    }
}
