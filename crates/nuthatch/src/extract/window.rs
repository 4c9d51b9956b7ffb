//! Cuts a session into windows that a model can read.
//!
//! A window holds whole turns. What a person said is kept long, what agents and tools said is
//! cut first; secrets are struck out before anything is cut, so that no half of one is left.
//! Branches that were left again are no part of it.

use std::collections::BTreeMap;

use serde_json::json;

use crate::guard::redact;
use crate::text::estimate_tokens;
use crate::transcript::{Event, Voice, What};

use super::{QUOTE_CHARS, shortened};

/// How large windows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Most tokens of a window's text, by our estimate.
    pub tokens: usize,
}

impl Default for Shape {
    /// Room for some hours of work, with room for the prompt beside it in small models.
    fn default() -> Self {
        Shape { tokens: 6000 }
    }
}

/// Smaller windows would hold less than a turn.
const LEAST_TOKENS: usize = 400;

/// Who said something, as far as it matters to what it proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Person,
    Host,
    Agent,
    Call,
    Result,
    Summary,
}

impl Who {
    fn of(what: &What) -> (Who, &str) {
        match what {
            What::User { voice: Voice::Person, text } => (Who::Person, text),
            What::User { voice: Voice::Host, text } => (Who::Host, text),
            What::Assistant { text } => (Who::Agent, text),
            What::ToolCall { input, .. } => (Who::Call, input),
            What::ToolResult { output, .. } => (Who::Result, output),
            What::Summary { text } => (Who::Summary, text),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Who::Person => "person",
            Who::Host => "host",
            Who::Agent => "agent",
            Who::Call => "call",
            Who::Result => "result",
            Who::Summary => "summary",
        }
    }

    /// Characters that are kept of one event.
    fn chars(self, shape: Shape) -> usize {
        match self {
            Who::Person => shape.tokens * 2,
            Who::Agent => 1200,
            Who::Summary => 800,
            Who::Call | Who::Result => 400,
            Who::Host => 300,
        }
    }
}

/// What a window knows of an event: who, and how it begins.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub who: Who,
    pub quote: String,
}

/// A part of a session, ready to be read.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// One JSON object per line.
    pub(crate) items: String,
    pub(crate) shown: BTreeMap<u64, Shown>,
    tokens: usize,
}

impl Window {
    /// About how many tokens its text has.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Whether a person says anything in it.
    #[must_use]
    pub fn has_person(&self) -> bool {
        self.shown.values().any(|shown| shown.who == Who::Person)
    }
}

/// Makes windows as events come.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    shape: Shape,
    now: Window,
    done: Vec<Window>,
}

impl Windows {
    /// Windows of a shape.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        let shape = Shape { tokens: shape.tokens.max(LEAST_TOKENS) };
        Windows { shape, ..Windows::default() }
    }

    /// Takes the next event.
    pub fn see(&mut self, event: &Event) {
        if event.aside {
            return;
        }
        let (who, text) = Who::of(&event.what);
        let (text, _) = redact(text);
        let cut = middle_cut(text.trim(), who.chars(self.shape));
        if cut.is_empty() {
            return;
        }
        let mut item = json!({"seq": event.seq, "who": who.name(), "text": cut});
        if let What::ToolCall { name, .. } = &event.what {
            item["tool"] = json!(shortened(name, 80));
        }
        if let What::ToolResult { failed: true, .. } = &event.what {
            item["failed"] = json!(true);
        }
        let line = item.to_string();
        let tokens = estimate_tokens(&line) + 1;
        if self.now.tokens > 0 && self.now.tokens + tokens > self.shape.tokens {
            self.done.push(std::mem::take(&mut self.now));
        }
        self.now.tokens += tokens;
        self.now.items.push_str(&line);
        self.now.items.push('\n');
        self.now.shown.insert(event.seq, Shown { who, quote: shortened(&cut, QUOTE_CHARS) });
    }

    /// All windows that have something to say: where no person speaks, nothing is asked.
    #[must_use]
    pub fn done(mut self) -> Vec<Window> {
        self.done.push(self.now);
        self.done.retain(Window::has_person);
        self.done
    }
}

/// At most so many characters, of the beginning and the end.
fn middle_cut(text: &str, chars: usize) -> String {
    let all = text.chars().count();
    if all <= chars {
        return text.to_owned();
    }
    let (head, tail) = (chars * 3 / 5, chars * 2 / 5);
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(all - tail).collect();
    format!("{first} […] {last}")
}
