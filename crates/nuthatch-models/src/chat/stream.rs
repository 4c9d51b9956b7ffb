//! Takes an answer in while it comes: server-sent events, lines of JSON, or one JSON value
//! from a server that does not stream.
//!
//! An answer that breaks off is asked for again, unless somebody has heard the beginning.

use std::io::BufRead;

use nuthatch::error::Kind;
use serde_json::Value;

use super::draft::Draft;
use super::endpoint::ChatWire;
use super::{Said, anthropic, ollama, openai};
use crate::http::{Caller, Failure};

/// What is wrong with a piece of an answer.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    /// The server says that it failed, and may not fail again.
    Failed,
    /// It refuses, or talks in another language.
    Strange,
}

/// Who listens to one answer.
pub(super) struct Hearing<'a> {
    pub(super) caller: &'a Caller,
    pub(super) wire: ChatWire,
    pub(super) said: &'a Said,
}

impl Hearing<'_> {
    /// Reads the answer to its end.
    pub(super) fn take_in(&self, answer: &mut dyn BufRead) -> Result<Draft, Failure> {
        let mut draft = Draft::default();
        match self.read(answer, &mut draft) {
            Ok(()) if draft.ended || draft.has_stopped() => Ok(draft),
            Ok(()) => Err(self.again_if_unheard(
                &draft,
                Failure::Passing(self.caller.error(Kind::Unavailable, "broke off"), None),
            )),
            Err(failure) => Err(self.again_if_unheard(&draft, failure)),
        }
    }

    fn again_if_unheard(&self, draft: &Draft, failure: Failure) -> Failure {
        match failure {
            Failure::Passing(error, _) if draft.was_heard() => Failure::Final(error),
            other => other,
        }
    }

    fn read(&self, answer: &mut dyn BufRead, draft: &mut Draft) -> Result<(), Failure> {
        let mut line = Vec::new();
        // The lines of one event; an empty line ends it.
        let mut event = String::new();
        loop {
            line.clear();
            let read = answer.read_until(b'\n', &mut line);
            let is_end = read.map_err(|error| self.caller.broken(&error))? == 0;
            let text = std::str::from_utf8(&line).map_err(|_| self.strange())?;
            let text = text.trim_end_matches(['\r', '\n']);
            if self.wire != ChatWire::Ollama && text.starts_with('{') && event.is_empty() {
                return self.whole(text, answer, draft);
            }
            if self.wire == ChatWire::Ollama {
                self.event(text, draft)?;
            } else if let Some(data) = text.strip_prefix("data:") {
                if !event.is_empty() {
                    event.push('\n');
                }
                event.push_str(data.strip_prefix(' ').unwrap_or(data));
            } else if text.is_empty() {
                self.event(&std::mem::take(&mut event), draft)?;
            }
            if is_end || draft.ended && event.is_empty() {
                return Ok(());
            }
        }
    }

    /// One JSON value instead of a stream.
    fn whole(
        &self,
        first: &str,
        answer: &mut dyn BufRead,
        draft: &mut Draft,
    ) -> Result<(), Failure> {
        let mut rest = Vec::new();
        answer.read_to_end(&mut rest).map_err(|error| self.caller.broken(&error))?;
        let rest = std::str::from_utf8(&rest).map_err(|_| self.strange())?;
        let value: Value =
            serde_json::from_str(&format!("{first}\n{rest}")).map_err(|_| self.strange())?;
        let taken = match self.wire {
            ChatWire::OpenAi => openai::whole(&value, draft),
            ChatWire::Anthropic => anthropic::whole(&value, draft),
            ChatWire::Ollama => ollama::take(&value, draft),
        };
        self.pass_on(taken, draft)
    }

    fn event(&self, text: &str, draft: &mut Draft) -> Result<(), Failure> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        if text == "[DONE]" {
            draft.ended = true;
            return Ok(());
        }
        let value: Value = serde_json::from_str(text).map_err(|_| self.strange())?;
        let taken = match self.wire {
            ChatWire::OpenAi => openai::take(&value, draft),
            ChatWire::Anthropic => anthropic::take(&value, draft),
            ChatWire::Ollama => ollama::take(&value, draft),
        };
        self.pass_on(taken, draft)
    }

    fn pass_on(&self, taken: Result<(), Trouble>, draft: &mut Draft) -> Result<(), Failure> {
        match taken {
            Ok(()) => {}
            Err(Trouble::Failed) => {
                let error = self.caller.error(Kind::Unavailable, "failed while it answered");
                return Err(Failure::Passing(error, None));
            }
            Err(Trouble::Strange) => return Err(self.strange()),
        }
        let news = draft.news();
        if news.is_empty() { Ok(()) } else { self.said.say(news).map_err(Failure::Final) }
    }

    fn strange(&self) -> Failure {
        let error = self.caller.error(Kind::Unavailable, "says what its kind does not say");
        Failure::Final(error.with_hint("is `provider` the kind of endpoint that `base_url` is?"))
    }
}
