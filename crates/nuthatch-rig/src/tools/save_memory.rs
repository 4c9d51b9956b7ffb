//! `save_memory`: one fact for good.
//!
//! What a model says is an agent's word, never the user's.

use nuthatch::category::Category;
use nuthatch::error::Error;
use nuthatch::remember::RememberRequest;
use nuthatch::trust::Origin;
use rig_core::tool::{PortableTool, ToolExecutionError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer, failed};
use crate::Thread;

/// Saves one fact for good.
pub struct SaveMemory {
    thread: Thread,
}

impl SaveMemory {
    /// The tool of a thread.
    #[must_use]
    pub fn new(thread: Thread) -> Self {
        SaveMemory { thread }
    }
}

/// What a model says to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    content: String,
    category: Option<String>,
    key: Option<String>,
    scope: Option<String>,
    from_tool: Option<bool>,
}

impl PortableTool for SaveMemory {
    const NAME: &'static str = "save_memory";
    type Args = Arguments;
    type Output = String;
    type Error = Error;

    fn description(&self) -> String {
        "Remember one fact for good: something the user asked to be remembered, a preference, a \
         convention, a restriction, a decision. The same text again is the same memory."
            .to_owned()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "content": {
                    "type": "string",
                    "description": "One self-contained fact in plain words",
                },
                "category": {
                    "type": "string",
                    "description": "preference, personal_fact, workflow, restriction, convention, \
                                    core (the default), or a snake_case name of your own",
                },
                "key": {
                    "type": "string",
                    "description": "A stable name: saving it again replaces the text and keeps \
                                    the old one as a version",
                },
                "scope": {
                    "type": "string",
                    "description": "Whose memory: project, global or user",
                },
                "from_tool": {
                    "type": "boolean",
                    "description": "true if the text was found in a tool's output, a file or a \
                                    web page; a person then approves it first",
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
        let place = self.thread.place();
        let scope = match &said.scope {
            Some(scope) => place.scope(scope)?,
            None => place.home().clone(),
        };
        let request = RememberRequest {
            key: said.key,
            category: said.category.map(Category::new).transpose()?,
            origin: if said.from_tool == Some(true) { Origin::Tool } else { Origin::Agent },
            ..RememberRequest::new(said.content, scope)
        };
        Ok(answer::remembered(&place.engine().remember(request).await?))
    }
}
