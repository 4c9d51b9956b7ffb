//! Nuthatch's memory for agents built with [rig](rig_core).
//!
//! [`create_agent`] gives an agent everything at once: tools to save and to find, and in front
//! of every call to its model what is remembered, lasting memories first and what its
//! conversation found out last. The tools are there by themselves, too, for agents that are
//! put together otherwise. Whose memory it is, and what a conversation may see, is decided by
//! the [`Thread`] an agent speaks in, never by its model.

mod preamble;
mod thread;
mod tools;

use rig_agent::{Agent, AgentBuilder};
use rig_core::DynModel;
use rig_core::operation::Completion;

pub use preamble::{GUIDANCE, MemoryPreamble};
pub use thread::Thread;
pub use tools::{Forget, Recall, SaveMemory, SaveSessionContext};

/// Calls to the model in one answer: each tool takes one, and looking things up before and
/// saving after is the usual course of a task.
const TURNS: usize = 12;

/// An agent with a memory: `model` speaks in `thread` as `instructions` say.
///
/// Every call to the model begins with the instructions, then says when to save, then brings
/// what is remembered, then what the thread noted. Two threads share what lasts and nothing
/// else.
///
/// ```
/// use nuthatch::Place;
/// use nuthatch_rig::{Thread, create_agent};
/// use rig_core::{DynModel, operation::Completion};
///
/// fn assistant(model: impl Into<DynModel<Completion>>, place: Place) -> rig_agent::Agent {
///     create_agent(model, &Thread::begin(place, "chat-7"), "Answer in one sentence.")
/// }
/// ```
pub fn create_agent(
    model: impl Into<DynModel<Completion>>,
    thread: &Thread,
    instructions: impl Into<String>,
) -> Agent {
    let instructions = instructions.into();
    AgentBuilder::new(model)
        // Replaced before every call; it only shows where a call is made past the hooks.
        .preamble(instructions.clone())
        .default_max_turns(TURNS)
        .add_hook(MemoryPreamble::new(thread.clone(), instructions))
        .tool(SaveMemory::new(thread.clone()))
        .tool(SaveSessionContext::new(thread.clone()))
        .tool(Recall::new(thread.clone()))
        .tool(Forget::new(thread.clone()))
        .build()
}
