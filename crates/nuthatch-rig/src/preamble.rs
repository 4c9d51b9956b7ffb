//! What stands in front of every call to the model, made anew for each: what a tool saved in
//! one call is there in the next.
//!
//! A memory that cannot be read costs the agent its memory and not its answer; the model is
//! told so, and may say it.

use nuthatch::error::Result;
use nuthatch::filter::Scopes;
use nuthatch::preamble::{Preamble, PreambleRequest};
use rig_agent::agent::{CompletionCallAction, CompletionCallEvent, RequestPatch};
use rig_agent::{AgentHook, HookContext};

use crate::Thread;

/// When to save and when not, in the words of the tools of this crate.
pub const GUIDANCE: &str = include_str!("guidance.md");

/// Puts what is remembered in front of every call to the model.
pub struct MemoryPreamble {
    thread: Thread,
    instructions: String,
}

impl MemoryPreamble {
    /// Memory behind `instructions`, for an agent that speaks in `thread`.
    #[must_use]
    pub fn new(thread: Thread, instructions: impl Into<String>) -> Self {
        MemoryPreamble { thread, instructions: instructions.into() }
    }

    /// The whole system prompt for a question about `query`: persistent memory first, the
    /// thread's own notes last.
    pub async fn text(&self, query: Option<String>) -> String {
        let memory = match self.remembered(query).await {
            Ok(block) => block.text,
            Err(error) => format!("Memory cannot be read now: {error}."),
        };
        let parts = [self.instructions.as_str(), GUIDANCE.trim_end(), memory.trim_end()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    async fn remembered(&self, query: Option<String>) -> Result<Preamble> {
        let place = self.thread.place();
        let request = PreambleRequest {
            scopes: Scopes::These(place.visible()),
            thread: Some(self.thread.name().to_owned()),
            query,
            budget_tokens: place.usual().budget_tokens,
        };
        place.engine().preamble(&request).await
    }
}

impl AgentHook for MemoryPreamble {
    async fn on_completion_call(
        &self,
        _: &HookContext,
        event: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        // After a tool has answered, the question is what was last said, not its answer.
        let asked = event.prompt.rag_text();
        let query = asked.or_else(|| event.history.iter().rev().find_map(|said| said.rag_text()));
        CompletionCallAction::patch(RequestPatch::new().preamble(self.text(query).await))
    }
}
