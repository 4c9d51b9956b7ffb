//! Tells events one after another: numbers them, cuts what is long, counts what is skipped.
//!
//! The last event is held back until the next one comes, because what an answer cost is often
//! said after it. What our own tools and commands answered is memory already, and is left out.

use std::collections::HashSet;
use std::ops::ControlFlow;

use jiff::Timestamp;
use nuthatch::model::Usage;
use nuthatch::transcript::{Event, SessionHead, Skipped, Voice, What};

use super::watermark::hash;
use super::words::{self, LONGEST_INPUT, LONGEST_OUTPUT, LONGEST_TEXT, cut};

/// Kinds of what is skipped that are told apart; a file of nonsense has no more.
const MOST_KINDS: usize = 64;
/// Longest name of a kind.
const LONGEST_KIND: usize = 60;
/// Calls of our own tools whose answers are waited for.
const MOST_CALLS: usize = 10_000;

/// What is known of an event beside what happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    pub at: Option<Timestamp>,
    pub model: Option<String>,
    pub usage: Option<Usage>,
    pub aside: bool,
}

/// Tells the events of one session.
pub(crate) struct Telling<'a> {
    pub head: SessionHead,
    pub skipped: Skipped,
    each: &'a mut dyn FnMut(Event) -> ControlFlow<()>,
    seq: u64,
    held: Option<Event>,
    /// What an answer cost that has no event yet.
    owed: Option<Usage>,
    ours: HashSet<u64>,
    stopped: bool,
}

impl<'a> Telling<'a> {
    /// Tells from a place on.
    pub(crate) fn new(
        head: SessionHead,
        seq: u64,
        each: &'a mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Self {
        let (skipped, ours) = (Skipped::new(), HashSet::new());
        Telling { head, skipped, each, seq, held: None, owed: None, ours, stopped: false }
    }

    /// Whether whoever listens has heard enough.
    pub(crate) fn is_over(&self) -> bool {
        self.stopped
    }

    /// Tells what was held back; the place of the next event.
    pub(crate) fn finish(&mut self) -> u64 {
        self.release();
        self.seq
    }

    /// Counts something that is passed over.
    pub(crate) fn skip(&mut self, kind: &str) {
        let kind: String = kind.chars().take(LONGEST_KIND).collect();
        let known = self.skipped.contains_key(&kind) || self.skipped.len() < MOST_KINDS;
        let kind = if known { kind } else { "other".to_owned() };
        *self.skipped.entry(kind).or_default() += 1;
    }

    /// Counts something of a kind that is not known.
    pub(crate) fn unknown(&mut self, what: &str, kind: Option<&str>) {
        match kind {
            Some(kind) => self.skip(&format!("unknown {what}: {kind}")),
            None => self.skip(&format!("no {what}")),
        }
    }

    /// Notes when something happened.
    pub(crate) fn seen(&mut self, at: Option<Timestamp>) {
        let Some(at) = at else { return };
        let head = &mut self.head;
        head.started_at = Some(head.started_at.map_or(at, |first| first.min(at)));
        head.updated_at = Some(head.updated_at.map_or(at, |last| last.max(at)));
    }

    /// Notes what the last answer of a model cost.
    pub(crate) fn cost(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else { return };
        match &mut self.held {
            Some(Event { usage: slot @ None, what, .. }) if is_of_model(what) => {
                *slot = Some(usage)
            }
            _ => self.owed = Some(usage),
        }
    }

    /// Names a session that has no name by what a person said in it first.
    pub(crate) fn entitle(&mut self, text: &str) {
        if self.head.title.is_none()
            && let Some((Voice::Person, text)) = words::of_user(text)
        {
            self.head.title = Some(words::title(&text));
        }
    }

    /// The user's side said something; whose words it is shows in them.
    pub(crate) fn user(&mut self, beside: &Beside, text: &str) {
        match words::of_user(text) {
            Some((voice, text)) => self.voiced(beside, voice, &text),
            None => self.skip("ours"),
        }
    }

    /// The host said something on the user's side.
    pub(crate) fn host(&mut self, beside: &Beside, text: &str) {
        match words::of_user(text) {
            Some((_, text)) => self.voiced(beside, Voice::Host, &text),
            None => self.skip("ours"),
        }
    }

    fn voiced(&mut self, beside: &Beside, voice: Voice, text: &str) {
        let text = cut(text, LONGEST_TEXT).into_owned();
        self.tell(beside, What::User { voice, text });
    }

    /// The model said something.
    pub(crate) fn assistant(&mut self, beside: &Beside, text: &str) {
        if !text.trim().is_empty() {
            let text = cut(text.trim(), LONGEST_TEXT).into_owned();
            self.tell(beside, What::Assistant { text });
        }
    }

    /// The model called a tool.
    pub(crate) fn call(&mut self, beside: &Beside, id: &str, name: &str, input: &str) {
        if is_ours(name, input) && self.ours.len() < MOST_CALLS {
            self.ours.insert(hash(id.as_bytes()));
        }
        let input = cut(input, LONGEST_INPUT).into_owned();
        let (id, name) = (short(id), short(name));
        self.tell(beside, What::ToolCall { id, name, input });
    }

    /// A tool answered.
    pub(crate) fn result(&mut self, beside: &Beside, id: &str, failed: bool, output: &str) {
        if self.ours.remove(&hash(id.as_bytes())) {
            return self.skip("ours");
        }
        let output = cut(output.trim_end(), LONGEST_OUTPUT).into_owned();
        self.tell(beside, What::ToolResult { id: short(id), failed, output });
    }

    /// The product summed up what went before.
    pub(crate) fn summary(&mut self, beside: &Beside, text: &str) {
        if !text.trim().is_empty() {
            let text = cut(text.trim(), LONGEST_TEXT).into_owned();
            self.tell(beside, What::Summary { text });
        }
    }

    fn tell(&mut self, beside: &Beside, what: What) {
        self.seen(beside.at);
        self.release();
        let Beside { at, model, usage, aside } = beside.clone();
        let owed = if is_of_model(&what) { self.owed.take() } else { None };
        let (seq, usage) = (self.seq, usage.or(owed));
        self.seq += 1;
        self.held = Some(Event { seq, at, model, usage, aside, what });
    }

    fn release(&mut self) {
        if let Some(event) = self.held.take()
            && !self.stopped
        {
            self.stopped = (self.each)(event).is_break();
        }
    }
}

fn is_of_model(what: &What) -> bool {
    matches!(what, What::Assistant { .. } | What::ToolCall { .. })
}

/// Whether what answers a call is memory of ours.
fn is_ours(name: &str, input: &str) -> bool {
    let asks = ["recall ", "preamble", "context", "read ", "list", "show ", "memory ", "sessions "];
    let commands = input.match_indices("nuthatch ").map(|(at, word)| &input[at + word.len()..]);
    name.contains("nuthatch")
        || commands.into_iter().any(|rest| asks.iter().any(|verb| rest.starts_with(verb)))
}

/// An id or a name, which is never long.
fn short(name: &str) -> String {
    name.chars().take(200).collect()
}
