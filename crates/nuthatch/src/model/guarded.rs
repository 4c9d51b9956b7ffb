//! A chat model that is sent no secret and costs no more than it may.
//!
//! Secrets are struck out of everything that goes to it. Where its tokens may cost money, a
//! call is made only if the budget of the run and of the day has room for the question, and
//! the answer may be no longer than what is left. What a call may cost is set aside before it
//! is made: for the run here, for the day in the ledger that all processes share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::{ChatModel, ChatRequest, Message, ModelInfo, Reply, Tool, ToolCall, Usage};
use crate::error::{Error, Kind, Result};
use crate::guard;

/// An answer nobody limited: long enough for any, short enough for a budget to hold.
const USUAL_ANSWER: u64 = 8192;
/// Below this an answer is cut before it says anything.
const SHORTEST_ANSWER: u64 = 64;

/// Most tokens that a model may cost where they cost money; 0 means that nothing is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ceiling {
    /// In one run of the program.
    pub per_run: u64,
    /// In one day.
    pub per_day: u64,
}

/// What a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// With fewer tokens it is not worth making.
    pub least: u64,
    /// More tokens it never costs.
    pub most: u64,
}

/// Tokens that are set aside for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Names the call.
    pub call: String,
    /// How many.
    pub tokens: u64,
}

/// Keeps what was spent today, across runs and processes.
pub trait Ledger: Send + Sync {
    /// Tokens spent today, with those that are set aside for calls under way.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be told; then nothing is sent.
    fn spent_today(&self) -> Result<u64>;

    /// Sets tokens aside for a call, if a day of at most `per_day` has room for them beside
    /// all that anybody has spent or set aside; none where it has not. Looking and setting
    /// aside are one step, whoever else does the same. What nobody settles, because its
    /// process was killed, counts as spent.
    ///
    /// # Errors
    /// `unavailable`, when that cannot be written down; then nothing is sent.
    fn reserve(&self, model: &ModelInfo, need: Need, per_day: u64) -> Result<Option<Reserved>>;

    /// Notes what a call cost, in place of what was set aside for it.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be written down.
    fn spend(&self, model: &ModelInfo, usage: Usage, reserved: Option<&Reserved>) -> Result<()>;

    /// Gives back what was set aside for a call that came to nothing.
    ///
    /// # Errors
    /// `unavailable`, when it cannot be written down; then it counts as spent.
    fn release(&self, reserved: &Reserved) -> Result<()>;
}

/// A model with the guard and the budget in front of it.
pub struct Guarded {
    inner: Arc<dyn ChatModel>,
    ceiling: Ceiling,
    ledger: Arc<dyn Ledger>,
    spent: AtomicU64,
    /// What calls that are under way may cost at most.
    promised: Mutex<u64>,
}

impl Guarded {
    /// Puts both in front of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ChatModel>, ceiling: Ceiling, ledger: Arc<dyn Ledger>) -> Self {
        Guarded { inner, ceiling, ledger, spent: AtomicU64::new(0), promised: Mutex::default() }
    }

    /// Tokens that this run has cost so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Sets aside what a call may cost: many at once must not spend the same tokens.
    fn promise(&self, info: &ModelInfo, request: &mut ChatRequest) -> Result<Promise<'_>> {
        let mut promised = self.promised.lock().unwrap_or_else(PoisonError::into_inner);
        let question = request.estimated_tokens();
        let wanted = request.max_tokens.map_or(USUAL_ANSWER, u64::from);
        let least = question.saturating_add(SHORTEST_ANSWER);
        let run = self.ceiling.per_run.saturating_sub(self.spent().saturating_add(*promised));
        if run < least {
            return Err(refusal("run", run, question));
        }
        let most = question.saturating_add(wanted).min(run).max(least);
        let need = Need { least, most };
        let Some(reserved) = self.ledger.reserve(info, need, self.ceiling.per_day)? else {
            let left = self.ceiling.per_day.saturating_sub(self.ledger.spent_today()?);
            return Err(refusal("day", left, question));
        };
        let answer = wanted.min(reserved.tokens.saturating_sub(question));
        request.max_tokens = Some(u32::try_from(answer).unwrap_or(u32::MAX));
        *promised = promised.saturating_add(reserved.tokens);
        Ok(Promise { of: self, reserved })
    }
}

fn refusal(which: &str, left: u64, question: u64) -> Error {
    Error::new(
        Kind::Denied,
        format!(
            "the budget of the {which} has {left} tokens left, and the question alone takes \
             about {question}"
        ),
    )
    .with_hint("set `tokens_per_run` and `tokens_per_day` in [budget] of your own file")
}

/// Tokens that are set aside until a call has ended, however it ends.
struct Promise<'a> {
    of: &'a Guarded,
    reserved: Reserved,
}

impl Drop for Promise<'_> {
    fn drop(&mut self) {
        let mut promised = self.of.promised.lock().unwrap_or_else(PoisonError::into_inner);
        *promised = promised.saturating_sub(self.reserved.tokens);
    }
}

#[async_trait]
impl ChatModel for Guarded {
    fn info(&self) -> ModelInfo {
        self.inner.info()
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        let mut request = without_secrets(request);
        let info = self.inner.info();
        let promise = if info.paid { Some(self.promise(&info, &mut request)?) } else { None };
        let reserved = promise.as_ref().map(|promise| &promise.reserved);
        let reply = match self.inner.chat(&request, heard).await {
            Ok(reply) => reply,
            Err(error) => {
                // What cannot be given back counts as spent, which is the safe side.
                let _ = reserved.map(|reserved| self.ledger.release(reserved));
                return Err(error);
            }
        };
        self.spent.fetch_add(reply.usage.total(), Ordering::Relaxed);
        self.ledger.spend(&info, reply.usage, reserved)?;
        Ok(reply)
    }
}

fn without_secrets(request: &ChatRequest) -> ChatRequest {
    let struck = |text: &str| guard::redact(text).0;
    let message = |one: &Message| Message {
        speaker: one.speaker,
        text: struck(&one.text),
        calls: one.calls.iter().map(call_without_secrets).collect(),
        answers: one.answers.clone(),
    };
    ChatRequest {
        system: struck(&request.system),
        messages: request.messages.iter().map(message).collect(),
        tools: request.tools.iter().map(Tool::clone).collect(),
        max_tokens: request.max_tokens,
    }
}

/// What the model said itself comes back to it as it was, less what it should not have said.
fn call_without_secrets(call: &ToolCall) -> ToolCall {
    let text = call.arguments.to_string();
    let (struck, findings) = guard::redact(&text);
    if findings.is_empty() {
        return call.clone();
    }
    let arguments = serde_json::from_str(&struck).unwrap_or(serde_json::Value::Null);
    ToolCall { arguments, ..call.clone() }
}

#[cfg(test)]
mod tests;
