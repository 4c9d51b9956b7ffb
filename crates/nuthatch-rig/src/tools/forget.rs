//! `forget`: removes memories and everything they ever said.
//!
//! By name only; all are looked up first, and when one is not there, none goes.

use nuthatch::error::Error;
use rig_core::tool::{PortableTool, ToolExecutionError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer, failed};
use crate::Thread;

/// Most memories one call forgets: more than that is the user's own business.
const MOST: usize = 100;

/// Removes memories for good.
pub struct Forget {
    thread: Thread,
}

impl Forget {
    /// The tool of a thread.
    #[must_use]
    pub fn new(thread: Thread) -> Self {
        Forget { thread }
    }
}

/// What a model says to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    ids: Vec<String>,
}

impl PortableTool for Forget {
    const NAME: &'static str = "forget";
    type Args = Arguments;
    type Output = String;
    type Error = Error;

    fn description(&self) -> String {
        "Remove memories and everything they ever said, for good. Only when the user asks for it."
            .to_owned()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "ids": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Ids or keys of the memories, as `recall` gives them",
                },
            },
            "required": ["ids"],
            "additionalProperties": false,
        })
    }

    fn map_error(&self, error: Error) -> ToolExecutionError {
        failed(&error)
    }

    async fn call(&self, said: Arguments) -> Result<String, Error> {
        if said.ids.is_empty() || said.ids.len() > MOST {
            return Err(Error::invalid(format!("name 1 to {MOST} memories to forget")));
        }
        let place = self.thread.place();
        let mut ids = Vec::new();
        for name in &said.ids {
            ids.push(place.find(name, place.visible()).await?.id);
        }
        Ok(answer::forgotten(&place.engine().forget(&ids).await?.forgotten))
    }
}
