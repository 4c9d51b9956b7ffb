//! `save_session_context`: what only this conversation needs, in RAM.
//!
//! Which conversation that is, the tool knows; its model cannot name another.

use nuthatch::category::Category;
use nuthatch::error::Error;
use rig_core::tool::{PortableTool, ToolExecutionError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::failed;
use crate::Thread;

/// Notes something for the conversation.
pub struct SaveSessionContext {
    thread: Thread,
}

impl SaveSessionContext {
    /// The tool of a thread.
    #[must_use]
    pub fn new(thread: Thread) -> Self {
        SaveSessionContext { thread }
    }
}

/// What a model says to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    content: String,
    category: Option<String>,
}

impl PortableTool for SaveSessionContext {
    const NAME: &'static str = "save_session_context";
    type Args = Arguments;
    type Output = String;
    type Error = Error;

    fn description(&self) -> String {
        "Note something that only this conversation needs: the host, the working directory, the \
         state of a service. Kept in RAM and gone when the conversation ends; it stands in front \
         of your next steps by itself."
            .to_owned()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "content": {"type": "string", "description": "What was found out, in one line"},
                "category": {
                    "type": "string",
                    "description": "host_info, environment, working_directory, service_state or \
                                    discovery (the default)",
                },
            },
            "required": ["content"],
            "additionalProperties": false,
        })
    }

    fn map_error(&self, error: Error) -> ToolExecutionError {
        failed(&error)
    }

    async fn call(&self, said: Arguments) -> Result<String, Error> {
        let category = Category::new(said.category.as_deref().unwrap_or("discovery"))?;
        let engine = self.thread.place().engine();
        engine.note(self.thread.name(), category, &said.content)?;
        Ok("Noted for this conversation.".to_owned())
    }
}
