//! Turns as lines of JSON, one for each: what any tool can write with a few words of script.
//!
//! Lines of one conversation may stand anywhere, also among those of others. Where the bytes
//! come from is the caller's business; here lines become what can be recorded.

use std::collections::HashMap;

use jiff::Zoned;
use serde::Deserialize;

use super::{Conversation, RecordRequest};
use crate::error::{Error, Result};
use crate::id::{ProjectId, SessionId};
use crate::session::{Role, Session, Turn};
use crate::time::{self, Edge};

/// What holds for every line that does not say otherwise.
#[derive(Clone, Debug)]
pub struct Habits {
    /// The conversation of lines that name none.
    pub session: Option<SessionId>,
    /// The project that the conversations are about.
    pub project: Option<ProjectId>,
    /// The product whose conversations they are.
    pub agent: Option<String>,
    /// Now, in the zone of times that name none.
    pub now: Zoned,
}

/// One turn as a line says it. Other fields are passed over: they are another tool's.
#[derive(Debug, Deserialize)]
struct Line {
    session: Option<String>,
    seq: Option<u64>,
    #[serde(alias = "at", alias = "ts", alias = "timestamp")]
    time: String,
    role: Role,
    text: String,
    title: Option<String>,
}

/// Gathers lines into conversations.
#[derive(Debug)]
pub struct Lines {
    habits: Habits,
    /// How many lines each conversation had so far, those handed over included.
    counts: HashMap<SessionId, u64>,
    gathered: HashMap<SessionId, usize>,
    conversations: Vec<Conversation>,
    turns: usize,
}

impl Lines {
    /// Nothing gathered yet.
    #[must_use]
    pub fn new(habits: Habits) -> Self {
        Lines {
            habits,
            counts: HashMap::new(),
            gathered: HashMap::new(),
            conversations: Vec::new(),
            turns: 0,
        }
    }

    /// How many turns are gathered and not handed over.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// How many conversations there were so far.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.counts.len()
    }

    /// Takes a line. One without a place stands behind the lines of its conversation that
    /// came before it.
    ///
    /// # Errors
    /// `invalid`, without a word of the text, for a line that is no turn.
    pub fn take(&mut self, line: &str) -> Result<()> {
        let line: Line = serde_json::from_str(line).map_err(|error| unreadable(&error))?;
        let session = match (line.session, &self.habits.session) {
            (Some(named), _) => SessionId::new(named)?,
            (None, Some(usual)) => usual.clone(),
            (None, None) => return Err(Error::invalid("no session is named").with_hint(HINT)),
        };
        let at = time::parse(&line.time, Edge::Start, &self.habits.now)?;
        let count = self.counts.entry(session.clone()).or_default();
        let seq = line.seq.unwrap_or(*count);
        *count += 1;
        let conversations = &mut self.conversations;
        let place = *self.gathered.entry(session.clone()).or_insert_with(|| {
            let mut begun = Session::new(session.clone(), at);
            begun.project.clone_from(&self.habits.project);
            begun.agent.clone_from(&self.habits.agent);
            conversations.push(Conversation { session: begun, turns: Vec::new() });
            conversations.len() - 1
        });
        let Conversation { session: known, turns } = &mut conversations[place];
        known.title = line.title.or(known.title.take());
        turns.push(Turn { session, seq, at, role: line.role, text: line.text, asked: None });
        self.turns += 1;
        Ok(())
    }

    /// Hands over what was gathered.
    pub fn request(&mut self) -> RecordRequest {
        self.gathered.clear();
        self.turns = 0;
        RecordRequest { conversations: std::mem::take(&mut self.conversations) }
    }
}

const HINT: &str = "a line is {\"session\", \"seq\"?, \"time\", \"role\", \"text\", \"title\"?}";

/// What is wrong with a line. The message of the parser may repeat what it read, so that only
/// its kind and place are told.
fn unreadable(error: &serde_json::Error) -> Error {
    let what = if error.is_data() { "not a turn" } else { "not JSON" };
    let said = error.to_string();
    let missing = said.strip_prefix("missing field ").and_then(|rest| rest.split('`').nth(1));
    let what = missing.map_or_else(|| what.to_owned(), |field| format!("{field} is missing"));
    Error::invalid(format!("{what} (column {})", error.column())).with_hint(HINT)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn lines(session: Option<&str>) -> Lines {
        let now = "2026-11-15T12:00:00Z".parse::<jiff::Timestamp>().unwrap();
        Lines::new(Habits {
            session: session.map(|id| SessionId::new(id).unwrap()),
            project: Some(ProjectId::new("p").unwrap()),
            agent: None,
            now: now.to_zoned(TimeZone::UTC),
        })
    }

    #[test]
    fn lines_become_conversations_whatever_their_order() {
        let mut lines = lines(None);
        for (session, seq, text) in [("a", 4, "one"), ("b", 0, "two"), ("a", 3, "three")] {
            let line = serde_json::json!({"session": session, "seq": seq, "role": "user",
                "time": "2026-01-02T03:04:05Z", "text": text, "other": [1]});
            lines.take(&line.to_string()).unwrap();
        }
        assert_eq!((lines.turns(), lines.sessions()), (3, 2));
        let request = lines.request();
        let [a, b] = &request.conversations[..] else { panic!("{request:?}") };
        assert_eq!((a.turns.len(), b.turns.len(), lines.turns()), (2, 1, 0));
        assert_eq!((a.turns[1].seq, &*a.turns[1].text), (3, "three"));
        assert_eq!(a.session.project, Some(ProjectId::new("p").unwrap()));
    }

    #[test]
    fn lines_without_a_place_stand_one_behind_the_other_also_across_parts() {
        let mut lines = lines(Some("usual"));
        let line = r#"{"ts": "2026-01-02", "role": "assistant", "text": "x", "title": "t"}"#;
        lines.take(line).unwrap();
        lines.take(line).unwrap();
        let first = lines.request();
        assert_eq!(first.conversations[0].session.title.as_deref(), Some("t"));
        lines.take(line).unwrap();
        let seqs = |request: RecordRequest| -> Vec<u64> {
            request.conversations[0].turns.iter().map(|turn| turn.seq).collect()
        };
        assert_eq!((seqs(first), seqs(lines.request())), (vec![0, 1], vec![2]));
    }

    #[test]
    fn what_is_no_turn_is_told_without_repeating_it() {
        let cases = [
            ("", "not JSON"),
            ("{\"text\": \"xyzzy\"", "not JSON"),
            ("[1]", "not a turn"),
            (r#"{"session": "s", "time": "2026-01-02", "text": "xyzzy"}"#, "role is missing"),
            (r#"{"session": "s", "time": "2026-01-02", "role": "xyzzy", "text": ""}"#, "not a"),
            (r#"{"time": "2026-01-02", "role": "user", "text": "xyzzy"}"#, "no session"),
            (r#"{"session": "s", "time": "soon", "role": "user", "text": "xyzzy"}"#, "not a time"),
        ];
        for (line, expected) in cases {
            let error = lines(None).take(line).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(expected) && !said.contains("xyzzy"), "{line}: {said}");
            assert_eq!(error.kind(), crate::Kind::Invalid);
        }
    }
}
